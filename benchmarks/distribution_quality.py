"""Large parts of a stream of loans, learned apart and merged, beside one pass over all rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss

from benchmarks.report import Report
from benchmarks.speed.words import table
from boxwise import HyperboxClassifier, merge
from boxwise.datasets import LoanStream
from boxwise.evaluate import class_balanced_accuracy

PARTS, PART, TESTED = 64, 20_000, 20_000
WITHHELD = 5_000  # as boxwise learn --jobs has it
FAN_IN = 8
FUNCTIONS, SEEDS = (5, 7), (1, 2, 3)


def learned(X: pd.DataFrame, y: np.ndarray) -> HyperboxClassifier:
    return HyperboxClassifier().partial_fit(X, y)


def measured(function: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return the CBA and the log-loss of each way to learn."""
    n = PARTS * PART
    columns, labels = LoanStream(n + TESTED, function=function, noise=0.05, seed=seed).table()
    X, y = pd.DataFrame(columns), np.array(labels)
    withheld = np.random.default_rng(seed).permutation(n)[:WITHHELD]
    parts = []
    for rows in np.array_split(np.arange(n), PARTS):
        rest = np.setdiff1d(rows, withheld)
        parts.append(learned(X.iloc[rest], y[rest]))
    tune = (X.iloc[withheld], y[withheld])
    tree = parts
    while len(tree) > FAN_IN:
        tree = [merge(tree[i : i + FAN_IN]) for i in range(0, len(tree), FAN_IN)]
    ways: dict[str, Callable[[], HyperboxClassifier]] = {
        "one pass": lambda: learned(X[:n], y[:n]),
        "the last part alone": lambda: parts[-1],
        "merged at once": lambda: merge(parts, tune=tune),
        "merged at once, in order": lambda: merge(parts, tune=tune, in_order=True),
        f"merged by {FAN_IN}": lambda: merge(tree, tune=tune),
    }
    scores = {}
    for way, make in ways.items():
        clf = make()
        p = clf.predict_proba(X[n:])
        cba = class_balanced_accuracy(y[n:], clf.predict(X[n:]))
        scores[way] = (cba, log_loss(y[n:], p, labels=clf.classes_))
    return scores


def say_quality(report: Report) -> None:
    report.say("## Quality\n")
    report.say(
        f"{PARTS * PART:,} loans in {PARTS} consecutive parts; {WITHHELD:,} rows are withheld and "
        f"tune the merged model. CBA and log-loss on the next {TESTED:,} rows: means of "
        f"{len(SEEDS)} streams.\n"
    )
    body: dict[str, list[str]] = {}
    for function in FUNCTIONS:
        found = [measured(function, seed) for seed in SEEDS]
        for way in found[0]:
            cba, loss = np.mean([scores[way] for scores in found], axis=0)
            body.setdefault(way, [way]).append(f"{cba:.3f}, {loss:.3f}")
    head = ["", *(f"loans, function {function}" for function in FUNCTIONS)]
    report.say(table(head, body.values()) + "\n")
