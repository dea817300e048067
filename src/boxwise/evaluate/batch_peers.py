"""Learners of scikit-learn to compare with in a cross-validation, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

MOST_VALUES = 255  # of a category that HistGradientBoosting tells apart
MOST_INDICATORS = 100  # columns of a one-hot encoded category; rarer values share one

Row = Mapping[str, Any]


def batch_peer(name: str, numeric: Sequence[str], categorical: Sequence[str]) -> Any:
    """Return a new learner of scikit-learn for rows of numbers, text and None.

    Parameters
    ----------
    name : str
        One of `batch_peer_names`.
    numeric, categorical : sequence of str
        The columns, by kind.

    Returns
    -------
    Pipeline
        It takes lists of dicts. Its learner has scikit-learn's parameters, with a fixed seed.

    Examples
    --------
    >>> from boxwise.evaluate.batch_peers import batch_peer
    >>> forest = batch_peer("random-forest", ["age"], ["job"])
    >>> rows = [{"age": 23, "job": None}, {"age": None, "job": "cook"}, {"age": 51, "job": "cook"}]
    >>> forest.fit(rows, ["no", "yes", "yes"]).predict([{"age": 50, "job": "smith"}]).tolist()
    ['yes']
    """
    if name not in _MAKERS:
        raise ValueError(f"there is no learner {name!r}; there are {', '.join(batch_peer_names())}")
    return _MAKERS[name]([*numeric], [*categorical])


def batch_peer_names() -> list[str]:
    """Return the names that `batch_peer` knows."""
    return [*_MAKERS]


def _random_forest(numeric: list[str], categorical: list[str]) -> Any:
    encoded = _encoded(numeric, [], categorical, [_one_hot()])
    return make_pipeline(encoded, RandomForestClassifier(random_state=0))


def _hist_gradient_boosting(numeric: list[str], categorical: list[str]) -> Any:
    gap = {"unknown_value": np.nan, "encoded_missing_value": np.nan}
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", max_categories=MOST_VALUES, **gap)
    is_category = np.array([False] * len(numeric) + [True] * len(categorical))
    learner = HistGradientBoostingClassifier(categorical_features=is_category, random_state=0)
    return make_pipeline(_encoded(numeric, [], categorical, [codes]), learner)


def _logistic_regression(numeric: list[str], categorical: list[str]) -> Any:
    filled = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    encoded = _encoded(numeric, [filled, StandardScaler()], categorical, [_one_hot()])
    return make_pipeline(encoded, LogisticRegression(max_iter=1000))


_MAKERS: dict[str, Callable[[list[str], list[str]], Any]] = {
    "random-forest": _random_forest,
    "hist-gradient-boosting": _hist_gradient_boosting,
    "logistic-regression": _logistic_regression,
}


def _one_hot() -> Any:
    """Return an encoder with an indicator for each value, also for a missing one."""
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_INDICATORS, sparse_output=False
    )


def _encoded(
    numeric: list[str], for_numbers: list[Any], categorical: list[str], for_categories: list[Any]
) -> Any:
    """Return what turns rows into numbers: first the numeric columns, then the categories."""
    parts: list[tuple[str, Pipeline]] = []
    if numeric:
        parts.append(("numbers", make_pipeline(_Numbers(numeric), *for_numbers)))
    if categorical:
        parts.append(("categories", make_pipeline(_Categories(categorical), *for_categories)))
    return FeatureUnion(parts)


class _Columns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Takes some columns out of rows."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def fit(self, rows: Sequence[Row], y: Any = None) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _Numbers(_Columns):
    """Numeric columns; a gap is NaN, and a column without any value when it was fitted is 0."""

    def fit(self, rows: Sequence[Row], y: Any = None) -> Self:
        self.empty_ = np.isnan(self._table(rows)).all(axis=0)
        return self

    def transform(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        table = self._table(rows)
        table[:, self.empty_] = 0.0
        return table

    def _table(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        cells = [[row.get(name) for name in self.names] for row in rows]
        return np.array(cells, dtype=np.float64).reshape(len(rows), len(self.names))


class _Categories(_Columns):
    """Categorical columns as text; a gap is None."""

    def transform(self, rows: Sequence[Row]) -> NDArray[np.object_]:
        table = np.empty((len(rows), len(self.names)), dtype=object)
        for i, row in enumerate(rows):
            for j, name in enumerate(self.names):
                value = row.get(name)
                table[i, j] = None if value is None else str(value)
        return table
