"""The rows of files, read so that a model can take them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import typer

from boxwise.apps.labelled_files import no_rows, started
from boxwise.apps.model_columns import report_columns_left_out, typing_for, wanted_names
from boxwise.apps.options.columns import candidate_names, chosen_names
from boxwise.apps.options.files import FileOptions
from boxwise.apps.outcome import notify
from boxwise.dates import dates_in
from boxwise.files import STANDARD_INPUT, Chunk, InputError, TypedChunk, check_names

MOST_NAMED = 5  # columns that may hold the classes


class ModelRows:
    """Reads files for a model, with labels if a column of them is named.

    Columns that the model does not know are left out.

    Attributes
    ----------
    names : list of str
        How the files call the columns of the model, in its order.
    groups : dict of str to list
        The values of the rows read so far in the group columns.
    """

    def __init__(
        self,
        clf: Any,
        data: Sequence[str],
        options: FileOptions,
        label: str | None = None,
        groups: Sequence[str] | None = None,
    ) -> None:
        self._options, self._label = options, label
        wanted = wanted_names(clf.schema_, label)
        candidates = candidate_names(groups)
        dates = dates_in(clf.schema_)
        self._files = options.files(data, only=wanted and wanted | candidates, dates=dates)
        try:
            self._groups = chosen_names("--group", groups, self._files.names, label)
            if label is not None:
                check_names(self._files.names, [label], self._files.first, "label column")
            self._typing = typing_for(clf, self._files, label)
        except InputError:
            self._files.close()
            raise
        self.names = [*self._typing.kinds]
        self.groups: dict[str, list[Any]] = {name: [] for name in self._groups}
        if not options.quiet:
            report_columns_left_out(self._files, self._typing, self._groups)

    def chunks(self) -> Iterator[TypedChunk]:
        """Yield the rows, as many at a time as the options say."""
        row_errors, chunk_rows = self._options.row_errors, self._options.chunk_rows
        if self._label is None:
            chunks = self._files.chunks(chunk_rows)
        else:
            first, rest = started(self._files, self._label, row_errors, chunk_rows)
            chunks = chain(first, rest)
        for chunk in chunks:
            typed = self._typing.apply(chunk, row_errors)
            if typed.n_rows:
                self._note_groups(chunk, typed)
                yield typed

    def _note_groups(self, chunk: Chunk, typed: TypedChunk) -> None:
        """Keep the values of the group columns, which the model need not have."""
        place = {number: i for i, number in enumerate(chunk.rows)}
        for name in self._groups:
            cells = chunk.columns[name]
            self.groups[name].extend(cells[place[number]] for number in typed.rows)

    def all(self) -> tuple[dict[str, Any], list[Any]]:
        """Return the columns of all rows, and the labels, if any; they are held in memory."""
        chunks = [*self.chunks()]
        if not chunks:
            self.none()
        columns = {
            name: _joined([chunk.columns[name] for chunk in chunks]) for name in chunks[0].columns
        }
        return columns, [label for chunk in chunks for label in chunk.labels]

    def none(self) -> NoReturn:
        """Say that there is no row."""
        no_rows(self._files, self._options.row_errors)


def label_in(
    clf: Any,
    data: Sequence[str],
    options: FileOptions,
    option: str,
    besides: Collection[str] = (),
) -> str:
    """Return the one column of the files, besides some, that the model does not have.

    `option` names the files.
    """
    schema, which = clf.schema_, ""
    if schema.named and STANDARD_INPUT not in data:
        with closing(options.files(data)) as files:
            others = [n for n in files.names if n not in schema.inputs and n not in besides]
        if len(others) == 1:
            if not options.quiet:
                notify(f"the classes are in column {others[0]!r} (--label names another)")
            return others[0]
        if 0 < len(others) <= MOST_NAMED:
            which = f": {' or '.join(map(repr, others))}"
    message = f"needs --label, the column of the classes{which}"
    raise typer.BadParameter(message, param_hint=option)


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return [value for part in parts for value in part]
