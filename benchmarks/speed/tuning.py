"""Tuning with the paper's grid: against scikit-learn's GridSearchCV, in time and memory.

GridSearchCV runs a random sample of the grid, and its time is scaled up to all of it. Each runs in
a process of its own, so that the peak of its memory is its own.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold

from benchmarks import paper_data
from benchmarks.speed.record import Record
from boxwise import EIOLGFMM, tune
from boxwise.evaluate import cba_scorer

GRID = {
    "theta": [i / 10 for i in range(1, 11)],
    "delta": [0.1, 0.3, 0.5, 0.9, 1.0],
    "alpha": [i / 10 for i in range(11)],
}
SAMPLE = 55  # settings that GridSearchCV runs
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def tune_here(what: str, name: str, version: int, n_jobs: int) -> dict[str, Any]:
    """Tune in this process; return seconds, megabytes and the scores of the sample."""
    X, y, categorical = paper_data.load(name)
    clf = EIOLGFMM(version=version, categorical_features=categorical)
    candidates = [*ParameterGrid(GRID)]
    sample = np.random.default_rng(0).choice(len(candidates), SAMPLE, replace=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = perf_counter()
    if what == "tune":
        found = tune(clf, X, y, GRID, FOLDS, cba_scorer, refit=False, n_jobs=n_jobs, progress=False)
        took = perf_counter() - start
        scores = found.cv_results_["mean_test_score"][sample]
    else:
        part = [{k: [v] for k, v in candidates[i].items()} for i in sample]
        search = GridSearchCV(
            clf, part, cv=FOLDS, scoring=cba_scorer, refit=False, n_jobs=n_jobs
        ).fit(X, y)
        took = (perf_counter() - start) * len(candidates) / SAMPLE
        scores = search.cv_results_["mean_test_score"]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": took, "kilobytes": after - before, "scores": scores.tolist()}


def apart(*arguments: object, repeat: int = 3) -> dict[str, Any]:
    """Run in processes of their own; the best time counts."""
    command = [sys.executable, "-m", "benchmarks.speed.tuning", *map(str, arguments)]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(repeat)
    ]
    return min(runs, key=lambda r: r["seconds"])


def run(record: Record) -> None:
    if "BOXWISE_DATA" not in os.environ:
        record.note("The paper's grid was skipped: BOXWISE_DATA was not set.")
        return
    cores = os.cpu_count() or 1
    repeat = record.profile.pick(3, 1)
    for name in record.profile.pick(("heart", "german"), ("heart",)):
        for version in (1, 2):
            ours = apart("tune", name, version, -1, repeat=repeat)
            theirs = apart("grid", name, version, 1, repeat=repeat)
            parallel = apart("grid", name, version, cores, repeat=repeat)
            record.add(
                data=name,
                version=version,
                settings=len(ParameterGrid(GRID)),
                processes=cores,
                ours=ours["seconds"],
                grid=theirs["seconds"],
                grid_parallel=parallel["seconds"],
                ratio=theirs["seconds"] / ours["seconds"],
                ratio_parallel=parallel["seconds"] / ours["seconds"],
                same=ours["scores"] == theirs["scores"] == parallel["scores"],
            )


if __name__ == "__main__":
    what, name, version, n_jobs = sys.argv[1:]
    print(json.dumps(tune_here(what, name, int(version), int(n_jobs))))
