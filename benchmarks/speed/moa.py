"""CapyMOA's learners behind the two calls of River's; needs the extra `moa`, and Java."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.workloads import Table

TREES = 10  # of the forest: as many as River's has


def missing() -> str:
    """Say why CapyMOA cannot be measured, if it cannot."""
    if find_spec("capymoa") is None:
        return "CapyMOA was not measured: it is not installed (the extra `moa`)."
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "CapyMOA was not measured: there is no Java."
    return ""


def learners(table: Table) -> dict[str, Any]:
    """Return new learners for the columns of a table, and under "rows" its rows as they take them.

    The rows are made beforehand: the time this takes is not counted against CapyMOA.
    """
    from capymoa.classifier import (
        AdaptiveRandomForestClassifier,
        HoeffdingAdaptiveTree,
        HoeffdingTree,
        NaiveBayes,
    )
    from capymoa.core import LabeledInstance

    schema = _schema(table)
    values = np.hstack([table.numbers, table.codes])
    rows = [
        (LabeledInstance.from_array(schema, x, y), f"k{y}")
        for x, y in zip(values, table.labels.tolist(), strict=True)
    ]
    return {
        "rows": rows,
        "Hoeffding tree": lambda: _Learner(HoeffdingTree(schema)),
        "adaptive tree": lambda: _Learner(HoeffdingAdaptiveTree(schema)),
        "naive Bayes": lambda: _Learner(NaiveBayes(schema)),
        "forest": lambda: _Learner(AdaptiveRandomForestClassifier(schema, ensemble_size=TREES)),
    }


def _schema(table: Table) -> Any:
    from capymoa.stream import Schema

    numbers = [f"n{j}" for j in range(table.numbers.shape[1])]
    sizes = table.codes.max(axis=0) + 1
    categories = {f"c{j}": [f"v{v}" for v in range(size)] for j, size in enumerate(sizes)}
    categories["class"] = [f"k{k}" for k in range(table.labels.max() + 1)]
    return Schema.from_custom([*numbers, *categories], target="class", categories=categories)


class _Learner:
    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def predict_one(self, x: Any) -> str | None:
        said = self.learner.predict(x)
        return None if said is None else f"k{said}"

    def learn_one(self, x: Any, y: str) -> None:
        self.learner.train(x)
