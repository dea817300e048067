"""Messages to rows that a model can take: kinds of columns, labels, weights, and refused rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from boxwise.files import (
    Chunk,
    InputError,
    RowError,
    RowErrors,
    TypedChunk,
    Typing,
    check_classes,
    infer_kinds,
)
from boxwise.files.kinds import is_gap, kind_of_cells
from boxwise.files.numbers import problem as number_problem
from boxwise.learners.weights import MOST
from boxwise.schema import Kind, Schema, show
from boxwise.streams.message import Message
from boxwise.streams.spelling import spelled

MOST_REMARKS = 20  # on columns that are not used
SHOWN = 8  # names in a message


@dataclass(frozen=True)
class RowOptions:
    """What the values of a message are.

    Attributes
    ----------
    label, weight : str or None
        The columns of the labels and of the weights.
    numeric, categorical : sequence of str
        Columns whose kind is given.
    drop : collection of str
        Columns to leave out.
    only : collection of str, optional
        The only columns to use.
    missing : sequence of str
        Texts that mark missing values, besides the empty one.
    """

    label: str | None = None
    weight: str | None = None
    numeric: Sequence[str] = ()
    categorical: Sequence[str] = ()
    drop: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    missing: Sequence[str] = ()

    def is_feature(self, name: str) -> bool:
        """Say whether a column is one to learn from."""
        if name in (self.label, self.weight) or name in self.drop:
            return False
        return self.only is None or name in self.only


@dataclass
class Rows:
    """The rows of some messages that can be used.

    Attributes
    ----------
    typed : TypedChunk
        `rows` are the places of the messages; a label is None if there is none.
    typing : Typing
        The kinds of the columns by then.
    learned : list of bool
        Whether each row is to be learned; the others are only predicted.
    weights : list of float or None
        None if all rows count once.
    refused : dict of int to str
        The places of the messages that cannot be used, and why.
    """

    typed: TypedChunk
    typing: Typing
    learned: list[bool]
    weights: list[float] | None
    refused: dict[int, str] = field(default_factory=dict)


class RowReader:
    """Reads messages for a model.

    Parameters
    ----------
    options : RowOptions
        What the values are.
    typed : bool
        Whether the source tells text from numbers.
    place : str
        How errors call the source.
    tell : callable
        Takes remarks on columns that are not used.
    """

    def __init__(
        self, options: RowOptions, *, typed: bool, place: str, tell: Callable[[str], object]
    ) -> None:
        self._options, self._typed, self._place, self._tell = options, typed, place, tell
        self._marks = frozenset(text.strip() for text in options.missing) | {""}
        self._ignored: set[str] = set()

    def infer(self, messages: Sequence[Message]) -> dict[str, Kind]:
        """Return the kinds of the columns of a new model, by its first messages."""
        options = self._options
        rows = [message.row for message in messages if message.row is not None]
        found = dict.fromkeys(name for row in rows for name in row if options.is_feature(name))
        names = [*dict.fromkeys([*found, *options.numeric, *options.categorical])]
        if not names:
            raise InputError(
                f"{self._place}: the first messages hold no column to learn from; check the format "
                "of the messages, --drop and --only"
            )
        chunk = self._chunk(rows, range(len(rows)), [*names, *self._extra()])
        if options.label is not None:
            check_classes([chunk], options.label)
        return infer_kinds([chunk], names, numeric=options.numeric, categorical=options.categorical)

    def read(self, model: Any, messages: Sequence[Message]) -> Rows:
        """Return the rows of messages, for a model that has its columns."""
        schema: Schema = model.schema_
        kinds = {column.name: column.kind for column in schema.columns}
        refused: dict[int, str] = {}
        rows, places = [], []
        for i, message in enumerate(messages):
            row = message.row
            if row is None:
                refused[i] = message.problem or "the payload cannot be read"
            elif not kinds.keys() & row.keys():
                refused[i] = _no_column(kinds, row)
            else:
                rows.append(row)
                places.append(i)
                self._remark(row.keys() - kinds.keys())
        chunk = self._chunk(rows, places, [*kinds, *self._extra()])
        typing, typed = self._apply(kinds, chunk, refused)
        return self._finish(model, typing, typed, chunk, refused)

    def _extra(self) -> list[str]:
        return [n for n in (self._options.label, self._options.weight) if n is not None]

    def _chunk(
        self, rows: Sequence[Mapping[str, object]], places: Sequence[int], names: Sequence[str]
    ) -> Chunk:
        columns = {name: self._marked([row.get(name) for row in rows]) for name in names}
        return Chunk(self._place, "message", places, places, columns, self._typed)

    def _marked(self, cells: list[object]) -> list[object]:
        marks = self._marks
        return [None if isinstance(c, str) and c.strip() in marks else c for c in cells]

    def _apply(
        self, kinds: Mapping[str, Kind], chunk: Chunk, refused: dict[int, str]
    ) -> tuple[Typing, TypedChunk]:
        label = self._options.label
        known = None if label is None else {label: ()}
        typing = Typing(kinds, label, known, unlabelled=True)
        errors = _Errors()
        typed = typing.apply(chunk, errors)
        if typing.unknown:
            typing = _with_new_kinds(typing, chunk, typed, self._typed)
            errors = _Errors()
            typed = typing.apply(chunk, errors)
        refused.update(errors.reasons)
        return typing, typed

    def _finish(
        self, model: Any, typing: Typing, typed: TypedChunk, chunk: Chunk, refused: dict[int, str]
    ) -> Rows:
        weights = self._weights(typed, chunk, refused)
        if weights is not None:
            kept = [i for i, place in enumerate(typed.rows) if place not in refused]
            if len(kept) < typed.n_rows:
                typed, weights = typed.take(kept), [weights[i] for i in kept]
        labels = typed.labels or [None] * typed.n_rows
        learns_unlabelled = is_gap(model.unlabelled) and model.unlabelled is not None
        learned = [
            self._options.label is not None
            and (label is not None or learns_unlabelled)
            and (weights is None or weights[i] > 0)
            for i, label in enumerate(labels)
        ]
        return Rows(self._spelled(model, typed, labels, learned), typing, learned, weights, refused)

    def _weights(
        self, typed: TypedChunk, chunk: Chunk, refused: dict[int, str]
    ) -> list[float] | None:
        name = self._options.weight
        if name is None:
            return None
        cells = dict(zip(chunk.rows, chunk.columns[name], strict=True))
        weights = []
        for place in typed.rows:
            cell: Any = cells[place]
            fault = number_problem(cell)
            weight = 1.0 if cell is None or fault else float(cell)
            if fault or not 0 <= weight <= MOST:
                fault = fault or f"is no weight, which is from 0 to {MOST:g}"
                refused[place] = f"column {name!r}: {show(cell)} {fault}; correct it"
            weights.append(weight)
        return weights

    def _spelled(
        self, model: Any, typed: TypedChunk, labels: list[object], learned: list[bool]
    ) -> TypedChunk:
        fitted = model._fitted()
        known = {
            column.name: column.vocabulary.values
            for column in fitted.schema.columns
            if column.vocabulary is not None
        }
        columns: dict[str, Any] = {
            name: spelled(cells, known.get(name, ()), learned, typed=self._typed)
            if isinstance(cells, list)
            else cells
            for name, cells in typed.columns.items()
        }
        classes = spelled(labels, fitted.labels.values, learned, typed=self._typed)
        return TypedChunk(typed.rows, columns, [*classes])

    def _remark(self, extra: set[str]) -> None:
        """Say once of each column that the model does not use it."""
        for name in extra - self._ignored:
            if len(self._ignored) >= MOST_REMARKS:
                return
            self._ignored.add(name)
            if self._options.is_feature(name):
                self._tell(f"ignored, not a column of the model: {name}")


class _Errors(RowErrors):
    """Collects why rows cannot be used."""

    def __init__(self) -> None:
        super().__init__("skip")
        self.reasons: dict[int, str] = {}

    def __call__(self, error: RowError) -> None:
        place = "" if error.column is None else f"column {show(error.column)}: "
        value = "" if error.value is None else f"{error.value} "
        self.reasons[error.line] = f"{place}{value}{error.problem}; {error.remedy}"


def _with_new_kinds(typing: Typing, chunk: Chunk, usable: TypedChunk, typed: bool) -> Typing:
    """Give columns without a value yet the kind of their first value in a row with a label."""
    labelled = {
        place for place, label in zip(usable.rows, usable.labels, strict=False) if label is not None
    }
    found: dict[str, Kind] = {}
    for name in typing.unknown:
        for place, cell in zip(chunk.rows, chunk.columns[name], strict=True):
            if place in labelled and not isinstance(cell, dict | list) and not is_gap(cell):
                found[name] = kind_of_cells([cell], typed=typed)
                break
    return replace(typing, kinds={**typing.kinds, **found}) if found else typing


def _no_column(kinds: Mapping[str, Kind], row: Mapping[str, object]) -> str:
    return f"the row has none of the columns {_listed([*kinds])}; it has {_listed([*row])}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(show, names[:SHOWN])) or "none"
    return shown + (", ..." if len(names) > SHOWN else "")
