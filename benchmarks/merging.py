"""EIOLGFMM, learned on eight parts and merged, against one pass over all rows: boxes and CBA.

    BOXWISE_DATA=... python -m benchmarks.merging

Prints Markdown and writes it to benchmarks/results/merging.md. Without BOXWISE_DATA only the loan
stream is measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from benchmarks import paper_data
from benchmarks.report import Report, scaled_table, seconds
from boxwise import EIOLGFMM, merge
from boxwise.evaluate import class_balanced_accuracy

SETTINGS = [*product(((0.2, 0.5), (0.1, 0.1), (0.5, 0.5)), (1, 2))]
PAPER = ("nursery", "molecular_biology", "german", "australian", "cmc", "abalone")
STREAMS = ("electricity", "nyc_flights")
N_PARTS = 8
ROWS = 20_000  # of a stream

Table = tuple[np.ndarray, np.ndarray, list[int]]


@dataclass
class Case:
    """A data set and how often it is split into rows to learn and rows to test."""

    name: str
    repeats: int
    in_order: bool  # a stream: its rows are learned in their order

    def table(self) -> Table:
        """Return all rows, their labels and the categorical columns."""
        if self.name == "loans":
            return scaled_table(ROWS)
        if self.name in STREAMS:
            X, y, categorical = paper_data.load(self.name, kind="streams")
            return X[:ROWS], y[:ROWS], categorical
        return paper_data.load(self.name)


@dataclass
class Outcome:
    """Boxes and CBA of one way to learn, a number for each repeat."""

    boxes: list[int] = field(default_factory=list)
    cba: list[float] = field(default_factory=list)


def cases() -> Iterator[Case]:
    yield Case("loans", repeats=8, in_order=True)
    if "BOXWISE_DATA" in os.environ:
        yield from (Case(name, repeats=10, in_order=False) for name in PAPER)
        yield from (Case(name, repeats=3, in_order=True) for name in STREAMS)


def split(case: Case, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows to learn and a quarter to test; streams keep their order."""
    order = np.random.default_rng(seed).permutation(n_rows)
    test, learn = np.split(order, [n_rows // 4])
    return (np.sort(learn) if case.in_order else learn), test


def measure(case: Case, theta: float, delta: float, version: int) -> dict[str, Outcome]:
    X, y, categorical = case.table()
    clf = EIOLGFMM(theta, delta, version, categorical_features=categorical)
    outcomes: dict[str, Outcome] = {}

    def note(way: str, model: EIOLGFMM, test: np.ndarray) -> None:
        outcome = outcomes.setdefault(way, Outcome())
        outcome.boxes.append(len(model.boxes_))
        outcome.cba.append(class_balanced_accuracy(y[test], model.predict(X[test])))

    def learned(rows: np.ndarray) -> EIOLGFMM:
        return clone(clf).fit(X[rows], y[rows])

    for seed in range(case.repeats):
        learn, test = split(case, len(X), seed)
        shuffled = np.random.default_rng(1000 + seed).permutation(learn)
        dealt = [np.sort(p) if case.in_order else p for p in np.array_split(shuffled, N_PARTS)]
        contiguous = [learned(part) for part in np.array_split(learn, N_PARTS)]
        note("one pass", learned(learn), test)
        note("another order", learned(shuffled), test)
        note("contiguous", merge(contiguous), test)
        note("random", merge([learned(part) for part in dealt]), test)
        tree = contiguous
        while len(tree) > 1:
            tree = [merge(tree[i : i + 2]) for i in range(0, len(tree), 2)]
        note("tree", tree[0], test)
    return outcomes


def row(case: Case, theta: float, delta: float, version: int) -> str:
    outcomes = measure(case, theta, delta, version)
    one = outcomes.pop("one pass")
    boxes, cba = [], []
    for way in ("contiguous", "random", "tree", "another order"):
        boxes.append(_ratio(outcomes[way].boxes, one.boxes, most=1.5))
        cba.append(_ratio(outcomes[way].cba, one.cba, least=0.97))
    spread = np.std(one.cba) / np.sqrt(len(one.cba)) / np.mean(one.cba)
    return (
        f"| {case.name} | {theta}, {delta} | v{version} "
        f"| {np.mean(one.boxes):,.0f} | {' | '.join(boxes)} "
        f"| {np.mean(one.cba):.3f} | {' | '.join(cba)} | {spread:.1%} |"
    )


def _ratio(
    values: list[int] | list[float],
    base: list[int] | list[float],
    least: float = 0,
    most: float = np.inf,
) -> str:
    ratio = np.mean(values) / np.mean(base)
    return f"{ratio:.2f}" if least <= round(ratio, 2) <= most else f"**{ratio:.2f}**"


def times(report: Report) -> None:
    report.say("## Time\n")
    report.say(f"Loan stream, {ROWS:,} rows, version 1: one pass, a part, and merging eight.\n")
    report.say("| θ, δ | one pass | a part | merging | boxes of the parts | merged |")
    report.say("|---|---|---|---|---|---|")
    X, y, categorical = scaled_table(ROWS)
    for theta, delta in ((0.1, 0.1), (0.5, 0.5)):
        clf = EIOLGFMM(theta, delta, categorical_features=categorical)
        rows = np.array_split(np.arange(ROWS), N_PARTS)
        parts = [clone(clf).fit(X[part], y[part]) for part in rows]
        report.say(
            f"| {theta}, {delta} | {seconds(clf.fit, X, y):.2f} s "
            f"| {seconds(clone(clf).fit, X[rows[0]], y[rows[0]]):.2f} s "
            f"| {seconds(merge, parts):.2f} s "
            f"| {sum(len(part.boxes_) for part in parts):,} | {len(merge(parts).boxes_):,} |"
        )
    report.say()


def main() -> None:
    report = Report("Merging", "make studies")
    report.say(
        f"{N_PARTS} models of `EIOLGFMM`, each fitted to an eighth of the rows, merged with "
        "`boxwise.merge`, "
        "against one model fitted to all of them. The parts are contiguous, or dealt out at "
        "random; *tree*: the contiguous ones merged two by two. A quarter of the rows, drawn at "
        "random, is for testing; the rows of loans, electricity and nyc_flights are learned in "
        f"their order (the first {ROWS:,}), the others shuffled. Means over repeated splits: 8 "
        "for loans, 10 for the paper's sets, 3 for the streams. Numbers of boxes and CBA are given "
        "as a multiple of those of one pass; more than 1.5 times the boxes or less than 97% of the "
        "CBA is in **bold**. As a yardstick, *order*: one pass over the same rows in another "
        "order. The last column is the standard error of the CBA of one pass. The rule of `merge` "
        "(how many boxes may stay: 1.25 times what is expected) was chosen among about a dozen on "
        "these same data sets, so this is no test on data it has not seen.\n"
    )
    report.say(
        "| data | θ, δ | | boxes | contiguous | random | tree | order | CBA | contiguous | random "
        "| tree | order | ± |"
    )
    report.say("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    work = [(case, *sizes, version) for case in cases() for sizes, version in SETTINGS]
    for line in Parallel(n_jobs=-1, return_as="generator")(delayed(row)(*item) for item in work):
        report.say(line)
    report.say()
    times(report)
    report.write("merging.md")


if __name__ == "__main__":
    main()
