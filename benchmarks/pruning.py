"""What pruning by validation rows does to rows that neither learning nor pruning has seen.

    BOXWISE_DATA=... python -m benchmarks.pruning

Prints Markdown and writes it to benchmarks/results/pruning.md.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import paper_data
from benchmarks.report import Report
from boxwise import EIOLGFMM
from boxwise.datasets import LoanStream
from boxwise.evaluate import class_balanced_accuracy

NAMES = ("japanese_credit", "heart", "german", "australian", "cmc", "tae")
NOISY = "loans, 10% of labels wrong"  # where pruning has most to gain
NOISY_ROWS = 4_000
MARGINS = (1, 2, 3)
LEARNERS: dict[str, Callable[..., Any]] = {
    "EIOLGFMM": partial(EIOLGFMM, version=2),  # HyperboxClassifier was measured at commit 58eac9b
}
REPEATS = 5
ABOUT = (
    "Of four folds, two are learned, one prunes (`clf.prune(X_val, y_val, margin=...)`), one is "
    f"for testing: CBA on it, and how many boxes went; means over {REPEATS} times four folds."
)


def measure(name: str, learner: str) -> np.ndarray:
    """Return boxes and CBA without pruning; CBA and boxes gone for each margin."""
    X, y, categorical = _noisy() if name == NOISY else paper_data.load(name)
    results = []
    for repeat in range(REPEATS):
        folds = StratifiedKFold(4, shuffle=True, random_state=repeat)
        parts = [part for _, part in folds.split(X, y)]
        for k in range(4):
            test, val, *others = parts[k:] + parts[:k]
            train = np.concatenate(others)
            clf = LEARNERS[learner](categorical_features=categorical)
            clf.fit(X[train], y[train])
            row = [clf.n_boxes_, class_balanced_accuracy(y[test], clf.predict(X[test]))]
            for margin in MARGINS:
                pruned = deepcopy(clf)
                report = pruned.prune(X[val], y[val], margin=margin)
                row += [class_balanced_accuracy(y[test], pruned.predict(X[test]))]
                row += [len(report.removed)]
            results.append(row)
    return np.mean(results, axis=0)


def _noisy() -> tuple[np.ndarray, np.ndarray, list[int]]:
    stream = LoanStream(NOISY_ROWS, function=2, noise=0.1, seed=1)
    table, y = stream.table()
    X = np.column_stack([np.asarray(column, dtype=object) for column in table.values()])
    categorical = [j for j, column in enumerate(table.values()) if isinstance(column[0], str)]
    return X, np.asarray(y), categorical


def main() -> None:
    """Measure and write."""
    report = Report("Pruning", "make studies")
    report.say(ABOUT + "\n")
    heads = "".join(f" margin {m} | gone |" for m in MARGINS)
    report.say(f"| data | learner | boxes | CBA |{heads}")
    report.say(f"|---|---|---|---|{'---|---|' * len(MARGINS)}")
    for name in (*NAMES, NOISY):
        for learner in LEARNERS:
            boxes, cba, *rest = measure(name, learner)
            cells = "".join(
                f" {c:.3f} | {gone:.1f} |" for c, gone in zip(rest[::2], rest[1::2], strict=True)
            )
            report.say(f"| {name} | {learner} | {boxes:.0f} | {cba:.3f} |{cells}")
    report.write("pruning.md")


if __name__ == "__main__":
    main()
