"""Weights of rows and of classes: how often each row counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import Batch
from boxwise.schema import Schema, show

MOST = 10_000.0  # a row is learned as often as it counts
MOST_REPEATED = 10_000_000  # rows in memory
UNIT = 2.0**-20  # weights are rounded to it, so that sums do not depend on the order


def row_weights(
    sample_weight: Any,
    class_weight: Any,
    labels: NDArray[np.int32],
    names: Sequence[object],
    *,
    whole_table: bool,
) -> NDArray[np.float64] | None:
    """Return a weight for each row, None where all count once.

    Parameters
    ----------
    sample_weight : array-like or None
        One weight per row.
    class_weight : mapping, "balanced" or None
        Weights of the classes, with which those of the rows are multiplied. If a balanced row would
        weigh more than `MOST`, all weights are divided by the same number, so that it weighs that.
    labels : array of int32
        The classes of the rows, as positions in `names`; -1 is none.
    names : sequence
        The classes.
    whole_table : bool
        Whether these are all rows there are, as "balanced" needs.
    """
    weights = None if sample_weight is None else _checked(sample_weight, len(labels))
    if class_weight is None:
        return weights
    check_class_weight(class_weight)
    balanced = isinstance(class_weight, str)
    if balanced:
        of_class = _balanced(labels, weights, len(names), whole_table=whole_table)
    else:
        of_class = np.array([float(class_weight.get(name, 1.0)) for name in names])
    products = np.append(of_class, 1.0)[labels]  # a row without a class counts once
    if weights is not None:
        products *= weights
    if balanced:
        return _rounded(_scaled(products))
    bad = np.flatnonzero(products > MOST)
    if len(bad):
        row = int(bad[0])
        raise ValueError(
            f"class_weight of {show(names[labels[row]])} times sample_weight of row {row} is "
            f"{products[row]:g}: it must be at most {MOST:g}; divide all of sample_weight by the "
            "same number"
        )
    return _rounded(products)


def check_class_weight(class_weight: Any) -> None:
    """Raise ValueError unless it says how often the rows of each class count."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            "class_weight must be None, 'balanced' or a mapping from class to weight, "
            f"not {show(class_weight)}"
        )
    for name, weight in class_weight.items():
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not (is_number and 0 <= weight <= MOST):
            raise ValueError(
                f"class_weight of {show(name)} must be a number from 0 to {MOST:g}, "
                f"not {show(weight)}"
            )


def _balanced(
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    n_classes: int,
    *,
    whole_table: bool,
) -> NDArray[np.float64]:
    """Return the weights with which all classes weigh the same."""
    if not whole_table:
        raise ValueError(
            "class_weight='balanced' needs the whole table: call fit, or give a mapping from "
            "class to weight, or use class_prior='balanced'"
        )
    labelled = labels >= 0
    of_rows = None if weights is None else weights[labelled]
    rows = np.bincount(labels[labelled], of_rows, minlength=n_classes).astype(np.float64)
    present = rows > 0
    even = np.zeros(n_classes)
    even[present] = rows.sum() / max(present.sum(), 1) / rows[present]
    return even


def _checked(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind not in "biufO":
            raise TypeError
        weights = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("sample_weight must be numbers, one per row") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but there are {n_rows} rows; give one "
            "weight per row"
        )
    bad = np.flatnonzero(~((weights >= 0) & (weights <= MOST)))
    if len(bad):
        row = int(bad[0])
        remedy = "divide all weights by the same number" if weights[row] > 0 else "0 leaves it out"
        raise ValueError(
            f"sample_weight of row {row} is {weights[row]:g}: it must be from 0 to {MOST:g}; "
            f"{remedy}"
        )
    return _rounded(weights)


def _scaled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights divided by one number, so that none is above the limit."""
    most = weights.max(initial=0.0)
    return weights if most <= MOST else np.minimum(weights * (MOST / most), MOST)


def _rounded(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights in whole units."""
    units = np.maximum(np.round(weights / UNIT), weights > 0)  # what counts at all stays in
    return np.ascontiguousarray(units * UNIT)


@dataclass(frozen=True)
class LearnedRows:
    """Rows to learn, with their labels and weights; `names` are labels that are new.

    `weights` is None where all rows count once.
    """

    batch: Batch
    labels: NDArray[np.int32]
    names: list[object]
    weights: NDArray[np.float64] | None = None

    @property
    def times_learned(self) -> int:
        """How often a row is learned, which a model counts: one of weight 2.5 three times."""
        if self.weights is None:
            return self.batch.n_rows
        return int(np.ceil(self.weights).sum())

    def without_absent(self, schema: Schema, n_classes: int) -> LearnedRows:
        """Return the rows of which the weight is not 0, as if the others had not been there.

        Parameters
        ----------
        schema : Schema
            The columns, with the values known before these rows.
        n_classes : int
            How many classes were known before these rows.
        """
        if self.weights is None or self.weights.all():
            return self
        return self.taken(np.flatnonzero(self.weights), schema, n_classes)

    def taken(self, rows: NDArray[np.intp], schema: Schema, n_classes: int) -> LearnedRows:
        """Return some of the rows in another order, as if they had come so.

        Parameters
        ----------
        rows : array of int
            Their places.
        schema, n_classes
            As in `without_absent`.
        """
        labels, names = self._classes_of(rows, n_classes)
        part = self.batch.part(rows)
        codes, additions = part.codes.copy(), [*part.additions]
        for j, vocabulary in enumerate(schema.vocabularies):
            known, limit = len(vocabulary), vocabulary.limit
            is_full = limit is not None and known <= limit < known + len(part.additions[j])
            codes[:, j], values = _numbered(codes[:, j], known, limit if is_full else None)
            additions[j] = [part.additions[j][value] for value in values]
        batch = replace(part, codes=codes, additions=additions)
        weights = None if self.weights is None else self.weights[rows]
        return LearnedRows(batch, labels, names, weights)

    def repeated(self) -> Batch:
        """Return the rows as often as they count, for what is found out of the whole table."""
        if self.weights is None:
            return self.batch
        times = np.ceil(self.weights)  # as the engine learns them
        times = np.maximum(times * min(1.0, MOST_REPEATED / times.sum()), 1).astype(np.intp)
        return self.batch.part(np.repeat(np.arange(len(times)), times))

    def with_absent_unlabelled(self, schema: Schema, n_classes: int) -> LearnedRows:
        """Return all rows; those of weight 0 have no label and bring no values of their own."""
        if self.weights is None or self.weights.all():
            return self
        kept = np.flatnonzero(self.weights)
        taken = self.taken(kept, schema, n_classes)
        labels = np.full(self.batch.n_rows, -1, np.int32)
        labels[kept] = taken.labels
        codes = self.batch.codes.copy()
        for j, vocabulary in enumerate(schema.vocabularies):
            known = len(vocabulary)
            new_code = np.full(max(codes[:, j].max(), known) + 1, -1, np.int32)
            new_code[:known] = np.arange(known)
            new_code[codes[kept, j]] = taken.batch.codes[:, j]
            codes[:, j] = np.where(codes[:, j] < 0, codes[:, j], new_code[codes[:, j]])
        batch = replace(self.batch, codes=codes, additions=taken.batch.additions)
        return LearnedRows(batch, labels, taken.names, self.weights)

    def _classes_of(
        self, rows: NDArray[np.intp], n_classes: int
    ) -> tuple[NDArray[np.int32], list[object]]:
        """Return the labels of some rows and the names that are new, as if there were no others."""
        labels, new = _numbered(self.labels[rows], n_classes)
        return labels, [self.names[k] for k in new]


def _numbered(
    codes: NDArray[np.int32], known: int, shared: int | None = None
) -> tuple[NDArray[np.int32], list[int]]:
    """Return the codes, those not known yet in order of first appearance, and which these were.

    The code that values beyond the limit share stays what it is, so all values before it stay too.
    """
    new = codes[codes >= known]
    if shared is not None:
        new = np.concatenate([new[new != shared], np.arange(known, shared + 1, dtype=np.int32)])
    values, first = np.unique(new, return_index=True)
    ordered = values[np.argsort(first, kind="stable")]
    new_code = np.arange(max(codes.max(initial=-1), new.max(initial=-1)) + 1, dtype=np.int32)
    new_code[ordered] = known + np.arange(len(ordered), dtype=np.int32)
    found = np.where(codes < 0, codes, new_code[codes] if len(new_code) else codes)
    return found.astype(np.int32), (ordered - known).tolist()
