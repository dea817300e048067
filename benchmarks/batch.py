"""HyperboxClassifier beside learners of whole tables, where they should win: score and time.

    python -m benchmarks.batch               (ten minutes on one core; needs river, LightGBM, EBM)
    python -m benchmarks.batch --only digits

Nothing is tuned, for anyone. Tables of scikit-learn and River that come with them, and made-up
ones. Adds to benchmarks/results/batch.jsonl as it goes, and writes batch.md of all that is there.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from math import sqrt
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_hastie_10_2
from sklearn.model_selection import StratifiedKFold

from benchmarks.report import FOLDER, Report
from benchmarks.table_peers import PEERS, Method
from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream

OURS = "HyperboxClassifier"
FINE = f"{OURS}, delta=0.05"  # on tables with categories only
METHODS: dict[str, Method] = {
    OURS: lambda categorical, _: HyperboxClassifier(categorical_features=categorical),
    FINE: lambda categorical, _: HyperboxClassifier(delta=0.05, categorical_features=categorical),
    **{name: PEERS[name] for name in ("LightGBM", "EBM", "random forest", "logistic regression")},
}
WITH_CATEGORIES = ("loans 7", "loans 7, large", "parity", "customers")
FOLDS, SEEDS = 4, (1, 2, 3, 4)
TEST = 5_000  # rows of a made-up table to test
FILE = "batch.jsonl"
LEAST = 1e-7


class Split(NamedTuple):
    """Rows to learn, rows to test, and which columns are categorical."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    categorical: list[int]


Splits = Callable[[], Iterator[Split]]


def folds(load: Callable[[], tuple[Any, Any]]) -> Splits:
    """Return the splits of a table of numbers."""

    def splits() -> Iterator[Split]:
        X, y = load()
        X, y = np.array(X, object), np.array([str(label) for label in y])
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
            yield Split(X[train], y[train], X[test], y[test], [])

    return splits


def of_river(name: str) -> Callable[[], tuple[Any, Any]]:
    def load() -> tuple[Any, Any]:
        from river import datasets

        rows, labels = zip(*getattr(datasets, name)(), strict=True)
        return [[float(v) for v in x.values()] for x in rows], labels

    return load


def drawn(make: Callable[[int, int], tuple[Any, Any, list[int]]], rows: int) -> Splits:
    """Return a split of new rows for each seed."""

    def splits() -> Iterator[Split]:
        for seed in SEEDS:
            X, y, categorical = make(rows + TEST, seed)
            y = np.array([str(label) for label in y])
            yield Split(X[:rows], y[:rows], X[rows:], y[rows:], categorical)

    return splits


def loans(n_rows: int, seed: int) -> tuple[Any, Any, list[int]]:
    pairs = [*LoanStream(n_rows, function=7, noise=0.05, seed=seed)]
    columns = sorted(pairs[0][0], key=lambda c: isinstance(pairs[0][0][c], str))
    X = np.array([[x[c] for c in columns] for x, _ in pairs], object)
    return X, [y for _, y in pairs], [j for j, v in enumerate(X[0]) if isinstance(v, str)]


def sums_of_squares(n_rows: int, seed: int) -> tuple[Any, Any, list[int]]:
    X, y = make_hastie_10_2(n_rows, random_state=seed)
    return X.astype(object), y, []


def parity(n_rows: int, seed: int) -> tuple[Any, Any, list[int]]:
    """Four of eight columns of two values decide by whether the number of ones is odd."""
    bits = np.random.default_rng(seed).integers(0, 2, (n_rows, 8))
    return np.where(bits, "yes", "no").astype(object), bits[:, :4].sum(axis=1) % 2, [*range(8)]


def customers(n_rows: int, seed: int) -> tuple[Any, Any, list[int]]:
    """Return rows in which the customer, one of 2,000, and a number decide."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(0, 2, 2_000)
    who, amount = rng.integers(0, 2_000, n_rows), rng.normal(0, 1, n_rows)
    y = rng.random(n_rows) < 1 / (1 + np.exp(-effect[who] - amount))
    X = np.empty((n_rows, 2), object)
    X[:, 0], X[:, 1] = amount, [f"c{i}" for i in who]
    return X, y, [1]


TABLES: dict[str, tuple[str, Splits]] = {
    "breast cancer": (
        "569 rows, 30 numbers (scikit-learn)",
        folds(lambda: load_breast_cancer(return_X_y=True)),
    ),
    "phishing": ("1,250 rows, 9 numbers (River)", folds(of_river("Phishing"))),
    "image segments": (
        "2,310 rows, 18 numbers, 7 classes (River)",
        folds(of_river("ImageSegments")),
    ),
    "bananas": ("5,300 rows, 2 numbers (River)", folds(of_river("Bananas"))),
    "digits": (
        "1,797 images of 8 × 8 pixels, 10 classes (scikit-learn)",
        folds(lambda: load_digits(return_X_y=True)),
    ),
    "loans 7": ("10,000 rows, 6 numbers and 3 categories, 5 % wrong labels", drawn(loans, 10_000)),
    "loans 7, large": ("100,000 rows of the same", drawn(loans, 100_000)),
    "sum of squares": (
        "8,000 rows, 10 numbers; the class is whether the sum of their squares is large "
        "(`make_hastie_10_2`)",
        drawn(sums_of_squares, 8_000),
    ),
    "parity": (
        "4,000 rows, 8 columns of two values, 4 of which decide jointly",
        drawn(parity, 4_000),
    ),
    "customers": ("20,000 rows, a number, and one of 2,000 customers", drawn(customers, 20_000)),
}
FEW = {  # EBM takes minutes there: so many splits
    "bananas": 2,
    "breast cancer": 1,
    "image segments": 0,
    "digits": 0,
    "loans 7": 2,
    "loans 7, large": 0,
    "sum of squares": 1,
    "customers": 0,
}


def measure(split: Split, make: Method) -> dict[str, float]:
    """Return the scores on the rows to test, and the processor time."""
    start = process_time()
    model = make(split.categorical, split.X.shape[1]).fit(split.X, split.y)
    fitted = process_time()
    p = model.predict_proba(split.X_test)
    predicted = process_time()
    own = p[np.arange(len(p)), np.searchsorted(model.classes_, split.y_test)]
    return {
        "accuracy": float((np.asarray(model.classes_)[p.argmax(axis=1)] == split.y_test).mean()),
        "log_loss": float(-np.log(np.maximum(own, LEAST)).mean()),
        "fit": fitted - start,
        "predict": (predicted - fitted) / len(p) * 1e6,
    }


def main() -> None:
    """Measure what is named or missing, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch")
    parser.add_argument("--only", nargs="*", default=[*TABLES], help="tables to measure again")
    parser.add_argument("--methods", nargs="*", default=[*METHODS])
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    file = FOLDER / FILE
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    for table in options.only:
        for method in options.methods:
            if method == FINE and table not in WITH_CATEGORIES:
                continue
            lines = [x for x in lines if (x["table"], x["method"]) != (table, method)]
            for k, split in enumerate(TABLES[table][1]()):
                if method == "EBM" and k == FEW.get(table, FOLDS):
                    break
                found = measure(split, METHODS[method])
                lines.append({"table": table, "method": method, "split": k, **found})
                print(lines[-1], flush=True)
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    tell(lines)


def tell(lines: list[dict[str, Any]]) -> None:
    report = Report("Tables that are learned as a whole", "python -m benchmarks.batch")
    report.say(
        "Nothing tuned; LightGBM, EBM (interpret), and scikit-learn's random forest and logistic "
        "regression with their defaults, which get categories as codes or as 0 and 1, and "
        f"standardised numbers where they need it. Tables that exist: {FOLDS} stratified folds; "
        f"made-up ones: {len(SEEDS)} seeds, {TEST:,} rows to test. Means with standard errors over "
        "folds or seeds; EBM, which takes long, had one of them where there is no error, and "
        "two of bananas and loans 7. It was not run on the image segments, the digits and the "
        "large table, and not done with the customers in five minutes. Time is processor time on "
        "a machine that others used: of `fit`, and of a row in `predict_proba`.\n"
    )
    report.say("| table | learner | accuracy | log-loss | fit, s | predict, µs a row |")
    report.say("|---|---|--:|--:|--:|--:|")
    for table in TABLES:
        for method in METHODS:
            own = [x for x in lines if (x["table"], x["method"]) == (table, method)]
            if own and (method != FINE or table in WITH_CATEGORIES):
                times = [np.median([x[key] for x in own]) for key in ("fit", "predict")]
                scores = f"{mean(own, 'accuracy')} | {mean(own, 'log_loss')}"
                report.say(f"| {table} | {method} | {scores} | {times[0]:.2f} | {times[1]:,.0f} |")
    report.say("\n| table | |\n|---|---|")
    for table, (words, _) in TABLES.items():
        report.say(f"| {table} | {words} |")
    report.write("batch.md")


def mean(lines: list[dict[str, Any]], key: str) -> str:
    values = [line[key] for line in lines]
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1) / sqrt(len(values)):.3f}"


if __name__ == "__main__":
    main()
