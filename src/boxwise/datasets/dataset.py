"""A data set in the form in which every estimator takes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.datasets.catalogue import Entry

_DESCRIPTION = """\
{title}
{rows} rows, {continuous} numeric and {categorical} categorical columns, {classes} classes
Class: {label}
Left out: {dropped}
Source: UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/{page}/{slug}
Licence: the archive's, CC BY 4.0 as far as known; its page says what holds"""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table with labels, ready for ``fit(data.X, data.y)``.

    Attributes
    ----------
    name : str
        The name by which `load` knows it.
    X : list of dict
        The rows, from column to value: a float in the numeric columns, text in the categorical
        ones. ``pandas.DataFrame(data.X)`` or ``polars.DataFrame(data.X)`` makes it a data frame.
    y : ndarray of int or str
        The labels: whole numbers if all of them are, else text.
    continuous, categorical : tuple of str
        The names of the columns of each kind, in the order of the table.
    description : str
        What it is, where it comes from, under which licence, and what was left out.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import load
    >>> data = load("tic_tac_toe")
    >>> data
    Dataset('tic_tac_toe', 958 rows, 0 numeric and 9 categorical columns)

    The games that are won come first; an online learner is better off with them mixed:

    >>> from sklearn.utils import shuffle
    >>> X, y = shuffle(data.X, data.y, random_state=0)
    >>> clf = HyperboxClassifier().fit(X[:800], y[:800])
    >>> clf.score(X[800:], y[800:]) > 0.8
    True
    """

    name: str
    X: list[dict[str, Any]]
    y: NDArray[Any]
    continuous: tuple[str, ...]
    categorical: tuple[str, ...]
    description: str

    @property
    def categorical_features(self) -> list[str]:
        """What an estimator takes as `categorical_features`: the names as a list."""
        return list(self.categorical)

    def __repr__(self) -> str:
        kinds = f"{len(self.continuous)} numeric and {len(self.categorical)} categorical columns"
        return f"Dataset({self.name!r}, {len(self.X)} rows, {kinds})"


def from_table(entry: Entry, table: bytes) -> Dataset:
    """Make a data set of its table, which has been checked."""
    numbers = [column in entry.continuous for column in entry.columns]
    X, labels = [], []
    for line in table.decode().splitlines()[1:]:
        *cells, label = line.split(",")
        values = [float(c) if number else c for c, number in zip(cells, numbers, strict=True)]
        X.append(dict(zip(entry.columns, values, strict=True)))
        labels.append(label)
    return Dataset(
        entry.name, X, _labels(labels), entry.continuous, entry.categorical, describe(entry)
    )


def describe(entry: Entry) -> str:
    """Say in words what is known of a data set."""
    text = _DESCRIPTION.format(
        **vars(entry) | {"continuous": len(entry.continuous), "categorical": len(entry.categorical)}
    )
    return f"{text}\nNote: {entry.note}" if entry.note else text


def _labels(labels: list[str]) -> NDArray[Any]:
    # As text, abalone's '10' would come before '2'.
    whole = all(re.fullmatch(r"-?[0-9]+", label) for label in labels)
    return np.array([int(label) for label in labels] if whole else labels)
