"""How fast the relatives of EIOL-GFMM are, each against hyperbox-brain's version of it.

    python -m benchmarks.relatives            (part of: make bench)

Prints Markdown and writes it to benchmarks/results/relatives.md. Both learn the same rows of the
loan stream in one run, taking turns; the best time of each counts, out of three unless theirs takes
longer than a few seconds. In its turn ours does the whole work five times, learning anew each time:
what takes milliseconds is easily disturbed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.report import Report, scaled_table, seconds
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


def compare(pair: Pair, theta: float) -> str:
    n_predicted = 500 if pair.mixed else 5_000  # theirs needs seconds for 500 rows with categories
    X, y, categorical = scaled_table(pair.rows + n_predicted)
    if not pair.mixed:
        X = X[:, : categorical[0]].astype(float)
    columns = [categorical] if pair.mixed else []
    unseen, X, y = X[pair.rows :], X[: pair.rows], y[: pair.rows]
    times: list[list[float]] = []
    while len(times) < 3 * TRIES and sum(t[0] for t in times) / TRIES < ENOUGH:
        theirs = pair.theirs(theta)  # anew: it would go on learning
        slow = seconds(theirs.fit, X, y, *columns), seconds(theirs.predict, unseen)
        for _ in range(TRIES):
            ours = pair.ours(theta)
            quick = seconds(ours.fit, X, y), seconds(ours.predict, unseen)
            times.append([*slow, *quick])
    slow_learn, slow_predict, learn, predict = np.min(times, axis=0)
    return (
        f"| {pair.name} | {pair.rows:,} | {theta} | {len(ours.boxes_):,} / {len(theirs.V):,} "
        f"| {slow_learn:.2f} s | {learn * 1e3:.2f} ms | **{slow_learn / learn:,.0f}×** "
        f"| {slow_predict / n_predicted * 1e3:.2f} ms | {predict / n_predicted * 1e6:.1f} µs "
        f"| **{slow_predict / predict:,.0f}×** "
        f"| {np.mean(theirs.predict(unseen) == ours.predict(unseen)):.1%} |"
    )


def main() -> None:
    report = Report("Speed of the relatives", "make bench")
    report.say(
        "Against hyperbox-brain 0.1.6 on the loan stream: the numbers alone (6 columns), or "
        "numbers and categories (6 + 3) for M1 and M2. Learn: all rows. Predict: per row, "
        "over 5,000 unseen rows (500 for M1 and M2), in one thread. Boxes are ours / theirs; where "
        "they differ, candidates tied or a rule was settled otherwise (see the page of the "
        "algorithm).\n"
    )
    report.say(
        "| algorithm | rows | θ | boxes | learn: theirs | ours | ratio | predict: theirs | ours "
        "| ratio | same predictions |"
    )
    report.say("|---|---|---|---|---|---|---|---|---|---|---|")
    for pair in pairs():
        for theta in (0.1, 0.5):
            report.say(compare(pair, theta))
    report.write("relatives.md")


if __name__ == "__main__":
    main()
