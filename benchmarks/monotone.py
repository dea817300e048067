"""What monotone columns cost and bring: decisions on loans that are monotone, and one that is not.

    python -m benchmarks.monotone

Writes benchmarks/results/monotone.csv and prints the means with their standard errors.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from boxwise import HyperboxClassifier
from boxwise.datasets import loans
from boxwise.evaluate import class_balanced_accuracy

RESULTS = Path(__file__).parent / "results" / "monotone.csv"
# The functions of `loans`, and the signs of columns that the probability of "approved" is to have.
CASES = {
    "7, loan": (7, {"loan": -1}),
    "7, salary, commission, loan": (7, {"salary": 1, "commission": 1, "loan": -1}),
    "9, loan": (9, {"loan": -1}),
    "9, salary, commission, loan": (9, {"salary": 1, "commission": 1, "loan": -1}),
    "2, salary: not monotone": (2, {"salary": 1}),
}
SEEDS, NOISE, LEARNED, TESTED = 20, 0.1, (200, 1_000, 5_000), 2_000
FIELDS = ("case", "rows", "seed", "constrained", "accuracy", "cba", "log_loss")


def measure(function: int, signs: dict[str, int] | None, rows: int, seed: int) -> list[float]:
    """Return accuracy, CBA and log-loss, of rows with noise."""
    X, y = loans(rows, function=function, noise=NOISE, seed=seed)
    new, truth = loans(TESTED, function=function, noise=NOISE, seed=10_000 + seed)
    constraints = None if signs is None else {c: {"approved": s} for c, s in signs.items()}
    clf = HyperboxClassifier(monotonic_cst=constraints).partial_fit(X, y)
    p = clf.predict_proba(new)[np.arange(TESTED), np.searchsorted(clf.classes_, truth)]
    predicted = clf.predict(new)
    return [
        float(np.mean(predicted == np.array(truth))),
        class_balanced_accuracy(truth, predicted),
        float(-np.log(np.maximum(p, 1e-15)).mean()),
    ]


def main() -> None:
    """Measure all cases, write each result, and print the means with their standard errors."""
    lines = []
    for case, (function, signs) in CASES.items():
        for rows in LEARNED:
            both = np.array(
                [[measure(function, s, rows, seed) for s in (None, signs)] for seed in range(SEEDS)]
            )
            for seed, of_seed in enumerate(both.tolist()):
                lines += [[case, rows, seed, i, *scores] for i, scores in enumerate(of_seed)]
            difference = both[:, 1] - both[:, 0]
            error = difference.std(axis=0, ddof=1) / np.sqrt(SEEDS)
            shown = zip(both.mean(axis=0).T.tolist(), difference.mean(axis=0), error, strict=True)
            cells = [f"{a:.3f} | {b:.3f} | {d:+.3f} ± {e:.3f}" for (a, b), d, e in shown]
            print(f"| {case} | {rows:,} | {' | '.join(cells)} |", flush=True)
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([FIELDS, *lines])


if __name__ == "__main__":
    main()
