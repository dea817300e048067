"""The rows of files, read so that a model can take them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import typer

from boxwise.apps.labelled_files import no_rows, started
from boxwise.apps.model_columns import report_columns_left_out, typing_for, wanted_names
from boxwise.apps.options.files import FileOptions
from boxwise.apps.outcome import notify
from boxwise.files import STANDARD_INPUT, InputError, TypedChunk, check_names


class ModelRows:
    """Reads files for a model, with labels if a column of them is named.

    Columns that the model does not know are left out.

    Attributes
    ----------
    names : list of str
        How the files call the columns of the model, in its order.
    """

    def __init__(
        self, clf: Any, data: Sequence[str], options: FileOptions, label: str | None = None
    ) -> None:
        self._options, self._label = options, label
        self._files = options.files(data, only=wanted_names(clf.schema_, label))
        try:
            if label is not None:
                check_names(self._files.names, [label], self._files.first, "label column")
            self._typing = typing_for(clf, self._files, label)
        except InputError:
            self._files.close()
            raise
        self.names = [*self._typing.kinds]
        if not options.quiet:
            report_columns_left_out(self._files, self._typing)

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
                yield typed

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


def label_in(clf: Any, data: Sequence[str], options: FileOptions, option: str) -> str:
    """Return the one column of the files that the model does not have; `option` names the files."""
    schema = clf.schema_
    if schema.named and STANDARD_INPUT not in data:
        with closing(options.files(data)) as files:
            others = [name for name in files.names if name not in schema.names]
        if len(others) == 1:
            if not options.quiet:
                notify(f"the classes are in column {others[0]!r} (--label names another)")
            return others[0]
    raise typer.BadParameter("needs --label, the column of the classes", param_hint=option)


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return [value for part in parts for value in part]
