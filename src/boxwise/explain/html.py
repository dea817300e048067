"""An explanation as a notebook shows it: one piece of HTML, legible on light and dark."""

from __future__ import annotations

from html import escape

from boxwise.card import FOR, balance, card, folded, note, small, table
from boxwise.explain.explanation import BoxSupport, Explanation, FeatureReason
from boxwise.explain.support import few_rows_text
from boxwise.explain.text import (
    carried_text,
    counterfactual_lines,
    factors_of,
    factors_title,
    features_title,
    headline,
    in_box,
    percent,
    ranked,
    rest_text,
    tie_text,
    total_text,
    value_of,
    weight_text,
)

MOST_FEATURES = 10  # the others are folded away
MOST_RIVALS = 20


def to_html(why: Explanation) -> str:
    """Return the explanation as HTML; nothing in it comes from elsewhere."""
    parts: list[str] = []
    if few := few_rows_text(why.support):
        parts.append(note(few))
    parts.append(note(f"box {why.winner.box}: {why.winner.rule}"))
    if why.decision == "evidence":
        carried = [_box(box, percent(box.share or 0.0)) for box in why.carried]
        if why.background:
            carried.append([percent(why.background), "", "background of the class"])
        parts.append(folded(carried_text(why), table(carried)))
    if why.tie is not None:
        parts.append(note(tie_text(why.tie)))
    if factors := factors_of(why):
        parts += [note(factors_title(why)), *_factors(why, factors)]
    parts += [note(features_title(why)), *_features(why)]
    if why.rivals:
        rivals = [
            _box(
                rival.box,
                str(rival.label),
                percent(rival.probability)
                if why.decision == "evidence"
                else f"{rival.box.membership:.3f} ({rival.margin:.3f} less)",
            )
            for rival in why.rivals[:MOST_RIVALS]
        ]
        parts.append(folded(f"other classes: {len(why.rivals)}", table(rivals)))
    if changes := counterfactual_lines(why):
        text = "<br>".join(map(escape, changes))
        edge = f"margin-top:.6em;padding:.3em .6em;border-left:3px solid {FOR}"
        parts.append(f'<div style="{edge}">{text}</div>')
    return card(headline(why), *parts)


def _features(why: Explanation) -> list[str]:
    every = ranked(why)
    most = max((abs(weight) for _, weight in every), default=0.0)
    rows = [_feature(why, feature, weight, most) for feature, weight in every]
    parts = [table(rows[:MOST_FEATURES])]
    if len(rows) > MOST_FEATURES:
        parts.append(folded(f"and {len(rows) - MOST_FEATURES} more", table(rows[MOST_FEATURES:])))
    if why.decision == "evidence" and why.against is not None:
        parts.append(note(rest_text(why, why.against)))
        parts.append(note(total_text(why, why.against)))
    return parts


def _factors(why: Explanation, factors: list[tuple[str, str, float]]) -> list[str]:
    most = max(abs(weight) for *_, weight in factors)
    boxes, *curves, rest = (
        [
            f"<b>{escape(name)}</b>",
            escape(value),
            balance(weight, most),
            escape(weight_text(why, weight)),
        ]
        for name, value, weight in factors
    )
    parts = [table([boxes, *curves[:MOST_FEATURES], rest])]
    if len(curves) > MOST_FEATURES:
        left = curves[MOST_FEATURES:]
        parts.append(folded(f"curves of {len(left)} more columns", table(left)))
    return parts


def _feature(why: Explanation, feature: FeatureReason, weight: float, most: float) -> list[str]:
    return [
        f"<b>{escape(feature.column)}</b>",
        escape(value_of(feature)),
        balance(weight, most),
        escape(weight_text(why, weight)),
        small(escape(in_box(feature))),
    ]


def _box(box: BoxSupport, *numbers: str) -> list[str]:
    return [*map(escape, numbers), f"box&nbsp;{box.box}", escape(box.rule)]
