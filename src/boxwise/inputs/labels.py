"""Labels to class codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from boxwise.inputs.categories import plain_category
from boxwise.inputs.missing import first_without_hash, is_missing, is_signalling_nan
from boxwise.schema import Vocabulary, is_category, show

UNLABELLED = -1


def encode_labels(
    y: Any, known: Vocabulary, *, n_rows: int, unlabelled: object = None
) -> tuple[NDArray[np.int32], list[object]]:
    """Return the code of each label, and the labels that are not known yet.

    Parameters
    ----------
    y : array-like of shape (rows,)
        Text, whole numbers or truth values.
    known : Vocabulary
        The labels so far; it is not changed. New ones get the codes that follow on from it.
    n_rows : int
        How many labels there must be.
    unlabelled : object, optional
        The mark of a row without a label, which gets the code -1. NaN stands for any missing value.
        None: every row must have a label.
    """
    labels = _read_labels(y)
    if len(labels) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows, y has {len(labels)}"
        )
    try:
        code_of: dict[object, int] = dict.fromkeys(labels, UNLABELLED)  # the work is once per class
    except Exception:
        row = first_without_hash(labels)
        if row is None:  # a label refuses to be compared with another
            raise
        raise _not_a_class(labels[row], row) from None
    additions: list[object] = []
    new: dict[object, int] = {}
    for label in code_of:
        plain = _plain_label(label, labels, unlabelled)
        if plain is not None:
            code = known.codes.get(plain, new.get(plain))
            if code is None:
                code = new[plain] = len(known) + len(additions)
                additions.append(plain)
            code_of[label] = code
    return np.fromiter(map(code_of.__getitem__, labels), np.int32, n_rows), additions


def declared_labels(classes: Any) -> list[object]:
    """Return the labels that a caller announces, in order."""
    labels = _read_labels(classes)
    return [_plain_label(label, labels, None) for label in labels]


def check_unlabelled(unlabelled: object) -> None:
    """Raise ValueError unless it can be the mark of a row without a label, or None."""
    if not is_missing(unlabelled) and not is_category(plain_category(unlabelled)):
        raise ValueError(
            "unlabelled must be None, NaN, text, a number or a truth value, not "
            f"{show(unlabelled)} of type {type(unlabelled).__name__}"
        )


def _read_labels(y: Any) -> Sequence[object]:
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None")
    if type(y) is list and y and isinstance(y[0], str | int):
        return y
    array = y if isinstance(y, np.ndarray) else _to_array(y)
    if array.ndim != 1:
        array = column_or_1d(array, warn=True)
    return array.tolist()  # type: ignore[no-any-return]


def _to_array(y: Any) -> NDArray[Any]:
    values = y.to_list() if hasattr(y, "to_list") else y  # a column of pandas or polars
    values = values.to_pylist() if hasattr(values, "to_pylist") else values  # of Arrow
    if not isinstance(values, list):
        return np.asarray(values)
    try:
        array = np.asarray(values)
        if array.ndim != 1 and array.dtype.kind not in "US":
            return array
    except ValueError:  # lists of several lengths, say: the error names the row when they are read
        pass
    # NumPy would turn a number among texts into text, and one beside a NaN into a float.
    plain = np.empty(len(values), dtype=object)
    plain[:] = values
    return plain


def _plain_label(label: object, labels: Sequence[object], unlabelled: object) -> object:
    """Return the label as plain Python, None if the row has none."""
    if is_missing(label):
        if unlabelled is not None and is_missing(unlabelled):
            return None
        raise ValueError(
            f"Input y contains NaN: the label of row {_row_of(label, labels)} is missing; drop "
            "such rows, or learn from them as unlabelled with unlabelled=float('nan')"
        )
    plain = plain_category(label)
    if not is_category(plain):
        raise _not_a_class(label, _row_of(label, labels))
    if unlabelled is not None and not is_missing(unlabelled) and plain == unlabelled:
        return None
    if isinstance(plain, float) and not plain.is_integer():
        raise ValueError(
            f"Unknown label type: continuous: the label {plain!r} of row {_row_of(label, labels)} "
            "is not a class; labels must be text, whole numbers or truth values"
        )
    return plain


def _row_of(label: object, labels: Sequence[object]) -> int:
    return next(row for row, other in enumerate(labels) if other is label)


def _not_a_class(label: object, row: int) -> ValueError:
    if is_signalling_nan(label):
        return ValueError(
            f"Input y contains NaN: the label of row {row} is a signalling NaN; drop such rows, "
            "or use None or float('nan') for a missing label"
        )
    return ValueError(
        f"Unknown label type: the label {show(label)} of row {row} is of type "
        f"{type(label).__name__}; labels must be text, whole numbers or truth values: "
        "convert them, for example with str"
    )
