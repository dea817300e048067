"""Against River and CapyMOA: every row of a stream predicted, then learned, one call each.

Ours goes through River's interface and gets dicts, as River's learners do. Whoever takes too long
is stopped, and ratios are over the rows that both have seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.speed import moa
from benchmarks.speed.record import Record
from benchmarks.workloads import Table, Workload, without_data, workloads
from boxwise.evaluate import Confusion
from boxwise.evaluate.peers import peer
from boxwise.river import EIOLGFMM, HyperboxClassifier

BLOCK = 500
TIMES = 6
AT_FIRST = 2_000  # rows over which ratios are taken, too
RIVER = {
    "Hoeffding tree": "hoeffding-tree",
    "adaptive tree": "adaptive-hoeffding-tree",
    "naive Bayes": "naive-bayes",
    "forest": "arf",
}


@dataclass
class Outcome:
    """Seconds after each block of rows, and how right the predictions were."""

    spent: np.ndarray
    confusion: Confusion
    rows: int
    model: Any


def run(record: Record) -> None:
    rows, patience = record.profile.pick((20_000, 5.0), (2_000, 2.0))
    record.note(without_data())
    record.note(moa.missing())
    for workload in workloads():
        table = workload.table(rows)
        ours = {name: pass_over(new, list(table.dicts()), patience) for name, new in own(workload)}
        for name, outcome in ours.items():
            tell(record, workload, "boxwise", name, outcome, {})
        for library, name, theirs in peers(table, patience):
            ratios = {
                key: {own_name: ratio(theirs, outcome, most) for own_name, outcome in ours.items()}
                for key, most in (("ratios", rows), ("ratios_at_first", AT_FIRST))
            }
            tell(record, workload, library, name, theirs, ratios)


def own(workload: Workload) -> list[tuple[str, Callable[[], Any]]]:
    """Return ours: EIOLGFMM with the stream's boxes and with few large ones; ours by default."""
    size = workload.size
    return [
        ("EIOLGFMM, small boxes", lambda: EIOLGFMM(size, size)),
        ("EIOLGFMM, large boxes", lambda: EIOLGFMM(0.5, 1.0)),
        ("HyperboxClassifier", HyperboxClassifier),
    ]


def peers(table: Table, patience: float) -> Iterator[tuple[str, str, Outcome]]:
    """Run the learners of both libraries, one after the other."""
    rows = list(table.dicts())
    for name, key in RIVER.items():
        yield "River", name, pass_over(lambda key=key: peer(key), rows, patience)
    if not moa.missing():
        learners = moa.learners(table)
        rows = learners.pop("rows")
        for name, new in learners.items():
            once(new(), rows, patience / 3)  # Java compiles what is called often: not in our time
            yield "CapyMOA", name, pass_over(new, rows, patience)


def pass_over(new: Callable[[], Any], rows: list[tuple[Any, str]], patience: float) -> Outcome:
    """Predict, then learn; again while that is quick, and the best time of each block counts."""
    first = once(new(), rows, patience)
    times = [np.diff(first.spent, prepend=0)]
    while first.rows == len(rows) and len(times) < TIMES and np.sum(times) <= patience / 2:
        times.append(np.diff(once(new(), rows, patience).spent, prepend=0))
    complete = [time for time in times if len(time) == len(times[0])]
    return Outcome(np.min(complete, axis=0).cumsum(), first.confusion, first.rows, first.model)


def once(model: Any, rows: list[tuple[Any, str]], patience: float) -> Outcome:
    confusion, spent = Confusion(), [0.0]
    done = 0
    while done < len(rows) and spent[-1] < patience:
        block, guesses = rows[done : done + BLOCK], []
        start = perf_counter()
        for x, y in block:
            guesses.append(model.predict_one(x))
            model.learn_one(x, y)
        spent.append(spent[-1] + perf_counter() - start)
        done += len(block)
        for (_, y), guess in zip(block, guesses, strict=True):
            if guess is not None:
                confusion.add(y, guess)
    return Outcome(np.array(spent[1:]), confusion, done, model)


def ratio(theirs: Outcome, ours: Outcome, most: int) -> float:
    """Return how many times as long theirs took for the rows that both have seen, up to so many."""
    blocks = min(len(theirs.spent), len(ours.spent), max(most // BLOCK, 1))
    return float(theirs.spent[blocks - 1] / ours.spent[blocks - 1])


def tell(
    record: Record,
    workload: Workload,
    library: str,
    name: str,
    outcome: Outcome,
    ratios: dict[str, dict[str, float]],
) -> None:
    boxes = getattr(outcome.model, "n_boxes_", None)
    record.add(
        stream=workload.name,
        library=library,
        learner=name,
        rows=outcome.rows,
        us_per_row=float(outcome.spent[-1]) / outcome.rows * 1e6,
        **({} if boxes is None else {"boxes": boxes}),
        accuracy=outcome.confusion.accuracy,
        cba=outcome.confusion.cba,
        **ratios,
    )
