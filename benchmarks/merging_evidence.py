"""HyperboxClassifier, learned on parts and merged, against one pass over all rows.

    BOXWISE_DATA=... python -m benchmarks.merging_evidence

Prints Markdown and writes it to benchmarks/results/merging_evidence.md. Without BOXWISE_DATA only
the loan streams are measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import log_loss

from benchmarks import paper_data
from benchmarks.report import Report
from boxwise import HyperboxClassifier, dumps, merge
from boxwise.datasets import LoanStream
from boxwise.evaluate import class_balanced_accuracy

STREAMS, TABLES = ("electricity", "nyc_flights"), ("german", "nursery")
LEARNED, TESTED = 16_000, 4_000  # rows of a window of a stream
SPLITS = 10
WITHHELD = 600  # rows in all, or a tenth if that is fewer
PARTS = (8, 32)
LARGE = 100_000  # rows of the loans where parts are large


class Table(NamedTuple):
    """Rows, labels and categorical columns; of a stream or not."""

    X: np.ndarray
    y: np.ndarray
    categorical: list[int]
    is_stream: bool


class Score(NamedTuple):
    """How good a model is, and how large."""

    cba: float
    log_loss: float
    boxes: float


@dataclass
class Split:
    """Rows to learn, in order, of which some are withheld, and rows to test."""

    table: Table
    learn: np.ndarray
    test: np.ndarray
    seed: int
    withheld: int = WITHHELD  # rows

    def __post_init__(self) -> None:
        rng = np.random.default_rng(1000 + self.seed)
        held = rng.permutation(len(self.learn))[: min(self.withheld, len(self.learn) // 10)]
        self.held, self.rest = self.learn[held], np.delete(self.learn, held)
        self.shuffled, self.dealt = rng.permutation(self.learn), rng.permutation(self.rest)

    def rows(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return some rows and their labels."""
        return self.table.X[rows], self.table.y[rows]

    def learned(self, rows: np.ndarray) -> HyperboxClassifier:
        """Return a model that has learned some rows."""
        clf = HyperboxClassifier(categorical_features=self.table.categorical)
        return clf.partial_fit(*self.rows(rows))

    def parts(self, n_parts: int, *, at_random: bool) -> list[HyperboxClassifier]:
        """Return models of contiguous parts, or of rows dealt out, each in order."""
        dealt = np.array_split(self.dealt if at_random else self.rest, n_parts)
        return [self.learned(np.sort(p) if self.table.is_stream else p) for p in dealt]

    def score(self, clf: HyperboxClassifier) -> Score:
        """Return how good a model is on the rows to test."""
        X, y = self.rows(self.test)
        p = clf.predict_proba(X)
        known = np.isin(y, clf.classes_)
        return Score(
            class_balanced_accuracy(y, clf.predict(X)),
            log_loss(y[known], p[known], labels=clf.classes_),
            len(clf.boxes_),
        )


def split(name: str, seed: int, learned: int = LEARNED) -> Split:
    if name.startswith("loans"):
        rows = learned + TESTED
        stream = LoanStream(rows, function=int(name.split()[1]), noise=0.05, seed=50 + seed)
        columns, labels = stream.table()
        X = np.column_stack([column.astype(object) for column in columns.values()])
        texts = [j for j, c in enumerate(columns.values()) if c.dtype.kind not in "fi"]
        table = Table(X, np.array(labels), texts, is_stream=True)
    elif name in STREAMS:
        X, y, categorical = paper_data.load(name, kind="streams")
        first = (len(y) - LEARNED - TESTED) * seed // (SPLITS - 1)  # windows over all of it
        window = slice(first, first + LEARNED + TESTED)
        table = Table(X[window], y[window], categorical, is_stream=True)
    else:
        table = Table(*paper_data.load(name), is_stream=False)
    if table.is_stream:
        return Split(table, *np.split(np.arange(learned + TESTED), [learned]), seed)
    order = np.random.default_rng(seed).permutation(len(table.y))
    return Split(table, *np.split(order, [3 * len(order) // 4]), seed)


def measured(name: str, n_parts: int, seed: int, learned: int = LEARNED) -> dict[str, Score]:
    s = split(name, seed, learned)
    more = Split(s.table, s.learn, s.test, seed, withheld=5_000)
    held = s.rows(s.held)
    contiguous = s.parts(n_parts, at_random=False)
    tree = contiguous
    while len(tree) > 1:
        tree = [merge(tree[i : i + 2], in_order=True) for i in range(0, len(tree), 2)]
    ways: dict[str, Callable[[], HyperboxClassifier]] = {
        "one pass": lambda: s.learned(s.learn),
        "order": lambda: s.learned(s.shuffled),
        "retuned": lambda: merge([s.learned(s.rest)], tune=held),
        "contiguous": lambda: merge(contiguous, tune=held, in_order=True),
        "random": lambda: merge(s.parts(n_parts, at_random=True), tune=held),
        "a tenth": lambda: merge(
            more.parts(n_parts, at_random=False), tune=more.rows(more.held), in_order=True
        ),
        "tree": lambda: tree[0].partial_fit(*held),
        "untuned": lambda: merge(contiguous, in_order=True),
        "a part": lambda: contiguous[-1],
    }
    return {way: s.score(make()) for way, make in ways.items()}


def line(name: str, n_parts: int, learned: int = LEARNED, splits: int = SPLITS) -> str:
    found = [measured(name, n_parts, seed, learned) for seed in range(splits)]
    one = [f.pop("one pass") for f in found]
    cells = [
        f"{np.mean([s.cba for s in one]):.3f} / {np.mean([s.log_loss for s in one]):.3f}"
        f" / {np.mean([s.boxes for s in one]):,.0f}"
    ]
    for way in found[0]:
        cba = [f[way].cba / own.cba for f, own in zip(found, one, strict=True)]
        loss = [f[way].log_loss / own.log_loss for f, own in zip(found, one, strict=True)]
        cells.append(f"{_mean(cba)} / {_mean(loss)}")
    boxes = np.mean([f["contiguous"].boxes for f in found])
    return f"| {name} | {n_parts} | {' | '.join(cells)} | {boxes:,.0f} |"


def _mean(ratios: list[float]) -> str:
    error = np.std(ratios, ddof=1) / np.sqrt(len(ratios))
    return f"{np.mean(ratios):.3f} ± {error:.3f}"


HEADER = (
    "| data | parts | one pass: CBA / log-loss / boxes | another order | one pass, retuned "
    "| contiguous | random | contiguous, a tenth withheld | tree | contiguous, untuned "
    "| the last part alone | boxes, merged |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def times(report: Report) -> None:
    report.say("## Time and size\n")
    report.say(
        "Loans, function 5, parts of 4,000 rows: learning a part, merging all, and the model files "
        "that travel.\n"
    )
    report.say("| parts | boxes in | learning a part | merging | a box | files |")
    report.say("|---|---|---|---|---|---|")
    s = split("loans 5", 0, 4_000 * 64)
    start = perf_counter()
    parts = [s.learned(rows) for rows in np.array_split(s.learn, 64)]
    part = (perf_counter() - start) / 64
    for n_parts in (2, 4, 8, 16, 32, 64):
        boxes = sum(len(p.boxes_) for p in parts[:n_parts])
        start = perf_counter()
        merge(parts[:n_parts])
        took = perf_counter() - start
        files = sum(len(dumps(p)) for p in parts[:n_parts])
        report.say(
            f"| {n_parts} | {boxes:,} | {part:.2f} s | {took:.2f} s | {1e6 * took / boxes:.0f} µs "
            f"| {files / 1e6:.1f} MB |"
        )
    report.say()


def main() -> None:
    report = Report("Merging few boxes", "make studies")
    report.say(
        f"Models of `HyperboxClassifier` (defaults), each of a part of the rows, merged, and then "
        f"tuned with {WITHHELD} withheld rows in all (a tenth of all rows, if that is fewer), "
        "against one model that has learned all rows in one pass. CBA and log-loss on rows that "
        "follow (of a table: on a quarter drawn at random) as ratios to one pass: means over "
        f"{SPLITS} paired splits, with standard errors. A split is another seed of the loans, "
        f"another window of {LEARNED:,} + {TESTED:,} rows of a stream, or another quarter of a "
        "table. *Another order*: one pass over the same rows shuffled, the noise floor where order "
        "means nothing. *Retuned*: one pass without the withheld rows, merged with nothing and "
        "tuned: that alone. *A tenth withheld*: of all rows, 5,000 at most. *Tree*: the contiguous "
        "parts merged two by two, then tuned.\n"
    )
    names = ["loans 5", "loans 7", *(STREAMS + TABLES if "BOXWISE_DATA" in os.environ else ())]
    report.say(HEADER)
    work = [*product(names, PARTS)]
    for text in Parallel(n_jobs=-1, return_as="generator")(delayed(line)(*item) for item in work):
        report.say(text)
    report.say(f"\n## Large parts\n\n{LARGE:,} rows of the loans, 3 splits.\n\n{HEADER}")
    large = [(name, n_parts, LARGE, 3) for name, n_parts in product(names[:2], PARTS)]
    for text in Parallel(n_jobs=-1, return_as="generator")(delayed(line)(*item) for item in large):
        report.say(text)
    report.say()
    times(report)
    report.write("merging_evidence.md")


if __name__ == "__main__":
    main()
