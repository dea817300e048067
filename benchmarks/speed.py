"""How fast: against hyperbox-brain, over the number of rows, against the machine's bound.

    python -m benchmarks.speed            (or: make bench)

Prints Markdown and writes it to benchmarks/results/speed.md. Comparisons are made in one run, on
the same rows, and reported as ratios; absolute times depend on the machine.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks import paper_data
from benchmarks.report import Report, scaled_table, seconds
from boxwise import HyperboxClassifier
from boxwise.core import _native
from boxwise.datasets import loans

LATEST = 2_000  # rows over which the marginal cost of learning and predicting is taken
report = Report("Speed", "make bench")
say = report.say


def against_hyperbox_brain(n_rows: int = 2_000, n_predicted: int = 500) -> None:
    """Each is timed three times on the same rows, taking turns, and its best time counts."""
    from hbbrain.mixed_data.eiol_gfmm import ExtendedImprovedOnlineGFMM

    X, y, categorical = scaled_table(n_rows + n_predicted)
    n = X.shape[1] - len(categorical)
    rows = {"unseen": X[n_rows:], "learned": X[:n_predicted]}
    X, y = X[:n_rows], y[:n_rows]
    say(f"## Against hyperbox-brain 0.1.6, loan stream, {n_rows:,} rows, version 1\n")
    say("| θ = δ | boxes (ours / theirs) | what | theirs | ours | ratio | same predictions |")
    say("|---|---|---|---|---|---|---|")
    for size in (0.1, 0.5):
        ours = HyperboxClassifier(
            size, size, **paper_data.V1, categorical_features=categorical, feature_range=(0, 1)
        )
        learn = []
        for _ in range(3):
            theirs = ExtendedImprovedOnlineGFMM(size, 1, size, n / X.shape[1])  # its fit goes on
            learn.append((seconds(theirs.fit, X, y, categorical), seconds(ours.fit, X, y)))
        slow, fast = (min(times) for times in zip(*learn, strict=True))
        say(
            f"| {size} | {len(ours.boxes_):,} / {len(theirs.V):,} | learn | {slow:.2f} s "
            f"| {fast * 1e3:.2f} ms | **{slow / fast:,.0f}×** | |"
        )
        for which, chosen in rows.items():
            predict = [
                (seconds(theirs.predict, chosen), seconds(ours.predict, chosen)) for _ in range(3)
            ]
            slow, fast = (min(times) / n_predicted for times in zip(*predict, strict=True))
            same = np.mean(theirs.predict(chosen) == ours.predict(chosen))
            say(
                f"| | | predict, {which} rows | {slow * 1e3:.2f} ms/row | {fast * 1e6:.1f} µs/row "
                f"| **{slow / fast:,.0f}×** | {same:.1%} |"
            )
    say()


def over_rows() -> None:
    say("## Over the number of rows, loan stream, through the estimator\n")
    say(f"µs per row over the last {LATEST:,} rows learned, and over as many rows predicted.\n")
    say("| rows | condition | θ = δ | boxes | learn | predict | bytes per box |")
    say("|---|---|---|---|---|---|---|")
    for n_rows in (1_000, 10_000, 100_000):
        X, y, categorical = scaled_table(n_rows + LATEST)
        for condition, size in (("each", 0.1), ("each", 0.5), ("mean", 0.5)):
            clf = HyperboxClassifier(
                size,
                size,
                condition=condition,
                decision="membership",
                categorical_features=categorical,
            )
            before = max(n_rows - LATEST, 0)
            if before:
                clf.partial_fit(X[:before], y[:before])
            learn = seconds(clf.partial_fit, X[before:n_rows], y[before:n_rows])
            predict = seconds(clf.predict, X[n_rows:], repeat=2)
            engine = clf._model.engine
            say(
                f"| {n_rows:,} | {condition} | {size} | {engine.n_boxes:,} "
                f"| {learn / (n_rows - before) * 1e6:.1f} | {predict / LATEST * 1e6:.1f} "
                f"| {engine.bytes / engine.n_boxes:.0f} |"
            )
    say()


def against_the_bound() -> None:
    """Compare a brute-force prediction with reading the same memory once, as fast as NumPy can."""
    say("## How near the bound\n")
    say(
        "Brute force must at least read, for every box, its number of rows and its counts of the "
        "row's values (4 bytes each); the intervals (16 bytes a column) only where the categories "
        "leave the box in question. The bound is the time NumPy takes to sum as many bytes on "
        "this machine: for the counts alone, which no brute force can go below, and for "
        "everything. ns per box, unseen rows.\n"
    )
    say("| boxes | predict | bound: counts | bound: counts and intervals |")
    say("|---|---|---|---|")
    for n_rows in (2_000, 10_000, 50_000):
        X, y, categorical = scaled_table(n_rows + LATEST)
        clf = HyperboxClassifier(0.1, 0.1, **paper_data.V1, categorical_features=categorical)
        clf.fit(X[:n_rows], y[:n_rows])
        boxes = clf._model.engine.n_boxes
        batch = clf._read(X[n_rows:], None)[1]
        took = seconds(clf._model.predict, batch, repeat=3) / LATEST / boxes
        n, r = X.shape[1] - len(categorical), len(categorical)
        bounds = []
        for size in (4 * r + 4, 16 * n + 4 * r + 4):
            data = np.ones(boxes * size // 8)
            bounds.append(seconds(data.sum, repeat=50) / boxes)
        say(f"| {boxes:,} | {took * 1e9:.2f} | {bounds[0] * 1e9:.2f} | {bounds[1] * 1e9:.2f} |")
    say()


def small_things() -> None:
    say("## Small things\n")
    rows, labels = loans(3_000, function=2, seed=2)
    say("| | |\n|---|---|")
    load_engine = (
        "from importlib.util import module_from_spec as m, spec_from_file_location as f; "
        f"s = f('_native', {_native.__file__!r}); s.loader.exec_module(m(s))"
    )
    for name, statement in (
        ("`import boxwise`", "import boxwise"),
        ("of which scikit-learn's `sklearn.base`", "import sklearn.base"),
        ("of which the engine", load_engine),
    ):
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        command = [sys.executable, "-c", code]
        runs = [
            float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for _ in range(5)
        ]
        say(f"| {name} | {min(runs) * 1e3:.1f} ms |")
    clf = HyperboxClassifier(0.5, 0.5, **paper_data.V1).partial_fit(rows[:1_000], labels[:1_000])
    boxes = len(clf.boxes_)
    learn = seconds(
        lambda: [clf.partial_fit([r], [y]) for r, y in zip(rows[1000:], labels[1000:], strict=True)]
    )
    say(
        f"| one `partial_fit` of one row (a dict, 9 columns, {boxes:,}+ boxes) "
        f"| {learn / 2_000 * 1e6:.1f} µs |"
    )
    small = HyperboxClassifier(0.5, 0.5, **paper_data.V1).partial_fit(rows[:20], labels[:20])
    predict = seconds(lambda: [small.predict([r]) for r in rows[:2_000]], repeat=3)
    say(
        f"| one `predict` of one row (a dict, {len(small.boxes_)} boxes) "
        f"| {predict / 2_000 * 1e6:.1f} µs |"
    )
    say()


def main() -> None:
    against_hyperbox_brain()
    over_rows()
    against_the_bound()
    small_things()
    report.write("speed.md")


if __name__ == "__main__":
    main()
