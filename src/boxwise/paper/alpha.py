"""Figures 2, 3, S1 to S3: how the class balanced accuracy depends on alpha."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.experiment import TENTHS, Experiment, score_versions
from boxwise.paper.protocol import Fold, Row


class Alpha(Experiment):
    """Large boxes and small boxes, alpha from 0 to 1."""

    name = "alpha"
    about = "α from 0 to 1, with large boxes (θ = δ = 1) and small ones (θ = δ = 0.1)"
    mixed_only = True

    def run(self, fold: Fold) -> Iterator[Row]:
        """Do everything there is to do on one fold."""
        alphas = fold.protocol.thin(TENTHS, TENTHS[::2])
        yield from score_versions(
            fold,
            [{"theta": s, "delta": s, "alpha": alpha} for s in (1.0, 0.1) for alpha in alphas],
        )
