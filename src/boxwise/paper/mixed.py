"""Tables I, S.II and S.III, figures 5 to 7: the algorithms that take categories as they are."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.experiment import METHODS, Experiment, score_versions
from boxwise.paper.protocol import Fold, Row, rows

THETAS = (0.1, 0.7, 1.0)


class Mixed(Experiment):
    """Onln-GFMM-M1, Onln-GFMM-M2 and both versions of EIOL-GFMM with fixed settings."""

    name = "mixed"
    about = "four algorithms for mixed columns at θ = 0.1, 0.7 and 1, three settings of each"

    def run(self, fold: Fold) -> Iterator[Row]:
        """Do everything there is to do on one fold."""

        def grid(name: str, values: tuple[float, ...]) -> list[dict[str, float]]:
            return [{"theta": theta, name: value} for theta in THETAS for value in values]

        for method, name, values in (
            ("M1", "eta", (0.1, 0.7, 1.0)),
            ("M2", "beta", (0.25, 0.5, 0.75)),
        ):
            candidates = grid(name, values)
            learner = fold.learner(METHODS[method])
            yield from rows(method, candidates, fold.score(learner, candidates))
        yield from score_versions(fold, grid("delta", (0.1, 0.7, 1.0)))
