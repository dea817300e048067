"""Tuning with the paper's grid: against scikit-learn's GridSearchCV, in time and memory.

    BOXWISE_DATA=... python -m benchmarks.tuning      (part of: make bench)

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

import numpy as np
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold

from benchmarks import paper_data
from benchmarks.report import Report
from boxwise import HyperboxClassifier, tune
from boxwise.evaluate import cba_scorer

GRID = {
    "theta": [i / 10 for i in range(1, 11)],
    "delta": [0.1, 0.3, 0.5, 0.9, 1.0],
    "alpha": [i / 10 for i in range(11)],
}
SAMPLE = 55  # settings that GridSearchCV runs
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def run(what: str, name: str, condition: str, n_jobs: int) -> dict[str, object]:
    """Tune in this process; return seconds, megabytes and the scores of the sample."""
    X, y, categorical = paper_data.load(name)
    clf = HyperboxClassifier(
        condition=condition, decision="membership", categorical_features=categorical
    )
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


def apart(*arguments: object, repeat: int = 3) -> dict[str, object]:
    """Run in processes of their own; the best time counts."""
    command = [sys.executable, "-m", "benchmarks.tuning", *map(str, arguments)]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(repeat)
    ]
    return min(runs, key=lambda r: r["seconds"])


def main() -> None:
    report = Report("Tuning", "make bench")
    cores = os.cpu_count()
    n = len(ParameterGrid(GRID))
    report.say(
        f"The paper's grid, {n} settings × 3 folds, scored by CBA, {cores} cores. GridSearchCV is "
        f"timed on {SAMPLE} of the settings, in one process and in {cores}, and scaled up. Memory "
        "is what the process needed beyond the data, at most. Best of three runs.\n"
    )
    report.say(
        "| data | version | `tune` | memory | GridSearchCV | memory | ratio | GridSearchCV, "
        f"{cores} processes | ratio | same scores |"
    )
    report.say("|---|---|---|---|---|---|---|---|---|---|")
    for name in ("heart", "german"):
        for condition, version in (("each", "v1"), ("mean", "v2")):
            ours = apart("tune", name, condition, -1)
            theirs = apart("grid", name, condition, 1)
            parallel = apart("grid", name, condition, cores)
            a, b, c = (float(r["seconds"]) for r in (ours, theirs, parallel))
            same = ours["scores"] == theirs["scores"] == parallel["scores"]
            report.say(
                f"| {name} | {version} | {a:.2f} s | {ours['kilobytes'] / 1024:.0f} MB "
                f"| {b:.1f} s | {theirs['kilobytes'] / 1024:.0f} MB | **{b / a:.1f}×** "
                f"| {c:.1f} s | **{c / a:.1f}×** | {'yes' if same else 'NO'} |"
            )
    report.write("tuning.md")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        what, name, condition, n_jobs = sys.argv[1:]
        print(json.dumps(run(what, name, condition, int(n_jobs))))
    else:
        main()
