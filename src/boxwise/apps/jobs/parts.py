"""Files in parts: each part learned by a model of its own, in a process, and all of them merged."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from boxwise import HyperboxClassifier, dumps, loads
from boxwise.apps.jobs.withheld import Withheld
from boxwise.apps.jobs.workers import Tell
from boxwise.apps.learning import pieces, typed_chunks
from boxwise.apps.model_columns import assign_kinds
from boxwise.files import FileSet, InputError, NumberLabels, ReadOptions, RowErrors, Typing
from boxwise.files.row_errors import OnError
from boxwise.inputs import columns_by_position
from boxwise.learners.parts import FAN_IN, quota

NEWS = 0.2  # seconds between two pieces of news


@dataclass(frozen=True)
class Part:
    """The files of a part, and how to learn them: all that another process needs.

    Attributes
    ----------
    number : int
        The number of the part.
    blank : bytes
        A model with the columns and parameters of all parts, which has learned nothing.
    known : frozenset of str or None
        Classes that are not counted among labels that are numbers; None if none are counted.
    most_withheld : int
        How many rows are withheld, at most.
    """

    number: int
    files: tuple[str, ...]
    options: ReadOptions
    missing: tuple[str, ...]
    on_error: OnError
    chunk_rows: int
    typing: Typing
    blank: bytes
    known: frozenset[str] | None
    most_withheld: int


@dataclass(frozen=True)
class Progress:
    """How far the process of a part is."""

    rows: int
    share: float | None


@dataclass(frozen=True)
class LearnedPart:
    """What became of a part; there is no model if no row could be used."""

    files: tuple[str, ...]
    model: bytes | None
    rows: int  # the withheld ones included
    columns: dict[str, list[object]]  # of withheld rows
    labels: list[object]
    row_errors: RowErrors
    warnings: list[str] = field(default_factory=list)


def groups(files: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the files of each part: one, or as many as make `FAN_IN` of them.

    Examples
    --------
    >>> groups(["a.csv", "b.csv"])
    [('a.csv',), ('b.csv',)]
    >>> [len(part) for part in groups([f"{i}.csv" for i in range(100)])][:3]
    [1, 2, 1]
    """
    n, parts = len(files), min(len(files), FAN_IN)
    return [tuple(files[i * n // parts : (i + 1) * n // parts]) for i in range(parts)]


def most_withheld(model: Any, part: int, n_parts: int) -> int:
    """Return how many rows a part withholds; none where there is nothing to tune."""
    return quota(part, n_parts) if isinstance(model, HyperboxClassifier) else 0


def learn_part(part: Part, tell: Tell) -> LearnedPart:
    """Learn the rows of a part but for those withheld, in chunks."""
    with warnings.catch_warnings(record=True) as caught:
        learned = _learn_part(part, tell)
    learned.warnings.extend(dict.fromkeys(str(warning.message) for warning in caught))
    return learned


def _learn_part(part: Part, tell: Tell) -> LearnedPart:
    row_errors = RowErrors(part.on_error)
    files = FileSet(part.files, part.options, part.missing)
    chunks = files.chunks(part.chunk_rows)
    if part.known is not None:
        chunks = NumberLabels(part.typing.label or "", part.known, lambda message: None).watch(
            (), chunks
        )
    withheld = Withheld(part.number, part.most_withheld) if part.most_withheld else None
    model, rows, last_news = loads(part.blank), 0, monotonic()
    with columns_by_position():
        for typed, typing in typed_chunks(part.typing, chunks, row_errors):
            rows += typed.n_rows
            others = typed if withheld is None else withheld.others(typed)
            for piece, kinds in pieces(model, [(others, typing)]):
                assign_kinds(model, kinds, piece)
                _learn(model, piece, part)
                if monotonic() - last_news > NEWS:
                    tell(Progress(rows, files.share))
                    last_news = monotonic()
    table = ({}, []) if withheld is None else withheld.table()
    return LearnedPart(part.files, dumps(model) if rows else None, rows, *table, row_errors)


def _learn(model: Any, piece: Any, part: Part) -> None:
    try:
        model.partial_fit(piece.columns, piece.labels)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{', '.join(part.files)}: {error}") from None
