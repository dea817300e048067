"""Styles that tell classes apart by colour and, where colour is not seen, by mark and hatch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boxwise.evaluate.line_styles import COLOURS
from boxwise.plot.texts import shown

if TYPE_CHECKING:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

OTHERS = "#999999"
NO_CLASS = "#666666"
MARKERS = "os^DvPX*"
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "||", "+")
TINT = 0.3  # how much of its colour a region has; the rest is white


@dataclass(frozen=True)
class ClassStyle:
    """The style of one class, or of all classes that share it."""

    label: str
    colour: str
    marker: str
    hatch: str
    dashes: str = "-"

    @property
    def tint(self) -> tuple[float, float, float]:
        """The colour of regions and areas: opaque, so that what is seen is in the legend."""
        from matplotlib.colors import to_rgb

        red, green, blue = (1 - TINT * (1 - part) for part in to_rgb(self.colour))
        return red, green, blue

    def patch(self) -> Patch:
        """Return an area for a legend."""
        from matplotlib.patches import Patch

        return Patch(facecolor=self.tint, edgecolor=self.colour, hatch=2 * self.hatch)

    def mark(self) -> Line2D:
        """Return a point for a legend."""
        from matplotlib.lines import Line2D

        return Line2D(
            [], [], linestyle="", marker=self.marker, color=self.colour, markersize=6,
            markeredgecolor="white", markeredgewidth=0.6,
        )  # fmt: skip


class ClassStyles:
    """The styles of all classes of a model.

    Each class has one of its own while there are styles. If there are more classes, those with
    most rows have one each, and the rest are grey together.

    Parameters
    ----------
    classes : sequence
        The classes; a class is known here by its position.
    rows : array
        The rows of each class.

    Examples
    --------
    >>> styles = ClassStyles(["approved", "declined"], [10, 20])
    >>> [style.label for style in styles.all]
    ['approved', 'declined', 'no class']
    >>> styles.of([1, -1, 0]).tolist()
    [1, 2, 0]
    """

    def __init__(self, classes: Sequence[object], rows: Sequence[float]) -> None:
        most = len(COLOURS)
        own = sorted(np.argsort(-np.asarray(rows), kind="stable")[:most].tolist())
        self.all = [
            ClassStyle(shown(classes[code]), COLOURS[k], MARKERS[k], HATCHES[k])
            for k, code in enumerate(own)
        ]
        rest = [label for code, label in enumerate(classes) if code not in own]
        style_of = np.full(len(classes) + 1, len(own))
        style_of[own] = np.arange(len(own))
        if rest:
            name = shown(rest[0]) if len(rest) == 1 else f"{len(rest)} other classes"
            self.all.append(ClassStyle(name, OTHERS, MARKERS[most], HATCHES[most]))
        style_of[-1] = len(self.all)  # what has no class
        self.all.append(ClassStyle("no class", NO_CLASS, ".", "", dashes="--"))
        self._style_of = style_of

    def of(self, codes: Sequence[int] | NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the number of the style of each class; -1 is no class."""
        found: NDArray[np.intp] = self._style_of[np.asarray(codes, dtype=np.intp)]
        return found
