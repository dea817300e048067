"""An explanation as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, inf, log
from textwrap import wrap

from boxwise.core.words import EXPONENT_FROM, counted, number_text, value_text
from boxwise.explain.explanation import (
    Change,
    Comparison,
    Counterfactual,
    Explanation,
    FeatureReason,
    Tie,
)
from boxwise.explain.support import few_rows_text, rows_text

WIDTH = 88
MOST_FEATURES = 8
MOST_RIVALS = 3
MOST_CURVES = 4
MOST_OF_IT = 0.8  # of the probability: boxes that carry so much carry most
LONGEST = 28  # characters of a name or a value


def explanation_text(why: Explanation) -> str:
    """Return the explanation, what matters most first, on about 35 lines at most."""
    lines = [headline(why)]
    if few := few_rows_text(why.support):
        lines.append(few)
    lines += _winner(why)
    if why.tie is not None:
        lines += _wrapped(tie_text(why.tie))
    if factors := factors_of(why):
        lines += ["", *_factors(why, factors)]
    lines += ["", *_features(why)]
    if why.rivals:
        lines += ["", *_rivals(why)]
    if changes := counterfactual_lines(why):
        lines += ["", *(line for text in changes for line in _wrapped(text))]
    return "\n".join(lines)


def headline(why: Explanation) -> str:
    """Return the prediction, and how sure it is."""
    line = f"row {why.row}: {class_text(why.prediction)}"
    if why.decision == "evidence":
        return f"{line}, probability {percent(why.probability)}"
    return f"{line}, membership {why.winner.membership:.3f}"


def class_text(label: object) -> str:
    """Return a class; one that is no word is called a class, so that sentences can be read."""
    is_word = isinstance(label, str) and label[:1].isalpha()
    return _on_one_line(f"{label}" if is_word else f"class {label}")


def _winner(why: Explanation) -> list[str]:
    if why.decision == "membership":
        return _wrapped(f"box {why.winner.box}: {why.winner.rule}")
    lines = [f"{carried_text(why)}:"]
    for box in why.carried:
        text = f"  {percent(box.share or 0.0):>4}  box {box.box}: {box.rule}"
        lines += _wrapped(text, 8, 2 if box.box == why.winner.box else 1)
    if why.background:
        lines.append(f"  {percent(why.background):>4}  background of the class")
    return lines


def carried_text(why: Explanation) -> str:
    """Say how many boxes decided together, and how much those shown carried of the probability."""
    won = class_text(why.prediction)
    if why.n_boxes == 1 and len(why.carried) == 1:
        return f"{won} has 1 box"
    shown = sum(box.share or 0.0 for box in why.carried)
    much = "most" if shown >= MOST_OF_IT * why.probability else percent(shown)
    decided = f"{counted(why.n_boxes, 'box', 'boxes')} of {won} voted"
    return f"{decided}; {'this one' if len(why.carried) == 1 else 'these'} contributed {much}"


def tie_text(tie: Tie) -> str:
    """Say who tied, and what decided."""
    parts = [
        f"{class_text(one.label)} ({counted(len(one.boxes), 'box', 'boxes')}, "
        f"{counted(one.rows, 'row', 'rows')})"
        for one in tie.classes
    ]
    if tie.decided_by == "class":
        return f"{counted(len(tie.classes[0].boxes), 'box', 'boxes')} of this class tie."
    how = {
        "rows": "the class with most rows in the tied boxes wins",
        "first seen": "the class that was seen first wins",
    }[tie.decided_by]
    return f"A tie between {' and '.join(parts)}: {how}."


def ranked(why: Explanation) -> list[tuple[FeatureReason, float]]:
    """Return the columns with their weights, the heaviest first.

    The weight is how much a column speaks for the prediction rather than for the next class; by
    membership, or if there is no other class, it is the contribution to the winning box.
    """
    features = why.winner.features
    if why.decision == "evidence" and why.against is not None:
        of_column = {feature.column: feature for feature in features}
        return [(of_column[name], weight) for name, weight in why.against.columns]
    return [(feature, feature.contribution) for feature in features]


def _features(why: Explanation) -> Iterator[str]:
    """Yield a table of the columns that matter most."""
    every = ranked(why)
    shown = every[:MOST_FEATURES] if len(every) > MOST_FEATURES + 1 else every
    rows = [
        (_cut(f.column), _cut(value_of(f)), weight_text(why, weight), in_box(f))
        for f, weight in shown
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    yield features_title(why)
    for name, value, weight, box in rows:
        yield f"  {name:<{widths[0]}}  {value:<{widths[1]}}  {weight:<{widths[2]}}  {box}".rstrip()
    if len(shown) < len(every):
        left = sum(weight for _, weight in every[MOST_FEATURES:])
        number = len(every) - len(shown)
        yield f"  and {number} more columns: {weight_text(why, left)}"
    if why.decision == "evidence" and why.against is not None:
        yield f"  {rest_text(why, why.against)}"
        yield from _wrapped(f"  {total_text(why, why.against)}", 4)


def factors_of(why: Explanation) -> list[tuple[str, str, float]]:
    """Return what the odds of the prediction and the next class are the product of, as logarithms.

    Each factor has a name and the value of the row: the boxes first, then the curves, the most
    telling first, then what all rows have. Empty where the boxes decide alone.
    """
    if len(why.sums) < 2 or not why.sums[0].curves or why.sums[1].logit == -inf:
        return []
    won, other = why.sums[:2]
    value = {f.column: value_of(f) for f in why.winner.features}
    pairs = zip(won.curves, other.curves, strict=True)
    curves = [(name, value[name], mine - theirs) for (name, mine), (_, theirs) in pairs]
    curves.sort(key=lambda one: -abs(one[2]))
    rest = won.constant + won.class_prior - other.constant - other.class_prior
    return [("boxes", "", won.boxes - other.boxes), *curves, ("intercept", "", rest)]


def _factors(why: Explanation, factors: list[tuple[str, str, float]]) -> Iterator[str]:
    """Yield a table of the boxes and of the curves that matter most."""
    boxes, *curves, rest = factors
    shown = [boxes, *curves[:MOST_CURVES], rest]
    names, values = [_cut(name) for name, *_ in shown], [_cut(value) for _, value, _ in shown]
    wide, wider = max(map(len, names)), max(map(len, values))
    yield factors_title(why)
    for name, value, (*_, weight) in zip(names, values, shown, strict=True):
        yield f"  {name:<{wide}}  {value:<{wider}}  {weight_text(why, weight)}"
    if left := curves[MOST_CURVES:]:
        together = weight_text(why, sum(weight for *_, weight in left))
        yield f"  curves of {counted(len(left), 'more column', 'more columns')}: {together}"


def factors_title(why: Explanation) -> str:
    """Say what the factors are of."""
    won, other = why.sums[:2]
    odds = factor(won.logit - other.logit)
    names = f"{class_text(won.label)} to {class_text(other.label)}"
    return f"Odds of {names}: {odds} to 1, the product of these factors:"


def features_title(why: Explanation) -> str:
    """Say what the weights of the columns are."""
    box = f"box {why.winner.box}"
    if why.decision == "membership":
        numbers = [f for f in why.winner.features if f.kind == "numeric"]
        note = " (of the numeric ones, only the farthest counts)" if len(numbers) > 1 else ""
        return f"Membership lost in {box} by column{note}:"
    if why.against is None:
        return f"Log-likelihood in {box} by column:"
    won, other = class_text(why.prediction), class_text(why.against.label)
    return f"Odds of {won} to {other} by the boxes, column by column; on the right, {box}:"


def weight_text(why: Explanation, weight: float) -> str:
    """Return what a column costs, or by what it multiplies the odds, and for whom."""
    if why.decision == "membership":
        return f"lost {-weight:.3f}" if weight else "lost nothing"
    if why.against is None:
        return f"{weight:+.2f}"
    if abs(weight) < 0.005:
        return "x1"
    ahead = why.prediction if weight > 0 else why.against.label
    return f"x{factor(abs(weight))} for {class_text(ahead)}"


def factor(weight: float) -> str:
    """Return e to the weight, as a factor that can be read."""
    value = exp(min(weight, 700.0))
    if value >= 1e6:
        return ">1,000,000"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def rest_text(why: Explanation, against: Comparison) -> str:
    """Say what is not of a column."""
    return f"number and size of the boxes: {weight_text(why, against.rest)}"


def total_text(why: Explanation, against: Comparison) -> str:
    """Say what the columns and the boxes give together, and what all boxes said in the end."""
    ahead = why.prediction if against.total >= 0 else against.label
    one = f"product: {factor(abs(against.total))} to 1 for {class_text(ahead)}"
    by_all = _logit_by_boxes(why, why.prediction) - _logit_by_boxes(why, against.label)
    ahead_of_all = why.prediction if by_all >= 0 else against.label
    odds = factor(abs(by_all))
    if ahead == ahead_of_all and odds == factor(abs(against.total)):
        return one
    other = f" for {class_text(ahead_of_all)}" if ahead != ahead_of_all else ""
    who = "by all models, " if why.n_experts > 1 else ""
    sure = f"limited by the support of {rows_text(why.support or 0.0)}"
    return f"{one} by the current boxes, {odds} to 1{other} {who}{sure}"


def _logit_by_boxes(why: Explanation, label: object) -> float:
    one = next(one for one in why.sums if one.label is label)
    return (log(one.by_boxes) if one.by_boxes > 0 else -inf) + one.class_prior


def value_of(feature: FeatureReason) -> str:
    """Return the value of the row in words."""
    if feature.kind == "categorical" or feature.value is None:
        return value_text(feature.value)
    return _number_or_interval(feature.value)


def in_box(feature: FeatureReason) -> str:
    """Say where the value is with respect to the box."""
    if feature.kind == "categorical":
        if not feature.count:
            return "not in the box"
        return f"{percent(feature.term)} of the box"
    if feature.value is None:
        return "ignored"
    if feature.lower is None or feature.upper is None:
        return "no value in the box"
    held = _number_or_interval((feature.lower, feature.upper))
    if feature.inside:
        return f"inside {held}"
    return f"{number_text(feature.outside)} outside {held}"


def _number_or_interval(value: float | tuple[float, float]) -> str:
    low, high = value if isinstance(value, tuple) else (value, value)
    if low == high:
        return number_text(low)
    return f"{number_text(low)} to {number_text(high)}"


def _rivals(why: Explanation) -> Iterator[str]:
    shown = why.rivals[:MOST_RIVALS]
    for i, rival in enumerate(shown):
        if why.decision == "evidence":
            line = f"probability {percent(rival.probability)}"
        else:
            line = f"membership {rival.box.membership:.3f} ({rival.margin:.3f} less)"
        line = f"next: {class_text(rival.label)}, {line}"
        yield from _wrapped(f"{line}; box {rival.box.box}: {rival.box.rule}", 6, 1 if i else 2)
    if len(why.rivals) > len(shown):
        yield f"and {counted(len(why.rivals) - len(shown), 'other class', 'other classes')}"


def counterfactual_lines(why: Explanation) -> list[str]:
    """Say what would change the prediction, or why that is not known; nothing if nobody asked.

    The support of the changed rows is named if there are several of them, or might have been.
    """
    found, why_not = why.counterfactuals, why.no_counterfactual
    if not found:
        return [] if why_not is None else [f"No change found: {why_not}."]
    several = len(found) > 1 or why_not is not None
    lines = [_counterfactual(why, one, several=several) for one in found]
    return lines if why_not is None else [*lines, f"No further change found: {why_not}."]


def _counterfactual(why: Explanation, found: Counterfactual, *, several: bool) -> str:
    changes = " and ".join(change_text(change) for change in found.changes)
    notes = [percent(found.probability)] if why.decision == "evidence" else []
    if several and found.support is not None:
        notes.append(f"support {rows_text(found.support)}")
    sure = f" ({', '.join(notes)})" if notes else ""
    return f"It would be {class_text(found.prediction)}{sure} with {changes}."


def change_text(change: Change) -> str:
    """Say what is changed; the new number in full, for rounded it may not change anything."""
    is_number = isinstance(change.old, float | tuple)
    old = _number_or_interval(change.old) if is_number else value_text(change.old)
    return f"{change.column} {_exact(change.new)} instead of {old}"


def _exact(value: object) -> str:
    if isinstance(value, tuple):
        return f"{_exact(value[0])} to {_exact(value[1])}"
    if isinstance(value, float):
        return (
            f"{value:,.0f}" if value.is_integer() and abs(value) < EXPONENT_FROM else f"{value:,}"
        )
    return value_text(value)


def percent(share: float) -> str:
    """Return a share in percent; what is not all, or nothing, is not shown as such."""
    text = f"{share:.0%}"
    if text == "100%" and share < 1:
        return ">99%"
    return "<1%" if text == "0%" and share > 0 else text


def _on_one_line(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def _cut(text: str) -> str:
    text = _on_one_line(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _wrapped(text: str, indent: int = 2, lines: int = 3) -> list[str]:
    return wrap(
        text,
        WIDTH,
        subsequent_indent=" " * indent,
        max_lines=lines,
        placeholder=" …",
        drop_whitespace=True,
    )
