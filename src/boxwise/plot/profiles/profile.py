"""The data in the picture of one box: the box, its class, all rows, and perhaps one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.canvas import INK
from boxwise.plot.distribution import rows_along, rows_between
from boxwise.plot.held_values import HeldValues
from boxwise.plot.rows import Rows
from boxwise.plot.scales import CategoryScale
from boxwise.plot.texts import shown
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.artist import Artist

ALL_ROWS = "#c4cad1"


class Profile:
    """One box of a view, with the rows to compare it with.

    Without rows of data, those of all boxes stand for them.
    """

    def __init__(self, view: View, box: int, rows: Rows | None, row: HeldValues) -> None:
        self.view = view
        self.box = box
        self.row = row
        self.style = view.styles.all[view.style_of[box]]
        code = int(view.class_of[box])
        # A class without a style of its own still has a name of its own.
        self.class_name = "no class" if code < 0 else shown(view.classes[code])
        self._rows = rows
        class_of = view.class_of if rows is None else rows.class_of
        self._of_class = (class_of == code) if code >= 0 else np.zeros(len(class_of), dtype=bool)

    @property
    def knows_class(self) -> bool:
        """Whether there are rows of its class to compare with."""
        return bool(self._of_class.any())

    def numbers(self, j: int) -> NDArray[np.float64]:
        """Return all numbers to be seen in column `j`."""
        ends = np.concatenate(self.view.interval(j))
        given = [self.row.number(j)] if self.row.gives(j) else []
        parts = [ends, np.array(given)]
        return np.concatenate(parts if self._rows is None else [*parts, self._rows.numbers(j)])

    def densities(self, j: int, edges: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the share of rows between these edges: of all rows, and of those of its class."""
        everyone = np.ones(len(self._of_class), dtype=bool)
        wanted = [everyone, self._of_class] if self.knows_class else [everyone]
        return [self._density(j, edges, among) for among in wanted]

    def _density(
        self, j: int, edges: NDArray[np.float64], among: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        if self._rows is not None:
            numbers = self._rows.numbers(j)[among]
            counts = np.histogram(numbers[~np.isnan(numbers)], edges)[0].astype(float)
        else:
            counts = rows_between(self.view, j, edges, among)
        return counts / (float(counts.sum()) or 1.0)

    def shares(self, j: int, scale: CategoryScale) -> list[NDArray[np.float64]]:
        """Return the share of each slot: in the box, among all rows, in its class if known."""
        view = self.view
        mine = view.shares(j, scale, np.array([self.box]))[0]
        everyone = np.ones(len(self._of_class), dtype=bool)
        wanted = [everyone, self._of_class] if self.knows_class else [everyone]
        return [mine, *(self._shares(j, scale, among) for among in wanted)]

    def _shares(
        self, j: int, scale: CategoryScale, among: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        if self._rows is not None:
            slots = self._rows.slots(j, scale)[among]
            counts = np.bincount(slots[~np.isnan(slots)].astype(int), minlength=scale.n_slots)
            return counts / max(1, int(among.sum()))
        rows = rows_along(self.view, j, scale, among)
        return rows / (float(self.view.boxes.n_samples[among].sum()) or 1.0)

    def handles(self) -> list[Artist]:
        """Return what a legend has to explain."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        of = "all rows" if self._rows is not None else "the rows of all boxes"
        box = self.style.patch()
        box.set_label("this box")
        handles: list[Any] = [box, Patch(facecolor=ALL_ROWS, label=of)]
        if self.knows_class:
            label = f"{'rows' if self._rows is not None else 'boxes'} of class {self.class_name}"
            handles.append(Line2D([], [], color=self.style.colour, linewidth=1.6, label=label))
        if any(self.row.gives(j) for j in self.view.schema.known):
            handles.append(
                Line2D([], [], color=INK, linestyle=":", marker="D", markersize=5, label="the row")
            )
        return handles
