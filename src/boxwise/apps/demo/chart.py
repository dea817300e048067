"""The chart of the demo: the recent accuracy of each learner as blocks, the change marked."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np
from rich.text import Text

from boxwise.evaluate import Point

BLOCKS, PLAIN = " ▁▂▃▄▅▆▇█", " ..--==##"  # empty to full; the second for a terminal of ASCII
NAMES, FIGURES = 16, 14  # columns of text to the left and to the right of the chart
WIDEST = 100
LOW = 0.4  # accuracy at the lower edge; chance is 0.5
TALL = 32  # lines of a terminal on which the chart is higher
STYLES = ("bold blue", "yellow", "magenta")
CHANGE = "bold red"


class AccuracyChart:
    """The recent accuracy of each learner over the rows, as lines of text.

    Parameters
    ----------
    names : sequence of str
        The learners; the first is drawn strongest.
    total, change : int
        The rows of the stream, and the row of the change.
    width, height : int
        Those of the terminal.
    ascii_only : bool
        Whether the terminal has no blocks.
    """

    def __init__(
        self,
        names: Sequence[str],
        total: int,
        change: int,
        *,
        width: int,
        height: int,
        ascii_only: bool,
    ) -> None:
        self._names, self._total, self._change = names, total, change
        self._levels = PLAIN if ascii_only else BLOCKS
        self._mark, self._arrow = ("|", "^") if ascii_only else ("┊", "▲")
        self._columns = max(10, min(width - NAMES - FIGURES - 2, WIDEST))
        self._lines = 4 if height >= TALL else 2
        self._seen: dict[str, list[tuple[int, float]]] = {name: [] for name in names}
        self._now: dict[str, Point] = {}

    def add(self, points: Sequence[Point]) -> None:
        """Add where all learners stand."""
        for name, point in zip(self._names, points, strict=True):
            self._now[name] = point
            if not isnan(point.recent.accuracy):
                self._seen[name].append((point.rows, point.recent.accuracy))

    def lines(self) -> list[Text]:
        """Return the chart as it is now."""
        title = f"{'':{NAMES}}{'accuracy of the last 1,000 rows':<{self._columns + 1}}"
        lines = [Text(f"{title}{'now':>6}{'all':>8}", style="dim")]
        for name, style in zip(self._names, STYLES, strict=False):
            lines += self._of_learner(name, style)
        return [*lines, self._axis()]

    def _of_learner(self, name: str, style: str) -> list[Text]:
        heights = self._heights(name)
        lines = []
        for k in reversed(range(self._lines)):
            parts = np.clip(heights - 8 * k, 0, 8)
            text = Text(f"{name if k == 0 else '':<{NAMES}}", style=style)
            for column, part in enumerate(parts.tolist()):
                if column == self._break:
                    text.append(self._mark, CHANGE)
                text.append(self._levels[int(part)], style)
            if k == 0 and name in self._now:
                now = self._now[name]
                text.append(f"{_percent(now.recent.accuracy)}{_percent(now.overall.accuracy):>8}")
            lines.append(text)
        return lines

    @property
    def _break(self) -> int:
        """The column before which the change is marked."""
        return self._change * self._columns // self._total

    def _heights(self, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the height of each column in eighths of a line; 0 where nothing is known yet."""
        heights = np.zeros(self._columns, np.int64)
        steps = 8 * self._lines
        for rows, accuracy in self._seen[name]:  # the last point in a column stays
            begin = (rows - 1) * self._columns // self._total
            level = round((accuracy - LOW) / (1 - LOW) * steps)
            heights[begin:] = min(max(level, 1), steps)
            heights[begin + 1 :] = 0
        return _filled(heights)

    def _axis(self) -> Text:
        words = f"{self._arrow} row {self._change:,}: the rule changes"
        if self._break + len(words) + len(f"{self._total:,}") > self._columns:
            words = f"{self._arrow} the rule changes"
        text = Text(f"{'':{NAMES}}")
        end = f"{self._total:,}"
        text.append(f"{'0':<{self._break}}", "dim")
        text.append(words, CHANGE)
        text.append(f"{end:>{max(0, self._columns + 1 - self._break - len(words))}}", "dim")
        return text


def _filled(
    heights: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return heights with those of columns between two points that no point falls into."""
    known = np.flatnonzero(heights)
    if not len(known):
        return heights
    nearest = known[np.searchsorted(known, np.arange(known[-1] + 1))]
    filled = heights.copy()
    filled[: known[-1] + 1] = heights[nearest]
    return filled


def _percent(share: float) -> str:
    return f"{'-' if isnan(share) else f'{share:.0%}':>6}"
