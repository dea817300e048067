"""The panels in the picture of one box: one for a numeric column, one for a categorical one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxwise.plot.canvas import INK, SMALL
from boxwise.plot.distribution import BINS
from boxwise.plot.profiles.profile import ALL_ROWS, Profile
from boxwise.plot.scales import CategoryScale, NumberScale
from boxwise.plot.texts import numbers, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 6


def draw_numbers(ax: Axes, profile: Profile, j: int) -> str:
    """Draw the interval of the box over the distribution of the rows, and say it in words."""
    _plain(ax)
    seen = profile.numbers(j)
    if np.isnan(seen).all():
        ax.set(xticks=[], yticks=[])
        return "no box has a value"
    scale = NumberScale.over(profile.view.schema.names[j], seen)
    edges = np.linspace(np.nanmin(seen), np.nanmax(seen), BINS + 1)
    if edges[0] == edges[-1]:
        edges = np.linspace(scale.low, scale.high, BINS + 1)
    everyone, *of_class = profile.densities(j, edges)
    highest = max(float(shares.max()) for shares in (everyone, *of_class)) or 1.0
    ax.stairs(everyone, edges, fill=True, color=ALL_ROWS, zorder=1, gid="all rows")
    for shares in of_class:
        ax.stairs(shares, edges, color=profile.style.colour, linewidth=1.4, zorder=3, gid="class")
    ax.set_xlim(scale.low, scale.high)
    ax.set_ylim(0, highest * 1.12)
    ax.set_yticks([])
    scale.dress(ax.xaxis, 5, room=30)
    low, high = (float(side[profile.box]) for side in profile.view.interval(j))
    if low == low:
        _draw_interval(ax, profile, scale, low, high)
    if profile.row.gives(j):
        ax.axvline(profile.row.number(j), color=INK, linestyle=":", linewidth=1.6, zorder=4)
        ax.plot(
            [profile.row.number(j)], [highest * 0.06], marker="D", color=INK, markersize=5,
            zorder=5, gid="row",
        )  # fmt: skip
    if low != low:
        return "no value in this box"
    return " to ".join(numbers([low] if low == high else [low, high]))


def _draw_interval(ax: Axes, profile: Profile, scale: NumberScale, low: float, high: float) -> None:
    style = profile.style
    least = 0.004 * (scale.high - scale.low)
    ax.axvspan(
        low - least, high + least, facecolor=style.colour, alpha=0.22, zorder=2, gid="interval",
        hatch=style.hatch, edgecolor=style.colour,
    )  # fmt: skip
    for end in {low, high}:
        ax.axvline(end, color=style.colour, linewidth=1.6, zorder=2)


def draw_categories(ax: Axes, profile: Profile, j: int) -> str:
    """Draw the share of each value in the box and among all rows; say what it holds most."""
    _plain(ax)
    scale = _scale(profile, j)
    mine, everyone, *of_class = profile.shares(j, scale)
    places = np.arange(scale.n_slots)
    ax.barh(places, everyone, 0.86, color=ALL_ROWS, zorder=1, gid="all rows")
    ax.barh(
        places, mine, 0.42, color=profile.style.tint, edgecolor=profile.style.colour, linewidth=1,
        hatch=2 * profile.style.hatch, zorder=2, gid="shares",
    )  # fmt: skip
    for shares in of_class:
        ax.vlines(
            shares, places - 0.43, places + 0.43, color=profile.style.colour, linewidth=1.6,
            zorder=3, gid="class",
        )  # fmt: skip
    ticks = scale.ticks()
    ax.set_yticks([place for place, _ in ticks], [text for _, text in ticks], fontsize=SMALL)
    ax.set_ylim(scale.n_slots - 0.5, -0.5)
    ax.set_xlim(0, 1.04)
    ax.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
    if profile.row.gives(j):
        slot = scale.slots([profile.row.value(j)])[0]
        ax.axhline(slot, color=INK, linestyle=":", linewidth=1.2, zorder=4)
        ax.plot([mine[int(slot)]], [slot], marker="D", color=INK, markersize=5, zorder=5, gid="row")
    top = int(mine[: len(scale.values)].argmax())
    return f"{shown(scale.values[top])} {mine[top]:.0%}"


def _scale(profile: Profile, j: int) -> CategoryScale:
    """Return slots for the values that matter here: those of the box and of the row first."""
    k = profile.view.schema.categorical.index(j)
    mine = profile.view.boxes.counts[profile.box][k]
    totals = profile.view.totals(j)
    n_mine, n_all = sum(mine.values()) or 1, sum(totals.values()) or 1
    weight: dict[object, float] = {
        value: max(mine.get(value, 0) / n_mine, times / n_all) for value, times in totals.items()
    }
    if profile.row.gives(j):
        weight[profile.row.value(j)] = 2.0
    return CategoryScale.over(profile.view.schema.names[j], weight, rest=True, most=MOST_BARS)


def _plain(ax: Axes) -> None:
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right", "left"]].set_visible(False)
