"""HyperboxClassifier and EIOLGFMM beside what people use today, on the paper's 14 data sets.

    BOXWISE_DATA=... python -m benchmarks.evidence              (hours on two cores: EBM, CatBoost)
    BOXWISE_DATA=... python -m benchmarks.evidence --renew HyperboxClassifier
    python -m benchmarks.evidence --report        (makes the report again, from evidence.csv)

Stratified 4-fold, repeated 10 times (slow peers fewer), the rows of a training fold shuffled; one
setting for all data sets, nothing tuned on any. Writes benchmarks/results/evidence.csv (a line for
each repetition, as it becomes known), evidence.md (averages, ranks, tests) and evidence_cd.png.
What is in the file is not measured again unless its method is named with --renew.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks import paper_data
from benchmarks.report import FOLDER, Report
from benchmarks.table_peers import PEERS, SLOW, Method
from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.evaluate import (
    AverageRanks,
    average_ranks,
    class_balanced_accuracy,
    friedman_test,
    plot_cd_diagram,
)

LEAST = 1e-7  # a probability below this counts as this in the log-loss
MEASURES = ("cba", "balanced_accuracy", "log_loss", "boxes")
FILE = "evidence.csv"
SLOW_REPEATS = 1
# Settings were chosen on these and on generated streams; the others were looked at once, last.
CHOSEN_ON = ("german", "heart", "nursery", "post_operative", "tae", "tic_tac_toe", "zoo")


def paper(**parameters: Any) -> Method:
    return lambda categorical, _: EIOLGFMM(**parameters, categorical_features=categorical)


def ours(**parameters: Any) -> Method:
    return lambda categorical, _: HyperboxClassifier(**parameters, categorical_features=categorical)


DEFAULT = "HyperboxClassifier"
SMALL = "EIOLGFMM v1 0.1/0.1"
OWN: dict[str, Method] = {
    SMALL: paper(theta=0.1, delta=0.1, version=1),
    "EIOLGFMM v2 0.3/0.3": paper(theta=0.3, delta=0.3, version=2),
    DEFAULT: ours(),
    f"{DEFAULT}, additive=False": ours(additive=False),
    f"{DEFAULT}, balanced": ours(class_prior="auto"),
    f"{DEFAULT}, 100 boxes": ours(max_boxes=100),
}
METHODS = OWN | PEERS
CONTEST = [SMALL, DEFAULT, *PEERS]  # of the diagram
Key = tuple[str, str, int]  # data set, method, repetition
Found = dict[Key, list[float]]


def measure(name: str, method: str, repeat: int) -> tuple[Key, list[float]]:
    """Return the means over the four folds of one repetition."""
    warnings.filterwarnings("ignore")
    X, y, categorical = paper_data.load(name)
    folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=repeat + 1, random_state=0).split(X, y)
    rows = []
    for train, test in [*folds][-4:]:
        train = np.random.default_rng(repeat).permutation(train)
        model = METHODS[method](categorical, X.shape[1]).fit(X[train], y[train])
        rows.append(score(model, X[test], y[test]))
    return (name, method, repeat), [float(mean) for mean in np.mean(rows, axis=0)]


def score(model: Any, X: Any, y: Any) -> list[float]:
    p, predicted = model.predict_proba(X), model.predict(X)
    place = {label: k for k, label in enumerate(model.classes_)}
    own = [p[i, place[label]] if label in place else 0.0 for i, label in enumerate(y)]
    return [
        class_balanced_accuracy(y, predicted),
        balanced_accuracy_score(y, predicted),
        float(-np.log(np.maximum(own, LEAST)).mean()),
        getattr(model, "n_boxes_", np.nan),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--renew", nargs="*", default=[], help="methods to measure again")
    parser.add_argument("--sets", nargs="*", help="only these data sets, for a try")
    parser.add_argument("--methods", nargs="*", help="only these methods, for a try")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args(arguments)
    found = read_table()
    if not options.report:
        renewed = tuple(options.renew)
        found = {key: row for key, row in found.items() if not key[1].startswith(renewed or "-")}
        keys = [
            (name, method, repeat)
            for method in options.methods or METHODS
            for name in options.sets or paper_data.names()
            for repeat in range(SLOW_REPEATS if method in SLOW else options.repeats)
        ]
        complete(found, [key for key in keys if key not in found], options.jobs)
    if options.sets or options.methods:
        for key, row in sorted(found.items()):
            print(*key, *(f"{value:.4f}" for value in row))
        return
    means = averages(found)
    tell(means)


def complete(found: Found, missing: list[Key], jobs: int) -> None:
    """Measure what is missing, and write down each line at once."""
    work = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for done, (key, row) in enumerate(work(delayed(measure)(*key) for key in missing), start=1):
        found[key] = row
        write_table(found)
        print(f"{done} of {len(missing)}:", *key, f"{row[0]:.3f}", file=sys.stderr, flush=True)


def read_table() -> Found:
    file = FOLDER / FILE
    if not file.exists():
        return {}
    with file.open(newline="") as lines:
        return {
            (row["dataset"], row["method"], int(row["repeat"])): [float(row[m]) for m in MEASURES]
            for row in csv.DictReader(lines)
        }


def write_table(found: Found) -> None:
    with (FOLDER / FILE).open("w", newline="") as file:
        csv.writer(file).writerows(
            [["dataset", "method", "repeat", *MEASURES]]
            + [[*key, *(f"{value:.4f}" for value in row)] for key, row in sorted(found.items())]
        )


Means = dict[tuple[str, str], Any]  # measures by data set and method


def averages(found: Found) -> Means:
    by_method: dict[tuple[str, str], list[list[float]]] = {}
    for (name, method, _), row in found.items():
        by_method.setdefault((name, method), []).append(row)
    return {key: np.mean(rows, axis=0) for key, rows in by_method.items()}


def ranks(means: Means, methods: Sequence[str], measure: str, names: Sequence[str]) -> AverageRanks:
    k = MEASURES.index(measure)
    scores = [[means[name, method][k] for method in methods] for name in names]
    return average_ranks(np.array(scores), methods=methods, larger_is_better=measure != "log_loss")


def rank_text(means: Means, field: Sequence[str], method: str, k: int, names: Sequence[str]) -> str:
    """Return the average rank of a method in a field and its standard error over data sets."""
    scores = np.array([[means[name, other][k] for other in field] for name in names])
    by_set = rankdata(scores if MEASURES[k] == "log_loss" else -scores, axis=1)
    of_method = by_set[:, [*field].index(method)]
    return f"{of_method.mean():.2f} ± {of_method.std(ddof=1) / sqrt(len(names)):.2f}"


def tell(means: Means) -> None:
    names = sorted({name for name, _ in means})
    report = Report("HyperboxClassifier and EIOLGFMM", "python -m benchmarks.evidence")
    report.say(EXPLAINED)
    rest = [name for name in names if name not in CHOSEN_ON]
    every = [name for name in names if measured(means, [name]) == [*METHODS]]
    tell_averages(report, means, names, "all data sets")
    tell_averages(report, means, rest, "the sets on which nothing was chosen")
    if every != names:
        tell_averages(report, means, every, "the sets on which all methods were measured")
    contest = [method for method in measured(means, names) if method in CONTEST]
    by_cba = ranks(means, contest, "cba", names)
    report.say(f"The methods of the diagram, by class balanced accuracy: {friedman_test(by_cba)}.")
    report.say("\nClass balanced accuracy by data set:\n")
    report.say("| | " + " | ".join(METHODS) + " |")
    report.say("|---|" + "--:|" * len(METHODS))
    for name in names:
        row = [means[name, method][0] if (name, method) in means else -1 for method in METHODS]
        cells = [f"**{v:.3f}**" if v == max(row) else f"{v:.3f}" if v >= 0 else "" for v in row]
        report.say(f"| {name} | {' | '.join(cells)} |")
    report.write("evidence.md")
    ax = plot_cd_diagram(by_cba)
    ax.figure.savefig(FOLDER / "evidence_cd.png", dpi=150, bbox_inches="tight")


def measured(means: Means, names: Sequence[str]) -> list[str]:
    """Return the methods that were measured on all of some data sets."""
    return [method for method in METHODS if all((name, method) in means for name in names)]


EXPLAINED = (
    "The paper's 14 data sets, 10 × 4 stratified folds (CatBoost and EBM, which are slow, "
    f"{SLOW_REPEATS} × 4), one setting for all: averages over data sets. `HyperboxClassifier` has "
    "its defaults, `EIOLGFMM` the version, θ and δ in its name. Class balanced accuracy and "
    "balanced accuracy: more is better; log-loss: less is better. In brackets the average rank (1 "
    "is best) with its standard error over the data sets: of each of ours beside all others of the "
    f"table, of these beside `{DEFAULT}`. EBM and CatBoost are missing where they took too long "
    "(EBM over half an hour on molecular biology) or were not begun for that reason. Difference: "
    f"CBA of `{DEFAULT}` less the method, with the standard error over the data sets. "
    '"Balanced" is `class_prior="auto"`. Settings were chosen on '
    f"{', '.join(CHOSEN_ON)} (one repetition), loans and River's generators.\n"
)


def tell_averages(report: Report, means: Means, names: Sequence[str], words: str) -> None:
    report.say(f"Over {words} ({len(names)}):\n")
    report.say("| | CBA | difference | balanced accuracy | log-loss | boxes |")
    report.say("|---|--:|--:|--:|--:|--:|")
    methods = measured(means, names)
    peers = [method for method in methods if method in PEERS]
    cube = np.array([[means[name, method] for method in methods] for name in names])
    ours = cube[:, methods.index(DEFAULT), 0]
    for m, method in enumerate(methods):
        field = [DEFAULT if method in PEERS else method, *peers]
        cells = [
            f"{cube[:, m, k].mean():.3f} ({rank_text(means, field, method, k, names)})"
            for k in range(3)
        ]
        apart = ours - cube[:, m, 0]
        error = apart.std(ddof=1) / sqrt(len(names))
        cells.insert(1, "" if method == DEFAULT else f"{apart.mean():+.3f} ± {error:.3f}")
        boxes = cube[:, m, 3].mean()
        cells.append("" if np.isnan(boxes) else f"{boxes:,.0f}")
        report.say(f"| {method} | {' | '.join(cells)} |")
    report.say()


if __name__ == "__main__":
    main()
