"""Files with a column of labels: what their columns are, by the first rows, and all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import NoReturn

from boxwise.apps.options.columns import ColumnOptions
from boxwise.apps.options.files import FileOptions
from boxwise.apps.outcome import notify, report_rows_left_out
from boxwise.apps.possible_codes import constants, possible_codes, possible_dates
from boxwise.dates import kinds_of_parts
from boxwise.files import (
    Chunk,
    FileSet,
    InputError,
    NumberLabels,
    ReadingStopped,
    RowErrors,
    Typing,
    check_classes,
    first_rows,
    infer_kinds,
    later_kinds,
    may_have_more,
)
from boxwise.files.kinds import first_cells
from boxwise.schema import Kind


class NoRowsError(InputError):
    """Files of which no row can be used."""


def typed_by_first_rows(
    files: FileSet,
    columns: ColumnOptions,
    options: FileOptions,
    numbers: NumberLabels | None = None,
) -> tuple[Typing, Iterator[Chunk]]:
    """Return what the columns are, by the options and the first rows, and all rows.

    A column that is empty in the first rows is of the kind of its first value, so that the model is
    that of `partial_fit` with all rows; only where rows cannot be read twice its kind stays open.
    The labels that are numbers are counted by `numbers`, if they are to be counted.
    """
    columns.check(files)
    names = columns.features(files)
    numeric, categorical = columns.declared(names)
    first, chunks = started_to_learn(files, columns, options, numbers)
    for name, kind in kinds_of_parts(columns.dates).items():
        if name in names and name not in (*numeric, *categorical):
            (numeric if kind == "numeric" else categorical).append(name)
    kinds = infer_kinds(first, names, numeric=numeric, categorical=categorical)
    kinds |= _kinds_of_later_values(files, first, kinds, options)
    asked = [name for name in names if kinds[name] == "numeric" and name not in numeric]
    columns.possible_codes = possible_codes(first, asked)
    others = [name for name in names if kinds[name] == "categorical" and name not in categorical]
    columns.possible_dates = possible_dates(first, others)
    columns.constants = constants(first, [*asked, *others])
    columns.classes = [*dict.fromkeys(first_cells(columns.label, first))]
    return Typing(kinds, columns.label), chunks


def _kinds_of_later_values(
    files: FileSet, first: Sequence[Chunk], kinds: Mapping[str, Kind], options: FileOptions
) -> dict[str, Kind]:
    """Return the kinds of columns that are empty in the first rows and not after them."""
    empty = [name for name, kind in kinds.items() if kind == "unknown"]
    if not empty or not may_have_more(first):
        return {}
    again = files.reread(empty)
    if again is None:
        return {}
    with closing(again), suppress(ReadingStopped):
        return later_kinds(again.chunks(options.chunk_rows), empty)
    return {}


def started_to_learn(
    files: FileSet,
    columns: ColumnOptions,
    options: FileOptions,
    numbers: NumberLabels | None = None,
) -> tuple[list[Chunk], Iterator[Chunk]]:
    """Return the first rows, as `started` does, and all rows."""
    first, chunks = started(files, columns.label, options.row_errors, options.chunk_rows)
    if numbers is not None:
        chunks = numbers.watch(first, chunks)
    return first, chain(first, chunks)


def number_labels(
    columns: ColumnOptions, options: FileOptions, classes: Iterable[object] = ()
) -> NumberLabels | None:
    """Return what counts the labels that are numbers, but for known classes; None if any may be."""
    if columns.classes_are_numbers:
        return None
    tell = _nothing if options.quiet else notify
    return NumberLabels(columns.label, frozenset(map(str, classes)), tell)


def _nothing(message: str) -> None:
    """Say nothing."""


def started(
    files: FileSet, label: str, row_errors: RowErrors, chunk_rows: int
) -> tuple[list[Chunk], Iterator[Chunk]]:
    """Return the first rows, whose labels can be classes, and the rows after them."""
    chunks = files.chunks(chunk_rows)
    first = first_rows(chunks)
    if not any(chunk.n_rows for chunk in first):
        for error in (error for chunk in first for error in chunk.row_errors):
            row_errors(error)
        no_rows(files, row_errors)
    check_classes(first, label)
    return first, chunks


def no_rows(files: FileSet, row_errors: RowErrors) -> NoReturn:
    """Say that there is nothing to learn from."""
    if row_errors.count:
        report_rows_left_out(row_errors)
        raise NoRowsError("no row could be used; nothing was written")
    raise NoRowsError(f"{files.first} has columns but no rows")
