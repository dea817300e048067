"""Tables II, S.IV and S.V, figures 8 to 10: IOL-GFMM on encoded categories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from boxwise import iol_pipeline
from boxwise.learners.encoders import ENCODERS, encoder_class
from boxwise.paper.experiment import METHODS, Experiment, score_versions
from boxwise.paper.mixed import THETAS
from boxwise.paper.protocol import Fold, Protocol, Row, Table, rows


class Encoders(Experiment):
    """IOL-GFMM with each of eight encoders, and both versions of EIOL-GFMM without."""

    name = "encoders"
    about = "IOL-GFMM with eight encoders beside EIOL-GFMM, at θ = δ = 0.1, 0.7 and 1"

    def run(self, fold: Fold) -> Iterator[Row]:
        """Do everything there is to do on one fold."""
        thetas = [{"theta": theta} for theta in THETAS]
        for encoder in ENCODERS:
            encoded = encode(fold, encoder)
            results = encoded.score(METHODS["IOL"], thetas)
            yield from rows("IOL", thetas, results, encoder)
        yield from score_versions(fold, [{"theta": theta, "delta": theta} for theta in THETAS])


def steps() -> dict[str, Any]:
    """Return every estimator that `encode` uses, as it is before it is told the columns."""
    pipelines = {encoder: iol_pipeline(encoder) for encoder in ENCODERS}
    return {
        **{f"encode {encoder}": pipeline["encode"] for encoder, pipeline in pipelines.items()},
        **{encoder: encoder_class(encoder)() for encoder in ENCODERS},  # of the library
        "scale": pipelines[ENCODERS[0]]["scale"],  # the same after each
    }


def encode(fold: Fold, encoder: str) -> Fold:
    """Return the fold with categories turned to numbers by what its rows to learn say."""
    prepare = iol_pipeline(encoder, categorical_features=fold.table.categorical)[:-1]
    X, y = fold.table.X, fold.table.y
    train = prepare.fit_transform(X[fold.train], y[fold.train])
    encoded = np.empty((len(X), train.shape[1]))
    encoded[fold.train] = train
    encoded[fold.test] = prepare.transform(X[fold.test])
    table = Table(fold.table.name, encoded, y, encoded.shape[1], 0)
    return Fold(table, Protocol(), fold.train, fold.test, 0)
