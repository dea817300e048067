"""Tables IV, S.VIII and S.IX, figure 13: every algorithm with the best of its settings."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.model_selection import ParameterGrid

from boxwise.paper.experiment import METHODS, TENTHS, VERSIONS, Experiment
from boxwise.paper.protocol import Fold, Row, rows

FIFTHS = [0.1, 0.3, 0.5, 0.9, 1.0]  # of eta and of delta
BETAS = [0.1, 0.3, 0.5, 0.7, 0.9, 1.0]


class Tuned(Experiment):
    """The setting of highest mean score over three inner folds, learned on the whole fold."""

    name = "tuned"
    about = "all parameters of four algorithms, tuned on three inner folds"
    mixed_only = True

    def run(self, fold: Fold) -> Iterator[Row]:
        """Do everything there is to do on one fold."""
        thin = fold.protocol.thin
        thetas = thin(TENTHS[1:], (0.1, 0.4, 0.7, 1.0))
        fifths = thin(FIFTHS, (0.1, 0.5, 1.0))
        grids = {"M1": {"eta": fifths}, "M2": {"beta": thin(BETAS, (0.1, 0.5, 1.0))}}
        for version in VERSIONS:
            grids[version] = {"delta": fifths, "alpha": thin(TENTHS, TENTHS[::2])}
        for method, grid in grids.items():
            learner = fold.learner(METHODS[method])
            best = fold.best(learner, [*ParameterGrid({"theta": thetas, **grid})])
            yield from rows(method, [best], fold.score(learner, [best]))
