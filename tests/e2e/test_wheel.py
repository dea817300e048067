"""The wheel: what is in it, and that it installs and runs where there is no compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from email import message_from_string
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

fcntl = pytest.importorskip("fcntl", reason="one process at a time builds, by a lock of POSIX")

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make")
EXTRAS = "cli,river,service"
UNREACHABLE = re.compile(
    r"from versions: none|Max retries exceeded|ConnectionError|Name or service|ReadTimeout"
)
pytestmark = pytest.mark.long

USE_IN_PYTHON = """
import sys
from pathlib import Path
import boxwise
from boxwise.datasets import LoanStream, names
from boxwise.river import HyperboxClassifier as RiverClassifier

assert Path(boxwise.__file__).is_relative_to(sys.prefix), boxwise.__file__
rows, labels = zip(*LoanStream(600, seed=1))
clf = boxwise.HyperboxClassifier().fit(rows[:500], labels[:500])
clf.save("loans.box")
loaded = boxwise.load("loans.box")
assert loaded.predict(rows).tolist() == clf.predict(rows).tolist()
assert loaded.partial_fit(rows[500:], labels[500:]).score(rows, labels) > 0.8
online = RiverClassifier()
for row, label in zip(rows, labels):
    online.learn_one(row, label)
assert online.predict_one(rows[0]) in labels
assert len(names()) == 14
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that BOXWISE_WHEEL names, or one built in the folder of the editable install."""
    if given := os.environ.get("BOXWISE_WHEEL"):
        return Path(given).resolve()
    if missing := [name for name in ("scikit_build_core", "nanobind") if not find_spec(name)]:
        pytest.skip(f"{' and '.join(missing)} not installed, and BOXWISE_WHEEL names no wheel")
    folder = tmp_path_factory.mktemp("dist")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    options = ["--no-index", "--no-build-isolation", "--no-deps", "--wheel-dir", folder]
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run([*pip, "wheel", *options, ROOT], cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture
def files(wheel):
    """The content of each file of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def run(command, **options):
    """Run a command; return its output, and fail with it if the command does."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def information(files, name):
    """Return a file of the wheel's dist-info folder."""
    (found,) = (data for path, data in files.items() if path.endswith(f".dist-info/{name}"))
    return found.decode()


def test_wheel_is_for_this_python_or_for_all_from_3_12_on(wheel):
    minor = sys.version_info.minor
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        tag = f"cp3{minor}-cp3{minor}t"
    else:
        tag = "cp311-cp311" if minor == 11 else "cp312-abi3"
    assert wheel.name.startswith(f"boxwise-{PROJECT['version']}-{tag}-")


def test_wheel_has_the_files_of_the_package_the_engine_and_nothing_else(files):
    package = ROOT / "src" / "boxwise"
    sources = {
        path.relative_to(package.parent).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".so", ".pyd"}
    }
    others = {name for name in files if ".dist-info/" not in name} - sources.keys()
    assert [re.sub(r"\..*", "", name) for name in others] == ["boxwise/_native"]
    assert {name: files.get(name) == data for name, data in sources.items()} == dict.fromkeys(
        sources, True
    )
    assert {Path(name).suffix for name in sources} >= {".html", ".css", ".js", ".svg", ".toml"}
    assert "boxwise/py.typed" in sources


def test_wheel_names_no_place_of_the_machine_that_built_it(files):
    prefix = Path(sys.base_prefix)
    places = {str(ROOT), str(Path.home())} | ({str(prefix)} if len(prefix.parts) > 3 else set())
    for name, data in files.items():
        assert [place for place in places - {"/"} if f"{place}/".encode() in data] == [], name
        if name.endswith((".so", ".pyd")) or ".dist-info/" in name:
            assert re.findall(rb"/(?:home|root|tmp|Users|work|build)/[\w. -]+", data) == [], name


def test_wheel_tells_licences_requirements_and_command(files):
    metadata = message_from_string(information(files, "METADATA"))
    assert metadata["License-Expression"] == PROJECT["license"]
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    required = {re.sub(r"[ ()]", "", text) for text in metadata.get_all("Requires-Dist")}
    assert required >= {*PROJECT["dependencies"]}
    assert {*metadata.get_all("Provides-Extra")} == {*PROJECT["optional-dependencies"]}
    assert metadata.get_payload().strip() == (ROOT / "README.md").read_text("utf-8").strip()
    assert information(files, "licenses/LICENSE") == (ROOT / "LICENSE").read_text("utf-8")
    assert "Wenzel Jakob" in information(files, "licenses/licenses/nanobind.txt")
    assert "boxwise=boxwise.apps.entry:main" in information(files, "entry_points.txt").replace(
        " ", ""
    )


def test_wheel_is_stripped_and_small(wheel, files):
    assert wheel.stat().st_size < 4e6
    (engine,) = (data for name, data in files.items() if name.endswith((".so", ".pyd")))
    assert len(engine) < 6e6
    assert b".debug_info" not in engine


@pytest.fixture
def programs(tmp_path):
    """The folder of the programs of a fresh environment, which is removed after the test."""
    place = tmp_path / "an environment"
    venv.create(place, with_pip=True)
    yield place / "bin"
    shutil.rmtree(place)


def test_wheel_installs_and_runs_without_a_compiler(wheel, programs, tmp_path):
    folder = tmp_path / "a folder with spaces"
    folder.mkdir()
    environment = {**os.environ, "PATH": str(programs), "PYTHONUTF8": "1", "COLUMNS": "100"}
    for name in ("CC", "CXX", "PYTHONPATH"):
        environment.pop(name, None)
    assert [name for name in COMPILERS if shutil.which(name, path=str(programs))] == []
    within = {"cwd": folder, "env": environment}
    install(wheel, programs, within)

    run([programs / "python", "-I", "-c", USE_IN_PYTHON], **within)
    assert "hoeffding-tree" in run([programs / "boxwise", "demo", "--rows", "3000"], **within)
    use_the_command_line(programs / "boxwise", within)
    open_the_page_of_the_service(programs / "boxwise", within)


def install(wheel, programs, within):
    """Install the wheel and what it needs, in the versions that are installed here."""
    pins = {d.metadata["Name"]: d.version for d in distributions() if d.metadata["Name"]}
    pins.pop("boxwise", None)
    pinned = within["cwd"] / "constraints.txt"
    pinned.write_text("".join(f"{name}=={version}\n" for name, version in pins.items()))
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check", "--retries", "1"]
    done = subprocess.run(
        [*pip, "install", "--only-binary", ":all:", "-c", pinned, f"{wheel}[{EXTRAS}]"],
        capture_output=True, text=True, timeout=600, check=False, **within,
    )  # fmt: skip
    if done.returncode and (unreachable := UNREACHABLE.search(done.stderr)):
        pytest.skip(f"the package index cannot be reached: {unreachable[0]}")
    assert done.returncode == 0, done.stderr


def use_the_command_line(boxwise, within):
    """Write a table, learn it, predict it, and write the report of the model."""
    run([boxwise, "demo", "--rows", "3000", "--csv", "loans.csv"], **within)
    learn = ["learn", "loans.csv", "--label", "decision", "-o", "learned.box"]
    assert "learned.box: 3,000 rows" in run([boxwise, *learn], **within)
    predicted = run([boxwise, "predict", "learned.box", "loans.csv"], **within)
    assert predicted.startswith("row,prediction") and predicted.count("\n") == 3001
    run([boxwise, "report", "learned.box", "-o", "report.html"], **within)
    assert "<style>" in (within["cwd"] / "report.html").read_text("utf-8")


def open_the_page_of_the_service(boxwise, within):
    """Start `boxwise live`; read its page, and each file that the page asks for."""
    live = [boxwise, "live", "--no-browser", "--rows", "200"]
    with subprocess.Popen(
        live, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", **within
    ) as service:
        try:
            said = iter(service.stdout.readline, "")
            address = next(line for line in said if line.startswith("http://127.0.0.1:")).strip()
            with urlopen(address, timeout=30) as answer:
                page = answer.read().decode()
            asked = re.findall(r'(?:src|href)="/?(page/[^"]+)"', page)
            assert len(asked) > 2
            for path in asked:
                with urlopen(address + path, timeout=30) as answer:
                    assert answer.read()
        finally:
            service.terminate()
