"""The columns of a Spark DataFrame: which hold features and labels, and how they are read.

A `Layout` says which columns hold the features. It is made on the driver, where the types of all
columns are checked, and sent to the tasks, where `table` turns the Arrow columns of a batch into a
table for boxwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

_TEMPORAL = (
    T.DateType,
    T.TimestampType,
    T.TimestampNTZType,
    T.DayTimeIntervalType,
    T.YearMonthIntervalType,
)
_NESTED = (T.ArrayType, T.StructType, T.MapType)
_FEATURES = (T.NumericType, T.StringType, T.BooleanType, T.NullType)

# The types that labels may have, and predictions get, by their names in SQL.
LABEL_TYPES: dict[str, tuple[T.DataType, pa.DataType]] = {
    "string": (T.StringType(), pa.string()),
    "boolean": (T.BooleanType(), pa.bool_()),
    "tinyint": (T.ByteType(), pa.int8()),
    "smallint": (T.ShortType(), pa.int16()),
    "int": (T.IntegerType(), pa.int32()),
    "bigint": (T.LongType(), pa.int64()),
    "float": (T.FloatType(), pa.float32()),
    "double": (T.DoubleType(), pa.float64()),
}


@dataclass(frozen=True)
class Layout:
    """The columns that hold the features: one column each, or one column with all of them.

    Attributes
    ----------
    names : tuple of str
        The columns; only one if it holds all features.
    packed : bool
        Whether one column of vectors or arrays holds all features, which then have no names.
    """

    names: tuple[str, ...]
    packed: bool

    @classmethod
    def of(cls, data: DataFrame, columns: str | list[str]) -> Layout:
        """Return the layout of a DataFrame, its columns checked."""
        if isinstance(columns, str):
            return cls._of_packed(data, columns)
        if not columns:
            raise ValueError("featuresCols is empty; name at least one column")
        for name in columns:
            if columns.count(name) > 1:
                raise ValueError(f"featuresCols names column {name!r} twice")
            _check_feature(name, type_of(data, name))
        return cls((*columns,), packed=False)

    @classmethod
    def _of_packed(cls, data: DataFrame, name: str) -> Layout:
        if name not in data.columns:
            raise ValueError(
                f"there is no column {name!r} of features; name the columns with "
                f"featuresCols={_shown(data.columns)}, or a column of vectors with featuresCol"
            )
        kind = type_of(data, name)
        numbers = isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.NumericType)
        if not numbers and not isinstance(kind, VectorUDT):
            raise TypeError(
                f"column {name!r}: type {kind.simpleString()} is not supported; featuresCol must "
                "be a column of vectors or of arrays of numbers; name single columns with "
                "featuresCols"
            )
        return cls((name,), packed=True)

    def expressions(self, data: DataFrame) -> list[Column]:
        """Return the columns that a task needs, in the order of `names`."""
        if self.packed and isinstance(type_of(data, self.names[0]), VectorUDT):
            vector = column(self.names[0])
            return [F.when(vector.isNotNull(), vector_to_array(vector))]  # it takes no null
        return [column(name) for name in self.names]

    def located(self, data: DataFrame) -> tuple[DataFrame, tuple[int, ...]]:
        """Return a DataFrame and the places of the columns that `table` takes in it.

        Its first columns are those of `data`; vectors are added as arrays.
        """
        names = data.columns
        if self.packed and isinstance(type_of(data, self.names[0]), VectorUDT):
            added = "features"
            while added in names:
                added += "_"
            (vector,) = self.expressions(data)
            return data.select("*", vector.alias(added)), (len(names),)
        return data, tuple(names.index(name) for name in self.names)

    def table(self, columns: list[Any], width: int | None = None) -> Any:
        """Return the features as a table that boxwise reads.

        Parameters
        ----------
        columns : list of Arrow arrays
            What `expressions` selected.
        width : int, optional
            How many features there must be, where one column holds all of them.
        """
        if self.packed:
            return _matrix(columns[0], self.names[0], width)
        return pa.table([_plain(values) for values in columns], names=[*self.names])


def column(name: str) -> Column:
    """Return the column of this name, dots and all."""
    quoted = name.replace("`", "``")
    return F.col(f"`{quoted}`")


def type_of(data: DataFrame, name: str) -> T.DataType:
    """Return the type of a column, which must be there once."""
    found = [field.dataType for field in data.schema.fields if field.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"there are {len(found)} columns {name!r}; rename all but one")
    raise ValueError(f"there is no column {name!r}; the columns are {_shown(data.columns)}")


def label_type(data: DataFrame, name: str) -> str:
    """Return the type of the labels in SQL, one of `LABEL_TYPES`."""
    kind = type_of(data, name)
    text = "string" if isinstance(kind, T.StringType) else kind.simpleString()
    if text not in LABEL_TYPES:
        raise TypeError(
            f"column {name!r}: labels of type {text} are not supported; cast them to string, to an "
            "integer or to boolean"
        )
    return text


def check_weight(data: DataFrame, name: str) -> None:
    """Raise TypeError unless the column can hold weights."""
    kind = type_of(data, name)
    if not isinstance(kind, T.NumericType):
        raise TypeError(
            f"column {name!r}: weights of type {kind.simpleString()} are not supported; cast them "
            "to double"
        )


def _check_feature(name: str, kind: T.DataType) -> None:
    if isinstance(kind, _FEATURES):
        return
    if isinstance(kind, _TEMPORAL):
        remedy = (
            "convert the column to numbers, for example with unix_date or datediff, or to text "
            "with date_format"
        )
    elif isinstance(kind, VectorUDT):
        remedy = "give a column of vectors as featuresCol, or spread it with vector_to_array"
    elif isinstance(kind, _NESTED):
        remedy = "spread it over several columns, or convert it to text with to_json"
    else:
        remedy = "convert the column to numbers or to text"
    raise TypeError(f"column {name!r}: type {kind.simpleString()} is not supported; {remedy}")


def _shown(names: list[str], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{names[:most]}{more}"


def _plain(values: Any) -> Any:
    """Return a column without decimals, which are slow, and without the sign of zeros."""
    if pa.types.is_decimal(values.type):
        values = pc.cast(values, pa.float64())
    return pc.add(values, 0.0) if pa.types.is_floating(values.type) else values


def _matrix(column: Any, name: str, width: int | None) -> NDArray[np.float64]:
    """Return arrays of numbers, one a row, as one array; a row that is null has no values."""
    lists = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    lengths = pc.drop_null(pc.unique(pc.list_value_length(lists))).to_pylist()
    wrong = [length for length in lengths if length != (lengths[0] if width is None else width)]
    if wrong:
        expected = lengths[0] if width is None else width
        raise ValueError(
            f"column {name!r}: a row has {wrong[0]} features, others have {expected}; all rows "
            "must have as many"
        )
    if width is None:
        width = lengths[0] if lengths else 0
    rows = np.full((len(lists), width), np.nan)
    present = lists.is_valid().to_numpy(zero_copy_only=False)
    numbers = _plain(pc.list_flatten(lists)).to_numpy(zero_copy_only=False)
    rows[present] = numbers.astype(np.float64).reshape(int(present.sum()), width) + 0.0
    return rows
