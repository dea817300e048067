"""An explanation as a notebook shows it: one piece of HTML, legible on light and dark."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from boxwise.explain.explanation import BoxSupport, Explanation, FeatureReason
from boxwise.explain.support import few_rows_text
from boxwise.explain.text import (
    carried_text,
    counterfactual_text,
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

# Colours of their own only where half transparent; all text has the colour of its surroundings.
_FOR, _AGAINST = "rgba(46,125,220,.55)", "rgba(230,120,30,.6)"
_LINE = "1px solid rgba(128,128,128,.35)"
_TABLE = "border-collapse:collapse;margin:.2em 0;font-size:inherit;color:inherit"
_CELL = "padding:2px 12px 2px 0;text-align:left;vertical-align:top"
_SMALL = "opacity:.75;font-size:90%"


def to_html(why: Explanation) -> str:
    """Return the explanation as HTML; nothing in it comes from elsewhere."""
    parts = [f'<div style="font-weight:600;font-size:110%">{escape(headline(why))}</div>']
    if few := few_rows_text(why.support):
        parts.append(_text(few))
    parts.append(_text(f"box {why.winner.box}: {why.winner.rule}"))
    if why.decision == "evidence":
        carried = [_box(box, percent(box.share or 0.0)) for box in why.carried]
        if why.background:
            carried.append([percent(why.background), "", "background of the class"])
        parts.append(_folded(carried_text(why), _table(carried)))
    if why.tie is not None:
        parts.append(_text(tie_text(why.tie)))
    if factors := factors_of(why):
        parts += [_text(factors_title(why)), *_factors(why, factors)]
    parts += [_text(features_title(why)), *_features(why)]
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
        parts.append(_folded(f"other classes: {len(why.rivals)}", _table(rivals)))
    if why.counterfactual is not None or why.no_counterfactual is not None:
        text = escape(counterfactual_text(why))
        edge = f"margin-top:.6em;padding:.3em .6em;border-left:3px solid {_FOR}"
        parts.append(f'<div style="{edge}">{text}</div>')
    frame = f"max-width:60em;border:{_LINE};border-radius:6px;padding:.6em .9em;margin:.3em 0"
    return f'<div style="{frame}">{"".join(parts)}</div>'


def _features(why: Explanation) -> list[str]:
    every = ranked(why)
    most = max((abs(weight) for _, weight in every), default=0.0)
    rows = [_feature(why, feature, weight, most) for feature, weight in every]
    parts = [_table(rows[:MOST_FEATURES])]
    if len(rows) > MOST_FEATURES:
        parts.append(_folded(f"and {len(rows) - MOST_FEATURES} more", _table(rows[MOST_FEATURES:])))
    if why.decision == "evidence" and why.against is not None:
        parts.append(_text(rest_text(why, why.against)))
        parts.append(_text(total_text(why, why.against)))
    return parts


def _factors(why: Explanation, factors: list[tuple[str, str, float]]) -> list[str]:
    most = max(abs(weight) for *_, weight in factors)
    boxes, *curves, rest = (
        [
            f"<b>{escape(name)}</b>",
            escape(value),
            _bar(weight, most),
            escape(weight_text(why, weight)),
        ]
        for name, value, weight in factors
    )
    parts = [_table([boxes, *curves[:MOST_FEATURES], rest])]
    if len(curves) > MOST_FEATURES:
        left = curves[MOST_FEATURES:]
        parts.append(_folded(f"curves of {len(left)} more columns", _table(left)))
    return parts


def _feature(why: Explanation, feature: FeatureReason, weight: float, most: float) -> list[str]:
    return [
        f"<b>{escape(feature.column)}</b>",
        escape(value_of(feature)),
        _bar(weight, most),
        escape(weight_text(why, weight)),
        f'<span style="{_SMALL}">{escape(in_box(feature))}</span>',
    ]


def _bar(weight: float, most: float) -> str:
    """Return a bar to the right for the prediction, to the left against it."""
    width = 0 if most == 0 else round(50 * abs(weight) / most)
    left, colour = (50, _FOR) if weight > 0 else (50 - width, _AGAINST)
    inner = f"position:absolute;left:{left}%;width:{width}%;height:100%;background:{colour}"
    outer = f"position:relative;width:8em;height:1em;border-left:{_LINE};border-right:{_LINE}"
    return f'<div style="{outer}"><div style="{inner}"></div></div>'


def _box(box: BoxSupport, *numbers: str) -> list[str]:
    return [*map(escape, numbers), f"box&nbsp;{box.box}", escape(box.rule)]


def _table(rows: Iterable[list[str]]) -> str:
    lines = [
        "<tr style='background:transparent'>"
        + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row)
        + "</tr>"
        for row in rows
    ]
    return f'<table style="{_TABLE}">{"".join(lines)}</table>'


def _text(text: str) -> str:
    return f'<div style="margin-top:.5em">{escape(text)}</div>'


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>"
