"""The relevance of the columns: to the predictions, by shuffling, and to the boxes."""

from __future__ import annotations

from boxwise.core.words import counted
from boxwise.explain import by_evidence
from boxwise.report.markup import (
    Column,
    Section,
    bar,
    folded,
    paragraph,
    share_text,
    short,
    table,
)
from boxwise.report.pictures import regions_picture
from boxwise.report.relevance import SHUFFLES, Drop, Shuffled, excluded
from boxwise.report.subject import Subject

MOST_COLUMNS = 12


def relevance(subject: Subject, found: Shuffled | None) -> Section:
    """Return the section."""
    order = most_relevant(subject, found)
    lines = _lines(subject, found, order)
    head = [Column("column")]
    if found is not None:
        head += [Column("CBA lost when shuffled", "bars"), Column("log-loss added", "number")]
    head.append(Column("excluded by the boxes", "bars"))
    if by_evidence(subject.model):
        head.append(Column("relevance", "number"))
    shown = table("Columns by importance", head, lines[:MOST_COLUMNS], "stack")
    if len(lines) > MOST_COLUMNS:
        rest = table("The other columns", head, lines[MOST_COLUMNS:], "stack")
        shown += folded(f"{len(lines) - MOST_COLUMNS} more columns", rest)
    picture = regions_picture(subject, order)
    return Section("relevance", "Column importance", _in_brief(subject, found) + shown + picture)


def most_relevant(subject: Subject, found: Shuffled | None) -> list[int]:
    """Return the columns, those first whose shuffling costs most, or that the boxes limit most."""
    columns = subject.view.schema.known
    if found is None:
        return sorted(columns, key=lambda j: -excluded(subject.view, j))
    return sorted(columns, key=lambda j: (-found.drops[j].cba, -found.drops[j].loss))


def _lines(subject: Subject, found: Shuffled | None, order: list[int]) -> list[list[str]]:
    view = subject.view
    most = 0.0 if found is None else max(drop.cba for drop in found.drops.values())
    matters = subject.clf.relevance_.tolist() if by_evidence(subject.model) else None
    lines = []
    for j in order:
        out = excluded(view, j)
        cells = [] if found is None else _drop(found.drops[j], most)
        cells.append(bar(out, share_text(out), "soft"))
        if matters is not None:
            cells.append(f"{matters[j]:.3g}")
        lines.append([short(view.schema.names[j]), *cells])
    return lines


def _drop(drop: Drop, most: float) -> list[str]:
    share = drop.cba / most if most > 0 else 0.0
    words = f"{_signed(drop.cba)} <small>± {drop.spread:.3f}</small>"
    return [bar(share, words), _signed(drop.loss)]


def _signed(x: float) -> str:
    """Return a number; what is 0 but for rounding has no sign, what is unknown is a dash."""
    if x != x:
        return "–"
    return f"{x:.3f}".replace("-0.000", "0.000").replace("-", "−")


def _in_brief(subject: Subject, found: Shuffled | None) -> str:
    parts = []
    if found is None:
        parts.append("Permutation importance needs labelled rows, and none were given.")
    else:
        parts.append(
            "<strong>CBA lost when shuffled:</strong> permutation importance, the loss of class "
            "balanced accuracy when the values of one column are shuffled "
            f"({counted(found.rows, 'row', 'rows')}, {SHUFFLES} shuffles, mean ± standard "
            "deviation). Redundant columns can replace each other; each then seems to matter "
            "little."
        )
    parts.append(
        "<strong>Excluded by the boxes:</strong> the share of the range, or of the values, that "
        "lies outside a box, averaged over the rows. A box of a single row excludes nearly "
        "everything, so this measures how narrow the boxes are, not how useful the column is."
    )
    if by_evidence(subject.model):
        parts.append(
            "<strong>Relevance:</strong> learned, 1 at the start; large if the distance "
            "of a row from a box in this column affects the decision strongly."
        )
    return "".join(paragraph(part) for part in parts)
