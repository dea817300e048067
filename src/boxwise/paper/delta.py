"""Figures 4, S4 and S5: how the class balanced accuracy depends on delta."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.experiment import TENTHS, Experiment, score_versions
from boxwise.paper.protocol import Fold, Row


class Delta(Experiment):
    """Boxes without a limit on their size, delta from 0.05 to 1."""

    name = "delta"
    about = "δ from 0.05 to 1, with θ = 1 and α = n/(n+r)"

    def run(self, fold: Fold) -> Iterator[Row]:
        """Do everything there is to do on one fold."""
        deltas = fold.protocol.thin([0.05, *TENTHS[1:]], (0.05, 0.1, 0.2, 0.5, 0.7, 1.0))
        yield from score_versions(fold, [{"theta": 1.0, "delta": delta} for delta in deltas])
