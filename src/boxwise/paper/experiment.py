"""What an experiment is: a name, data sets, and what is done on one fold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from boxwise import HyperboxClassifier
from boxwise.datasets import names
from boxwise.paper.protocol import Fold, Row, rows

TENTHS = [i / 10 for i in range(11)]
VERSIONS = {"v1": "each", "v2": "mean"}


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
    for version, condition in VERSIONS.items():
        learner = fold.learner(HyperboxClassifier, condition=condition)
        yield from rows(version, candidates, fold.score(learner, candidates))
