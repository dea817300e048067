"""Simplified rules beside decision trees of the same size: fidelity and CBA on unseen folds.

    BOXWISE_DATA=... python -m benchmarks.rules

Prints Markdown and writes it to benchmarks/results/rules.md.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks import paper_data
from benchmarks.report import Report
from boxwise import HyperboxClassifier
from boxwise.evaluate import class_balanced_accuracy
from boxwise.inputs import encode
from boxwise.rules.synthetic_rows import joined, synthetic_rows

NAMES = ("japanese_credit", "heart", "german")
REPEATS, FOLDS = 10, 4
HEADS = (
    "rules",
    "tree, of the model's answers",
    "the same, made-up rows too",
    "tree, of the labels",
)
ABOUT = (
    f"The model is `HyperboxClassifier()` as it comes; {REPEATS} times {FOLDS} folds. On the rows "
    "of the other folds it is learned and simplified (`rules.simplify(X, y, fidelity=0.95)`); on "
    "the fold left out, fidelity is the share of rows for which rules or tree say what the model "
    "says, and CBA is that of the labels. Each tree is scikit-learn's, on one-hot data, with as "
    "many leaves as there are rules (OTHERWISE is one): learned from what the model says of the "
    "same rows, also with 3,000 rows made up as `simplify` makes them up, or from the labels. "
    "Conditions: the columns that a rule, or the path to a leaf, asks about, summed over all. ±: "
    "the standard deviation over the repetitions of the means over folds."
)


class Table:
    """Encoded rows as scikit-learn's trees take them."""

    def __init__(self, schema: Any) -> None:
        sizes = [len(v) for v in schema.vocabularies]
        self.owner = [*range(len(schema.numeric))]
        for k, size in enumerate(sizes, start=len(self.owner)):
            self.owner += [k] * size
        categories = [np.arange(size) for size in sizes]
        self._encoder = OneHotEncoder(
            categories=categories, handle_unknown="ignore", sparse_output=False
        ).fit(np.zeros((1, len(sizes)), int))

    def __call__(self, batch: Any) -> np.ndarray:
        """Return the rows as numbers."""
        return np.hstack([batch.lower, self._encoder.transform(batch.codes)])

    def n_conditions(self, tree: DecisionTreeClassifier) -> int:
        """Return how many columns the paths to the leaves ask about, summed over the leaves."""
        t = tree.tree_

        def below(node: int, asked: frozenset[int]) -> int:
            if t.children_left[node] < 0:
                return len(asked)
            asked |= {self.owner[t.feature[node]]}
            return below(t.children_left[node], asked) + below(t.children_right[node], asked)

        return below(0, frozenset())


def measure(name: str, repeat: int) -> np.ndarray:
    """Return folds × who × (rules, conditions, fidelity, CBA), the model last."""
    warnings.filterwarnings("ignore", "no list of up to")
    X, y, categorical = paper_data.load(name)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
    return np.array([[*_fold(X, y, categorical, *parts)] for parts in folds.split(X, y)])


def _fold(
    X: np.ndarray, y: np.ndarray, categorical: list[int], train: np.ndarray, test: np.ndarray
) -> Iterator[tuple[float, float, float, float]]:
    clf = HyperboxClassifier(categorical_features=categorical).fit(X[train], y[train])
    rules = clf.rules().simplify(X[train], y[train], fidelity=0.95)
    model = clf.predict(X[test])

    def scores(said: np.ndarray) -> tuple[float, float]:
        return float(np.mean(said == model)), class_balanced_accuracy(y[test], said)

    yield len(rules), rules.n_conditions, *scores(rules.predict(X[test]))
    schema = clf.schema_
    table = Table(schema)
    rows = encode(X[train], schema, learn=False)
    more = joined(rows, synthetic_rows(rows, 3_000, np.random.default_rng(0)))
    asked = table(encode(X[test], schema, learn=False))
    labels = np.array(clf._fitted().labels.values)
    for data, wanted in (
        (rows, labels[clf._fitted().predict(rows)]),
        (more, labels[clf._fitted().predict(more)]),
        (rows, y[train]),
    ):
        tree = DecisionTreeClassifier(max_leaf_nodes=max(2, len(rules)), random_state=0)
        tree.fit(table(data), wanted)
        yield tree.get_n_leaves(), table.n_conditions(tree), *scores(tree.predict(asked))
    yield clf.n_boxes_, float("nan"), 1.0, class_balanced_accuracy(y[test], model)


def main() -> None:
    """Measure and write."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS
    report = Report("Rules beside trees of the same size", "make studies")
    report.say(ABOUT + "\n")
    report.say("| data | | rules or leaves | conditions | fidelity | ± | CBA | ± |")
    report.say("|---|---|---|---|---|---|---|---|")
    for name in NAMES:
        work = (delayed(measure)(name, repeat) for repeat in range(repeats))
        results = np.array(Parallel(n_jobs=1)(work))  # repeats × folds × who × what
        means, spread = results.mean(axis=(0, 1)), results.mean(axis=1).std(axis=0, ddof=1)
        for who, (n, conditions, fidelity, cba), (_, _, f, c) in zip(
            (*HEADS, "the model (boxes)"), means, spread, strict=True
        ):
            asked = "" if np.isnan(conditions) else f"{conditions:.1f}"
            report.say(
                f"| {name} | {who} | {n:.1f} | {asked} | {fidelity:.3f} | {f:.3f} | "
                f"{cba:.3f} | {c:.3f} |"
            )
    report.write("rules.md")


if __name__ == "__main__":
    main()
