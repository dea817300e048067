"""Any source of a stream, read as pairs of a row and its label."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import narwhals as nw

Pair = tuple[Any, Hashable]


def pairs_of(source: Any) -> Iterator[Pair]:
    """Return the pairs of row and label of an iterable of them, or of a table and its labels."""
    # A tuple of two pairs is an iterable of pairs; its first is a tuple, which no table is.
    if isinstance(source, tuple) and len(source) == 2 and not isinstance(source[0], tuple):
        return _pairs_of_table(*source)
    if not isinstance(source, Iterable) or isinstance(source, str | Mapping):
        raise TypeError(
            f"the source is a {type(source).__name__}; give pairs of a row and its label, or "
            "a table and its labels as (X, y)"
        )
    return _checked(source)


def _checked(source: Iterable[Any]) -> Iterator[Pair]:
    for number, item in enumerate(source):
        if not isinstance(item, tuple | list) or len(item) != 2:
            shown = repr(item)
            raise TypeError(
                f"row {number} of the source is not a pair of a row and its label but "
                f"{shown if len(shown) < 80 else shown[:76] + ' ...'}"
            )
        yield item[0], item[1]


def _pairs_of_table(X: Any, y: Any) -> Iterator[Pair]:
    labels = y.tolist() if hasattr(y, "tolist") else [*y]
    if isinstance(X, Mapping):  # of columns
        X = [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)]
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if len(frame) != len(labels):
        raise ValueError(f"the table has {len(frame)} rows, but there are {len(labels)} labels")
    if isinstance(frame, nw.DataFrame):
        return zip(frame.iter_rows(named=True), labels, strict=True)
    rows = (row.tolist() if hasattr(row, "tolist") else row for row in X)
    return zip(rows, labels, strict=True)
