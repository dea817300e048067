"""A curve as a notebook shows it: a line for a numeric column, bars for a categorical one."""

from __future__ import annotations

from boxwise.card import balance, card, line_chart, long_table, note, short, text
from boxwise.core.words import number_text
from boxwise.explain.curves import Curve

MOST_CLASSES = 3


def curve_card(curve: Curve) -> str:
    """Return the card; of two classes the second is shown, of more the first ones."""
    title = f"curve of {curve.column}, mean absolute contribution {curve.importance:.3g}"
    if not curve.classes:
        return card(title, note("no class has been learned yet"))
    shown = [1] if len(curve.classes) == 2 else [*range(min(len(curve.classes), MOST_CLASSES))]
    parts = [_of_class(curve, k) for k in shown]
    if len(curve.classes) - 1 > len(shown):
        parts.append(note(f"and {len(curve.classes) - len(shown):,} more classes"))
    return card(title, *parts)


def _of_class(curve: Curve, k: int) -> str:
    y = curve.contributions[:, k].tolist()
    head = note(f"added to the logit of {curve.classes[k]}")
    if curve.kind == "numeric":
        if not y:
            return head + note("it has no two different numbers yet")
        low, high = (number_text(float(end)) for end in (curve.values[0], curve.values[-1]))
        ends = f"{curve.column} from {low} to {high}, contribution {min(y):+.2f} to {max(y):+.2f}"
        return head + line_chart(curve.values.tolist(), y, ends) + text(ends)
    most = max(map(abs, y), default=0.0)
    rows = [
        [short(value), balance(added, most), f"{added:+.3f}"]
        for value, added in zip(curve.values.tolist(), y, strict=True)
    ]
    return head + long_table(rows)
