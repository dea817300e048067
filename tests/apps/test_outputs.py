"""Where commands write: files are replaced, pipes and devices are written into, or refused."""

import os
import threading
from pathlib import Path

import pytest

from tests.apps.running import boxwise
from tests.apps.staff import learned

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and devices")


@pytest.fixture
def model_and_data(tmp_path):
    return learned(tmp_path, 60)


def read_in_background(pipe):
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    return reader, found


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("pipe", "pipe is a pipe, not a regular file"),
        ("null", "null is a device, not a regular file"),
        ("folder", "folder is a folder"),
        ("none/m.box", "there is no folder"),
        ("/proc/m.box", "the folder /proc may not be written to"),
        ("-", "a model is not written to standard output"),
    ],
)
def test_learn_refuses_an_output_that_cannot_be_a_model_before_it_reads(
    tmp_path, monkeypatch, name, problem
):
    if name.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("needs a folder that nobody may write to")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to(os.devnull)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir())  # noqa: PTH208
    run = boxwise("learn", "absent.csv", "--label", "pay", "-o", name)
    assert run.exit_code == 1
    assert problem in run.output
    assert "absent" not in run.output
    assert sorted(os.listdir()) == before  # noqa: PTH208


def test_models_replace_what_a_link_points_to(tmp_path, model_and_data):
    _, data = model_and_data
    link, real = tmp_path / "link.box", tmp_path / "real.box"
    link.symlink_to(real)
    assert boxwise("learn", data, "--label", "pay", "-o", link).exit_code == 0
    assert link.is_symlink()
    assert boxwise("inspect", real).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "staff.csv", "--label", "pay"],
        ["evaluate", "staff.csv", "--label", "pay", "--cv", "2"],
        ["predict", "staff.box", "staff.csv"],
        ["explain", "staff.box", "staff.csv", "--row", "1"],
        ["rules", "staff.box"],
        ["report", "staff.box"],
    ],
    ids=" ".join,
)
def test_results_keep_links_and_go_into_pipes_and_devices(
    tmp_path, monkeypatch, model_and_data, arguments
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("real.csv")
    (tmp_path / "null.csv").symlink_to(os.devnull)
    os.mkfifo("pipe.csv")
    reader, found = read_in_background(tmp_path / "pipe.csv")
    for name in ("link.csv", "null.csv", "pipe.csv"):
        run = boxwise(*arguments, "-o", name, "-q")
        assert run.exit_code == 0, run.output
    reader.join(60)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "null.csv").is_symlink()
    assert (tmp_path / "pipe.csv").is_fifo()
    assert len(found[0]) > 10
    if arguments[0] != "evaluate":  # which has times in it
        assert (tmp_path / "real.csv").read_text() == found[0]


@pytest.mark.parametrize("arguments", [["plot", "staff.box"], ["evaluate", "staff.csv"]])
def test_pictures_keep_links_and_go_into_pipes(tmp_path, monkeypatch, model_and_data, arguments):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.svg").symlink_to("real.svg")
    os.mkfifo("pipe.svg")
    reader, found = read_in_background(tmp_path / "pipe.svg")
    option = "-o" if arguments[0] == "plot" else "--plot"
    more = [] if arguments[0] == "plot" else ["--label", "pay"]
    for name in ("link.svg", "pipe.svg"):
        assert boxwise(*arguments, *more, option, name, "-q").exit_code == 0
    reader.join(60)
    assert (tmp_path / "link.svg").is_symlink()
    assert "</svg>" in (tmp_path / "real.svg").read_text()
    assert "</svg>" in found[0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("command", ["predict", "explain", "rules", "report"])
def test_a_full_device_is_an_error_that_names_it(model_and_data, command):
    model, data = model_and_data
    rows = [data] if command in ("predict", "explain") else []
    run = boxwise(command, model, *rows, "-o", "/dev/full", "-q")
    assert run.exit_code == 1
    assert "boxwise: /dev/full: No space left on device" in run.output
    assert Path("/dev/full").is_char_device()


def test_a_hyphen_is_standard_output(tmp_path, monkeypatch, model_and_data):
    monkeypatch.chdir(tmp_path)
    model, data = model_and_data
    plain = boxwise("predict", model, data)
    assert boxwise("predict", model, data, "-o", "-").stdout == plain.stdout
    assert "<html" in boxwise("report", model, "-o", "-", "-q").stdout
    assert not Path("-").exists()
