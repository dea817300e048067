"""An archive of the test's own, an empty cache, and the small data set."""

import os
import threading
from pathlib import Path

import pytest

from boxwise.datasets import archive as archive_module
from boxwise.datasets.catalogue import Entry, catalogue

from .garden import GARDEN
from .server import Archive

# Read before the tests are kept from it.
DATA = os.environ.get("BOXWISE_DATA")


@pytest.fixture
def archive():
    server = Archive()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path) -> Path:
    """An empty cache, no folder, no archive but the test's own, and no waiting."""
    for name in ("BOXWISE_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BOXWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BOXWISE_ARCHIVE", "http://127.0.0.1:9/no-archive")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(archive_module, "PAUSES", (0.01, 0.01))
    return tmp_path / "cache" / "paper"


@pytest.fixture
def garden(monkeypatch) -> Entry:
    """A data set that is known under the name garden."""
    monkeypatch.setitem(catalogue(), "garden", GARDEN)
    return GARDEN


@pytest.fixture
def paper_folder() -> Path:
    if DATA is None:
        pytest.skip("BOXWISE_DATA does not name the folder of the paper's data sets")
    return Path(DATA)
