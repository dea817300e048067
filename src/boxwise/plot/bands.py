"""The bands of a parallel picture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.class_styles import ClassStyle
from boxwise.plot.scales import CategoryScale, Scale
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SLOT = 0.8  # of the height of a slot, for the bands in it
LEAST = 0.008  # of an axis: what has no length is drawn with this one, so that it is seen
LEAST_SHARE = 0.2  # of a value among the rows of a box

Piece = tuple[float, float, float]  # where it begins and ends, and its share
Shape = list[tuple[float, float]]


class Bands:
    """The boxes that are drawn as bands, and where these meet each axis.

    Parameters
    ----------
    view : View
        The model.
    columns, scales
        The columns, and the axis of each.
    boxes : array
        The boxes to draw.
    """

    def __init__(
        self, view: View, columns: Sequence[int], scales: Sequence[Scale], boxes: NDArray[np.intp]
    ) -> None:
        self._view = view
        # Neighbours in a slot are of one class.
        self._boxes = boxes[np.argsort(view.style_of[boxes], kind="stable")]
        self._pieces = [
            self._of_categories(j, scale) if isinstance(scale, CategoryScale)
            else self._of_numbers(j, scale)
            for j, scale in zip(columns, scales, strict=True)
        ]  # fmt: skip

    def draw(self, ax: Axes) -> None:
        """Draw the bands, one collection for each class, and the marks of their classes."""
        from matplotlib.collections import PolyCollection
        from matplotlib.colors import to_rgba

        rows = self._view.boxes.n_samples[self._boxes]
        strength = (0.4 + 0.6 * np.sqrt(rows / rows.max())) * _opacity(len(rows))
        shapes: list[Shape] = []
        faces, edges, dashes = [], [], []
        for i in np.argsort(rows, kind="stable").tolist():  # the strongest is on top
            style = self._style(i)
            for shape, share in self._shapes(i):
                shapes.append(shape)
                faces.append(to_rgba(style.colour, strength[i] * share))
                edges.append(to_rgba(style.colour, min(0.9, (0.3 + strength[i]) * share)))
                dashes.append(style.dashes)
        bands = PolyCollection(shapes, facecolors=faces, edgecolors=edges, linestyles=dashes)
        bands.set(linewidth=0.8, zorder=3, gid="bands")
        ax.add_collection(bands)
        self._draw_marks(ax)

    def _style(self, i: int) -> ClassStyle:
        return self._view.styles.all[int(self._view.style_of[self._boxes[i]])]

    def _draw_marks(self, ax: Axes) -> None:
        """Draw the mark of its class where each band meets an axis."""
        styles = self._view.style_of[self._boxes]
        for k in np.unique(styles):
            places = [
                (x, (low + high) / 2)
                for i in np.flatnonzero(styles == k).tolist()
                for x, pieces in enumerate(self._pieces)
                for low, high, share in pieces[i]
                if share >= 0.5
            ]
            style = self._view.styles.all[k]
            ax.scatter(
                [x for x, _ in places], [y for _, y in places], s=20, marker=style.marker,
                color=style.colour, edgecolors="white", linewidths=0.5, zorder=7, gid="marks",
            )  # fmt: skip

    def _of_numbers(self, j: int, scale: Scale) -> list[list[Piece]]:
        pieces: list[list[Piece]] = []
        for low, high in zip(*(side[self._boxes] for side in self._view.interval(j)), strict=True):
            if np.isnan(low):  # nothing seen, so everything may be
                pieces.append([(0.0, 1.0, 0.3)])
                continue
            low, high = np.clip(
                [(end - scale.low) / (scale.high - scale.low) for end in (low, high)], 0.0, 1.0
            ).tolist()
            short = max(LEAST - (high - low), 0.0) / 2
            pieces.append([(low - short, high + short, 1.0)])
        return pieces

    def _of_categories(self, j: int, scale: CategoryScale) -> list[list[Piece]]:
        shares = self._view.shares(j, scale, self._boxes)
        slot = 1 / scale.n_slots
        lane = min(SLOT * slot / len(self._boxes), 0.03)
        begins = (np.arange(len(self._boxes)) - len(self._boxes) / 2) * lane
        return [
            [
                ((k + 0.5) * slot + begin, (k + 0.5) * slot + begin + lane, float(its[k]))
                for k in _enough(its)
            ]
            for its, begin in zip(shares, begins.tolist(), strict=True)
        ]

    def _shapes(self, i: int) -> list[tuple[Shape, float]]:
        """Return a shape from each piece of box `i` to each on the next axis, with its share."""
        shapes: list[tuple[Shape, float]] = []
        axes = [pieces[i] for pieces in self._pieces]
        for x, (here, there) in enumerate(pairwise(axes)):
            for low, high, share in here:
                for next_low, next_high, next_share in there:
                    ends = [(x, low), (x, high), (x + 1, next_high), (x + 1, next_low)]
                    shapes.append(([*ends], min(share, next_share)))
        if len(axes) == 1:
            for low, high, share in axes[0]:
                corners = [(-0.1, low), (-0.1, high), (0.1, high), (0.1, low)]
                shapes.append((corners, share))
        return shapes


def _opacity(n_boxes: int) -> float:
    """Return how opaque the strongest band is: the fewer there are, the more."""
    return float(np.clip(1.6 / n_boxes, 0.08, 0.5))


def _enough(shares: NDArray[np.float64]) -> list[int]:
    """Return the slots whose share is large enough to be drawn: at least the largest."""
    found: list[int] = np.flatnonzero(shares >= min(LEAST_SHARE, shares.max())).tolist()
    return found
