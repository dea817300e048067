"""The agglomerative engine against its specification: the same boxes and answers, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import AgglomerativeGFMM
from boxwise.reference.agglomerative import Agglomerative

from .agreement import assert_same_answers, assert_same_boxes
from .streams import UNLABELLED, Stream, streams

thorough = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
methods = st.sampled_from(["agglo2", "agglosm"])
kinds = st.sampled_from(["short", "long", "mid"])
thresholds = st.sampled_from([0, 0, 0.3, 0.7, 0.9, 1])


def learned(stream: Stream, method: str, kind: str, s_min: float) -> AgglomerativeGFMM:
    X, upper = stream.table()
    clf = AgglomerativeGFMM(
        stream.theta,
        stream.delta,
        stream.alpha,
        stream.gamma,
        stream.condition,
        method,
        kind,
        s_min,
        categorical_features=[*range(stream.n, X.shape[1])],
        feature_range=(0, 1) if stream.fixed_range else "data",
        unlabelled=UNLABELLED,
    )
    return clf.fit(X, stream.labels, upper=upper)


def learned_by_reference(stream: Stream, method: str, kind: str, s_min: float) -> Agglomerative:
    ranges = [(0.0, 1.0)] * stream.n if stream.fixed_range else None
    reference = Agglomerative(
        stream.theta,
        stream.delta,
        stream.alpha,
        stream.gamma,
        stream.condition,
        ranges,
        not stream.fixed_range,
        method,
        kind,
        s_min,
    )
    labels = [None if label == UNLABELLED else label for label in stream.labels]
    reference.fit((*sample, y) for sample, y in zip(stream.samples(), labels, strict=True))
    return reference


def assert_same(clf: AgglomerativeGFMM, reference: Agglomerative, stream: Stream) -> None:
    assert_same_boxes(clf, reference)
    assert_same_answers(clf, reference, stream)


@thorough
@given(streams(max_rows=24), methods, kinds, thresholds)
def test_the_engine_merges_the_boxes_of_the_reference(stream, method, kind, s_min):
    clf = learned(stream, method, kind, s_min)
    assert_same(clf, learned_by_reference(stream, method, kind, s_min), stream)


def interleaved_classes(seed: int, condition: str, n_rows: int, n_values: int) -> Stream:
    """Two classes and rows without one in the same places: merges run into other boxes."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 12, (n_rows, 2)) / 12
    values = rng.integers(0, n_values, (n_rows, 2))
    return Stream(
        theta=0.4,
        delta=float(rng.choice([0.3, 0.9, 1.0])),
        alpha=0.5,
        gamma=[1.0, 1.0],
        condition=condition,
        fixed_range=True,
        lower=points.tolist(),
        upper=points.tolist(),
        values=[[f"v{v}" for v in row] for row in values.tolist()],
        labels=rng.choice([0, 0, 1, 1, UNLABELLED], n_rows).tolist(),
    )


@pytest.mark.parametrize("method", ["agglo2", "agglosm"])
@pytest.mark.parametrize("kind", ["short", "long", "mid"])
@pytest.mark.parametrize("condition", ["each", "mean"])
def test_merges_that_other_boxes_block_and_free_again(method, kind, condition):
    """A box of another class stops blocking when a merge of its own changes its frequencies."""
    merged = 0
    for seed in range(4):
        stream = interleaved_classes(seed, condition, n_rows=45, n_values=1 + seed % 3)
        clf = learned(stream, method, kind, 0)
        assert_same(clf, learned_by_reference(stream, method, kind, 0), stream)
        merged += 45 - len(clf.boxes_)
    assert merged > 20


def test_more_boxes_than_a_block_holds():
    """Blocks hold 256 boxes; here the last ones of a class are the partners of the first."""
    points = [[i / 500] for i in range(300)] + [[i / 500 + 1e-4] for i in range(300)]
    stream = Stream(0.001, 1, 1, [1.0], "each", True, points, points, [[]] * 600, [0] * 600)
    clf = learned(stream, "agglosm", "short", 0)
    np.testing.assert_array_equal(clf.boxes_.lower[:, 0], [i / 500 for i in range(300)])
    np.testing.assert_array_equal(clf.boxes_.upper[:, 0], [i / 500 + 1e-4 for i in range(300)])
    assert (clf.boxes_.n_samples == 2).all()
