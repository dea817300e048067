"""Counts of instructions, as they are kept, and what of a new count is worse."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

TOLERANCE = 0.10
RENEW = "python -m benchmarks.instructions --renew"


@dataclass(frozen=True)
class Counts:
    """Instructions by case, and the kind of build they belong to."""

    compiler: str  # with its major version: another one makes other instructions
    instructions: str  # what kind of processor valgrind showed to the engine
    cases: dict[str, int]

    @classmethod
    def load(cls, path: Path) -> Counts:
        """Read what `save` wrote."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def save(self, path: Path) -> None:
        """Write the counts to a file."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    def same_kind(self, other: Counts) -> bool:
        """Whether counts of the two can be compared."""
        mine, others = (self.compiler, self.instructions), (other.compiler, other.instructions)
        return mine == others


def table(old: Counts, new: Counts) -> list[str]:
    """Return a line for each case: instructions before and now."""
    lines = []
    for case in {**old.cases, **new.cases}:
        before, now = old.cases.get(case), new.cases.get(case)
        change = f"{now / before - 1:+7.1%}" if before and now else "       "
        lines.append(f"{case:36}{_millions(before)} -> {_millions(now)}  {change}")
    return lines


def faults(old: Counts, new: Counts) -> list[str]:
    """Return what must not stay so; nothing if the builds cannot be compared."""
    if not old.same_kind(new):
        return []
    found = []
    for case in {**old.cases, **new.cases}:
        if case not in new.cases:
            found.append(f"{case}: is in the baseline and was not counted; if meant: {RENEW}")
        elif case not in old.cases:
            found.append(f"{case}: has no baseline; make one: {RENEW}")
        elif new.cases[case] > old.cases[case] * (1 + TOLERANCE):
            more = new.cases[case] / old.cases[case] - 1
            found.append(f"{case}: {more:.1%} more instructions than before; if meant: {RENEW}")
    return found


def _millions(count: int | None) -> str:
    return f"{count / 1e6:9.2f} M" if count else "     none  "
