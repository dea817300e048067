"""The fast path of `encode`: one row at a time, and all-numeric arrays.

Learning online calls `encode` once per row, and the general path, which looks at columns, would
cost more than the learning. Only plain values are handled here; for anything else (an error, a new
category to learn) the result is None, and the general path takes over.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs.batch import Batch
from boxwise.inputs.numbers import within_limit
from boxwise.schema import Schema

_SAFE = {np.dtype(t) for t in ("f8", "f4", "i8", "i4", "u1", "O")}
"""The dtypes whose values NumPy hands over as the plain Python numbers and objects they are."""


_PLAIN_NUMBERS = {float, int, np.float64, NoneType}
"""Types that NumPy converts as we would. Not text: it would quietly read '12' as a number."""

_PLAIN_VALUES = {str, int, bool, NoneType}
"""The types whose values are themselves categories: none of them is another form of missing."""


def encode_fast(X: Any, schema: Schema, *, learn: bool) -> Batch | None:
    """Encode X if it is a plain row or a numeric array, else return None."""
    if type(X) is np.ndarray:
        return _encode_array(X, schema, learn)
    if type(X) is list and len(X) == 1:
        return _encode_row(X[0], schema, learn)
    return None


def _encode_array(X: NDArray[Any], schema: Schema, learn: bool) -> Batch | None:
    if X.ndim != 2 or schema.named or X.shape[1] != schema.n_features or X.dtype not in _SAFE:
        return None
    n_rows = X.shape[0]
    if n_rows and len(schema.numeric) == schema.n_features and X.dtype != np.object_:
        numbers = np.ascontiguousarray(X, dtype=np.float64)
        if not within_limit(numbers):
            return None
        return Batch(numbers, numbers, np.empty((n_rows, 0), np.int32), [])
    return _encode_row(X[0].tolist(), schema, learn) if n_rows == 1 else None


def _encode_row(row: Any, schema: Schema, learn: bool) -> Batch | None:
    """Encode a dict, if the columns have names, or else a sequence."""
    if type(row) not in (dict, list, tuple) or schema.named != (type(row) is dict):
        return None
    if len(row) != schema.n_features:
        return None
    numeric: Sequence[Any] = schema.numeric_names if schema.named else schema.numeric
    categorical: Sequence[Any] = schema.categorical_names if schema.named else schema.categorical
    try:
        numbers = [row[key] for key in numeric]
        values: list[object] = [row[key] for key in categorical]
    except KeyError:
        return None
    if not _PLAIN_NUMBERS.issuperset(map(type, numbers)):
        return None
    try:
        if learn or not _PLAIN_VALUES.issuperset(map(type, values)):
            codes = [v.codes[value] for v, value in zip(schema.vocabularies, values, strict=True)]
        else:
            codes = [
                v.codes.get(value, v.code_of_others)
                for v, value in zip(schema.vocabularies, values, strict=True)
            ]
        lower = np.array([numbers], dtype=np.float64)
    except (KeyError, TypeError, OverflowError):
        return None
    if not within_limit(lower):
        return None
    return Batch(lower, lower, np.array([codes], dtype=np.int32), [[] for _ in codes])
