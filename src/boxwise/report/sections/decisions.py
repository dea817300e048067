"""Explained decisions: the most certain correct one, the closest call, the most certain error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from boxwise.core import EntropySettings, EvidenceSettings
from boxwise.explain import explain, winning_boxes
from boxwise.explain.text import class_text
from boxwise.report.markup import Section, breakable, paragraph, scrolled, text
from boxwise.report.rows import LabelledRows
from boxwise.report.subject import Subject


def decisions(subject: Subject) -> Section:
    """Return the section."""
    title = "Explained decisions"
    if subject.rows is None:
        note = "Explained decisions need rows, and none were given."
        return Section("decisions", title, paragraph(note))
    chosen = dict(chosen_rows(subject.rows))
    shown = _explained(subject, subject.rows, [*chosen.values()])
    parts = []
    for name, place, why in zip(chosen, chosen.values(), shown, strict=True):
        truth = text(class_text(subject.rows.labels[place]))
        parts.append(f"<h3>{name}</h3>{paragraph(f'Its true class: <strong>{truth}</strong>.')}")
        parts.append(f'<div class="explained">{scrolled(why, name)}</div>')
    if "The most certain error" not in chosen:
        parts.append(paragraph("All rows are predicted correctly."))
    return Section("decisions", title, "".join(parts))


def chosen_rows(rows: LabelledRows) -> Iterator[tuple[str, int]]:
    """Yield a title and its row; the first of several that are equally good."""
    ranked = np.sort(rows.probabilities, axis=1)
    sure = ranked[:, -1]
    right = rows.predicted == rows.codes
    if right.any():
        yield "The most certain correct prediction", int(np.where(right, sure, -1).argmax())
    if ranked.shape[1] > 1:
        yield "The closest call", int((sure - ranked[:, -2]).argmin())
    if not right.all():
        yield "The most certain error", int(np.where(right, -1, sure).argmax())


def _explained(subject: Subject, rows: LabelledRows, places: list[int]) -> Iterator[str]:
    """Yield the explanation of each row."""
    part = np.array(places, dtype=np.intp)
    numbers = (rows.places[part] + subject.first_row).tolist()
    if isinstance(subject.model.settings, EntropySettings | EvidenceSettings):
        found = explain(subject.model.copy(), rows.batch.part(part))
        for number, why in zip(numbers, found, strict=True):
            yield breakable(replace(why, row=number)._repr_html_())
        return
    for number, (box, degree) in zip(
        numbers, winning_boxes(subject.model, rows.known.part(part)), strict=True
    ):
        yield paragraph(
            f"Row {number:,} is decided by box {box}, membership {degree:.3f}:",
            text(subject.view.boxes.describe(box)),
        )
