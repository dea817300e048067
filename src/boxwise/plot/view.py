"""A fitted model as pictures need it: its boxes column by column, its classes, its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Boxes
from boxwise.explain import carrying
from boxwise.plot.class_styles import ClassStyles
from boxwise.plot.scales import CategoryScale, NumberScale, Scale
from boxwise.plot.texts import known_names
from boxwise.schema import Schema, Vocabulary, show

TAIL = 0.05  # of the rows, at each end
WORTH_CUTTING = 3.0  # times as long as without the ends


class View:
    """The parts of a fitted estimator that can be drawn.

    Attributes
    ----------
    boxes, schema
        Those of the model, at one moment.
    shown : array of bool
        By box: whether it belongs in pictures. Boxes of retired experts and of challengers do only
        while these have some weight in predictions.
    style_of : array
        The number of the style of each box, in ``styles.all``.
    """

    def __init__(self, model: Any) -> None:
        if not hasattr(type(model), "boxes_"):
            raise TypeError(
                f"{type(model).__name__} has no boxes to draw; give a fitted estimator of boxwise "
                "(of a pipeline its last step, of boxwise.river its .classifier)"
            )
        self.model = model
        self.boxes: Boxes = model.boxes_
        self.schema: Schema = model.schema_
        if not len(self.boxes):
            raise ValueError("the model has no boxes yet; let it learn some rows first")
        carries = carrying(model._fitted())  # it may have learned since
        same = len(carries) == len(self.boxes)
        self.shown: NDArray[np.bool_] = carries if same else np.ones(len(self.boxes), bool)
        self.classes: list[object] = model.classes_.tolist()
        code_of = {label: code for code, label in enumerate(self.classes)}
        self.class_of = np.array([code_of.get(x, -1) for x in self.boxes.labels.tolist()])
        rows = [float(self.rows_in(code).sum()) for code in range(len(self.classes))]
        self.styles = ClassStyles(self.classes, rows)
        self.style_of = self.styles.of(self.class_of)

    def rows_in(self, code: int) -> NDArray[Any]:
        """Return the rows of the boxes of a class."""
        found: NDArray[Any] = self.boxes.n_samples[self.class_of == code]
        return found

    def strongest(self, most: int, among: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
        """Return the boxes to show with most rows, of those among which to choose."""
        there = np.flatnonzero(self.shown if among is None else self.shown & among)
        order = np.argsort(-self.boxes.n_samples[there], kind="stable")
        found: NDArray[np.intp] = there[order[:most]]
        return found

    def position(self, which: object) -> int:
        """Return the position of a column that is given by name or position."""
        names = self.schema.names
        whole = isinstance(which, int | np.integer) and not isinstance(which, bool)
        if not whole and str(which) in names:
            return names.index(str(which))
        if isinstance(which, int | np.integer) and whole:
            if -len(names) <= which < len(names):
                return range(len(names))[int(which)]
            raise ValueError(f"there is no column {which}; there are {len(names)}, from 0 on")
        raise ValueError(f"there is no column {show(which)}; there are {known_names(self.schema)}")

    def is_number(self, j: int) -> bool:
        """Say whether column `j` is one of numbers."""
        return self.schema.columns[j].kind == "numeric"

    def interval(self, j: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where each box begins and ends in a numeric column."""
        k = self.schema.numeric.index(j)
        return self.boxes.lower[:, k], self.boxes.upper[:, k]

    def is_seen(self, j: int) -> bool:
        """Say whether any box has seen a value of column `j`."""
        if j in self.schema.unknown:
            return False
        return not self.is_number(j) or not np.isnan(self.interval(j)[0]).all()

    def totals(self, j: int) -> Counter[object]:
        """Return how many rows of all boxes have each value of a categorical column."""
        found = self._totals.get(j)
        if found is None:
            k = self.schema.categorical.index(j)
            found = self._totals[j] = Counter(dict.fromkeys(self.vocabulary(j).values, 0))
            for counts in self.boxes.counts:
                found.update(counts[k])
        return found

    @cached_property
    def _totals(self) -> dict[int, Counter[object]]:
        return {}

    def vocabulary(self, j: int) -> Vocabulary:
        """Return the values of a categorical column."""
        vocabulary = self.schema.columns[j].vocabulary
        assert vocabulary is not None
        return vocabulary

    def scale(
        self, j: int, *more: NDArray[np.float64], rest: bool = False, cut: bool = False
    ) -> Scale:
        """Return an axis for column `j`, on which `more` numbers have room too.

        With `cut`, long ends that hold hardly any rows are left out.
        """
        name = self.schema.names[j]
        if name in self.boxes.apart:
            raise ValueError(
                f"column {name!r} is one of monotonic_cst, which boxes do not see; choose another "
                "column, or draw its curve with plot_curves"
            )
        if not self.is_seen(j):
            raise ValueError(f"column {name!r}: no box has a value; choose another column")
        if not self.is_number(j):
            return CategoryScale.over(name, self.totals(j), rest=rest)
        ends = self.interval(j)
        inner = self._inner(j) if cut else None
        if inner is None:
            return NumberScale.over(name, *ends, *more)
        scale = NumberScale.over(name, inner, *more)
        return replace(scale, is_cut=True)

    def _inner(self, j: int) -> NDArray[np.float64] | None:
        """Return the ends of the middle 90% of rows, if the others make the scale far longer."""
        lower, upper = self.interval(j)
        seen = ~np.isnan(lower)
        rows = self.boxes.n_samples[seen]
        low, high = _quantile(lower[seen], rows, TAIL), _quantile(upper[seen], rows, 1 - TAIL)
        if not np.ptp([lower[seen].min(), upper[seen].max()]) > WORTH_CUTTING * (high - low) > 0:
            return None
        return np.array([low, high])

    def shares(self, j: int, scale: CategoryScale, boxes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the share of each slot of a scale among the rows of each of these boxes."""
        k = self.schema.categorical.index(j)
        values = self.vocabulary(j).values
        slots = dict(zip(values, scale.slots(values)[:-1].tolist(), strict=True))
        shares = np.zeros((len(boxes), scale.n_slots))
        counts = self.boxes.counts
        for i, box in enumerate(boxes.tolist()):
            for value, times in counts[box][k].items():
                if slots[value] == slots[value]:
                    shares[i, int(slots[value])] += times
        totals = np.array([sum(counts[box][k].values()) or 1 for box in boxes.tolist()])
        shares /= totals[:, None]
        return shares

    def table(self, cells: Sequence[Sequence[Any]]) -> Any:
        """Return rows that the model takes, of the cells of each column."""
        columns = [
            np.array([np.nan if v is None else v for v in column], dtype=float)
            if self.is_number(j)
            else column
            for j, column in enumerate(cells)
        ]
        if self.schema.named:
            return dict(zip(self.schema.names, columns, strict=True))
        table = np.empty((len(cells[0]), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            table[:, j] = column
        return table if self.schema.categorical else table.astype(float)

    def usual(self, j: int) -> object:
        """Return the usual value of a column: the median of the boxes by rows, or the mode."""
        if not self.is_seen(j):
            return None
        if not self.is_number(j):
            ((value, _),) = self.totals(j).most_common(1)
            return value
        lower, upper = self.interval(j)
        seen = ~np.isnan(lower)
        middle = (lower[seen] + upper[seen]) / 2
        return _quantile(middle, self.boxes.n_samples[seen], 0.5)


def _quantile(values: NDArray[np.float64], rows: NDArray[Any], share: float) -> float:
    """Return the value below which a share of the rows lies."""
    order = np.argsort(values, kind="stable")
    below = rows[order].cumsum()
    return float(values[order][np.searchsorted(below, share * below[-1])])
