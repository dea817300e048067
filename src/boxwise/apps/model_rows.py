"""The rows of files, read so that a model can take them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from boxwise.apps.file_options import FileFormat, OnErrorChoice
from boxwise.apps.model_columns import tell_columns_left_out, typing_for, wanted_names
from boxwise.apps.outcome import say
from boxwise.files import Faults, Files, InputError, Manner, TypedChunk


class ModelRows:
    """Reads files for a model; columns that it does not know are left out.

    Attributes
    ----------
    names : list of str
        How the files call the columns of the model, in its order.
    faults : Faults
        The rows that could not be used.
    """

    def __init__(
        self,
        clf: Any,
        data: Sequence[str],
        missing: Sequence[str] | None,
        form: FileFormat | None,
        delimiter: str | None,
        on_error: OnErrorChoice,
        *,
        quiet: bool,
    ) -> None:
        if not clf._fitted().classes:
            raise InputError("the model has learned no row with a label yet; learn some first")
        self.faults = Faults(on_error.value, say)
        only = wanted_names(clf.schema_, None)
        manner = Manner(None if form is None else form.value, delimiter, only=only)
        self._files = Files(data, manner, missing or ())
        self._typing = typing_for(clf, self._files)
        self.names = [*self._typing.kinds]
        if not quiet:
            tell_columns_left_out(self._files, self._typing)

    def chunks(self, chunk_rows: int) -> Iterator[TypedChunk]:
        """Yield the rows, as many at a time."""
        for chunk in self._files.chunks(chunk_rows):
            typed = self._typing.apply(chunk, self.faults)
            if typed.n_rows:
                yield typed
