"""The curves of the columns: what each adds to the log-odds of the classes."""

from __future__ import annotations

import numpy as np

from boxwise.core import EvidenceSettings
from boxwise.core.words import counted, number_text
from boxwise.explain import Curve
from boxwise.explain.curves import NEGLIGIBLE
from boxwise.report.markup import Column, Section, bar, folded, paragraph, short, table
from boxwise.report.pictures import curves_picture
from boxwise.report.subject import Subject

MOST_COLUMNS = 12


def curves(subject: Subject) -> Section | None:
    """Return the section; None for a model without curves, or with one class."""
    settings = subject.model.settings
    has_curves = isinstance(settings, EvidenceSettings) and settings.additive
    if not has_curves or len(subject.model.classes) < 2:
        return None
    found: list[Curve] = sorted(subject.clf.curves(), key=lambda curve: -curve.importance)
    largest = max(curve.importance for curve in found)
    if largest < NEGLIGIBLE:
        return Section("curves", "Curves", _no_effect(found[0]))
    head = [Column("column"), Column("mean contribution", "bars")]
    head += [Column("minimum", "words"), Column("maximum", "words")]
    lines = [_line(curve, largest) for curve in found]
    shown = table("Curves by mean contribution", head, lines[:MOST_COLUMNS], "stack")
    if len(lines) > MOST_COLUMNS:
        more = counted(len(lines) - MOST_COLUMNS, "more column", "more columns")
        shown += folded(more, table("The other curves", head, lines[MOST_COLUMNS:], "stack"))
    content = _in_brief(found) + curves_picture(subject) + shown
    return Section("curves", "Curves", content)


def _no_effect(first: Curve) -> str:
    return paragraph(
        "A decision is a sum: a curve for each column, a constant, and the contribution of the",
        "boxes. In this model the boxes decide alone: no curve, not even that of",
        f"<strong>{short(first.column)}</strong>, changes the odds by more than 1% in the mean.",
    )


def _in_brief(found: list[Curve]) -> str:
    classes = found[0].classes
    whose = "the logit of each class"
    if len(classes) == 2:
        whose = f"the log-odds of <strong>{short(classes[1])}</strong> against {short(classes[0])}"
    return paragraph(
        "A decision is a sum: a curve for each column, a constant, and the contribution of the",
        f"boxes. Shown is what each column adds to {whose}, relative to its mean over the",
        "learned rows: 0.7 doubles the odds, −0.7 halves them. It is not the whole effect of a",
        "column: the boxes depend on the columns too, and a curve may correct what they overstate.",
        "Where the curve of the latest rows differs, the effect of the column may have changed.",
    )


def _line(curve: Curve, largest: float) -> list[str]:
    scale = 2.0 if len(curve.classes) == 2 else 1.0  # log-odds are twice the logit of two classes
    share = curve.importance / largest if largest > 0 else 0.0
    mean = bar(share, f"{scale * curve.importance:.3f}")
    return [short(curve.column), mean, *_extremes(curve, scale)]


def _extremes(curve: Curve, scale: float) -> list[str]:
    """Return the least and the largest contribution, and at which value each is."""
    known = curve.rows > 0
    values, points = curve.values[known].tolist(), scale * curve.contributions[known]
    if not values:
        return ["–", "–"]
    several = len(curve.classes) > 2
    points = points if several else points[:, 1:]
    cells = []
    for place in (points.argmin(), points.argmax()):
        i, k = np.unravel_index(place, points.shape)
        value = number_text(values[i]) if curve.kind == "numeric" else short(values[i], 30)
        whose = f" for {short(curve.classes[k], 30)}" if several else ""
        cells.append(f"{_signed(float(points[i, k]))}{whose} at {value}")
    return cells


def _signed(x: float) -> str:
    return f"{x:+.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00").replace("-", "−")
