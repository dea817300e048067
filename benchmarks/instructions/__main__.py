"""Build the driver, count its instructions with callgrind, compare them with the baseline."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.instructions.baseline import TOLERANCE, Counts, faults, table

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "driver"
BASELINE = Path(__file__).with_name("baseline.json")
MEASURED = ("measured_learn", "measured_predict")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions")
    parser.add_argument("--renew", action="store_true", help="take the new counts as the baseline")
    renew = parser.parse_args(arguments).renew
    # CMake may have come with the package, into the environment, where the machine has none.
    places = os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent)])
    cmake = shutil.which("cmake", path=places)
    if shutil.which("valgrind") is None or cmake is None:
        print("instructions: skipped, for valgrind or cmake is not installed")
        return 0
    new = count(build(cmake))
    if renew or not BASELINE.exists():
        new.save(BASELINE)
        print(f"instructions: {len(new.cases)} cases are the new baseline")
        return 0
    old = Counts.load(BASELINE)
    print(*table(old, new), sep="\n")
    if not old.same_kind(new):
        print(
            f"instructions: only reported, for the baseline is of {old.compiler}, "
            f"{old.instructions}, and this is {new.compiler}, {new.instructions}"
        )
    wrong = faults(old, new)
    print(*wrong or [f"instructions: nothing more than {TOLERANCE:.0%} worse"], sep="\n")
    return 1 if wrong else 0


def build(cmake: str) -> Path:
    """Compile what changed; return the driver."""
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(
        [cmake, "-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release", "-DBOXWISE_DRIVER=ON",
         f"-DPython_EXECUTABLE={sys.executable}"], **quiet
    )  # fmt: skip
    jobs = str(os.cpu_count() or 1)
    subprocess.run([cmake, "--build", BUILD, "--target", "driver", "-j", jobs], **quiet)
    return BUILD / "driver"


def count(driver: Path) -> Counts:
    """Run the driver; callgrind leaves a file for each measured call, in order."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "count")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        command += ["--toggle-collect=measured_*", *(f"--dump-after={name}" for name in MEASURED)]
        run = subprocess.run([*command, driver], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"the driver failed under valgrind:\n{run.stderr}")
        built, cases = read(run.stdout)
        totals = [total(Path(f"{out}.{i}")) for i in range(1, len(cases) + 1)]
    return Counts(built["compiler"], built["instructions"], dict(zip(cases, totals, strict=True)))


def read(output: str) -> tuple[dict[str, str], list[str]]:
    """Return what the driver says of its build, and the cases it ran."""
    lines = output.splitlines()
    built = dict(line.split(": ") for line in lines if ": " in line)
    return built, [line for line in lines if ": " not in line]


def total(dump: Path) -> int:
    """Return the number of instructions in a file of callgrind."""
    found = re.search(r"^totals: (\d+)$", dump.read_text(), re.MULTILINE)
    if found is None or int(found[1]) == 0:
        sys.exit(f"callgrind counted nothing in {dump.name}")
    return int(found[1])


if __name__ == "__main__":
    sys.exit(main())
