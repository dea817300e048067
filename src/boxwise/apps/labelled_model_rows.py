"""All labelled rows of files, as a model takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boxwise.apps.column_options import ColumnOptions
from boxwise.apps.file_options import FileFormat
from boxwise.apps.labelled_files import begun, no_rows
from boxwise.apps.model_columns import tell_columns_left_out, typing_for, wanted_names
from boxwise.files import Faults, Files, Manner


def labelled_rows_for(
    model: Any,
    data: Sequence[str],
    label: str,
    faults: Faults,
    *,
    missing: Sequence[str] | None,
    form: FileFormat | None,
    delimiter: str | None,
    chunk_rows: int,
    quiet: bool,
) -> tuple[dict[str, Any], list[object]]:
    """Return the columns of the model in these files, and the labels; both are held in memory."""
    manner = Manner(
        None if form is None else form.value, delimiter, only=wanted_names(model.schema_, label)
    )
    files = Files(data, manner, missing or ())
    ColumnOptions(label).check(files)
    typing = typing_for(model, files, label)
    if not quiet:
        tell_columns_left_out(files, typing)
    _, chunks = begun(files, label, faults, chunk_rows)
    typed = [part for part in (typing.apply(chunk, faults) for chunk in chunks) if part.n_rows]
    if not typed:
        no_rows(files, faults)
    columns: dict[str, Any] = {}
    for name, cells in typed[0].columns.items():
        if isinstance(cells, np.ndarray):
            columns[name] = np.concatenate([part.columns[name] for part in typed])
        else:
            columns[name] = [value for part in typed for value in part.columns[name]]
    return columns, [value for part in typed for value in part.labels]
