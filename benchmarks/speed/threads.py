"""How much faster threads make what is shared out among them; results must stay the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.report import scaled_table, seconds
from benchmarks.speed.record import Record
from boxwise import EIOLGFMM, AgglomerativeGFMM, HyperboxClassifier, tune

GRID = {"theta": [0.1, 0.2, 0.3, 0.5], "delta": [0.1, 0.5, 1.0], "alpha": [0.3, 0.7]}
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def run(record: Record) -> None:
    cores = os.cpu_count() or 1
    jobs = [n for n in (1, 2, 4, 8, 16) if n <= max(cores, 2)]
    repeat = record.profile.pick(3, 1)
    for name, work in tasks(record.profile.pick(20_000, 2_000)):
        times, results = [], []
        for n_jobs in jobs:
            results.append(work(n_jobs))
            times.append(seconds(work, n_jobs, repeat=repeat))
        same = all(np.array_equal(result, results[0]) for result in results)
        for n_jobs, took in zip(jobs, times, strict=True):
            record.add(what=name, n_jobs=n_jobs, speedup=times[0] / took, same=same)


def tasks(rows: int) -> list[tuple[str, Callable[[int], Any]]]:
    """Return what is shared out, each as a function of the number of threads."""
    X, y, categorical = scaled_table(rows + 2_000)
    seen, labels, unseen = X[:rows], y[:rows], X[rows:]
    fixed: dict[str, Any] = {"categorical_features": categorical, "feature_range": (0, 1)}
    paper = EIOLGFMM(0.1, 0.1, version=2, **fixed).fit(seen, labels)
    own = HyperboxClassifier(categorical_features=categorical).fit(seen, labels)
    few, numbers = slice(0, rows // 10), slice(0, categorical[0])
    many = X[: rows // 2, numbers].astype(float)  # with fewer, threads have nothing to do

    def fit_agglo(method: str, n_jobs: int) -> Any:
        clf = AgglomerativeGFMM(
            0.3, method=method, categorical_features=[], feature_range=(0, 1), n_jobs=n_jobs
        )
        clf.fit(many, y[: len(many)])
        return clf._model.engine.snapshot()["n"]

    def tuned(n_jobs: int) -> Any:
        clf = EIOLGFMM(version=2, **fixed)
        found = tune(clf, X[few], y[few], GRID, FOLDS, refit=False, n_jobs=n_jobs, progress=False)
        return found.cv_results_["mean_test_score"]

    return [
        ("EIOLGFMM: predict", lambda n: paper.set_params(n_jobs=n).predict(unseen)),
        ("HyperboxClassifier: predict", lambda n: own.set_params(n_jobs=n).predict(unseen)),
        ("EIOLGFMM: membership", lambda n: paper.set_params(n_jobs=n).membership(unseen[:400])),
        ("EIOLGFMM: tune", tuned),
        ("learn by AGGLO-2", lambda n: fit_agglo("agglo2", n)),
        ("learn by AGGLO-SM", lambda n: fit_agglo("agglosm", n)),
    ]
