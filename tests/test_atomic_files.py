"""Files are replaced whole or not at all; pipes and devices are written into, never replaced."""

import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from boxwise import HyperboxClassifier, atomic_files
from boxwise.atomic_files import (
    check_replaceable,
    check_writable,
    replacing,
    writing,
    writing_text,
)
from boxwise.evaluate import prequential
from boxwise.report import write_report

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes, links and devices")
linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell the boot")

# Writes half of a file, says so, and waits to be killed.
HALF = """
import sys, time
from boxwise.atomic_files import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("begun", flush=True)
    time.sleep(600)
"""


def begun_writer(target: Path) -> subprocess.Popen[bytes]:
    run = subprocess.Popen([sys.executable, "-c", HALF, str(target)], stdout=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stdout.readline() == b"begun\n"
    return run


def kill(run: subprocess.Popen[bytes]) -> None:
    run.kill()
    run.communicate()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def some_model() -> HyperboxClassifier:
    return HyperboxClassifier().fit([[1.0], [2.0]], ["a", "b"])


def save(path: Path) -> None:
    some_model().save(path)


def report(path: Path) -> None:
    write_report(some_model(), path)


def scores(path: Path) -> None:
    prequential(HyperboxClassifier(), ([[1.0], [2.0]], ["a", "b"])).write(path)


WRITERS = pytest.mark.parametrize("write", [save, report, scores])


@posix
@WRITERS
def test_writers_keep_a_link_and_replace_what_it_points_to(write: Any, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "out.csv", tmp_path / "link.csv"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write(link)
    assert link.is_symlink()
    assert not real.is_symlink()
    assert real.read_bytes() not in (b"old", b"")
    assert names(tmp_path) == ["link.csv", "real"]
    assert names(tmp_path / "real") == ["out.csv"]


@posix
@WRITERS
def test_writers_keep_the_permissions_of_a_file(write: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_bytes(b"old")
    out.chmod(0o640)
    write(out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


@posix
@WRITERS
def test_writers_give_a_new_file_the_permissions_of_the_umask(write: Any, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "out.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o640


@posix
@WRITERS
def test_writers_sync_the_file_and_then_its_folder(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[bool, bool]] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        synced.append((is_folder, (tmp_path / "out.csv").exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    write(tmp_path / "out.csv")
    assert synced == [(False, False), (True, True)]


@posix
@pytest.mark.parametrize("write", [report, scores])
def test_results_go_into_a_pipe_which_stays_one(write: Any, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(pipe)
    reader.join(60)
    assert pipe.is_fifo()
    assert found[0]
    assert names(tmp_path) == ["pipe.csv"]


@posix
def test_a_link_to_a_device_is_written_into_and_stays(tmp_path: Path) -> None:
    link = tmp_path / "null.csv"
    link.symlink_to(os.devnull)
    report(link)
    scores(link)
    assert link.is_symlink()
    assert Path(os.devnull).is_char_device()
    with pytest.raises(OSError, match=r"null\.csv is a device, not a regular file"):
        save(link)
    assert names(tmp_path) == ["null.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_device_is_named_by_the_error() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        report(Path("/dev/full"))
    with (
        pytest.raises(OSError, match="No space left on device: '/dev/full'"),
        writing("/dev/full") as file,
    ):
        file.write(b"x")


@linux
def test_standard_output_is_appended_to_and_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("before\n")
    code = (
        "from boxwise.atomic_files import writing_text\n"
        "with writing_text('/dev/stdout') as out: out.write('text\\n')\n"
    )
    inode = out.stat().st_ino
    with out.open("a") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert out.read_text() == "before\ntext\n"
    assert out.stat().st_ino == inode


@pytest.mark.parametrize("opened", [replacing, writing])
def test_an_error_in_the_block_leaves_the_old_file_and_nothing_else(
    opened: Any, tmp_path: Path
) -> None:
    out = tmp_path / "out.txt"
    out.write_bytes(b"old")
    for error in (ValueError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error), opened(out) as file:
            file.write(b"half")
            raise error
    assert out.read_bytes() == b"old"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("write", [replacing, check_replaceable])
def test_an_interrupt_while_the_temporary_file_is_created_leaves_none(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = os.open

    def interrupted(part: Path, *how: int) -> int:
        os.close(create(part, *how))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), write(tmp_path / "out") or nullcontext():
        raise AssertionError("it was not created")
    assert names(tmp_path) == []


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    with writing_text(tmp_path / "out.txt") as out:
        out.write("naïve\r\nline\n")
    assert (tmp_path / "out.txt").read_bytes() == "naïve\r\nline\n".encode()


@linux
def test_the_debris_of_a_killed_writer_is_removed_by_the_next_one(tmp_path: Path) -> None:
    kill(begun_writer(tmp_path / "a.box"))
    (debris,) = names(tmp_path)
    assert debris.startswith(".boxwise-")
    save(tmp_path / "b.box")
    assert names(tmp_path) == ["b.box"]


@linux
def test_the_file_of_a_live_writer_is_not_removed(tmp_path: Path) -> None:
    run = begun_writer(tmp_path / "a.box")
    try:
        (part,) = names(tmp_path)
        save(tmp_path / "b.box")
        assert names(tmp_path) == [part, "b.box"]
        run.send_signal(signal.SIGINT)
        run.wait(60)
        assert names(tmp_path) == ["b.box"]
    finally:
        kill(run)


@linux
def test_writers_in_one_process_do_not_remove_each_others_files(tmp_path: Path) -> None:
    with replacing(tmp_path / "a") as first, replacing(tmp_path / "b") as second:
        first.write(b"1")
        second.write(b"2")
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"1", b"2")
    assert names(tmp_path) == ["a", "b"]


@linux
def test_what_may_be_of_another_machine_or_user_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot = atomic_files._boot()
    other = "0" * len(boot)
    left = [
        f".boxwise-{other}-{'0' * 16}",  # another machine, or this one before it was started again
        f".boxwise-{boot}-{'0' * 15}",
        f".boxwise-{boot}-{'0' * 16}.box",
        ".boxwise-notes",
    ]
    for name in left:
        (tmp_path / name).write_bytes(b"")
    ours = f".boxwise-{boot}-{'1' * 16}"
    (tmp_path / ours).symlink_to(tmp_path / left[0])
    save(tmp_path / "m.box")
    assert names(tmp_path) == sorted([*left, ours, "m.box"])
    (tmp_path / ours).unlink()
    (tmp_path / ours).write_bytes(b"")
    monkeypatch.setattr(os, "geteuid", lambda: -1)
    save(tmp_path / "m.box")
    assert ours in names(tmp_path)
    monkeypatch.undo()
    save(tmp_path / "m.box")
    assert names(tmp_path) == sorted([*left, "m.box"])


@linux
def test_a_new_file_that_is_taken_for_debris_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    flock, removed = fcntl.flock, []

    def late(handle: Any, how: int) -> None:
        if not removed:  # another writer was quicker with the lock
            removed.extend(names(tmp_path))
            (tmp_path / removed[0]).unlink()
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with replacing(tmp_path / "a") as file:
        file.write(b"1")
    assert len(removed) == 1
    assert (tmp_path / "a").read_bytes() == b"1"
    assert names(tmp_path) == ["a"]


@posix
def test_many_writers_of_one_file_leave_one_whole_file(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def write(letter: bytes) -> None:
        for _ in range(100):
            with replacing(out) as file:
                file.write(letter * 1000)

    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(write, letter) for letter in (b"a", b"b", b"c")]:
            done.result()
    assert out.read_bytes() in (b"a" * 1000, b"b" * 1000, b"c" * 1000)
    assert names(tmp_path) == ["out"]


@posix
def test_check_replaceable_refuses_what_cannot_be_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    before = names(tmp_path)
    with pytest.raises(OSError, match="is a pipe, not a regular file"):
        check_replaceable(tmp_path / "pipe")
    with pytest.raises(OSError, match="is a device, not a regular file"):
        check_replaceable(os.devnull)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        check_replaceable(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        check_replaceable(tmp_path / "none" / "out")
    with pytest.raises(OSError, match="symbolic links"):
        check_replaceable(tmp_path / "loop")
    check_replaceable(tmp_path / "out")
    check_writable(tmp_path / "pipe")
    assert names(tmp_path) == before


@linux
def test_check_replaceable_tries_whether_the_folder_can_be_written() -> None:
    with pytest.raises(OSError, match="the folder /proc may not be written to"):
        check_replaceable("/proc/out")


@posix
def test_check_writable_refuses_a_device_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="may not be written to"):
        check_writable(tmp_path / "pipe")


@posix
def test_a_report_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_report(object(), tmp_path)
