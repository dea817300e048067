"""Data frames: pandas, polars, Arrow and whatever else narwhals can read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import narwhals as nw

from boxwise.inputs.intervals import interval_types
from boxwise.inputs.missing import is_missing
from boxwise.inputs.table import (
    Coded,
    Numbers,
    Values,
    are_positions,
    check_shape,
    column_names,
)
from boxwise.schema import DATES_REMEDY, Kind

_CATEGORICAL = (nw.String, nw.Categorical, nw.Enum, nw.Boolean)
_NOT_IN_NUMPY = (nw.Decimal, nw.Int128, nw.UInt128)


class FrameTable:
    """Reads a data frame that narwhals understands."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.n_rows, self.n_columns = frame.shape
        self.numbered = are_positions(frame.columns)
        self.names = None if self.numbered else column_names(frame.columns)
        self._columns = list(frame.iter_columns())
        check_shape(frame.shape)

    def declared(self, j: int) -> Kind | None:
        """Return the kind of the column's dtype."""
        series = self._columns[j]
        dtype = series.dtype
        if dtype.is_numeric():
            return "numeric"
        if dtype == nw.String and _is_object(series) and series.null_count() == len(series):
            return None
        if dtype in _CATEGORICAL:
            return "categorical"
        if dtype == nw.Object:
            types = {type(value) for value in series.to_list() if not is_missing(value)}
            if not types:
                return None
            return "numeric" if types <= set(interval_types()) else "categorical"
        if dtype == nw.Unknown:
            return _declared_by_native(series)
        raise _unsupported(series, dtype)

    def numbers(self, j: int) -> Numbers:
        """Return column j, as an array if its dtype is one of NumPy's numbers."""
        series = self._columns[j]
        if series.dtype.is_numeric() and series.dtype not in _NOT_IN_NUMPY:
            return series.to_numpy()
        return list(series.to_list())

    def values(self, j: int) -> Values:
        """Return column j, as codes if it is a pandas categorical."""
        series = self._columns[j]
        if series.dtype in (nw.Categorical, nw.Enum):
            native = series.to_native()
            if _has_pandas_dtype(native, "CategoricalDtype"):
                return Coded(native.cat.categories.tolist(), native.cat.codes.to_numpy())
            if series.implementation.is_pyarrow():
                # Arrow makes Python values of a dictionary column very slowly.
                return list(native.cast(native.type.value_type).to_pylist())
        if series.dtype == nw.Datetime and series.implementation.is_pyarrow():
            series = series.cast(_in_microseconds(series.dtype))  # Python has no finer ones
        return list(series.to_list())

    def matrix(self, positions: Sequence[int]) -> None:
        """Return None: a frame is columns, not one array."""


def read_frame(X: Any) -> FrameTable | None:
    """Read X if it is a data frame; return None if it is something else."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"{error}\nRename the columns so that each name occurs once.") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy table ({type(X).__name__}), which has no rows yet; "
            "collect it first: X.collect()"
        )
    return FrameTable(frame) if isinstance(frame, nw.DataFrame) else None


def _declared_by_native(series: nw.Series[Any]) -> Kind | None:
    """Return the kind of a dtype that narwhals does not know."""
    native = series.to_native()
    if _has_pandas_dtype(native, "IntervalDtype"):
        return "numeric"
    if series.null_count() == len(series):
        return None
    if _has_pandas_dtype(native, "SparseDtype"):
        return "categorical" if native.dtype.subtype.kind in "bO" else "numeric"
    dtype = getattr(native, "dtype", getattr(native, "type", "unknown"))
    if getattr(dtype, "kind", None) == "c":
        raise ValueError(f"Complex data not supported: column {series.name!r}")
    raise _unsupported(series, dtype)


def _in_microseconds(dtype: Any) -> nw.Datetime:
    return nw.Datetime("us", time_zone=dtype.time_zone)


def _is_object(series: nw.Series[Any]) -> bool:
    """Say whether pandas has no type for the column; narwhals takes an empty one for text."""
    return series.implementation.is_pandas_like() and bool(series.to_native().dtype == object)


def _has_pandas_dtype(native: Any, name: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(getattr(native, "dtype", None), getattr(pandas, name))


def _unsupported(series: nw.Series[Any], dtype: object) -> TypeError:
    zoned = _has_pandas_dtype(series.to_native(), "DatetimeTZDtype")  # unknown zones to narwhals
    if zoned or dtype in (nw.Date, nw.Datetime):
        remedy = f"{DATES_REMEDY.format(series.name)}, or convert the column to numbers or to text"
    elif isinstance(dtype, nw.dtypes.DType) and dtype.is_temporal():
        remedy = "convert the column to numbers, for example seconds since a date, or to text"
    elif isinstance(dtype, nw.dtypes.DType) and dtype.is_nested():
        remedy = "spread it over several columns, or convert it to text"
    else:
        remedy = "convert the column to numbers or to text"
    return TypeError(f"column {series.name!r}: type {dtype} is not supported; {remedy}")
