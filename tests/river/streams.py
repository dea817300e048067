"""Streams for the River face, and all that a model has learned from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from boxwise.store.modelfile import pack

if TYPE_CHECKING:
    from boxwise.river import HyperboxClassifier

Pairs = list[tuple[dict[Any, Any], Any]]


def everything(model: HyperboxClassifier) -> bytes:
    return everything_of(model.classifier)


def everything_of(clf: Any) -> bytes:
    return pack(*clf._model.to_state())


def learned(pairs: Pairs, **parameters: Any) -> HyperboxClassifier:
    from boxwise.river import HyperboxClassifier  # here, so that tests can skip without River

    model = HyperboxClassifier(**parameters)
    for x, y in pairs:
        model.learn_one(x, y)
    return model


def patchy(n: int, seed: int = 0) -> Pairs:
    """Rows in which columns come and go, values are missing, and categories and classes new."""
    rng = np.random.default_rng(seed)
    pairs: Pairs = []
    for i in range(n):
        x: dict[Any, Any] = {
            "age": int(rng.integers(18, 90)),
            "income": float(rng.normal(30, 9)),
            "job": str(rng.choice(["cook", "smith", "nurse", f"new {i}"])),
            "member": bool(rng.random() < 0.5),
            "city": None if i < n // 3 else str(rng.choice(["Ulm", "Bath"])),
            "height": None if i < n // 2 else float(rng.normal(170, 9)),
        }
        for key in rng.choice(list(x), 2):
            x[str(key)] = [None, math.nan][int(rng.integers(2))]
        if rng.random() < 0.3:
            x.pop(str(rng.choice(list(x))))
        keys = rng.permutation(list(x)).tolist()
        label = "late" if i > n // 2 and rng.random() < 0.2 else ["no", "yes"][x.get("age") is None]
        pairs.append(({key: x[key] for key in keys}, label))
    return pairs
