"""Features measured by rank: the engine against the specification."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import HyperboxClassifier
from boxwise.core import Model
from boxwise.reference import EIOL
from boxwise.reference.quantiles import FULL, ByQuantiles
from boxwise.store.modelfile import pack

from .agreement import assert_same_boxes
from .streams import Stream, streams

thorough = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def pair(stream: Stream) -> tuple[Any, ByQuantiles]:
    """Return the engine and the specification, both having learned the stream."""
    X, upper = stream.table()
    clf = stream.classifier().set_params(scale="quantile", feature_range="data")
    clf.partial_fit(X, stream.labels, upper=upper)
    rules = (stream.theta, stream.delta, stream.alpha, stream.gamma, stream.condition)
    return clf, stream.teach(ByQuantiles(EIOL(*rules, max_boxes=stream.max_boxes)))


def long_stream(n_rows: int, theta: float) -> Stream:
    """Return one that fills the sketch, of skewed numbers, some of them frequent."""
    rng = np.random.default_rng(n_rows)
    numbers = np.column_stack([rng.lognormal(0, 3, n_rows), rng.poisson(1, n_rows)])
    numbers[rng.random(n_rows) < 0.1, 0] = np.nan
    return Stream(
        theta, 1.0, 0.5, [1.0, 1.0], "each", False,
        lower=numbers.tolist(), upper=numbers.tolist(),
        values=[[f"v{v}"] for v in rng.integers(0, 3, n_rows)],
        labels=rng.integers(0, 2, n_rows).tolist(),
    )  # fmt: skip


@thorough
@given(streams())
def test_boxes_memberships_and_answers_are_those_of_the_specification(stream):
    clf, reference = pair(stream)
    assert_same_boxes(clf, reference)
    learner = reference.learner
    X, upper = stream.table()
    ranked = [(*reference.ranks(low, high), values) for low, high, values in stream.samples()]
    expected = [[learner.membership(box, *row) for box in learner.boxes] for row in ranked]
    assert clf.membership(X, upper=upper).tolist() == expected
    if learner.classes:
        predicted = clf.predict(X, upper=upper).tolist()
        assert predicted == [reference.predict(*sample) for sample in stream.samples()]


def test_so_are_they_when_the_sketch_has_several_levels():
    stream = long_stream(6 * FULL, 0.3)
    clf, reference = pair(stream)
    assert len(reference.scales[0].levels) >= 3
    assert_same_boxes(clf, reference)
    X, _ = stream.table()
    assert clf.predict(X[:200]).tolist() == [reference.predict(*s) for s in stream.samples()[:200]]


@settings(max_examples=40, deadline=None)
@given(streams(max_rows=60), st.integers(1, 20))
def test_chunks_saving_and_loading_make_no_difference(stream, size):
    X, upper = stream.table()
    bulk, chunked = (
        stream.classifier().set_params(scale="quantile", feature_range="data") for _ in range(2)
    )
    bulk.partial_fit(X, stream.labels, upper=upper)
    for begin in range(0, len(X), size):
        rows = slice(begin, begin + size)
        part = None if upper is None else upper[rows]
        chunked.partial_fit(X[rows], stream.labels[rows], upper=part)
        chunked._model = Model.from_state(*chunked._model.to_state())
    assert pack(*chunked._model.to_state()) == pack(*bulk._model.to_state())


def test_fit_knows_the_ranks_from_the_start_and_partial_fit_goes_on_from_them():
    stream = long_stream(500, 0.2)
    X, _ = stream.table()
    samples = stream.samples()
    clf = stream.classifier().set_params(scale="quantile")
    reference = ByQuantiles(EIOL(0.2, 1.0, 0.5, [1.0, 1.0]))
    for j, scale in enumerate(reference.scales):
        for low, high, _ in samples[:200]:
            if low[j] <= high[j]:
                scale.meet(low[j], high[j])
        scale.refresh()
        reference.learner.ranges[j] = (0.0, 1.0)
    known = [scale.__dict__ for scale in reference.scales]
    for scale in reference.scales:
        scale.__dict__ = {**scale.__dict__, "meet": lambda low, high: False}
    for sample, label in zip(samples[:200], stream.labels, strict=False):
        reference.learn(*sample, label)
    clf.fit(X[:200], stream.labels[:200])
    assert_same_boxes(clf, reference)

    for scale, state in zip(reference.scales, known, strict=True):
        scale.__dict__ = state
    for sample, label in zip(samples[200:], stream.labels[200:], strict=True):
        reference.learn(*sample, label)
    clf.partial_fit(X[200:], stream.labels[200:])
    assert_same_boxes(clf, reference)


def test_a_few_extreme_values_do_not_flatten_a_feature():
    rng = np.random.default_rng(0)
    X, unseen = rng.random((400, 1)), rng.random((400, 1))
    y = np.floor(X[:, 0] * 10).astype(int) % 2
    X[:4] = [[1e6], [-1e6], [2e6], [3e6]]
    right = {}
    for scale in ("range", "quantile"):
        clf = HyperboxClassifier(0.05, scale=scale).fit(X, y)
        right[scale] = (clf.predict(unseen) == np.floor(unseen[:, 0] * 10) % 2).mean()
    assert right["quantile"] > 0.8 > 0.6 > right["range"]


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0, 3.0], [1e-160, 2e-160], [-1e150, 1e150]])
def test_numbers_that_hardly_differ_or_differ_most(values):
    X = np.array(values)[:, None]
    y = [*range(len(values))]
    clf = HyperboxClassifier(0.1, scale="quantile").partial_fit(X, y)
    assert len(clf.predict([[v] for v in (-1e150, 0.0, 1e150)])) == 3
    assert clf.boxes_.lower.tolist() == X.tolist()
