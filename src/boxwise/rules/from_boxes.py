"""Boxes as rules: an interval or a set of values per column, where it binds.

The conditions that raise the precision of a rule most come first. Where all boxes vote, a rule has
five conditions at most, and boxes of retired experts and of challengers make no rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from boxwise.core import BoundSettings, Boxes, Model
from boxwise.rules.condition import Between, Condition, OneOf
from boxwise.rules.condition_gain import ConditionGain
from boxwise.rules.rule import Rule
from boxwise.schema import Column, Schema


def rules_of_boxes(
    model: Model, schema: Schema, *, min_share: float = 0.0, full: bool = False
) -> list[Rule]:
    """Return a rule for each box that has a class, ranked by the rows it has learned.

    Parameters
    ----------
    model : Model
        What has learned.
    schema : Schema
        Its columns with their ranges.
    min_share : float from 0 to 1
        Values that make up less of the rows of a box are left out of its rule; never the most
        frequent one.
    full : bool
        Whether to keep the conditions that do not bind: those that the box spans entirely and,
        where all boxes vote, those that do not raise the precision of the rule, and all but the
        five with the largest gain.
    """
    if isinstance(model.settings, BoundSettings) and schema.categorical:
        raise ValueError(
            "the boxes of CastilloGFMM are bounded by distances between categories, which no rule "
            "can say; use HyperboxClassifier"
        )
    boxes = model.boxes()
    gain = ConditionGain(model, boxes)
    labels = boxes.labels.tolist()
    described = [i for i in np.flatnonzero(gain.present).tolist() if labels[i] is not None]
    described.sort(key=lambda i: (-float(boxes.n_samples[i]), i))
    return [
        Rule(
            tuple(_conditions(boxes, i, schema, gain, min_share, full)),
            labels[i],
            rank,
            max(round(float(boxes.n_samples[i])), 1),
            (i,),
        )
        for rank, i in enumerate(described)
    ]


def _conditions(
    boxes: Boxes, i: int, schema: Schema, gain: ConditionGain, min_share: float, full: bool
) -> Sequence[Condition]:
    """Return the conditions of a box, those that bind first, in order of their gain.

    Where none binds, one condition stays: no rule of one box among others holds always.
    """
    found = _every_condition(boxes, i, schema, min_share)
    limiting = {j: c for j, c in found.items() if not _spans(c, schema.columns[j])}
    binding = gain.binding(i, limiting)
    kept = [found[j] for j in binding]
    if not full and gain.most_conditions is not None:
        return kept[: gain.most_conditions] or [*limiting.values()][:1]
    others = found if full else limiting
    return kept + [_not_binding(c) for j, c in others.items() if j not in binding]


def _not_binding(condition: Between | OneOf) -> Between | OneOf:
    return condition if isinstance(condition, Between) else replace(condition, binds=False)


def _every_condition(
    boxes: Boxes, i: int, schema: Schema, min_share: float
) -> dict[int, Between | OneOf]:
    """Return the conditions of a box by column, but for numeric ones that are all missing in it."""
    intervals = zip(boxes.lower[i].tolist(), boxes.upper[i].tolist(), strict=True)
    sets = iter(boxes.counts[i])
    conditions: dict[int, Between | OneOf] = {}
    for j in schema.known:
        name = schema.names[j]
        if schema.columns[j].vocabulary is not None:
            counts = _frequent(next(sets), min_share)
            conditions[j] = OneOf(name, (*counts,), (*counts.values(),))
            continue
        low, high = next(intervals)
        if not np.isnan(low):
            conditions[j] = Between(name, low, high)
    return conditions


def _spans(condition: Between | OneOf, column: Column) -> bool:
    """Say whether a condition holds for everything seen in its column."""
    if isinstance(condition, OneOf):
        return column.vocabulary is not None and len(condition.values) >= len(column.vocabulary)
    least, most = column.range or (np.nan, np.nan)
    return condition.lower <= least and most <= condition.upper


def _frequent(counts: Mapping[object, int], min_share: float) -> dict[object, int]:
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    n = sum(counts.values())
    return dict(item for k, item in enumerate(ranked) if not k or item[1] >= min_share * n)
