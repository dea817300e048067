"""Which theta and delta to start from: CBA and number of boxes over the paper's 14 data sets.

    BOXWISE_DATA=... python -m benchmarks.defaults               decided by membership
    BOXWISE_DATA=... python -m benchmarks.defaults evidence      and by evidence: fewer settings

writes benchmarks/results/defaults.csv or defaults_evidence.csv. Every setting is one for all data
sets, as a default must be: nothing is tuned per data set. The paper's sets are mostly categorical,
so a stream that is mostly numerical stands beside them: electricity, its first 8,000 rows, each row
predicted before it is learned.
"""

from __future__ import annotations

import csv
import sys
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from benchmarks import paper_data
from boxwise import HyperboxClassifier
from boxwise.evaluate import class_balanced_accuracy

THETAS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
DELTAS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
CONDITIONS = ("each", "mean")
BY_EVIDENCE = ((0.1, 0.3, 0.5), (0.1, 0.3, 0.5, 1.0))  # thetas and deltas
STREAM = "electricity (8,000 rows, prequential)"
RESULTS = Path(__file__).parent / "results"


def measure(
    decision: str, deltas: tuple[float, ...], name: str, theta: float, condition: str
) -> list[list[object]]:
    """Return a row of results for each delta: stratified 4-fold, seed 0."""
    import warnings

    warnings.filterwarnings("ignore", message="The least populated class")
    X, y, categorical = paper_data.load(name)
    folds = [*StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)]
    rows: list[list[object]] = []
    for delta in deltas:
        scores, boxes = [], []
        for train, test in folds:
            clf = HyperboxClassifier(
                theta,
                delta,
                condition=condition,
                decision=decision,
                categorical_features=categorical,
            ).fit(X[train], y[train])
            scores.append(class_balanced_accuracy(y[test], clf.predict(X[test])))
            boxes.append(len(clf.boxes_))
        rows.append(
            [name, condition, theta, delta, f"{np.mean(scores):.4f}", f"{np.mean(boxes):.0f}"]
        )
    return rows


def measure_stream(
    decision: str, deltas: tuple[float, ...], theta: float, condition: str
) -> list[list[object]]:
    """Return a row of results for each delta: test, then train, on chunks of 50 rows."""
    X, y, categorical = paper_data.load("electricity", kind="streams")
    X, y, rows = X[:8_000], y[:8_000], []
    for delta in deltas:
        clf = HyperboxClassifier(
            theta,
            delta,
            condition=condition,
            decision=decision,
            categorical_features=categorical,
        ).partial_fit(X[:50], y[:50])
        predicted = []
        for begin in range(50, len(X), 50):
            chunk = slice(begin, begin + 50)
            predicted.append(clf.predict(X[chunk]))
            clf.partial_fit(X[chunk], y[chunk])
        cba = class_balanced_accuracy(y[50:], np.concatenate(predicted))
        rows.append([STREAM, condition, theta, delta, f"{cba:.4f}", f"{len(clf.boxes_)}"])
    return rows


def main() -> None:
    """Measure every setting, write the table, print the means."""
    decision = sys.argv[1] if len(sys.argv) > 1 else "membership"
    thetas, deltas = BY_EVIDENCE if decision == "evidence" else (THETAS, DELTAS)
    sets = product(paper_data.names(), thetas, CONDITIONS)
    work = [delayed(measure)(decision, deltas, *item) for item in sets]
    work += [
        delayed(measure_stream)(decision, deltas, *item) for item in product(thetas, CONDITIONS)
    ]
    results = Parallel(n_jobs=-1, verbose=5)(work)
    rows = [row for part in results for row in part]
    name = "defaults_evidence.csv" if decision == "evidence" else "defaults.csv"
    with (RESULTS / name).open("w", newline="") as file:
        csv.writer(file).writerows(
            [["dataset", "condition", "theta", "delta", "cba", "boxes"], *rows]
        )
    print("condition theta delta   mean CBA   boxes (geometric mean)   electricity: CBA, boxes")
    for condition, theta, delta in product(CONDITIONS, thetas, deltas):
        chosen = [row for row in rows if row[1:4] == [condition, theta, delta]]
        (stream,) = (row for row in chosen if row[0] == STREAM)
        chosen.remove(stream)
        cba = np.mean([float(str(row[4])) for row in chosen])
        boxes = np.exp(np.mean([np.log(float(str(row[5]))) for row in chosen]))
        print(
            f"{condition:9s} {theta:5.2f} {delta:5.2f}   {cba:8.3f}   {boxes:6.0f}"
            f"                   {stream[4]:>6s}   {stream[5]:>6s}"
        )


if __name__ == "__main__":
    main()
