"""Section I: whether the code of a category depends on the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boxwise import ImprovedOnlineGFMM, iol_pipeline
from boxwise.paper.measurements.measurement import Measure, Measurement
from boxwise.paper.protocol import Fold

# Those that give one number for each category.
ONE_NUMBER = ("catboost", "leave-one-out", "ordinal", "target", "james-stein")
APART = 0.01  # as a share of the column's range: less does not count as another code
ANOTHER_ORDER = "codes that another order of the rows changes"
OTHER_LATER = "codes that differ from those of rows to predict"
CODES = "codes of one category"
PREDICTIONS = "predictions that another order changes"


class Encodings(Measurement):
    """The same rows encoded twice, the second time in another order.

    Only the encoder sees the other order. IOL-GFMM, at theta = 0.1, learns the rows in that of the
    file both times, so that its predictions change with the codes alone.
    """

    name = "encodings"
    about = "codes of the same rows when the encoder sees them in another order"
    n_folds = 1

    def run(self, fold: Fold) -> Iterator[Measure]:
        """Compare the codes of the categorical columns, and what is predicted."""
        table = fold.table
        X, y, test = table.X[fold.train], table.y[fold.train], table.X[fold.test]
        order = np.random.default_rng(len(X)).permutation(len(X))
        for encoder in ONE_NUMBER:
            prepare = iol_pipeline(encoder, categorical_features=table.categorical)[:-1]
            again = np.empty((len(X), table.n + table.r))
            again[order] = prepare.fit_transform(X[order], y[order])
            predictions = [_predict(again, y, prepare.transform(test))]
            codes = np.asarray(prepare.fit_transform(X, y))
            predictions.append(_predict(codes, y, prepare.transform(test)))
            later = np.asarray(prepare.transform(X))
            yield Measure(encoder, ANOTHER_ORDER, _share_apart(codes, again, table.n))
            yield Measure(encoder, OTHER_LATER, _share_apart(codes, later, table.n))
            yield Measure(encoder, CODES, codes_of_one_category(X, codes, table.categorical))
            yield Measure(encoder, PREDICTIONS, float(np.mean(predictions[0] != predictions[1])))


def codes_of_one_category(
    X: NDArray[np.object_], codes: NDArray[np.float64], categorical: list[int]
) -> float:
    """Return how many different codes a category has on average among the rows to learn."""
    counts = [
        len(np.unique(codes[X[:, j] == value, j].round(9)))
        for j in categorical
        for value in {*X[:, j].tolist()}
    ]
    return float(np.mean(counts))


def _share_apart(one: NDArray[np.float64], other: NDArray[np.float64], n: int) -> float:
    return float(np.mean(np.abs(one[:, n:] - other[:, n:]) > APART))


def _predict(
    train: NDArray[np.float64], y: NDArray[np.object_], test: NDArray[np.float64]
) -> NDArray[np.object_]:
    learner = ImprovedOnlineGFMM(theta=0.1, feature_range=(0, 1))
    return learner.fit(np.asarray(train), y).predict(np.asarray(test))
