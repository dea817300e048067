"""What happens around a change: when it is noticed, how long until a model is as good as before.

    python -m benchmarks.drift               (ten minutes; needs river)
    python -m benchmarks.drift --no-forest   (two)

Every row is predicted, then learned; another rule decides from the middle on. Writes
benchmarks/results/drift.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from river.datasets import synth

from benchmarks.report import Report
from boxwise.datasets import LoanStream
from boxwise.evaluate.peers import peer
from boxwise.river import HyperboxClassifier

ROWS, SEEDS = 8_000, (1, 2, 3, 4, 5)
MIDDLE = ROWS // 2
WINDOW, BELOW = 200, 0.03  # recovered: accuracy of so many rows, at most this below that before

Pairs = list[tuple[dict[str, Any], str]]


def loans(rule: int, other: int) -> Callable[[int], Pairs]:
    return lambda seed: [
        *LoanStream(
            ROWS, function=rule, noise=0.05, seed=seed, drift_at=MIDDLE, drift_to=other
        )
    ]  # fmt: skip


def mixed(seed: int) -> Pairs:
    parts = [synth.Mixed(classification_function=k, seed=10 * seed + k) for k in (0, 1)]
    return [(x, str(y)) for part in parts for x, y in part.take(MIDDLE)]


CHANGES: dict[str, Callable[[int], Pairs]] = {
    "loans 7, then 3": loans(7, 3),
    "loans 1, then 2": loans(1, 2),
    "loans 5, then 6": loans(5, 6),
    "Mixed, classes exchanged": mixed,
}
OURS = "HyperboxClassifier"
LEARNERS: dict[str, Callable[[], Any]] = {
    OURS: HyperboxClassifier,
    f"{OURS}, adapt=False": lambda: HyperboxClassifier(adapt=False),
    "Hoeffding tree": lambda: peer("hoeffding-tree"),
    "adaptive Hoeffding tree": lambda: peer("adaptive-hoeffding-tree"),
    "adaptive random forest": lambda: peer("arf"),
}


class Outcome(NamedTuple):
    """Accuracy before and after the change, and rows until the level of before is reached."""

    before: float  # over the last 1,000 rows before
    first: float  # over the first 200 rows after
    thousand: float  # over the first 1,000
    late: float  # over the last 1,000 of the stream
    recovered: float  # rows; not a number if never


def measure(pairs: Pairs, model: Any) -> Outcome:
    right = []
    for x, y in pairs:
        p = model.predict_proba_one(x)
        right.append(bool(p) and max(p, key=p.__getitem__) == y)
        model.learn_one(x, y)
    said = np.array(right, float)
    before, after = said[MIDDLE - 1_000 : MIDDLE].mean(), said[MIDDLE:]
    recent = np.convolve(after, np.ones(WINDOW) / WINDOW, mode="valid")
    good = np.flatnonzero(recent >= before - BELOW)
    return Outcome(
        before,
        after[:WINDOW].mean(),
        after[:1_000].mean(),
        after[-1_000:].mean(),
        good[0] + WINDOW if len(good) else np.nan,
    )


def noticed(model: Any) -> tuple[list[int], list[int]]:
    """Return the rows of the alarms and of the replacements."""
    changes = model.classifier.changes_
    alarms = [c.row for c in changes if c.event == "alarm"]
    return alarms, [c.row for c in changes if c.event in ("replaced", "returned")]


def mean(values: list[float]) -> str:
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1) / sqrt(len(values)):.3f}"


def spread(rows: list[float]) -> str:
    found = sorted(row for row in rows if row == row)
    never = len(rows) - len(found)
    text = f"{np.median(found):,.0f} ({found[0]:,.0f} to {found[-1]:,.0f})" if found else "–"
    return text + (f", {never} never" if never else "")


def tell(report: Report, learners: list[str]) -> None:
    events: dict[str, list[tuple[list[int], list[int]]]] = {}
    report.say("## Recovery\n")
    report.say("| change | learner | before | first 200 | first 1,000 | late | rows |")
    report.say("|---|---|--:|--:|--:|--:|--:|")
    for change, stream in CHANGES.items():
        streams = [stream(seed) for seed in SEEDS]
        for name in learners:
            models = [LEARNERS[name]() for _ in SEEDS]
            outcomes = [measure(*work) for work in zip(streams, models, strict=True)]
            scores = [*zip(*outcomes, strict=True)]
            cells = [*(mean([*values]) for values in scores[:-1]), spread([*scores[-1]])]
            report.say(f"| {change} | {name} | {' | '.join(cells)} |")
            if name == OURS:
                events[change] = [noticed(model) for model in models]
    report.say(
        f"\n## Alarms and replacements of `{OURS}`\n\n"
        "Rows from the change to the first alarm and to the first replacement after it: the median "
        "over the seeds, the least and the most. Before: "
        f"alarms and replacements in the {MIDDLE:,} rows before the change, all seeds together.\n"
    )
    report.say("| change | alarm | replaced | alarms before | replacements before |")
    report.say("|---|--:|--:|--:|--:|")
    for change, found in events.items():
        firsts = [
            spread([next((r - MIDDLE for r in rows if r > MIDDLE), np.nan) for rows in kind])
            for kind in zip(*found, strict=True)
        ]
        early = [
            str(sum(r <= MIDDLE for rows in kind for r in rows))
            for kind in zip(*found, strict=True)
        ]
        report.say(f"| {change} | {' | '.join([*firsts, *early])} |")


def main() -> None:
    """Measure every learner on every change, and write the tables."""
    without = sys.argv[1:] == ["--no-forest"]
    learners = [name for name in LEARNERS if not (without and "forest" in name)]
    report = Report("Drift", " ".join(["python -m benchmarks.drift", *sys.argv[1:]]))
    report.say(
        f"Every row predicted, then learned, through River's interface: {ROWS:,} rows, another "
        f"rule from row {MIDDLE:,} on, {len(SEEDS)} seeds, means with standard errors over the "
        "seeds. Loans: `LoanStream`, 5 % wrong labels, so 0.95 is the most; Mixed: River's, "
        "without noise, whose two classes are exchanged. The peers are River's, with their "
        "defaults; the forest has ten trees. Accuracy over the last 1,000 rows before the change, "
        "the first 200 and the first 1,000 after it, and the last 1,000 of the stream. Rows: from "
        f"the change until the accuracy over the last {WINDOW} rows is at most {BELOW} below what "
        "the learner itself had before (median, least and most).\n"
    )
    tell(report, learners)
    report.write("drift.md")


if __name__ == "__main__":
    main()
