"""`boxwise live` as a whole: nothing is lost when the service is killed, nothing stays behind."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from time import sleep
from urllib.request import urlopen

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("typer")
pytest.importorskip("rich")

from tests.service.live_process import LiveProcess

from boxwise.apps.commands.live import FIRST_ROWS


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"]
)
def test_live_ends_everything(temporary: Path, number, code):
    live = LiveProcess("--rows", 2_000)
    (pid,) = live.services
    assert runs(pid) and len([*temporary.glob("boxwise-live-*/store.db")]) == 1
    assert live.stop(number) == code
    assert not runs(pid)
    assert [*temporary.iterdir()] == []
    assert not any("Traceback" in line for line in live.lines)


@pytest.mark.long
def test_live_learns_each_row_once_although_the_service_is_killed(temporary):
    rows = 900
    live = LiveProcess("--rows", rows, "--pace", 300)
    try:
        for _ in range(3):
            sleep(0.7)
            live.kill_service()
        live.said(r"(All applications are sent)")
        with urlopen(f"{live.origin}v1/model") as answer:
            assert json.load(answer)["rows"] == rows + FIRST_ROWS
    finally:
        live.stop()
