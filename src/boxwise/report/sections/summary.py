"""The top of the page: the model in a few figures and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from boxwise.core.words import counted
from boxwise.explain import rows_learned
from boxwise.report.markup import paragraph, share_text, short
from boxwise.report.relevance import Shuffled
from boxwise.report.sections.confusions import pairs_text
from boxwise.report.sections.relevance import most_relevant
from boxwise.report.subject import Subject


def summary(subject: Subject, found: Shuffled | None) -> str:
    """Return the figures, and what they come to."""
    view = subject.view
    tiles = [
        (f"{rows_learned(subject.model):,}", "rows learned"),
        (f"{len(view.boxes):,}", "box" if len(view.boxes) == 1 else "boxes"),
        (f"{len(view.classes):,}", "class" if len(view.classes) == 1 else "classes"),
        (f"{view.schema.n_features:,}", "column" if view.schema.n_features == 1 else "columns"),
    ]
    if subject.rows is not None:
        scores = subject.rows.confusion
        tiles.append((share_text(scores.accuracy), "accuracy"))
        tiles.append((f"{scores.cba:.3f}", "class balanced accuracy"))
    shown = "".join(f"<div><dt>{name}</dt><dd>{figure}</dd></div>" for figure, name in tiles)
    return f'<dl class="tiles">{shown}</dl>{_in_brief(subject, found)}'


def _in_brief(subject: Subject, found: Shuffled | None) -> str:
    rows, names = subject.rows, subject.view.schema.names
    if rows is None or found is None:
        return paragraph(
            "This page shows what the model itself contains. Its quality, its confusions, the "
            "importance of the columns and explained predictions are missing, because no labelled "
            "rows were given."
        )
    parts = [f"Measured on {counted(len(rows), 'row', 'rows')}."]
    relevant = [j for j in most_relevant(subject, found)[:3] if found.drops[j].cba > 0]
    if relevant:
        listed = _and([f"<strong>{short(names[j])}</strong>" for j in relevant])
        parts.append(f"Most important columns: {listed}.")
    true: Counter[Hashable] = Counter(rows.labels)
    worst = pairs_text(rows.confusion.counts, true, 1)
    parts += [f"Most frequent confusion: {pair}." for pair in worst]
    return paragraph(*parts)


def _and(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
