"""The experts of a model, which predict together: the current one, a challenger, retired ones.

In: a model. Out: which boxes have a part in decisions now, and how many rows it has learned.
Models that do not decide by evidence are one expert.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings, Model

LOSS = 1  # column of the state of the experts
LEAST_WEIGHT = 0.01  # of an expert whose boxes are worth showing


def carrying(model: Model) -> NDArray[np.bool_]:
    """Return which boxes belong to the current expert, or to another that has some weight now."""
    if not isinstance(model.settings, EvidenceSettings):
        return np.ones(model.n_boxes, bool)
    state = model.engine.snapshot()
    losses = state["members"][:, LOSS]
    weights = np.exp(losses.min() - losses)  # Hedge
    shown = weights >= LEAST_WEIGHT * weights.sum()
    shown[0] = True
    found: NDArray[np.bool_] = shown[state["place"][:, 0].astype(np.intp)]
    return found


def rows_learned(model: Model) -> int:
    """Return how many rows a model has learned; boxes that were evicted have taken some along."""
    state = model.engine.snapshot()
    return int(state["rows"][0]) if "rows" in state else int(state["n"].sum())
