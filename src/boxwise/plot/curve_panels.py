"""The panels in the picture of the curves: a line over numbers, marks over categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boxwise.explain import Curve
from boxwise.plot.canvas import GREY, SMALL
from boxwise.plot.class_styles import ClassStyle
from boxwise.plot.distribution import BINS
from boxwise.plot.profiles.profile import ALL_ROWS
from boxwise.plot.scales import NumberScale
from boxwise.plot.texts import shown
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

TAIL = 1 / 64  # of the rows, at each end: what the scale of a column tells apart
WORTH_CUTTING = 2.0  # times as long as without the ends
VISIBLE = 0.04  # of the height of a panel
SUPPORT = 0.16  # of the height of a panel, for the rows
MOST_VALUES = 8  # of a categorical column: those with most rows


class CurvePanel:
    """The panel of one curve.

    Attributes
    ----------
    curve : Curve
        The curve.
    low, high : float
        The least and the largest contribution drawn.
    notes : list of str
        What is left out.
    shows_lately : bool
        Once it is drawn: whether the latest rows say something else.
    """

    def __init__(self, curve: Curve, view: View) -> None:
        self.curve = curve
        self.styles = _styles(curve, view)
        self.notes: list[str] = []
        self.shows_lately = False
        self._kept = self._visible()
        points = [self._points(name) for name in ("contributions", "lately")]
        self.low = min(float(part.min(initial=0.0)) for part in points)
        self.high = max(float(part.max(initial=0.0)) for part in points)

    def draw(self, ax: Axes, low: float, high: float) -> None:
        """Draw it; all panels have log-odds from `low` to `high`."""
        room = max(high - low, 1e-3)
        bottom, top = low - 0.08 * room, high + 0.08 * room
        ax.set_ylim(bottom - SUPPORT / (1 - SUPPORT) * (top - bottom), top)
        ax.set_yticks([tick for tick in ax.get_yticks() if bottom <= tick <= top])
        ax.axhline(0, color=GREY, linewidth=0.7, zorder=1)
        now, lately = (self._points(name) for name in ("contributions", "lately"))
        self.shows_lately = bool(np.abs(now - lately).max(initial=0.0) > VISIBLE * room)
        ax.tick_params(labelsize=SMALL)
        ax.spines[["top", "right"]].set_visible(False)
        draw = self._draw_numbers if self.curve.kind == "numeric" else self._draw_categories
        draw(ax, now, lately)

    def _visible(self) -> NDArray[np.bool_]:
        """Return which values are drawn, and note what is left out."""
        values, rows = self.curve.values, self.curve.rows
        every = np.ones(len(values), dtype=bool)
        if self.curve.kind == "categorical":
            left = len(values) - MOST_VALUES
            if left > 0:
                every[np.argsort(-rows, kind="stable")[MOST_VALUES:]] = False
                self.notes.append(f"the {MOST_VALUES} values with most rows")
            return every
        below = np.cumsum(rows) / max(rows.sum(), 1.0)
        kept: NDArray[np.bool_] = (below >= TAIL) & (
            below - rows / max(rows.sum(), 1.0) <= 1 - TAIL
        )
        if not kept.any() or np.ptp(values) <= WORTH_CUTTING * np.ptp(values[kept]):
            return every
        self.notes.append(f"{rows[kept].sum() / rows.sum():.0%} of its rows")
        return kept

    def _points(self, name: str) -> Floats:
        """Return what is drawn, points × lines: values, then others, then what is missing."""
        curve = self.curve
        parts = [getattr(curve, name)[self._kept]]
        parts += [getattr(part, name)[None] for part in self._apart()]
        points: Floats = np.vstack(parts)
        if len(curve.classes) == 2:
            points = points[:, [1]] - points[:, [0]]
        return points

    def _apart(self) -> list[Any]:
        others, missing = self.curve.others, self.curve.missing
        return [part for part in (others, missing) if part is not None and part.rows > 0]

    def _draw_numbers(self, ax: Axes, now: Floats, lately: Floats) -> None:
        values = self.curve.values[self._kept].astype(float)
        if not len(values):
            ax.set(xticks=[])
            self.notes.append("no two values yet")
            return
        scale = NumberScale.over(self.curve.column, values)
        n = len(values)
        for k, style in enumerate(self.styles):
            ax.plot(values, now[:n, k], color=style.colour, linewidth=1.6, zorder=4, gid="curve")
            if self.shows_lately:
                ax.plot(
                    values, lately[:n, k], color=style.colour, linewidth=1.1, linestyle="--",
                    alpha=0.6, zorder=3, gid="lately",
                )  # fmt: skip
        edges = np.linspace(values[0], values[-1], BINS + 1)
        rows, _ = np.histogram(values, edges, weights=self.curve.rows[self._kept])
        ax.stairs(
            rows / max(rows.max(), 1.0) * 0.8 * SUPPORT, edges, fill=True, color=ALL_ROWS,
            transform=ax.get_xaxis_transform(), zorder=1, gid="rows",
        )  # fmt: skip
        scale.dress(ax.xaxis, 5, room=26)
        right = scale.high
        if len(now) > n:
            right += 0.16 * (scale.high - scale.low)
            self._draw_missing(ax, scale.high + 0.06 * (scale.high - scale.low), now[n], lately[n])
        ax.set_xlim(scale.low, right)

    def _draw_missing(self, ax: Axes, x: float, now: Floats, lately: Floats) -> None:
        for k, style in enumerate(self.styles):
            self._mark(ax, [x], now[[k]], lately[[k]], style)
        ax.annotate(
            "missing", (x, 1), xycoords=ax.get_xaxis_transform(), ha="center", va="top",
            fontsize=SMALL, color=GREY, gid="value",
        )  # fmt: skip

    def _draw_categories(self, ax: Axes, now: Floats, lately: Floats) -> None:
        curve = self.curve
        order = np.argsort(-curve.rows[self._kept], kind="stable").tolist()
        texts = [shown(curve.values[self._kept][i], 12) for i in order]
        order += range(len(order), len(now))
        rows = [*curve.rows[self._kept].tolist(), *(part.rows for part in self._apart())]
        if curve.others is not None and curve.others.rows > 0:
            texts.append(f"{curve.n_others:,} others" if curve.n_others > 1 else "1 other")
        if curve.missing.rows > 0:
            texts.append("missing")
        places = np.arange(len(order), dtype=float)
        for k, style in enumerate(self.styles):
            aside = 0.0 if len(self.styles) == 1 else 0.5 * (k / (len(self.styles) - 1) - 0.5)
            self._mark(ax, places + aside, now[order, k], lately[order, k], style)
        heights = np.array(rows)[order] / max([*rows, 1.0]) * 0.8 * SUPPORT
        ax.bar(
            places, heights, 0.6, color=ALL_ROWS, transform=ax.get_xaxis_transform(), zorder=1,
            gid="rows",
        )  # fmt: skip
        ax.set_xlim(-0.6, len(order) - 0.4)
        ax.set_xticks(places, texts)
        if sum(len(text) + 2 for text in texts) > 34:
            for label in ax.get_xticklabels():
                label.set(rotation=40, ha="right", rotation_mode="anchor")

    def _mark(self, ax: Axes, x: Any, now: Floats, lately: Floats, style: ClassStyle) -> None:
        size = 5.5 if len(self.styles) == 1 else 4
        if len(self.styles) == 1:
            ax.vlines(x, 0, now, color=style.colour, linewidth=2.2, alpha=0.5, zorder=2)
        ax.plot(
            x, now, linestyle="", marker=style.marker, color=style.colour, markersize=size,
            zorder=4, gid="curve",
        )  # fmt: skip
        if self.shows_lately:
            ax.plot(
                x, lately, linestyle="", marker=style.marker, markersize=size, zorder=3,
                markerfacecolor="none", markeredgecolor=style.colour, alpha=0.7, gid="lately",
            )  # fmt: skip


def _styles(curve: Curve, view: View) -> list[ClassStyle]:
    """Return the style of each line: of two classes there is one, for the second."""
    codes = [view.classes.index(label) for label in curve.classes]
    if len(codes) == 2:
        codes = codes[1:]
    return [view.styles.all[k] for k in view.styles.of(codes).tolist()]


def handles(panels: list[CurvePanel]) -> list[Any]:
    """Return what a legend has to explain."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    styles = panels[0].styles
    several = len(styles) > 1
    names = {style.label: style for style in styles}
    found: list[Any] = [
        Line2D(
            [], [], color=style.colour, marker=style.marker, markersize=5,
            label=label if several else "curve",
        )
        for label, style in names.items()
    ]  # fmt: skip
    if any(panel.shows_lately for panel in panels):
        colour = GREY if several else styles[0].colour
        found.append(
            Line2D(
                [], [], color=colour, linestyle="--", marker=styles[0].marker, markersize=5,
                markerfacecolor="none", alpha=0.6, label="latest rows",
            )
        )  # fmt: skip
    found.append(Patch(facecolor=ALL_ROWS, label="learned rows"))
    return found
