"""Figures of groups of rows, and the differences between groups."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from boxwise.evaluate.quality.figures import BY_CLASS, OVERALL, figures, within_bounds
from boxwise.evaluate.quality.predictions import Floats, Predictions
from boxwise.evaluate.quality.resampling import Figure, Resampling
from boxwise.evaluate.quality.text import group_table

SMALL = 50  # rows; with fewer, a rate is uncertain by more than 0.14 at the level of 0.95

Key = tuple[Hashable | None, str]  # a class, None for all, and the name of a figure


@dataclass(frozen=True, eq=False)
class Group:
    """The rows with one value of a column.

    Attributes
    ----------
    value : hashable
        The value.
    rows : int
        The number of rows.
    small : bool
        Whether they are fewer than 50: such a group is not compared.
    figures : dict of str to Figure
        As in `Assessment`.
    by_class : dict of label to dict of str to Figure
        As in `Assessment`.
    """

    value: Hashable
    rows: int
    small: bool
    figures: dict[str, Figure]
    by_class: dict[Hashable, dict[str, Figure]]


@dataclass(frozen=True, eq=False)
class Difference:
    """The difference of a figure between the groups with its largest and its smallest value.

    Attributes
    ----------
    figure : Figure
        The difference, at least 0, with its interval.
    highest, lowest : hashable
        The values of the two groups.
    ratio : Figure
        The smallest value divided by the largest.
    """

    figure: Figure
    highest: Hashable
    lowest: Hashable
    ratio: Figure


@dataclass(frozen=True, eq=False, repr=False)
class GroupComparison:
    """The groups of one column.

    Attributes
    ----------
    column : str
        The column.
    positive : hashable or None
        The positive class.
    groups : list of Group
        The groups, the one with most rows first.
    differences : dict
        For each figure, as ``(class, name)`` with None for figures of all classes, the `Difference`
        between groups that are not small; empty with fewer than two such groups.
    level : float
        The share of an interval.
    """

    column: str
    positive: Hashable | None
    groups: list[Group]
    differences: dict[Key, Difference]
    level: float

    def __repr__(self) -> str:
        return group_table(self)


def compare_groups(
    predictions: Predictions,
    column: str,
    positive: Hashable | None,
    resampling: Resampling,
    level: float,
) -> GroupComparison:
    """Return the figures of the groups of a column.

    The groups share the weights of each resample, in which differences are computed.

    Parameters
    ----------
    predictions : Predictions
        Those of all rows.
    column : str
        One of its groups.
    positive : hashable or None
        The positive class.
    resampling, level
        The way to find intervals, and their share.
    """
    of_rows, labels = predictions.groups[column], predictions.labels
    keys = figure_keys(labels)
    sizes = np.bincount(of_rows.codes, minlength=len(of_rows.values))
    codes = [code for code in np.argsort(-sizes, kind="stable").tolist() if sizes[code]]
    places = [np.flatnonzero(of_rows.codes == code) for code in codes]
    parts = [predictions.part(rows) for rows in places]
    samples = np.array(
        [
            [figures(part, w[rows]).flat for part, rows in zip(parts, places, strict=True)]
            for w in resampling.weights(len(predictions), len(labels))
        ]
    )  # resamples x groups x figures
    groups, values = [], []
    for i, code in enumerate(codes):
        summary = resampling.summarise(figures(parts[i]).flat, samples[:, i], level)
        found = within_bounds(summary, len(labels))
        values.append(found[0])
        flat = {key: Figure(*f) for key, f in zip(keys, found.T.tolist(), strict=True)}
        groups.append(_group(of_rows.values[code], len(places[i]), flat, labels))
    compared = [i for i, group in enumerate(groups) if not group.small]
    differences = {}
    if len(compared) > 1:
        names = [groups[i].value for i in compared]
        chosen = np.array(values)[compared]
        differences = _differences(keys, names, chosen, samples[:, compared], resampling, level)
    return GroupComparison(column, positive, groups, differences, level)


def figure_keys(labels: Sequence[Hashable]) -> list[Key]:
    """Return the keys of `Figures.flat`: overall, then class by class."""
    overall: list[Key] = [(None, name) for name in OVERALL]
    return overall + [(label, name) for label in labels for name in BY_CLASS]


def _group(
    value: Hashable, rows: int, flat: dict[Key, Figure], labels: Sequence[Hashable]
) -> Group:
    return Group(
        value,
        rows,
        rows < SMALL,
        {name: flat[None, name] for name in OVERALL},
        {label: {name: flat[label, name] for name in BY_CLASS} for label in labels},
    )


def _differences(
    keys: Sequence[Key],
    names: Sequence[Hashable],
    values: Floats,
    samples: Floats,
    resampling: Resampling,
    level: float,
) -> dict[Key, Difference]:
    """Return the differences between the groups with the extreme values of each figure."""
    found = {}
    for j, key in enumerate(keys):
        held = np.flatnonzero(~np.isnan(values[:, j]))
        if len(held) < 2:
            continue
        high = held[np.argmax(values[held, j])]
        low = held[np.argmin(values[held, j])]
        top, bottom = values[high, j], values[low, j]
        above, below = samples[:, high, j], samples[:, low, j]
        with np.errstate(divide="ignore", invalid="ignore"):
            pairs = np.array([[top - bottom], [bottom / top if top > 0 else np.nan]])
            resampled = np.column_stack([above - below, np.where(above > 0, below / above, np.nan)])
        both = resampling.summarise(pairs.ravel(), resampled, level)
        both[:, 1] = np.maximum(both[:, 1], 0.0)  # a ratio
        difference, ratio = (Figure(*column) for column in both.T.tolist())
        found[key] = Difference(difference, names[high], names[low], ratio)
    return found
