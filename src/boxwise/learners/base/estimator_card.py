"""A fitted estimator as a notebook shows it: what it has learned, on one card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.card import bar, card, folded, long_table, note, short
from boxwise.core import EvidenceSettings, Model
from boxwise.core.words import counted, number_text, value_text
from boxwise.schema import Column

MOST_VALUES = 5  # of a column, and classes, that are named


def estimator_card(
    name: str,
    model: Model,
    classes: Sequence[object],
    relevance: NDArray[np.float64] | None,
    changes: Sequence[object],
    parameters: str,
) -> str:
    """Return the card.

    Parameters
    ----------
    classes : sequence
        In the order of ``classes_``.
    relevance : array, optional
        By column; NaN for one without a value.
    changes : sequence
        The events of the model; the latest are shown.
    parameters : str
        The estimator as Python writes it.
    """
    state = model.engine.snapshot()
    by_evidence = isinstance(model.settings, EvidenceSettings)
    rows = int(state["rows"][0]) if by_evidence else state["n"].sum().item()
    title = f"{name}: {counted(model.n_boxes, 'box', 'boxes')}, {counted(rows, 'row', 'rows')}"
    parts = [note(f"classes: {_some(classes)}"), _columns(model, relevance)]
    if changes:
        latest = "; ".join(str(change) for change in changes[-2:])
        parts.append(note(f"changes: {len(changes):,}; latest: {latest}"))
    parts.append(folded("parameters", f"<code>{short(parameters, 1_000)}</code>"))
    return card(title, *parts)


def _columns(model: Model, relevance: NDArray[np.float64] | None) -> str:
    columns = model.described_schema().columns
    if relevance is None:
        return long_table([[short(c.name), short(_content(c))] for c in columns])
    known = np.nan_to_num(relevance)
    order = np.argsort(-known, kind="stable").tolist()
    rows = [
        [short(columns[j].name), short(_content(columns[j])), bar(known[j], known.max()),
         "" if np.isnan(relevance[j]) else f"{relevance[j]:.2f}"]
        for j in order
    ]  # fmt: skip
    return long_table(rows, ("column", "values", "relevance", ""))


def _content(column: Column) -> str:
    if column.vocabulary is not None:
        return _some(column.vocabulary.values)
    if column.range is None or np.isnan(column.range[0]):
        return "no value yet"
    return " to ".join(map(number_text, column.range))


def _some(values: Sequence[Any]) -> str:
    shown = ", ".join(map(value_text, values[:MOST_VALUES]))
    return shown + (f" and {len(values) - MOST_VALUES:,} more" if len(values) > MOST_VALUES else "")
