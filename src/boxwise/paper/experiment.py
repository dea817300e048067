"""The interface of an experiment: a name, data sets, and the work on one fold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from boxwise import EIOLGFMM, CastilloGFMM, ImprovedOnlineGFMM, ShindeGFMM
from boxwise.datasets import names
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.paper.protocol import Fold, Row, rows

TENTHS = [i / 10 for i in range(11)]
VERSIONS = ("v1", "v2")
# Every estimator of the evaluation, as it is before an experiment sets what it varies.
METHODS: dict[str, HyperboxLearner] = {
    "M1": CastilloGFMM(),
    "M2": ShindeGFMM(),
    "v1": EIOLGFMM(version=1),
    "v2": EIOLGFMM(version=2),
    "IOL": ImprovedOnlineGFMM(feature_range=(0, 1)),  # on encoded and scaled columns
}


class Experiment(ABC):
    """One row of the paper's programme."""

    name: str
    about: str
    mixed_only = False  # whether only data sets with both kinds of columns take part

    @property
    def datasets(self) -> list[str]:
        """The data sets it runs on."""
        return names(mixed_only=self.mixed_only)

    @abstractmethod
    def run(self, fold: Fold) -> Iterator[Row]:
        """Do everything there is to do on one fold."""


def score_versions(fold: Fold, candidates: Sequence[dict[str, float]]) -> Iterator[Row]:
    """Score EIOL-GFMM, versions 1 and 2, with each candidate."""
    for version in VERSIONS:
        learner = fold.learner(METHODS[version])
        yield from rows(version, candidates, fold.score(learner, candidates))
