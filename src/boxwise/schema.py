"""The columns: their names, their kinds, and the category values so far.

A schema is made once, from the first table. From then on its vocabularies grow; a column of which
nothing was seen gets its kind with its first value, in a new schema.
"""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["numeric", "categorical", "unknown"]
_KINDS: tuple[str, ...] = get_args(Kind)

_TAG_OF_TYPE: dict[type, str] = {str: "str", int: "int", float: "float", bool: "bool"}

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 100


def show(value: object) -> str:
    """Return a value as error messages show it: as Python writes it, but never very long."""
    return _short.repr(value)


def is_category(value: object) -> bool:
    """Say whether a vocabulary can hold the value: plain text, number or truth value, or None."""
    return value is None or (type(value) in _TAG_OF_TYPE and value == value)


def not_a_category(column: str, value: object, where: str = "") -> TypeError:
    """Make the error for a value that no vocabulary can hold."""
    remedy = "convert the column to text or, if it holds numbers, to numbers"
    if isinstance(value, date) or type(value).__name__ == "datetime64":
        remedy = f"{DATES_REMEDY.format(column)}, or convert the column to text"
    return TypeError(
        f"column {column!r}: {show(value)} of type {type(value).__name__} cannot be a category"
        f"{where}; {remedy}"
    )


DATES_REMEDY = (
    "choose what matters about a date: dates={{{!r}: ['year', 'month', 'weekday', 'hour']}}"
)

OTHER_VALUES = "(other values)"  # stands for those beyond the limit of a vocabulary


class Vocabulary:
    """The category values of one column, numbered in order of first appearance.

    A missing category is a value of its own, stored as ``None``. Values that compare equal are one
    category, so ``1``, ``1.0`` and ``True`` share a code: pandas turns whole numbers into floats as
    soon as one is missing, and that must not make new categories.

    Parameters
    ----------
    values : iterable of str, int, float, bool or None
        The first values, in order.

    Attributes
    ----------
    values : list
        The values; the position of a value is its code.
    codes : dict
        Value to code. Only ever added to, so that another thread may look things up meanwhile.
    limit : int or None
        How many values are told apart; all that come later share the code after theirs, which
        stands for `OTHER_VALUES`.

    Examples
    --------
    >>> colours = Vocabulary(["red", "blue"])
    >>> colours.codes["blue"]
    1
    """

    __slots__ = ("codes", "limit", "values")

    def __init__(self, values: Iterable[object] = ()) -> None:
        self.limit: int | None = None
        self.values: list[object] = []
        self.codes: dict[object, int] = {}
        for value in values:
            self.append(value)

    def append(self, value: object) -> None:
        """Give a new value the next code."""
        if value in self.codes:
            raise ValueError(f"the value {show(value)} is in the vocabulary already")
        # The value goes first: a thread that finds the code must find the value too.
        self.values.append(value)
        self.codes[value] = len(self.values) - 1

    @property
    def is_full(self) -> bool:
        """Whether values that are not in it share a code."""
        return self.limit is not None and len(self.values) > self.limit

    @property
    def code_of_others(self) -> int:
        """The code of values that are not in it: -1 unless they share one."""
        if self.limit is None or len(self.values) <= self.limit:
            return -1
        return self.limit

    def truncate(self, length: int) -> None:
        """Forget the values from this code on: nothing may use them any more."""
        for value in self.values[length:]:
            del self.codes[value]
        del self.values[length:]

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.values == other.values

    def __repr__(self) -> str:
        shown = ", ".join(repr(value) for value in self.values[:5])
        more = f", ... {len(self)} values" if len(self) > 5 else ""
        return f"Vocabulary([{shown}{more}])"


# Made by hand, in half the time: the first row of a stream waits for all columns.
@dataclass(init=False, unsafe_hash=True)
class Column:
    """One column: its name, its kind, and what values it has. It does not change.

    A categorical column has a vocabulary. A numeric column of a fitted model has a range, the
    lowest and the highest value (NaN while there is none); elsewhere its range is None. A column
    of unknown kind has had no value yet, and takes no part in a model. A column that holds a part
    of a date names the column of the date and the part.
    """

    name: str
    kind: Kind
    vocabulary: Vocabulary | None = None
    range: tuple[float, float] | None = field(default=None, compare=False)
    date: tuple[str, str] | None = None

    def __init__(
        self,
        name: str,
        kind: Kind | Literal["continuous"],
        vocabulary: Vocabulary | None = None,
        range: tuple[float, float] | None = None,  # noqa: A002  (the field's name)
        date: tuple[str, str] | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise ValueError(f"a column's name must be text, not {show(name)}")
        if kind == "continuous":  # the word of model files, and of version 0.1
            kind = "numeric"
        if kind not in _KINDS:
            raise ValueError(
                f"column {name!r}: the kind must be 'numeric', 'categorical' or 'unknown', not "
                f"{show(kind)}"
            )
        if (kind == "categorical") != (vocabulary is not None):
            raise ValueError(f"column {name!r}: a vocabulary goes with a categorical column only")
        self.name = name
        self.kind = kind
        self.vocabulary = vocabulary
        self.range = range
        self.date = date

    def with_values(
        self,
        vocabulary: Vocabulary | None = None,
        range: tuple[float, float] | None = None,  # noqa: A002  (the field's name)
    ) -> Column:
        """Return the same column with another vocabulary or range."""
        return Column(self.name, self.kind, vocabulary, range, self.date)


class Schema:
    """The columns of a table, in input order.

    Parameters
    ----------
    columns : sequence of Column
        All columns, in input order; at least one, each name once.
    named : bool
        False if the input had no column names; the columns must then be called x0, x1, ...

    Attributes
    ----------
    names, n_features
        The names of all columns, and how many there are.
    dates : dict of str to list
        The columns of dates in a table, and where their parts are among these columns.
    inputs : tuple of str
        The columns of a table: `names`, with each date in place of its parts.
    numeric, categorical, unknown : tuple of int
        Positions of the columns of each kind.
    known : tuple of int
        Positions of the columns that have a kind.
    numeric_names, categorical_names : tuple of str
        Their names, in the same order.
    vocabularies : tuple of Vocabulary
        One per categorical column.

    Examples
    --------
    >>> schema = Schema(
    ...     [Column("age", "numeric"), Column("job", "categorical", Vocabulary(["cook"]))],
    ...     named=True,
    ... )
    >>> schema.absorb([["smith"]])
    >>> schema
    Schema(2 columns: age (numeric), job (categorical, 2 values))
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    """

    def __init__(self, columns: Sequence[Column], named: bool) -> None:
        self.columns = tuple(columns)
        self.named = named
        self.names = tuple([column.name for column in self.columns])
        self.n_features = len(self.columns)
        _check_names(self.names, named)
        self.dates: dict[str, list[int]] = {}
        for j, column in enumerate(self.columns):
            if column.date is not None:
                self.dates.setdefault(column.date[0], []).append(j)
        self.inputs = self._inputs() if self.dates else self.names
        numeric: dict[str, int] = {}  # name to position
        categorical: dict[str, int] = {}
        vocabularies = []
        unknown = []
        for j, column in enumerate(self.columns):
            if column.kind == "numeric":
                numeric[column.name] = j
            elif column.vocabulary is not None:
                categorical[column.name] = j
                vocabularies.append(column.vocabulary)
            else:
                unknown.append(j)
        self.numeric, self.numeric_names = tuple(numeric.values()), tuple(numeric)
        self.categorical, self.categorical_names = tuple(categorical.values()), tuple(categorical)
        self.vocabularies = tuple(vocabularies)
        self.unknown = tuple(unknown)

    def _inputs(self) -> tuple[str, ...]:
        inputs = dict.fromkeys(c.name if c.date is None else c.date[0] for c in self.columns)
        others = sum(column.date is None for column in self.columns)
        if not self.named or len(inputs) < others + len(self.dates):
            raise ValueError("a column of dates needs a name, which no other column has")
        return tuple(inputs)

    def positions_of(self, name: str) -> list[int]:
        """Return where a column is, or the parts of a date; empty if there is no such column."""
        return [self.names.index(name)] if name in self.names else self.dates.get(name, [])

    @property
    def continuous(self) -> tuple[int, ...]:
        """The former name of `numeric`."""
        return self.numeric

    @property
    def continuous_names(self) -> tuple[str, ...]:
        """The former name of `numeric_names`."""
        return self.numeric_names

    @property
    def known(self) -> tuple[int, ...]:
        """Positions of the columns that have a kind, in order."""
        return tuple(sorted((*self.numeric, *self.categorical)))

    def with_kinds(self, kinds: Mapping[int, Kind]) -> Schema:
        """Return a schema in which columns of unknown kind have one; the vocabularies are shared.

        So far these columns were missing in all rows, which is a category.

        Parameters
        ----------
        kinds : mapping of int to Kind
            The kinds, by position.
        """
        columns = [*self.columns]
        for j, kind in kinds.items():
            if columns[j].kind != "unknown":
                raise ValueError(f"column {columns[j].name!r} is {columns[j].kind} already")
            vocabulary = Vocabulary([None]) if kind == "categorical" else None
            columns[j] = Column(columns[j].name, kind, vocabulary)
        return Schema(columns, self.named)

    def absorb(self, additions: Sequence[Sequence[object]]) -> None:
        """Append new category values: all of them, or none if one is not acceptable.

        Parameters
        ----------
        additions : sequence of sequences
            The new values of each categorical column, as ``Batch.additions`` lists them.
        """
        if len(additions) != len(self.categorical):
            raise ValueError(
                f"there are {len(self.categorical)} categorical columns, "
                f"but additions for {len(additions)}"
            )
        if not any(additions):
            return
        growing = list(zip(self.categorical_names, self.vocabularies, additions, strict=True))
        for name, vocabulary, values in growing:
            _check_additions(name, vocabulary, values)
        for _, vocabulary, values in growing:
            for value in values:
                vocabulary.append(value)

    def to_dict(self) -> dict[str, object]:
        """Return a description that JSON can hold and `from_dict` can read back exactly."""
        return {"named": self.named, "columns": [_column_to_dict(c) for c in self.columns]}

    @classmethod
    def from_dict(cls, data: object) -> Schema:
        """Rebuild a schema from what `to_dict` returned.

        The data is not trusted: anything unexpected in it raises ValueError.
        """
        named, columns = _fields(data, "the schema", ("named", "columns"))
        if not isinstance(named, bool):
            raise ValueError(f"the schema's 'named' must be true or false, not {show(named)}")
        if not isinstance(columns, list):
            raise ValueError("the schema's 'columns' must be a list")
        return cls([_column_from_dict(column) for column in columns], named)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Schema)
            and self.columns == other.columns
            and self.named == other.named
        )

    def __repr__(self) -> str:
        shown = [_describe(column) for column in self.columns[:8]]
        if self.n_features > 8:
            shown.append("...")
        plural = "column" if self.n_features == 1 else "columns"
        return f"Schema({self.n_features} {plural}: {', '.join(shown)})"


def _check_names(names: tuple[str, ...], named: bool) -> None:
    if not names:
        raise ValueError("a schema needs at least one column")
    if len(set(names)) < len(names):
        name, times = Counter(names).most_common(1)[0]
        raise ValueError(f"the column name {name!r} occurs {times} times; rename the columns")
    if not named and names != tuple(f"x{j}" for j in range(len(names))):
        raise ValueError("the columns of a schema without names must be called x0, x1, ...")


def _check_additions(name: str, vocabulary: Vocabulary, values: Sequence[object]) -> None:
    new: set[object] = set()
    for value in values:
        if not is_category(value):
            raise not_a_category(name, value)
        if value in vocabulary.codes or value in new:
            raise ValueError(f"column {name!r}: {show(value)} is in the vocabulary already")
        new.add(value)


def _describe(column: Column) -> str:
    if column.kind == "unknown":
        return f"{column.name} (no value yet)"
    if column.vocabulary is None:
        spread = "" if column.range is None else ", {:g} to {:g}".format(*column.range)
        return f"{column.name} (numeric{spread})"
    n = len(column.vocabulary)
    return f"{column.name} (categorical, {n} value{'' if n == 1 else 's'})"


# Each value is written with its type, because to some JSON readers 1 and 1.0 look alike. Floats are
# written as text, because JSON has no infinity.


def _column_to_dict(column: Column) -> dict[str, object]:
    kind = "continuous" if column.kind == "numeric" else column.kind  # as the format has it
    data: dict[str, object] = {"name": column.name, "kind": kind}
    if column.vocabulary is not None:
        data["values"] = [_tagged(column.name, value) for value in column.vocabulary.values]
    if column.date is not None:
        data["date"] = [*column.date]
    return data


def _tagged(name: str, value: object) -> list[object]:
    if value is None:
        return ["none", None]
    if not is_category(value):
        raise not_a_category(name, value)
    return [_TAG_OF_TYPE[type(value)], repr(value) if isinstance(value, float) else value]


def _column_from_dict(data: object) -> Column:
    date = None
    if isinstance(data, dict) and "date" in data:
        date = _date_from(data["date"])
        data = {key: value for key, value in data.items() if key != "date"}
    if not isinstance(data, dict) or data.get("kind") != "categorical":
        name, kind = _fields(data, "a numeric column", ("name", "kind"))
        return Column(name, kind, date=date)
    name, kind, tagged = _fields(data, "a categorical column", ("name", "kind", "values"))
    if not isinstance(name, str):
        raise ValueError(f"a column's name must be text, not {show(name)}")
    if not isinstance(tagged, list):
        raise ValueError(f"column {name!r}: the 'values' must be a list, not {show(tagged)}")
    values = [_untagged(name, pair) for pair in tagged]
    _check_additions(name, Vocabulary(), values)
    return Column(name, kind, Vocabulary(values), date=date)


def _date_from(pair: object) -> tuple[str, str]:
    if isinstance(pair, list) and [*map(type, pair)] == [str, str]:
        return pair[0], pair[1]
    raise ValueError(f"{show(pair)} is not a column of dates and a part of it")


def _untagged(name: str, pair: object) -> object:
    if isinstance(pair, list) and len(pair) == 2:
        tag, value = pair
        if tag == "none" and value is None:
            return None
        if tag == "float" and isinstance(value, str):
            number = float(value)
            if repr(number) == value and number == number:
                return number
        elif tag != "float" and tag == _TAG_OF_TYPE.get(type(value)):
            return value
    raise ValueError(f"column {name!r}: {show(pair)} is not a pair of type and category value")


def _fields(data: object, what: str, wanted: tuple[str, ...]) -> list[Any]:
    if not isinstance(data, dict) or set(data) != set(wanted):
        raise ValueError(
            f"{what} must be a dict with the keys {', '.join(wanted)}, not {show(data)}"
        )
    return [data[key] for key in wanted]
