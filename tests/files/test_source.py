"""Bytes: compressed or not, from a file or from standard input, until the reading is stopped."""

import gzip
import io
import os
import signal
import sys
import threading
import time

import pytest

from boxwise.files import FileSet, InputError, ReadingStopped, ReadOptions, Stop, source

TEXT = "a,b\n" + "".join(f"{i},x\n" for i in range(1000))


def rows_in(paths, options=None):
    return sum(chunk.n_rows for chunk in FileSet(paths, options).chunks())


@pytest.mark.parametrize("name", ["data.csv.gz", "data.csv", "data"])
@pytest.mark.parametrize("block", [1, 7, 4096])
def test_gzip_is_known_by_its_first_bytes(write, monkeypatch, name, block):
    monkeypatch.setattr(source, "BLOCK", block)
    assert rows_in([write(gzip.compress(TEXT.encode()), name)]) == 1000
    assert rows_in([write(TEXT, name)]) == 1000


def test_gzip_files_put_one_after_the_other_are_one(write):
    halves = gzip.compress(TEXT.encode()) + gzip.compress(b"7,y\n")
    assert rows_in([write(halves, "x.csv.gz")]) == 1001


@pytest.mark.parametrize("damage", ["cut", "changed", "garbage"])
def test_damaged_gzip_is_named(write, damage):
    data = gzip.compress(TEXT.encode())
    damaged = {
        "cut": data[:-20],
        "changed": data[:200] + bytes(50) + data[250:],
        "garbage": data + b"garbage",
    }
    with pytest.raises(InputError, match=r"x\.csv\.gz: the gzip data is damaged or cut short"):
        rows_in([write(damaged[damage], "x.csv.gz")])


@pytest.mark.parametrize("form", [gzip.compress, bytes])
def test_standard_input_is_a_file_too(monkeypatch, form):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(form(TEXT.encode()))))
    assert rows_in(["-"]) == 1000


def test_standard_input_is_read_once_only():
    with pytest.raises(InputError, match="once only"):
        FileSet(["-", "-"])


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"there is no file '.*nothing\.csv'"):
        FileSet([str(tmp_path / "nothing.csv")])
    with pytest.raises(InputError, match="is a folder; name the files in it"):
        FileSet([str(tmp_path)])


def test_a_byte_that_is_no_file_name_is_refused():
    with pytest.raises(InputError, match="cannot be read"):
        FileSet(["a\0b"])


@pytest.fixture
def slow(monkeypatch):
    """A pipe in the place of standard input, and its other end."""
    reading, writing = os.pipe()
    monkeypatch.setattr(sys, "stdin", os.fdopen(reading, "r"))
    yield os.fdopen(writing, "wb", buffering=0)
    sys.stdin.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals do not break off a read there")
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_wait_for_data_is_broken_off_and_rows_read_so_far_are_handed_over(slow, form):
    content = {"csv": b"a,b\n1,x\n2,y\n3,", "jsonl": b'{"a": 1}\n{"a": 2}\n{"a"'}[form]
    slow.write(content)
    stop = Stop()
    before = signal.signal(signal.SIGUSR1, lambda *_: stop.request())
    main = threading.get_ident()
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGUSR1))
    timer.start()
    try:
        assert rows_in(["-"], ReadOptions(form, stop=stop)) == 2
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.skipif(sys.platform == "win32", reason="signals do not break off a read there")
def test_before_the_header_there_is_nothing_to_hand_over(slow):
    stop = Stop()
    before = signal.signal(signal.SIGUSR1, lambda *_: stop.request())
    main = threading.get_ident()
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGUSR1))
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(ReadingStopped):
            FileSet(["-"], ReadOptions(stop=stop))
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - start < 60


def test_once_asked_to_stop_no_further_block_and_no_further_file_is_read(write, monkeypatch):
    monkeypatch.setattr(source, "BLOCK", 100)
    stop = Stop()
    paths = [write(TEXT, "one.csv"), write(TEXT, "two.csv")]
    rows = 0
    for chunk in FileSet(paths, ReadOptions(stop=stop)).chunks(5):
        rows += chunk.n_rows
        stop.request()
    assert 5 <= rows < 100
