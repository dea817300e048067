"""The scales of axes: numbers as they are, categories in slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.texts import numbers, shown

if TYPE_CHECKING:
    from matplotlib.axis import Axis

MOST_SLOTS = 12
MARGIN = 0.04  # of the range, on both sides


@dataclass(frozen=True)
class NumberScale:
    """An axis of numbers."""

    name: str
    low: float
    high: float
    is_cut: bool = False  # whether values of a few rows lie beyond its ends

    @classmethod
    def over(cls, name: str, *values: NDArray[np.float64]) -> NumberScale:
        """Return a scale on which all values have room."""
        low = min(float(np.nanmin(part)) for part in values if not np.isnan(part).all())
        high = max(float(np.nanmax(part)) for part in values if not np.isnan(part).all())
        room = MARGIN * (high - low) if high > low else max(abs(low), 1.0) * 0.5
        return cls(name, low - room, high + room)

    @property
    def label(self) -> str:
        """What the axis is called."""
        return shown(self.name, 40)

    def ticks(self, most: int = 5) -> list[tuple[float, str]]:
        """Return a few round numbers with their places."""
        from matplotlib.ticker import MaxNLocator

        found = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(self.low, self.high)
        inside = [float(x) for x in found if self.low <= x <= self.high]
        # Rounds to 0 a number that only rounding keeps from being 0.
        places = [x if abs(x) > 1e-12 * (self.high - self.low) else 0.0 for x in inside]
        return [*zip(places, numbers(places), strict=True)]

    def dress(self, axis: Axis, most: int = 6, room: int = 66) -> None:
        """Label an axis of a picture with so many numbers, or fewer if these are long.

        The room is that of a horizontal axis, in characters.
        """
        ticks = self.ticks(most)
        while len(ticks) > 1 and sum(len(text) + 2 for _, text in ticks) > room:
            ticks = ticks[::2]
        axis.set_ticks([place for place, _ in ticks], [text for _, text in ticks])


@dataclass(frozen=True)
class CategoryScale:
    """An axis of categories: a slot for each value, from 0 on."""

    name: str
    values: tuple[object, ...]
    n_others: int = 0  # values that have no slot of their own
    rest: bool = False  # whether these share one, the last

    @classmethod
    def over(
        cls, name: str, rows: Mapping[object, float], *, rest: bool = False, most: int = MOST_SLOTS
    ) -> CategoryScale:
        """Return a scale of the values with most rows, in their own order."""
        ranked = sorted(rows, key=lambda value: -rows[value])
        kept = ranked if len(ranked) <= most else ranked[: most - rest]
        return cls(name, tuple(_in_order(kept)), len(ranked) - len(kept), rest)

    @property
    def low(self) -> float:
        """Where the first slot begins."""
        return -0.5

    @property
    def high(self) -> float:
        """Where the last slot ends."""
        return self.n_slots - 0.5

    @property
    def n_slots(self) -> int:
        """The number of slots."""
        return len(self.values) + (self.rest and self.n_others > 0)

    @property
    def label(self) -> str:
        """What the axis is called, and what is not on it."""
        name = shown(self.name, 40)
        if not self.n_others or self.rest:
            return name
        return (
            f"{name} (the {len(self.values)} most frequent of "
            f"{len(self.values) + self.n_others:,} values)"
        )

    def ticks(self, most: int = 0) -> list[tuple[float, str]]:
        """Return all slots with their values."""
        texts = [shown(value, 16) for value in self.values]
        if len(texts) < self.n_slots:
            texts.append(f"{self.n_others:,} others" if self.n_others > 1 else "1 other")
        return [(float(slot), text) for slot, text in enumerate(texts)]

    def slots(self, vocabulary: Sequence[object]) -> NDArray[np.float64]:
        """Return the slot of each value of a vocabulary, NaN where there is none; then one NaN.

        The last is for values never learned, whose code is -1.
        """
        slot_of = {value: float(slot) for slot, value in enumerate(self.values)}
        other = float(len(self.values)) if self.rest else np.nan
        known = [slot_of.get(value, other) for value in vocabulary]
        return np.array([*known, np.nan])

    def dress(self, axis: Axis) -> None:
        """Label an axis of a picture."""
        from matplotlib.axis import XAxis

        ticks = self.ticks()
        crowded = isinstance(axis, XAxis) and sum(len(text) + 2 for _, text in ticks) > 62
        axis.set_ticks([place for place, _ in ticks], [text for _, text in ticks])
        if crowded:
            for text in axis.get_ticklabels():
                text.set(rotation=40, ha="right", rotation_mode="anchor")


Scale = NumberScale | CategoryScale


def _in_order(values: Sequence[object]) -> list[object]:
    """Sort numbers by size and texts by the alphabet; what is missing comes last."""

    def key(value: object) -> tuple[int, float, str]:
        if value is None:
            return 2, 0.0, ""
        if isinstance(value, int | float):
            return 0, float(value), ""
        return 1, 0.0, str(value)

    return sorted(values, key=key)
