"""Which theta and delta to start from: CBA and number of boxes over the paper's 14 data sets.

    BOXWISE_DATA=... python -m benchmarks.defaults eiol          EIOLGFMM, versions 1 and 2
    BOXWISE_DATA=... python -m benchmarks.defaults hyperbox      HyperboxClassifier, class_prior too

writes benchmarks/results/defaults_eiol.csv or defaults_hyperbox.csv. Every setting is one for all
data sets, as a default must be: nothing is tuned per data set. The paper's sets are mostly
categorical, so a stream that is mostly numerical stands beside them: electricity, its first 8,000
rows, each row predicted before it is learned.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from benchmarks import paper_data
from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.evaluate import class_balanced_accuracy

STREAM = "electricity (8,000 rows, prequential)"
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Study:
    """A learner and the settings to compare; a version is a choice beside theta and delta."""

    learner: type[EIOLGFMM] | type[HyperboxClassifier]
    versions: tuple[dict[str, Any], ...]
    thetas: tuple[float, ...]
    deltas: tuple[float, ...]

    def columns(self) -> list[str]:
        """Return the settings that a line of results begins with, after the data set."""
        return [*self.versions[0], "theta", "delta"]


STUDIES = {
    "eiol": Study(
        EIOLGFMM,
        ({"version": 1}, {"version": 2}),
        (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
        (0.1, 0.3, 0.5, 0.7, 0.9, 1.0),
    ),
    "hyperbox": Study(
        HyperboxClassifier,
        ({"class_prior": "data"}, {"class_prior": "auto"}),
        (0.2, 0.3, 0.5, 0.8),
        (0.05, 0.15, 0.3, 1.0),
    ),
}


def measure(study: Study, name: str, theta: float, version: dict[str, Any]) -> list[list[Any]]:
    """Return a row of results for each delta: stratified 4-fold, seed 0."""
    import warnings

    warnings.filterwarnings("ignore", message="The least populated class")
    X, y, categorical = paper_data.load(name)
    folds = [*StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)]
    rows: list[list[Any]] = []
    for delta in study.deltas:
        scores, boxes = [], []
        for train, test in folds:
            clf = study.learner(theta, delta, categorical_features=categorical, **version)
            clf.fit(X[train], y[train])
            scores.append(class_balanced_accuracy(y[test], clf.predict(X[test])))
            boxes.append(len(clf.boxes_))
        setting = [*version.values(), theta, delta]
        rows.append([name, *setting, f"{np.mean(scores):.4f}", f"{np.mean(boxes):.0f}"])
    return rows


def measure_stream(study: Study, theta: float, version: dict[str, Any]) -> list[list[Any]]:
    """Return a row of results for each delta: test, then train, on chunks of 50 rows."""
    X, y, categorical = paper_data.load("electricity", kind="streams")
    X, y, rows = X[:8_000], y[:8_000], []
    for delta in study.deltas:
        clf = study.learner(theta, delta, categorical_features=categorical, **version)
        clf.partial_fit(X[:50], y[:50])
        predicted = []
        for begin in range(50, len(X), 50):
            chunk = slice(begin, begin + 50)
            predicted.append(clf.predict(X[chunk]))
            clf.partial_fit(X[chunk], y[chunk])
        cba = class_balanced_accuracy(y[50:], np.concatenate(predicted))
        setting = [*version.values(), theta, delta]
        rows.append([STREAM, *setting, f"{cba:.4f}", f"{len(clf.boxes_)}"])
    return rows


def main() -> None:
    """Measure every setting, write the table, print the means."""
    if len(sys.argv) != 2 or sys.argv[1] not in STUDIES:
        sys.exit(f"usage: python -m benchmarks.defaults {'|'.join(STUDIES)}")
    study = STUDIES[sys.argv[1]]
    choices = [*product(study.thetas, study.versions)]
    work: list[Any] = [
        delayed(measure)(study, name, *choice) for name in paper_data.names() for choice in choices
    ]
    work += [delayed(measure_stream)(study, *choice) for choice in choices]
    rows = [row for part in Parallel(n_jobs=-1, verbose=5)(work) for row in part]
    with (RESULTS / f"defaults_{sys.argv[1]}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["dataset", *study.columns(), "cba", "boxes"], *rows])
    print_means(study, rows)


def print_means(study: Study, rows: list[list[Any]]) -> None:
    """Print, for each setting, the means over the data sets, and the stream."""
    print(
        *study.columns(), "mean CBA", "boxes (geometric mean)", "electricity: CBA, boxes", sep="  "
    )
    for version, theta, delta in product(study.versions, study.thetas, study.deltas):
        setting = [*version.values(), theta, delta]
        chosen = [row for row in rows if row[1:-2] == setting]
        (stream,) = (row for row in chosen if row[0] == STREAM)
        chosen.remove(stream)
        cba = np.mean([float(row[-2]) for row in chosen])
        boxes = np.exp(np.mean([np.log(float(row[-1])) for row in chosen]))
        print(*setting, f"{cba:.3f}", f"{boxes:.0f}", *stream[-2:], sep="  ")


if __name__ == "__main__":
    main()
