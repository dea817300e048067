"""The native tests of the engine's mechanisms, built by CMake and run file by file."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

fcntl = pytest.importorskip("fcntl", reason="the native tests are built on POSIX systems only")

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "native_tests"
GROUPS = sorted(path.stem for path in (ROOT / "native" / "tests").glob("*.cpp"))
GROUPS.remove("main")


@pytest.fixture(scope="module")
def native_tests():
    """Compile what changed, one test process at a time; return the executable."""
    places = os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent)])
    cmake = shutil.which("cmake", path=places)
    compiler = next(
        filter(shutil.which, [os.environ.get("CXX", ""), "c++", "g++", "clang++"]), None
    )
    if cmake is None or compiler is None:
        pytest.skip(f"{'cmake' if cmake is None else 'a C++ compiler'} is not installed")
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for arguments in (
            ["-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=None", "-DBOXWISE_NATIVE_TESTS=ON",
             f"-DPython_EXECUTABLE={sys.executable}"],
            ["--build", BUILD, "--target", "native_tests", "-j", "2"],
        ):  # fmt: skip
            made = subprocess.run([cmake, *arguments], capture_output=True, text=True, check=False)
            assert made.returncode == 0, made.stdout + made.stderr
    return BUILD / "native_tests"


@pytest.mark.parametrize("group", GROUPS)
def test_native(native_tests, group):
    run = subprocess.run([native_tests, group], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


# From the lowest folder to the highest; each includes only what is before it.
FOLDERS = (
    "kernels", "store", "index", "engine", "eiol", "drift", "evidence", "additive", "contraction",
    "agglomerative", "tuning", "bindings", "tests",
)  # fmt: skip
EXCEPTIONS = {
    ("store/group.cpp", "index"),  # it tells the index that a box was removed
    ("index/box_index.hpp", "eiol"),  # the entropy test
}


def _includes():
    """Return each source of the engine, by its path in native/, with what it includes."""
    native = ROOT / "native"
    for path in [*native.rglob("*.cpp"), *native.rglob("*.hpp")]:
        for included in re.findall(r"#include [<\"](.+)[>\"]", path.read_text()):
            yield path.relative_to(native).as_posix(), included


def test_folders_of_the_engine_include_in_one_direction():
    wrong = []
    for source, included in _includes():
        folder, _, name = included.partition("/")
        own = source.split("/")[0]
        if not name or folder not in FOLDERS or (source, folder) in EXCEPTIONS:
            continue
        together = {own, folder} <= {"evidence", "additive"}
        if FOLDERS.index(folder) > FOLDERS.index(own) and not together:
            wrong.append(f"{source} includes {included}")
    assert wrong == []


def test_only_bindings_include_python():
    python = [s for s, included in _includes() if re.match(r"nanobind|Python\.h", included)]
    assert {source.split("/")[0] for source in python} == {"bindings"}
