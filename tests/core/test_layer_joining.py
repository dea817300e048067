"""Additive layers joined by their information, against one layer that has seen all rows."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.differential.streams import UNLABELLED, Stream, streams

from boxwise import HyperboxClassifier, merge
from boxwise.core import joining
from boxwise.core.layer_joining import NewCodes, join_layers
from boxwise.core.settings import blank_layer
from boxwise.datasets import LoanStream
from boxwise.reference.additive import FIRST_OF_BOXES, FIRST_OF_HAT, FIRST_VARIANCE
from boxwise.store.modelfile import pack

# The inputs of a numeric column and of some values of a categorical one, as pairs of a column and a
# place; with the bias and the boxes before them.
NUMBER = [(0, place) for place in range(6)]
FIRST = {**{(0, place): FIRST_OF_HAT for place in range(1, 6)}, (-1, 1): FIRST_OF_BOXES}
AS_THEY_ARE = NewCodes(np.array([0, 1, -1]), [np.array([*range(20), -1])])


def slots_of(values: list[int]) -> list[tuple[int, int]]:
    return [(-1, 0), (-1, 1), *NUMBER, *((1, value) for value in values)]


def posterior(slots: list[Any], design: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
    """The weights and the covariance of a linear model, from the first ones on."""
    first = np.array([FIRST.get(slot, FIRST_VARIANCE) for slot in slots])
    start = np.array([float(slot == (-1, 1)) for slot in slots])
    covariance = np.linalg.inv(np.diag(1 / first) + design.T @ design)
    return [covariance @ (start / first + design.T @ target), covariance]


def layer_of(slots: list[Any], weights: np.ndarray, covariance: np.ndarray) -> dict[str, Any]:
    """The arrays of a layer of two classes; without rows, so that nothing has faded."""
    triangle = covariance[np.tril_indices(len(slots))]
    return {
        "layer": np.array([2, 0], np.uint64),
        "layer_slots": np.array(slots[2:], np.int32),
        "layer_rows": np.zeros(len(slots)),
        "layer_weights": np.tile(weights, 2),
        "layer_covariances": np.tile(triangle, 2),
        "layer_losses": np.array([3.0, 2.0, 1.0]),
    }


def mirrored(slots: list[Any], weights: np.ndarray, covariance: np.ndarray) -> list[np.ndarray]:
    sign = np.where([slot == (-1, 1) for slot in slots], 1.0, -1.0)
    return [sign * weights, np.outer(sign, sign) * covariance]


def assert_same_filter(
    joined: dict[str, Any], slots: list[Any], expected: list[np.ndarray]
) -> None:
    """Compare the first filter, its inputs in their own order."""
    found = [(-1, 0), (-1, 1), *map(tuple, joined["layer_slots"].tolist())]
    order = [found.index(slot) for slot in slots]
    size = len(found)
    covariance = np.zeros((size, size))
    triangles = joined["layer_covariances"].reshape(2, -1)
    covariance[np.tril_indices(size)] = triangles[0]
    covariance += np.tril(covariance, -1).T
    weights = joined["layer_weights"].reshape(2, -1)[0]
    np.testing.assert_allclose(weights[order], expected[0], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(covariance[np.ix_(order, order)], expected[1], rtol=1e-7, atol=1e-10)


def rows_of(rng: np.random.Generator, slots: list[Any], count: int) -> np.ndarray:
    return rng.normal(size=(count, len(slots))) * (rng.random((count, len(slots))) < 0.5)


def test_without_drift_the_joined_filter_is_that_of_one_pass() -> None:
    rng = np.random.default_rng(0)
    # The second has met its values in another order, and one that the first has not.
    slots = [slots_of([0, 1]), slots_of([2, 0])]
    union = slots_of([0, 1, 2])
    designs = [rows_of(rng, own, 40) for own in slots]
    targets = [rng.normal(size=40) for _ in slots]
    parts = [posterior(*part) for part in zip(slots, designs, targets, strict=True)]
    layers = [layer_of(own, *part) for own, part in zip(slots, parts, strict=True)]
    joined = join_layers(layers, [AS_THEY_ARE] * 2, 1, 2)
    together = np.zeros((80, len(union)))
    for k, own in enumerate(slots):
        together[40 * k : 40 * (k + 1), [union.index(slot) for slot in own]] = designs[k]
    assert_same_filter(joined, union, posterior(union, together, np.concatenate(targets)))


def test_codes_and_classes_are_those_of_the_joined_model() -> None:
    rng = np.random.default_rng(1)
    slots = slots_of([0, 1])
    design, target = rows_of(rng, slots, 30), rng.normal(size=30)
    part = posterior(slots, design, target)
    codes = NewCodes(np.array([1, 0, -1]), [np.array([5, 3, -1])])
    joined = join_layers([layer_of(slots, *part)], [codes], 1, 2)
    assert_same_filter(joined, slots_of([5, 3]), mirrored(slots, *part))


def test_values_that_come_to_share_an_input_are_as_if_they_always_had() -> None:
    rng = np.random.default_rng(2)
    slots, shared = slots_of([0, 1, 2]), slots_of([0, 12])
    design, target = rows_of(rng, slots, 30), rng.normal(size=30)
    codes = NewCodes(np.array([0, 1, -1]), [np.array([0, 14, 17, -1])])
    layer = layer_of(slots, *posterior(slots, design, target))
    tied = np.column_stack([design[:, :-2], design[:, -2:].sum(axis=1)])
    joined = join_layers([layer], [codes], 1, 2)
    assert_same_filter(joined, shared, posterior(shared, tied, target))


def test_two_classes_become_two_filters_where_another_model_has_three() -> None:
    rng = np.random.default_rng(3)
    slots = slots_of([0])
    part = posterior(slots, rows_of(rng, slots, 30), rng.normal(size=30))
    untrained = posterior(slots, np.zeros((1, len(slots))), np.zeros(1))
    joined = join_layers([layer_of(slots, *part)], [AS_THEY_ARE], 1, 3)
    assert joined["layer"].tolist() == [3, 0]
    weights = joined["layer_weights"].reshape(2, 3, -1)
    for k, (expected, _) in enumerate([mirrored(slots, *part), part, untrained]):
        np.testing.assert_allclose(weights[:, k], np.tile(expected, (2, 1)), atol=1e-9)


def weight_of(joined: dict[str, Any], slot: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The weight of an input and its variance, by rate."""
    slots = [*slots_of([])[:2], *map(tuple, joined["layer_slots"].tolist())]
    i = slots.index(slot)
    triangles = joined["layer_covariances"].reshape(2, -1)
    return joined["layer_weights"].reshape(2, -1)[:, i], triangles[:, i * (i + 1) // 2 + i]


def test_a_weight_that_only_a_short_part_has_stays_as_it_is() -> None:
    long, short = slots_of([0]), slots_of([1])
    first = posterior(long, np.zeros((1, len(long))), np.zeros(1))
    design = np.zeros((3, len(short)))
    design[:, -1] = 1.0
    weights, covariance = posterior(short, design, np.full(3, 2.0))
    layers = [layer_of(long, *first), layer_of(short, weights, covariance)]
    for layer, rows in zip(layers, (5_000, 100), strict=True):
        layer["layer_rows"][0] = rows
    weight, variance = weight_of(join_layers(layers, [AS_THEY_ARE] * 2, 1, 2), (1, 1))
    np.testing.assert_allclose(weight, weights[-1])
    np.testing.assert_allclose(variance, covariance[-1, -1])


def test_no_variance_of_a_shared_input_is_more_than_the_engine_takes() -> None:
    # Twelve values that go together, as after many rows of drift, come to share one input.
    slots = slots_of([*range(12)])
    weights, covariance = posterior(slots, np.zeros((1, len(slots))), np.zeros(1))
    covariance[-12:, -12:] = FIRST_VARIANCE * (0.999 + 0.001 * np.eye(12))
    layer = layer_of(slots, weights, covariance)
    layer["layer_rows"][0] = 5_000
    codes = NewCodes(np.array([0, 1, -1]), [np.array([*range(12, 24), -1])])
    _, variance = weight_of(join_layers([layer], [codes], 1, 2), (1, 12))
    assert (variance <= FIRST_VARIANCE * 1.004).all()


def loan_table(function: int, n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    columns, labels = LoanStream(n_rows, function=function, noise=0.05, seed=1).table()
    return pd.DataFrame(columns), np.asarray(labels)


def test_an_untrained_model_changes_nothing() -> None:
    X, y = loan_table(7, 1_500)
    clf = HyperboxClassifier().partial_fit(X, y)
    codes = NewCodes(np.array([0, 1, -1]), [np.array([*range(30), -1])] * 3)
    state = clf._model.engine.snapshot()
    joined = join_layers([state, blank_layer()], [codes] * 2, len(X.columns) - 3, 2)
    for name, array in joined.items():
        np.testing.assert_allclose(array, state[name], rtol=1e-6, atol=1e-7, err_msg=name)
    of_one_row = HyperboxClassifier().partial_fit(X[:1], y[:1])
    merged = merge([clf, of_one_row])._model.engine.snapshot()
    np.testing.assert_allclose(merged["layer_weights"], state["layer_weights"], atol=1e-7)


def linear_table(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.random((n_rows, 4))
    logits = 6 * (X - 0.5) @ np.array([1.0, -1.0, 0.5, 0.0])
    return X, rng.random(n_rows) < 1 / (1 + np.exp(-logits))


@pytest.mark.parametrize("n_parts", [2, 8])
def test_merged_parts_say_about_what_one_pass_says(
    n_parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = linear_table(9_000)
    learned, fresh = X[:8_000], X[8_000:]
    parts = [
        HyperboxClassifier().partial_fit(learned[rows], y[rows])
        for rows in np.array_split(np.arange(8_000), n_parts)
    ]
    one = HyperboxClassifier().partial_fit(learned, y[:8_000]).predict_proba(fresh)[:, 1]
    merged = merge(parts).predict_proba(fresh)[:, 1]
    monkeypatch.setattr(joining, "join_layers", lambda *_: blank_layer())
    blank = merge(parts).predict_proba(fresh)[:, 1]
    assert np.abs(merged - one).mean() < 0.05
    assert np.abs(merged - one).mean() < 0.75 * np.abs(blank - one).mean()


def test_weights_do_not_add_up_where_drift_has_forgotten() -> None:
    """Variances grow back to the first ones in columns that are no longer surprising."""
    X, y = loan_table(7, 8_000)
    parts = [HyperboxClassifier().partial_fit(X[i : i + 1_000], y[i : i + 1_000])
             for i in range(0, 8_000, 1_000)]  # fmt: skip
    most = [np.abs(p._model.engine.snapshot()["layer_weights"]).max() for p in parts]
    merged = np.abs(merge(parts)._model.engine.snapshot()["layer_weights"]).max()
    assert merged <= 2 * max(most)


def many_columns(n_columns: int, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns))
    return X, np.where(X[:, 0] + X[:, 1] > 1, "high", "low")


def is_decoupled(clf: HyperboxClassifier) -> bool:
    return bool(clf._model.engine.snapshot()["layer"][1])


def test_the_joined_layer_is_decoupled_if_a_part_is_or_it_is_too_large() -> None:
    wide = [HyperboxClassifier().partial_fit(*many_columns(40, 300, seed)) for seed in (1, 2)]
    assert all(is_decoupled(clf) for clf in [*wide, merge(wide)])
    # Few columns, of which one has values in one model only, until there are too many classes.
    X, _ = many_columns(12, 300, 3)
    few = [HyperboxClassifier().partial_fit(X, np.arange(300) % 3 + 3 * k) for k in range(4)]
    assert not any(is_decoupled(clf) for clf in few)
    both = merge(few)
    assert is_decoupled(both)
    assert is_decoupled(merge([both, few[0]]))
    assert is_decoupled(merge([few[0], both]))
    both.partial_fit(X, np.arange(300) % 3)


def test_a_layer_without_variance_is_joined_too() -> None:
    X, y = loan_table(7, 600)
    clf = HyperboxClassifier().partial_fit(X, y)
    header, arrays = clf._model.to_state()
    arrays["layer_covariances"] = np.zeros_like(arrays["layer_covariances"])
    clf._model = type(clf._model).from_state(header, arrays)
    merged = merge([clf, clf, HyperboxClassifier().partial_fit(X[:300], y[:300])])
    assert np.isfinite(merged.predict_proba(X)).all()


def test_models_without_a_layer_have_none_once_merged() -> None:
    X, y = loan_table(7, 600)
    clf = HyperboxClassifier(additive=False).partial_fit(X, y)
    merged = merge([clf, clf])
    assert merged._model.engine.snapshot()["layer"].tolist() == [0, 0]
    parts = [HyperboxClassifier().partial_fit(X, y), clf.set_params(additive=True)]
    assert merge(parts)._model.engine.snapshot()["layer"].tolist() == [2, 0]


def learner_for(stream: Stream) -> HyperboxClassifier:
    scale = "range" if stream.fixed_range else "quantile"
    return stream.by_evidence().set_params(scale=scale)


def part_of(stream: Stream, rows: slice, clf: HyperboxClassifier) -> HyperboxClassifier:
    X, upper = stream.table()
    return clf.partial_fit(
        X[rows], stream.labels[rows], upper=None if upper is None else upper[rows]
    )


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(streams(max_rows=60), st.integers(2, 4))
def test_any_models_merge_and_go_on(stream: Stream, n_parts: int) -> None:
    """The engine checks every covariance that it takes in."""
    cuts = np.linspace(0, len(stream.labels), n_parts + 1).astype(int).tolist()
    parts = [part_of(stream, slice(a, b), learner_for(stream)) for a, b in pairwise(cuts) if b > a]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        merged = merge(parts)
    before = pack(*merged._model.to_state())
    assert pack(*merge(parts)._model.to_state()) == before
    part_of(stream, slice(None), merged)
    if any(label != UNLABELLED for label in stream.labels):
        X, upper = stream.table()
        assert np.isfinite(merged.predict_proba(X, upper=upper)).all()
