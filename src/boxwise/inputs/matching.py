"""Finding the schema's columns in a table: by name where there are names, else by position."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from boxwise.inputs.table import Table, numbered_names
from boxwise.schema import Schema

_NAMES_NOT_USED = "X has feature names"


def match_columns(
    table: Table, schema: Schema, reader: str, wanted: tuple[str, ...] | None = None
) -> Sequence[int]:
    """Return, for each column that the schema needs of a table, its position in the table.

    `reader` is the estimator whose name scikit-learn's wording of errors and warnings asks for. The
    columns are `wanted`: by default those that the schema calls `inputs`.
    """
    wanted = wanted or schema.inputs
    names = _names_like_those_of(schema, table, wanted)
    if names is not None:
        return _by_name(*names)
    if table.n_columns != len(wanted):
        raise ValueError(
            f"X has {table.n_columns} features, but {reader} is expecting "
            f"{len(wanted)} features as input."
        )
    if schema.named:
        message = f"X does not have valid feature names, but {reader} was fitted with feature names"
        warnings.warn(message, UserWarning, stacklevel=3)
    elif table.names is not None:
        message = f"{_NAMES_NOT_USED}, but {reader} was fitted without feature names"
        warnings.warn(message, UserWarning, stacklevel=3)
    return range(table.n_columns)


def _names_like_those_of(
    schema: Schema, table: Table, wanted: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the names of the table's columns and those wanted; None to go by position.

    The columns of a model without names are called 0, 1, ... by pandas and x0, x1, ... by the
    model; names that are a permutation of either say which is which.
    """
    numbers = numbered_names(len(wanted))
    if schema.named:
        if table.names is not None:
            return table.names, wanted
        by_number = table.numbered and table.n_columns == len(wanted)
        return (numbers, wanted) if by_number and {*numbers} == {*wanted} else None
    if table.names is not None:
        for names in (numbers, wanted):
            if {*table.names} == {*names}:
                return table.names, names
    return None


@contextmanager
def columns_by_position() -> Iterator[None]:
    """Let a model that was learned from rows without names take named columns, in silence."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", _NAMES_NOT_USED, UserWarning)
        yield


def match_upper(
    upper: Table, table: Table, schema: Schema, positions: Sequence[int]
) -> Sequence[int]:
    """Return, for each numeric column, its position in the table of upper bounds.

    `positions` says where the schema's columns are in the table of lower bounds.
    """
    if upper.n_rows != table.n_rows:
        raise ValueError(
            f"upper has {upper.n_rows} rows, but X has {table.n_rows}; each row needs its bounds"
        )
    names, lower = _labels(upper), _labels(table)
    if names is not None and lower is not None and not (upper.numbered and table.numbered):
        both_named = upper.names is not None and table.names is not None
        if both_named or {*names} <= {*lower}:
            return _upper_by_name(names, lower, [positions[j] for j in schema.numeric])
    if upper.n_columns != len(schema.numeric):
        raise ValueError(
            f"upper has {upper.n_columns} columns, but there are {len(schema.numeric)} "
            f"numeric ones ({_listing(schema.numeric_names)}); give their upper bounds only"
        )
    return range(upper.n_columns)


def _labels(table: Table) -> tuple[str, ...] | None:
    return numbered_names(table.n_columns) if table.numbered else table.names


def _upper_by_name(
    upper: tuple[str, ...], lower: tuple[str, ...], numeric: Sequence[int]
) -> Sequence[int]:
    position_of = {name: j for j, name in enumerate(upper)}
    wanted = [lower[j] for j in numeric]
    absent = [name for name in wanted if name not in position_of]
    if absent:
        raise ValueError(
            f"upper has no column {_listing(absent)}; give an upper bound for each numeric "
            "column, equal to the lower one where there is no interval"
        )
    if set(upper) not in (set(wanted), set(lower)):
        extra = [name for name in upper if name not in wanted]
        raise ValueError(
            f"upper has the columns {_listing(extra)}, which are not numeric columns of X; "
            "drop them"
        )
    return [position_of[name] for name in wanted]


def _by_name(found: tuple[str, ...], wanted: tuple[str, ...]) -> Sequence[int]:
    if found == wanted:
        return range(len(wanted))
    position_of = {name: j for j, name in enumerate(found)}
    absent = sorted(set(wanted) - set(found))
    extra = sorted(set(found) - set(wanted))
    if absent or extra:
        raise ValueError(_mismatch(absent, extra))
    return [position_of[name] for name in wanted]


def _mismatch(absent: list[str], extra: list[str]) -> str:
    # The first lines are scikit-learn's, word for word: its checks look for them.
    lines = ["The feature names should match those that were passed during fit."]
    if extra:
        lines += ["Feature names unseen at fit time:", *_bullets(extra)]
    if absent:
        lines += ["Feature names seen at fit time, yet now missing:", *_bullets(absent)]
    if extra:
        lines.append("Drop the columns that were not there when learning.")
    if absent:
        lines.append("Add the missing columns; None stands for a missing value.")
    return "\n".join(lines)


def _bullets(names: list[str]) -> list[str]:
    return [f"- {name}" for name in names[:5]] + ["- ..."] * (len(names) > 5)


def _listing(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
