"""Boxes as rules: an interval or a set of values per column, where it binds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boxwise.core import BoundSettings, Boxes, Model
from boxwise.rules.condition import Between, Condition, OneOf
from boxwise.rules.rule import Rule
from boxwise.schema import Schema


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
        Whether to keep the conditions that do not bind.
    """
    if isinstance(model.settings, BoundSettings) and schema.categorical:
        raise ValueError(
            "the boxes of CastilloGFMM are bounded by distances between categories, which no rule "
            "can say; use HyperboxClassifier"
        )
    boxes = model.boxes()
    described = [(i, label) for i, label in enumerate(boxes.labels.tolist()) if label is not None]
    described.sort(key=lambda box: (-int(boxes.n_samples[box[0]]), box[0]))
    return [
        Rule(
            tuple(_conditions(boxes, i, schema, min_share, full)),
            label,
            rank,
            int(boxes.n_samples[i]),
            (i,),
        )
        for rank, (i, label) in enumerate(described)
    ]


def _conditions(
    boxes: Boxes, i: int, schema: Schema, min_share: float, full: bool
) -> list[Condition]:
    intervals = zip(boxes.lower[i].tolist(), boxes.upper[i].tolist(), strict=True)
    sets = iter(boxes.counts[i])
    conditions: list[Condition] = []
    for column in (schema.columns[j] for j in schema.known):
        if column.vocabulary is not None:
            counts = _frequent(next(sets), min_share)
            if full or len(counts) < len(column.vocabulary):
                conditions.append(OneOf(column.name, (*counts,), (*counts.values(),)))
            continue
        low, high = next(intervals)
        if np.isnan(low):  # never seen: the box asks nothing of it
            continue
        least, most = column.range or (np.nan, np.nan)
        if full or not (low <= least and most <= high):
            conditions.append(Between(column.name, low, high))
    return conditions


def _frequent(counts: Mapping[object, int], min_share: float) -> dict[object, int]:
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    n = sum(counts.values())
    return dict(item for k, item in enumerate(ranked) if not k or item[1] >= min_share * n)
