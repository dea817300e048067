"""The joining of models in the engine against its specification: the same boxes, bit for bit."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise.core.settings import AgglomerativeSettings, Range
from boxwise.reference import EIOL, Box
from boxwise.reference.merging import Merged, deal

from .streams import UNLABELLED, Stream, streams

thorough = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def learned_parts(stream: Stream, n_parts: int, seed: int) -> list[EIOL]:
    """A model for each part of the rows, dealt out at random, all with the ranges of all rows."""
    samples = stream.samples()
    known = stream.reference(known_ranges=True)
    where = [Random(seed + i).randrange(n_parts) for i in range(len(samples))]
    models = []
    for part in range(n_parts):
        model = EIOL(
            stream.theta,
            stream.delta,
            stream.alpha,
            stream.gamma,
            stream.condition,
            known.ranges,
            growing=False,
        )
        for (low, high, values), label, p in zip(samples, stream.labels, where, strict=True):
            if p == part:
                numbered = [_code(value) for value in values]
                model.learn(low, high, numbered, None if label == UNLABELLED else label)
        models.append(model)
    return models


def _code(value: str | None) -> int:
    return 0 if value is None else int(value[1:]) + 1


def merged_by_reference(stream: Stream, models: list[EIOL]) -> Merged:
    merged = Merged(
        stream.theta,
        stream.delta,
        stream.alpha,
        stream.gamma,
        stream.condition,
        models[0].ranges,
        growing=False,
    )
    merged.start(models[0].boxes)
    for model in models[1:]:
        merged.join(model.boxes)
    return merged


def engine_with(stream: Stream, model: EIOL, n_classes: int) -> Any:
    how = AgglomerativeSettings(
        theta=stream.theta,
        gamma=stream.gamma,
        delta=stream.delta,
        alpha=stream.alpha,
        mean=stream.condition == "mean",
        method="agglo2",
        similarity="mid",
        min_similarity=0.0,
    )
    ranges = [Range(low, high, False) if low <= high else Range() for low, high in model.ranges]
    engine = how.new_engine(len(stream.values[0]), ranges)
    engine.restore(**arrays(model.boxes, stream), n_classes=n_classes, next_id=len(model.boxes))
    return engine


def arrays(boxes: list[Box], stream: Stream) -> dict[str, np.ndarray]:
    sets = [sorted(d.items()) for box in boxes for d in box.D]
    numbers = np.array([[box.V, box.W] for box in boxes], dtype=float).reshape(
        len(boxes), 2, stream.n
    )
    return {
        "V": np.where(np.isinf(numbers[:, 0]), math.nan, numbers[:, 0]),
        "W": np.where(np.isinf(numbers[:, 1]), math.nan, numbers[:, 1]),
        "n": np.array([box.n for box in boxes], np.uint32),
        "label": np.array([-1 if box.label is None else box.label for box in boxes], np.int32),
        "id": np.arange(len(boxes), dtype=np.uint64),
        "first": np.cumsum([0, *(len(s) for s in sets)]).astype(np.uint64),
        "code": np.array([code for s in sets for code, _ in s], np.int32),
        "times": np.array([times for s in sets for _, times in s], np.uint32),
    }


def assert_joined_alike(stream: Stream, models: list[EIOL]) -> Merged:
    n_classes = max([0, *(label + 1 for label in stream.labels)])
    first, *others = [engine_with(stream, model, n_classes) for model in models]
    for other in others:
        first.join(other)
    reference = merged_by_reference(stream, models)
    state = first.snapshot()
    expected = arrays(reference.boxes, stream)
    del expected["id"]
    for name, array in expected.items():
        np.testing.assert_array_equal(state[name], array, err_msg=name)
    return reference


@thorough
@given(streams(max_rows=60), st.integers(2, 4), st.integers(0, 1000))
def test_the_engine_joins_models_as_the_reference_does(stream, n_parts, seed):
    assert_joined_alike(stream, learned_parts(stream, n_parts, seed))


def saturated(seed: int, condition: str, n_values: int) -> Stream:
    """Few places and values, so that new rows make few new boxes."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 9, (240, 3)) / 8
    values = rng.integers(0, n_values, (240, 2))
    return Stream(
        theta=0.4,
        delta=0.8,
        alpha=0.6,
        gamma=[1.0] * 3,
        condition=condition,
        fixed_range=True,
        lower=points.tolist(),
        upper=points.tolist(),
        values=[[f"v{v}" for v in row] for row in values.tolist()],
        labels=(points[:, 0] > rng.random(240)).astype(int).tolist(),
    )


@pytest.mark.parametrize("condition", ["each", "mean"])
@pytest.mark.parametrize("n_values", [1, 3])
def test_boxes_are_taken_apart_as_the_reference_does(condition, n_values):
    taken_apart = 0
    for seed in range(3):
        stream = saturated(seed, condition, n_values)
        reference = assert_joined_alike(stream, learned_parts(stream, 4, seed))
        taken_apart += len(reference.created) - len(reference.boxes)
    assert taken_apart > 10  # else it was not tested


@pytest.mark.parametrize("n_values", [1, 2])
def test_many_parts_whose_merges_are_mostly_refused_join_as_in_the_reference(n_values):
    """Classes at random: nearly every box that might grow or merge overlaps another class."""
    rng = np.random.default_rng(n_values)
    points = rng.random((300, 3))
    stream = replace(
        saturated(0, "each", n_values),
        theta=1.0,
        delta=0.1,
        lower=points.tolist(),
        upper=points.tolist(),
        values=[[f"v{v}" for v in row] for row in rng.integers(0, n_values, (300, 2)).tolist()],
        labels=rng.integers(0, 2, 300).tolist(),
    )
    reference = assert_joined_alike(stream, learned_parts(stream, 12, 0))
    assert reference.rejections > 300  # else few merges were refused


def test_rows_are_dealt_every_value_of_every_feature_once():
    orders = deal(n_features=5, n_rows=40, seed=7)
    assert [sorted(order) for order in orders] == [[*range(40)]] * 5
    assert len({tuple(order) for order in orders}) == 5


def test_an_engine_is_not_joined_with_itself_or_with_other_features():
    stream = saturated(0, "each", 2)
    (model,) = learned_parts(stream, 1, 0)
    engine = engine_with(stream, model, 2)
    with pytest.raises(ValueError, match="itself"):
        engine.join(engine)
    with pytest.raises(ValueError, match="features or classes"):
        engine.join(engine_with(stream, model, 3))
