"""Measure the speed and make the page of it: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from time import perf_counter

from benchmarks.speed import page
from benchmarks.speed.record import FULL, QUICK, Profile, Record

# In the order of the page; the slow ones do not come first, so that a mistake shows early.
PARTS = (
    "growth",
    "latency",
    "peers",
    "brain",
    "relatives",
    "threads",
    "tuning",
    "bound",
    "memory",
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, into build/benchmarks")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="measure, then make the page")
    run.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all")
    commands.add_parser("page", help="make the page of what was measured")
    given = parser.parse_args(arguments)
    profile = QUICK if given.quick else FULL
    if given.command == "run":
        unknown = [part for part in given.parts if part not in PARTS]
        if unknown:
            parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
        for part in given.parts or PARTS:
            measure(part, profile)
    page.write(profile, PARTS)


def measure(part: str, profile: Profile) -> None:
    """Run a part and keep what it measured."""
    begun = perf_counter()
    print(f"== {part} ({profile.name})", flush=True)
    record = Record(part, profile)
    import_module(f"benchmarks.speed.{part}").run(record)
    record.write()
    print(f"== {part}: {perf_counter() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
