"""Tables III, S.VI and S.VII, figures 11, 12, S7 to S9: four ways to find alpha."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise import estimate_alpha
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.paper.experiment import METHODS, TENTHS, VERSIONS, Experiment
from boxwise.paper.protocol import Fold, Row, rows

WAYS = ("tuned", "estimate", "estimate-scores", "fixed")


class FindAlpha(Experiment):
    """Alpha tuned on inner folds, estimated in two ways, or n/(n+r)."""

    name = "find-alpha"
    about = "α tuned, estimated in two ways, or n/(n+r), at θ = δ = 0.1 and 1"
    mixed_only = True

    def run(self, fold: Fold) -> Iterator[Row]:
        """Do everything there is to do on one fold."""
        for version in VERSIONS:
            for size in (0.1, 1.0):
                learner = fold.learner(METHODS[version], theta=size, delta=size)
                found = [
                    {"theta": size, "delta": size, "alpha": find(way, learner, fold)}
                    for way in WAYS
                ]
                for way, candidate, result in zip(
                    WAYS, found, fold.score(learner, found), strict=True
                ):
                    yield from rows(version, [candidate], [result], way)


def find(way: str, learner: HyperboxLearner, fold: Fold) -> float:
    """Return the alpha that the rows to learn suggest."""
    if way == "fixed":
        return fold.table.n / (fold.table.n + fold.table.r)
    if way == "tuned":
        best = fold.best(learner, [{"alpha": alpha} for alpha in TENTHS])
        return float(best["alpha"])
    X, y = fold.table.X[fold.train], fold.table.y[fold.train]
    return estimate_alpha(learner, X, y, scores_only=way == "estimate-scores", cv=fold.inner_places)
