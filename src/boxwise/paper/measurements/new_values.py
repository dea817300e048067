"""Section I: what each algorithm makes of a row with a category that it has never seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.evaluate import class_balanced_accuracy
from boxwise.paper.experiment import METHODS
from boxwise.paper.measurements.measurement import Measure, Measurement
from boxwise.paper.protocol import Fold

NEW = "never seen before"
SECOND = {"M1": {"eta": 0.1}, "M2": {"beta": 0.75}, "v1": {"delta": 0.1}, "v2": {"delta": 0.1}}
SEEN, UNSEEN = "as they are", "with a new value"


class NewValues(Measurement):
    """Rows to predict as they are, and with one category each replaced by a new one.

    The settings are those that Table I prints, at theta = 0.1.
    """

    name = "new-values"
    about = "rows to predict in which one category, at random, is replaced by a new one"

    def run(self, fold: Fold) -> Iterator[Measure]:
        """Score both kinds of rows, and count those that are in no box at all."""
        X, y = fold.table.X, fold.table.y
        changed = with_new_values(X[fold.test], fold.table.categorical, seed=len(fold.train))
        for method, second in SECOND.items():
            learner = fold.learner(METHODS[method], theta=0.1, **second)
            learner.fit(X[fold.train], y[fold.train])
            for what, rows in ((SEEN, X[fold.test]), (UNSEEN, changed)):
                score = class_balanced_accuracy(y[fold.test], learner.predict(rows))
                outside = np.mean(learner.membership(rows).max(axis=1) == 0)
                yield Measure(method, f"CBA, {what}", float(score))
                yield Measure(method, f"in no box, {what}", float(outside))


def with_new_values(X: NDArray[Any], categorical: list[int], seed: int) -> NDArray[Any]:
    """Return the rows with one category each replaced by one that is in no row."""
    changed = X.copy()
    places = np.random.default_rng(seed).choice(categorical, len(X))
    changed[np.arange(len(X)), places] = NEW
    return changed
