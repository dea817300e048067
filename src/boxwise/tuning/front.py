"""Candidates, and the front of those that no other beats."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boxwise.tuning.trials import Parameters


@dataclass(frozen=True)
class Candidate:
    """Parameters that were tried, and what came of them.

    Attributes
    ----------
    n_boxes : float
        The number of boxes, mean over the folds.
    score : float
        The score, mean over the folds.
    score_std : float
        The standard deviation of the score over the folds.
    params : dict
        The parameters.
    index : int
        Where the candidate stands in ``cv_results_``.

    Examples
    --------
    >>> from boxwise.tuning import Candidate
    >>> print(Candidate(12.0, 0.813, 0.02, {"theta": 0.5123, "version": 2}, index=0))
        12.0  0.813 ± 0.020  theta=0.512, version=2
    """

    n_boxes: float
    score: float
    score_std: float
    params: dict[str, Any]
    index: int

    def __str__(self) -> str:
        return f"{self.n_boxes:8.1f}  {self.score:.3f} ± {self.score_std:.3f}  {words(self.params)}"


def front_of(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return those that no other beats, fewest boxes first; of equal ones the first."""
    front: list[Candidate] = []
    scored = [c for c in candidates if not math.isnan(c.score)]
    for c in sorted(scored, key=lambda c: (c.n_boxes, -c.score)):
        if not front or c.score > front[-1].score:
            front.append(c)
    return front


def words(parameters: Parameters) -> str:
    """Return parameters as a reader wants them: numbers short."""
    return ", ".join(
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in parameters.items()
    )
