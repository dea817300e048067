"""The log of concept drift: alarms while a model learned, and what followed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxwise.core import Model

EVENTS = ("alarm", "replaced", "returned", "dropped")


@dataclass(frozen=True)
class Change:
    """One event.

    Attributes
    ----------
    row : int
        How many rows had been learned.
    event : {"alarm", "replaced", "returned", "dropped"}
        "alarm": errors have risen, and a challenger began to learn. "replaced": the challenger
        predicted better and is the model now. "returned": a model that was replaced before fits
        again. "dropped": the challenger did not become better and was given up, or ``adapt`` or
        ``max_boxes`` were set so that there is no room for it.
    before, after : float
        At an alarm the share of errors before and since; else the mean log-loss over the last rows
        of the model that was there and of the other.
    boxes : int
        How many boxes were given up.
    columns : tuple of (str, float)
        Columns whose relevance changed, the most changed first: by what factor it is larger now.
    """

    row: int
    event: str
    before: float
    after: float
    boxes: int
    columns: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        text = {
            "alarm": f"alarm: errors rose from {self.before:.1%} to {self.after:.1%}",
            "replaced": f"replaced: log-loss {self.before:.3f} before, {self.after:.3f} now",
            "returned": f"an earlier model fits again: log-loss {self.before:.3f} before, "
            f"{self.after:.3f} now",
            "dropped": "the challenger is dropped",
        }[self.event]
        moved = ", ".join(
            f"{name} {'more' if factor > 1 else 'less'}" for name, factor in self.columns[:3]
        )
        return f"row {self.row:,}: {text}" + (f"; what matters now: {moved}" if moved else "")


def changes_of(model: Model) -> list[Change]:
    """Return what happened so far, the latest 1,000 events, in order."""
    names = (*model.schema.numeric_names, *model.schema.categorical_names)
    found = []
    for row in model.engine.snapshot()["changes"]:
        factors = np.exp(-row[5:])  # a larger multiplier is a smaller relevance
        order = np.argsort(-np.abs(row[5:]), kind="stable")
        columns = tuple((names[j], float(factors[j])) for j in order if row[5 + j] != 0)
        event = EVENTS[int(row[1])]
        found.append(Change(int(row[0]), event, float(row[2]), float(row[3]), int(row[4]), columns))
    return found
