"""Short searches by evolution, and what there is to compare in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from boxwise import EIOLGFMM
from boxwise.datasets import LoanStream
from boxwise.tuning import Candidate, Evolution, evolve

CV = StratifiedKFold(3)


def loan_table(n_rows: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    columns, labels = LoanStream(n_rows, function=2, noise=0.1, seed=3).table()
    return pd.DataFrame(columns), np.asarray(labels)


def run(classifier: Any = None, n_rows: int = 90, **arguments: Any) -> Evolution:
    X, y = loan_table(n_rows)
    settings: dict[str, Any] = {"cv": CV, "n_trials": 40, "population_size": 10, "random_state": 0}
    settings |= {"refit": False} | arguments
    return evolve(EIOLGFMM() if classifier is None else classifier, X, y, **settings)


def points(candidates: list[Candidate]) -> list[tuple[float, float]]:
    return [(c.n_boxes, c.score) for c in candidates]


def unbeaten(all_points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Compare every point with every other."""
    return sorted(
        (boxes, score)
        for boxes, score in {*all_points}
        if not any(b <= boxes and s >= score and (b, s) != (boxes, score) for b, s in all_points)
    )


def outcome(evolution: Evolution) -> Any:
    return evolution.candidates_, evolution.front_, evolution.best_params_
