"""Reading a model takes no more bytes than its header announces, nor more memory than it has."""

import hashlib
import json
import math
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from boxwise import HyperboxClassifier, load
from boxwise.store import ModelFileError, modelfile

MARK = modelfile.MARK
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs limits of memory")
# How a program fares that may take little more memory than it has once boxwise is loaded.
LIMITED = """
import resource, sys
import boxwise
from boxwise.store import ModelFileError

taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = taken + 200 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    boxwise.load(sys.argv[1])
except ModelFileError as error:
    print(error)
"""


def head(length: int, header: Any = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = length or len(text)
    return MARK + (1).to_bytes(4, "little") + length.to_bytes(8, "little") + text


def arrays(*table: Any) -> bytes:
    return head(0, {"content": {}, "arrays": table})


def refusal_with_little_memory(path: str | Path) -> str:
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(path))
    return run.stdout


@LINUX
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_load_refuses_an_endless_device_after_its_first_bytes(device: str) -> None:
    assert "not a boxwise model file" in refusal_with_little_memory(device)


HOSTILE = {
    "header of an exabyte": head(2**60),
    "header of all numbers": head(2**64 - 1),
    "longest header": head(2**30),
    "huge array": arrays(["V", "f8", [2**20, 2**20]]),
    "shape that overflows": arrays(["V", "f8", [2**32, 2**32]]),
    "shape beyond all": arrays(["V", "f8", [2**64, 2**64]]),
    "nothing of something": arrays(["V", "f8", [0, 2**64]]),
    "infinite shape": head(0, {"content": {}, "arrays": [["V", "f8", [math.inf]]]}),
    "thousand gigabytes": arrays(*([f"a{i}", "u1", [2**30]] for i in range(1000))),
}


@LINUX
@pytest.mark.parametrize("case", HOSTILE)
def test_load_takes_no_memory_for_what_a_header_only_claims(case: str, tmp_path: Path) -> None:
    path = tmp_path / "m.box"
    body = HOSTILE[case] + bytes(100)
    path.write_bytes(body + hashlib.sha256(body).digest())
    text = refusal_with_little_memory(path)
    assert "damaged" in text


@LINUX
@pytest.mark.parametrize("case", HOSTILE)
def test_load_takes_no_memory_for_what_a_pipe_only_claims(case: str, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=put, args=(path, HOSTILE[case] + bytes(100)))
    writer.start()
    assert "damaged" in refusal_with_little_memory(path)
    writer.join()


def put(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)


@POSIX
def test_load_reads_a_model_from_a_pipe(
    clf: HyperboxClassifier, saved: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=put, args=(path, saved))
    writer.start()
    found = load(path)
    writer.join()
    assert found._model.to_state()[0] == clf._model.to_state()[0]


@POSIX
@pytest.mark.parametrize("way", ["pipe", "file"])
def test_load_reads_a_model_from_standard_input(way: str, saved: bytes, tmp_path: Path) -> None:
    program = "import boxwise; print(len(boxwise.load('/dev/stdin').boxes_))"
    (tmp_path / "m.box").write_bytes(saved)
    with (tmp_path / "m.box").open("rb") as file:
        given: dict[str, Any] = {"input": saved} if way == "pipe" else {"stdin": file}
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, **given
        )
    assert int(run.stdout) == len(load(tmp_path / "m.box").boxes_)


@POSIX
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data + b"\0", "more in the file"),
        (lambda data: data[:-1], "cut short"),
        (lambda data: data[:100], "cut short"),
        (lambda data: data[:9], "cut short"),
        (lambda data: data[:-40] + b"x" + data[-39:], "checksum"),
    ],
)
def test_load_notices_damage_in_a_pipe(
    change: Any, message: str, saved: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=put, args=(path, change(saved)))
    writer.start()
    with pytest.raises(ModelFileError, match=message):
        load(path)
    writer.join()


def test_load_stops_reading_what_is_no_model(saved: bytes, tmp_path: Path) -> None:
    """An endless pipe behind the right mark: no more is asked of it than a header may have."""

    class Endless:
        taken = 0

        def read(self, length: int) -> bytes:
            begin, self.taken = self.taken, self.taken + length
            return (head(1000) + bytes(length + 20))[min(begin, 20) :][:length]

    endless = Endless()
    with pytest.raises(ModelFileError, match="malformed or damaged"):
        modelfile._read(endless, None)  # type: ignore[arg-type]
    assert endless.taken == 1020


def test_write_refuses_a_header_that_could_not_be_read(
    clf: HyperboxClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modelfile, "LONGEST_HEADER", 1000)
    with pytest.raises(ValueError, match="has room for 1000"):
        clf.save(tmp_path / "m.box")
    assert not [*tmp_path.iterdir()]
