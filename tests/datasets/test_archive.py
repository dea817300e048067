"""Downloading from a real server: success, every kind of failure, and what is said about it."""

import json
import socket
import subprocess
import sys
import threading
import warnings
from contextlib import suppress
from dataclasses import asdict, replace

import pytest

from boxwise.datasets import DatasetError, load
from boxwise.datasets import archive as archive_module
from boxwise.datasets.archive import fetch
from boxwise.datasets.catalogue import catalogue

from .garden import GARDEN, RAW, TABLE, ZIP, zipped
from .server import cut_short, drip, hang, hang_up


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter(
            "error", UserWarning
        )  # ours; what other tests left behind may come too
        yield


def test_a_data_set_is_downloaded_converted_and_kept(archive, garden, cache):
    archive.put(garden, ZIP)
    data = load("garden", archive=archive.url)
    assert data.X[1] == {"height": 0.25, "colour": "blue", "age": 12.0, "soil": "sand"}
    assert data.y.tolist() == [10, 2, 10]
    assert archive.asked == ["/public/7/garden+flowers.zip"]
    assert [path.name for path in cache.iterdir()] == ["garden.csv.gz"]


def test_the_second_time_the_archive_is_not_asked(archive, garden):
    archive.put(garden, ZIP)
    first = load("garden", archive=archive.url)
    second = load("garden", archive=archive.url)
    assert len(archive.asked) == 1
    assert first.X == second.X


def test_the_archive_may_come_from_the_environment(monkeypatch, archive, garden):
    archive.put(garden, ZIP)
    monkeypatch.setenv("BOXWISE_ARCHIVE", archive.url + "/")
    assert len(load("garden").X) == 3


def test_the_archive_may_be_a_folder(tmp_path, garden):
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "garden+flowers.zip").write_bytes(ZIP)
    assert len(load("garden", archive=tmp_path.as_uri()).X) == 3


def test_the_file_may_lie_in_a_folder_of_the_zip(archive, garden):
    archive.put(garden, zipped(**{"flowers/garden__data": RAW}))
    assert len(load("garden", archive=archive.url).X) == 3


@pytest.mark.parametrize("trouble", [500, 503, 429, cut_short, hang_up])
def test_trouble_that_passes_is_waited_for(archive, garden, trouble):
    archive.put(garden, trouble, trouble, ZIP)
    assert len(load("garden", archive=archive.url).X) == 3
    assert len(archive.asked) == 3


def test_the_waits_are_the_pauses(monkeypatch, archive, garden):
    waits = []
    monkeypatch.setattr(archive_module, "PAUSES", (1.0, 4.0))
    monkeypatch.setattr(archive_module, "sleep", waits.append)
    archive.put(garden, 500)
    with pytest.raises(DatasetError, match="500 Internal Server Error"):
        load("garden", archive=archive.url)
    assert waits == [1.0, 4.0]
    assert len(archive.asked) == 3


def test_what_is_not_there_is_asked_for_once(archive, garden, cache):
    with pytest.raises(DatasetError, match=r"garden\+flowers.zip cannot be had: 404 Not Found"):
        load("garden", archive=archive.url)
    assert len(archive.asked) == 1
    assert not cache.exists()


@pytest.mark.parametrize("server", [hang, drip])
def test_a_server_that_does_not_come_to_an_end_is_given_up(archive, garden, server):
    archive.put(garden, server)
    with pytest.raises(DatasetError, match=r"cannot be had: .*timed out"):
        load("garden", archive=archive.url, timeout=0.2)
    archive.wait_until_asked(3)


def test_without_a_network_the_error_tells_what_to_do(garden, cache):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(DatasetError) as raised:
        load("garden", archive=url)
    told = str(raised.value)
    assert "data set 'garden' is not on this machine" in told
    assert f"{url}/7/garden+flowers.zip cannot be had: " in told
    assert f"copy garden.csv.gz from the cache there to {cache / 'garden.csv.gz'}" in told
    assert "set BOXWISE_DATA to a folder that holds paper/garden.csv.gz" in told
    assert "as 7/garden+flowers.zip and set BOXWISE_ARCHIVE to file://" in told


@pytest.mark.parametrize("address", ["nonsense", "http://", "gopher://127.0.0.1"])
def test_an_address_that_is_none_is_an_error_of_the_data_set(garden, address):
    with pytest.raises(DatasetError, match="cannot be had"):
        load("garden", archive=address)


@pytest.mark.parametrize(
    "damaged",
    [b"", b"<html>Please log in</html>", ZIP[:-30], ZIP.replace(b"\x03\x04", b"\x03\x05")],
    ids=["empty", "a page", "cut", "spoiled"],
)
def test_a_damaged_zip_is_refused(archive, garden, cache, damaged):
    archive.put(garden, damaged)
    with pytest.raises(DatasetError, match="is not a zip file, or is damaged"):
        load("garden", archive=archive.url)
    assert not cache.exists()


def test_whichever_byte_is_spoiled_there_is_the_right_table_or_an_error(monkeypatch, garden):
    for i in range(len(ZIP)):
        for bits in (0x01, 0x80, 0xFF):
            spoiled = ZIP[:i] + bytes([ZIP[i] ^ bits]) + ZIP[i + 1 :]
            monkeypatch.setattr(archive_module, "download", lambda *_, content=spoiled: content)
            with suppress(DatasetError):
                assert fetch(garden, "unused", 5.0) == TABLE


def test_wherever_the_zip_ends_too_early_there_is_an_error(monkeypatch, garden):
    for length in range(len(ZIP)):
        monkeypatch.setattr(archive_module, "download", lambda *_, end=length: ZIP[:end])
        with pytest.raises(DatasetError, match="not a zip file"):
            fetch(garden, "unused", 5.0)


def test_a_zip_without_the_file_is_refused_and_its_files_are_named(archive, garden):
    archive.put(garden, zipped(Index=b"", flowers__csv=RAW))
    with pytest.raises(DatasetError, match=r"garden.data is not in .*, only Index, flowers.csv"):
        load("garden", archive=archive.url)


def test_another_table_is_refused_with_both_checksums(archive, garden, cache):
    archive.put(garden, zipped(garden__data=RAW.replace(b"0.25", b"0.26")))
    with pytest.raises(DatasetError, match=f"its sha256 is [0-9a-f]{{64}}, not {garden.sha256}"):
        load("garden", archive=archive.url)
    assert not cache.exists()


def test_more_than_any_data_set_has_is_not_read(monkeypatch, archive, garden):
    monkeypatch.setattr(archive_module, "LIMIT", 100)
    archive.put(garden, ZIP)
    with pytest.raises(DatasetError, match="more than 100 bytes came"):
        load("garden", archive=archive.url)


def test_two_processes_that_load_at_once_do_not_disturb_each_other(archive, garden, cache):
    both_ask = threading.Barrier(2)

    def answer(handler):
        both_ask.wait(100)
        handler.send(ZIP)

    archive.put(garden, answer)
    code = """
import json, sys
from boxwise.datasets import load
from boxwise.datasets.catalogue import Entry, catalogue
fields = {k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(sys.argv[1]).items()}
catalogue()["garden"] = Entry(**fields)
print(load("garden", archive=sys.argv[2]).y.tolist())
"""
    command = [sys.executable, "-W", "error::UserWarning", "-c", code]
    command += [json.dumps(asdict(GARDEN)), archive.url]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in running:
        out, err = process.communicate(timeout=120)
        assert (out, err) == ("[10, 2, 10]\n", "")
    assert [path.name for path in cache.iterdir()] == ["garden.csv.gz"]


def test_the_table_is_checked_before_anything_is_made_of_it(archive, monkeypatch, garden):
    monkeypatch.setitem(catalogue(), "garden", replace(garden, sha256="0" * 64))
    archive.put(garden, ZIP)
    with pytest.raises(DatasetError, match="0" * 64):
        load("garden", archive=archive.url)
    assert garden.is_table(TABLE)
