"""How fast the relatives of EIOL-GFMM are, each against hyperbox-brain's version of it.

Both learn the same rows of the loan stream, taking turns; the best time of each counts, out of
three unless theirs takes longer than a few seconds. In its turn ours does the whole work five
times, learning anew each time: what takes milliseconds is easily disturbed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.report import scaled_table, seconds
from benchmarks.speed.brain import ratios
from benchmarks.speed.record import Record
from boxwise import (
    AgglomerativeGFMM,
    CastilloGFMM,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
)

TRIES = 5
ENOUGH = 5  # seconds of theirs, after which the comparison is not repeated


@dataclass
class Pair:
    """The same algorithm twice."""

    name: str
    theirs: Callable[[float], Any]
    ours: Callable[[float], Any]
    rows: int
    mixed: bool = False


def pairs() -> list[Pair]:
    # Names that NumPy has dropped since, and that hyperbox-brain's M1 still asks for.
    for name, kind in (("object", object), ("int", int), ("float", float)):
        if name not in vars(np):
            setattr(np, name, kind)
    from hbbrain.mixed_data.freq_cat_onln_gfmm import FreqCatOnlineGFMM
    from hbbrain.mixed_data.onehot_onln_gfmm import OneHotOnlineGFMM
    from hbbrain.numerical_data.batch_learner.accel_agglo_gfmm import (
        AccelAgglomerativeLearningGFMM as Agglo2,
    )
    from hbbrain.numerical_data.batch_learner.agglo_gfmm import (
        AgglomerativeLearningGFMM as AggloSM,
    )
    from hbbrain.numerical_data.incremental_learner.iol_gfmm import ImprovedOnlineGFMM as Iol
    from hbbrain.numerical_data.incremental_learner.onln_gfmm import OnlineGFMM as Onln

    unit = {"feature_range": (0, 1)}
    mixed = {**unit, "categorical_features": scaled_table(10)[2]}
    agglo = {**unit, "similarity": "mid"}
    similar = {"simil_measure": "mid", "min_simil": 0}
    return [
        Pair("Onln-GFMM", lambda t: Onln(t), lambda t: OnlineGFMM(t, **unit), 2_000),
        Pair("IOL-GFMM", lambda t: Iol(t), lambda t: ImprovedOnlineGFMM(t, **unit), 2_000),
        Pair(
            "Onln-GFMM-M1",
            lambda t: FreqCatOnlineGFMM(t, eta=0.5),
            lambda t: CastilloGFMM(t, 0.5, **mixed),
            1_000,
            mixed=True,
        ),
        Pair(
            "Onln-GFMM-M2",
            lambda t: OneHotOnlineGFMM(t, min_percent_overlap_cat=0.5),
            lambda t: ShindeGFMM(t, 0.5, **mixed),
            2_000,
            mixed=True,
        ),
        Pair(
            "AGGLO-2",
            lambda t: Agglo2(t, **similar),
            lambda t: AgglomerativeGFMM(t, method="agglo2", categorical_features=[], **agglo),
            1_000,
        ),
        Pair(
            "AGGLO-SM",
            lambda t: AggloSM(t, **similar),
            lambda t: AgglomerativeGFMM(t, method="agglosm", categorical_features=[], **agglo),
            400,
        ),
    ]


def run(record: Record) -> None:
    for pair in pairs():
        for theta in (0.1, 0.5):
            rows, enough = record.profile.pick((pair.rows, ENOUGH), (pair.rows // 4, 0.2))
            compare(record, pair, theta, rows, enough)


def compare(record: Record, pair: Pair, theta: float, rows: int, enough: float) -> None:
    n_predicted = 500 if pair.mixed else 5_000  # theirs needs seconds for 500 rows with categories
    X, y, categorical = scaled_table(rows + n_predicted)
    if not pair.mixed:
        X = X[:, : categorical[0]].astype(float)
    columns = [categorical] if pair.mixed else []
    unseen, X, y = X[rows:], X[:rows], y[:rows]
    times: list[list[float]] = []
    while len(times) < 3 * TRIES and sum(t[0] for t in times) / TRIES < enough:
        theirs = pair.theirs(theta)  # anew: it would go on learning
        said: list[np.ndarray] = []  # not asked twice: that alone may take half a minute
        slow = (
            seconds(theirs.fit, X, y, *columns),
            seconds(lambda said=said, model=theirs: said.append(model.predict(unseen))),
        )
        for _ in range(TRIES):
            ours = pair.ours(theta)
            quick = seconds(ours.fit, X, y), seconds(ours.predict, unseen)
            times.append([*slow, *quick])
    slow_learn, slow_predict, learn, predict = np.min(times, axis=0).tolist()
    record.add(
        algorithm=pair.name,
        rows=rows,
        theta=theta,
        boxes=len(ours.boxes_),
        boxes_theirs=len(theirs.V),
        **ratios((slow_learn, learn), (slow_predict, predict), n_predicted),
        same=float(np.mean(said[0] == ours.predict(unseen))),
    )
