"""The curves of a model: what each column adds to the log-odds of the classes, value by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings, Model
from boxwise.explain.box_arrays import Floats
from boxwise.reference.additive import OWN_VALUES
from boxwise.schema import Column, Kind

NEGLIGIBLE = 0.005  # importance of a curve: 1% of the odds of two classes, in the mean


@dataclass(frozen=True)
class CurvePoint:
    """The contribution of a column to rows that share one: missing values, rare categories.

    Attributes
    ----------
    contributions, lately : array of shape (classes,)
        As in `Curve`.
    rows : float
        How many learned rows there are.
    """

    contributions: Floats
    lately: Floats
    rows: float


@dataclass(frozen=True)
class Curve:
    """The contribution of one column to the logits of the classes, value by value.

    Curves are centred, as in most additive models: the mean of the contributions over the learned
    rows of the column is 0. What was taken off is the `offset`. So ``contributions + offset``,
    times ``s / (s + 0.1)`` for a row of support s, is what `explain` says of the row
    (``sums[...].curves``), and the constant that belongs to centred curves is the constant there
    plus the offsets of all columns. The log-odds of one class against another are the difference
    of their logits. Of two classes, the contributions to one are minus those to the other, so that
    the log-odds are twice the logit.

    A curve is what the column adds to the boxes, not all that the column does: boxes know the
    columns too. Where they overstate an effect, the curve takes some of it off again.

    Attributes
    ----------
    column, kind
        Its name, and whether it is "numeric" or "categorical".
    classes : tuple
        The classes that have been learned, in the order of ``classes_``.
    values : array
        Of a numeric column the numbers, rising, at which the curve bends; it is straight between
        them, so that ``np.interp`` reads it anywhere from the least to the largest. It has none
        before it has two different numbers. Of a categorical column those of the first twelve
        values that are not missing: they have a weight each.
    contributions : array of shape (values, classes)
        What each value adds to the logit of each class.
    lately : array of shape (values, classes)
        The same by the filters that follow the latest rows (some hundreds), about their own mean:
        where it differs from `contributions`, the column acts in another way than it did.
    rows : array
        How many learned rows have the value, or a number for which it stands.
    missing : CurvePoint
        The missing value; if a categorical column has it among the `others`, as it does where no
        value has been missing yet, it adds what they do, and its rows count there.
    others : CurvePoint or None
        All other values of a categorical column together, and those never learned.
    n_others : int
        How many of these the model tells apart; past 255 values of a column it counts no more.
    offset : array of shape (classes,)
        The mean that was taken off the contributions.
    importance : float
        The mean of the absolute contributions over the learned rows and the classes.
    """

    column: str
    kind: Kind
    classes: tuple[Any, ...]
    values: NDArray[Any]
    contributions: Floats
    lately: Floats
    rows: Floats
    missing: CurvePoint
    others: CurvePoint | None
    n_others: int
    offset: Floats
    importance: float

    def _repr_html_(self) -> str:
        from boxwise.explain.curve_card import curve_card

        return curve_card(self)


def curves_of(model: Model, order: Sequence[int]) -> list[Curve]:
    """Return the curve of each column that has a kind, in the order of the columns.

    Parameters
    ----------
    model : Model
        One that decides by evidence. It must not learn meanwhile.
    order : sequence of int
        The learned classes by their codes, in the order in which the curves are to have them.
    """
    if not isinstance(model.settings, EvidenceSettings) or not model.settings.additive:
        raise ValueError(
            "this model was learned with additive=False and has no curves; learn with "
            "additive=True, the default"
        )
    schema = model.schema
    columns = [*schema.numeric, *schema.categorical]
    by_column = dict(zip(columns, model.engine.curves(), strict=True))
    classes = tuple(model.classes[code] for code in order)
    return [_curve(schema.columns[j], classes, order, **by_column[j]) for j in sorted(columns)]


def _curve(
    column: Column,
    classes: tuple[Any, ...],
    order: Sequence[int],
    *,
    values: Floats,
    rows: Floats,
    mixed: Floats,
    lately: Floats,
) -> Curve:
    mixed, lately = mixed[:, [*order]], lately[:, [*order]]
    offset, offset_lately = _mean(mixed, rows), _mean(lately, rows)
    contributions, lately = mixed - offset, lately - offset_lately
    places = _Places.of(column, values, len(rows))

    def point(at: int) -> CurvePoint:
        return CurvePoint(contributions[at], lately[at], float(rows[at]))

    # Nothing is added for a value that was never learned, where there are no others.
    missing = CurvePoint(-offset, -offset_lately, 0.0)
    if places.missing is not None:
        missing = point(places.missing)
        if places.missing == places.others:
            missing = replace(missing, rows=0.0)
    return Curve(
        column=column.name,
        kind=column.kind,
        classes=classes,
        values=places.values,
        contributions=contributions[places.own],
        lately=lately[places.own],
        rows=rows[places.own],
        missing=missing,
        others=None if places.others is None else point(places.others),
        n_others=places.n_others,
        offset=offset,
        importance=float(_mean(np.abs(contributions), rows).mean()) if classes else 0.0,
    )


@dataclass(frozen=True)
class _Places:
    """The points of a curve of the engine, those of missing and rare values included."""

    values: NDArray[Any]
    own: list[int]  # by value
    missing: int | None
    others: int | None
    n_others: int

    @classmethod
    def of(cls, column: Column, numbers: Floats, n_points: int) -> _Places:
        """Return those of a column; `numbers` are its values if it is numeric."""
        if column.vocabulary is None:
            return cls(numbers, [*range(len(numbers))], len(numbers), None, 0)
        known = column.vocabulary.values
        others = OWN_VALUES if n_points > OWN_VALUES else None
        first = range(min(n_points, OWN_VALUES))
        own = [code for code in first if known[code] is not None]
        values = np.empty(len(own), dtype=object)
        values[:] = [known[code] for code in own]
        missing = column.vocabulary.codes.get(None)
        if missing not in first:
            missing = others
        return cls(values, own, missing, others, len(known) - OWN_VALUES if others else 0)


def _mean(points: Floats, rows: Floats) -> Floats:
    """Return the mean of each class over the rows; 0 where there are none."""
    total = rows.sum()
    mean: Floats = rows @ points / total if total > 0 else np.zeros(points.shape[1])
    return mean
