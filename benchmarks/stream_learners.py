"""Online learners to compare: ours, River's, and CapyMOA's where there is Java to run them.

All have River's two calls, `predict_proba_one` and `learn_one`, and the parameters of their
libraries but for ensembles, which have ten members as River's have (SGBT its own hundred, as "MOA
ARF 100" has).
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np

from benchmarks.speed import moa
from benchmarks.stream_sources import Pairs
from boxwise.evaluate.peers import logistic_regression, peer
from boxwise.river import EIOLGFMM, HyperboxClassifier

OURS = "HyperboxClassifier"
MEMBERS, MANY_MEMBERS = 10, 100
VARIANTS: dict[str, Callable[[], Any]] = {
    OURS: HyperboxClassifier,
    f"{OURS}, additive=False": lambda: HyperboxClassifier(additive=False),
    f"{OURS}, 300 boxes": lambda: HyperboxClassifier(max_boxes=300),
    f"{OURS}, adapt=False": lambda: HyperboxClassifier(adapt=False),
    f"{OURS}, balanced": lambda: HyperboxClassifier(class_prior="auto"),
    "EIOLGFMM": lambda: EIOLGFMM(0.3, 0.3, version=2),
}
TUNED = "logistic-regression, tuned"
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of learning, River's own among them
RIVER_SINGLE = (
    "hoeffding-tree",
    "adaptive-hoeffding-tree",
    "naive-bayes",
    "logistic-regression",
    TUNED,
)
RIVER_FAST = (*RIVER_SINGLE, "no-change", "majority")
RIVER_ENSEMBLES = ("arf", "srp", "amf")
MOA_SINGLE = ("MOA HT", "MOA HAT", "MOA EFDT")
MOA_ENSEMBLES = ("MOA ARF", "MOA SRP", "MOA SGBT", "MOA ARF 100")
SINGLE = (*RIVER_SINGLE, *MOA_SINGLE)
ENSEMBLES = (*RIVER_ENSEMBLES, *MOA_ENSEMBLES)


def names(long: bool) -> list[str]:
    """Return the learners for a stream; some ensembles are too slow for a long one."""
    slow = (*RIVER_ENSEMBLES, "MOA SGBT", "MOA ARF 100")
    every = [*VARIANTS, *RIVER_FAST, *RIVER_ENSEMBLES]
    every += [] if moa.missing() else [*MOA_SINGLE, *MOA_ENSEMBLES]
    return [name for name in every if not long or name not in slow]


def learner(name: str, pairs: Pairs) -> Any:
    """Return a new learner; CapyMOA's must know all values of the columns beforehand."""
    if name in VARIANTS:
        return VARIANTS[name]()
    if name == TUNED:
        return BestSoFar([logistic_regression(rate) for rate in RATES])
    return moa_learner(name, pairs) if name.startswith("MOA") else peer(name)


def moa_learner(name: str, pairs: Pairs) -> Any:
    from capymoa import classifier
    from capymoa.core import LabeledInstance
    from capymoa.stream import Schema

    makers: dict[str, Callable[[Any], Any]] = {
        "MOA HT": classifier.HoeffdingTree,
        "MOA HAT": classifier.HoeffdingAdaptiveTree,
        "MOA EFDT": classifier.EFDT,
        "MOA ARF": lambda s: classifier.AdaptiveRandomForestClassifier(s, ensemble_size=MEMBERS),
        "MOA ARF 100": lambda s: classifier.AdaptiveRandomForestClassifier(
            s, ensemble_size=MANY_MEMBERS
        ),
        "MOA SRP": lambda s: classifier.StreamingRandomPatches(s, ensemble_size=MEMBERS),
        "MOA SGBT": classifier.StreamingGradientBoostedTrees,
    }
    columns = [*pairs[0][0]]
    texts = [column for column in columns if isinstance(pairs[0][0][column], str)]
    categories = {column: sorted({x[column] for x, _ in pairs}) for column in texts}
    categories["class"] = sorted({y for _, y in pairs})
    schema = Schema.from_custom([*columns, "class"], target="class", categories=categories)
    codes = {name: {v: i for i, v in enumerate(values)} for name, values in categories.items()}

    def instance(x: dict[str, Any], y: str) -> Any:
        values = np.array([codes[c][x[c]] if c in codes else float(x[c]) for c in columns])
        return LabeledInstance.from_array(schema, values, codes["class"][y])

    return MoaLearner(makers[name](schema), instance, categories["class"])


class BestSoFar:
    """Learners side by side, of which the one with the lowest log-loss so far predicts."""

    def __init__(self, learners: list[Any]) -> None:
        self.learners, self.losses = learners, [0.0] * len(learners)

    def predict_proba_one(self, x: dict[str, Any]) -> dict[str, float]:
        """Return the probabilities of the best learner."""
        best = self.losses.index(min(self.losses))
        return self.learners[best].predict_proba_one(x)

    def learn_one(self, x: dict[str, Any], y: str) -> None:
        """Count the losses, and learn a row."""
        for i, learner in enumerate(self.learners):
            p = learner.predict_proba_one(x)
            self.losses[i] -= log(max(p.get(y, 0.0), 1e-7))
            learner.learn_one(x, y)


class MoaLearner:
    """A learner of CapyMOA behind the two calls of River's."""

    def __init__(self, model: Any, instance: Callable[..., Any], classes: list[str]) -> None:
        self.model, self.instance, self.classes = model, instance, classes

    def predict_proba_one(self, x: dict[str, Any]) -> dict[str, float]:
        """Return probabilities by class; none before the first row."""
        votes = self.model.predict_proba(self.instance(x, self.classes[0]))
        return {} if votes is None else dict(zip(self.classes, map(float, votes), strict=False))

    def learn_one(self, x: dict[str, Any], y: str) -> None:
        """Learn a row."""
        self.model.train(self.instance(x, y))
