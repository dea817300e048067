"""The engine of HyperboxClassifier against the specification, and against itself."""

from __future__ import annotations

import copy
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import HyperboxClassifier
from boxwise.core import Model
from boxwise.learners.base.settings import PRIORS
from boxwise.learners.changes import EVENTS
from boxwise.reference.evidence import MOST_CHANGES, Change, Evidence
from boxwise.reference.expert import DECAY, TEMPERATURE, RangeScale
from boxwise.reference.quantiles import QuantileScale
from boxwise.store.modelfile import pack

from .agreement import assert_same_boxes
from .cases import mostly_long
from .streams import UNLABELLED, Stream, streams

ROLES = ("current", "challenger", "retired")


@dataclass
class Rows:
    """Numbers (NaN where missing), categories, labels and weights."""

    lower: np.ndarray
    upper: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    weights: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: Any) -> Rows:
        weights = None if self.weights is None else self.weights[rows]
        return Rows(
            self.lower[rows], self.upper[rows], self.values[rows], self.labels[rows], weights
        )

    @classmethod
    def of(cls, stream: Stream) -> Rows:
        count, n = len(stream.labels), stream.n
        values = np.empty((count, len(stream.values[0])), dtype=object)
        for i, row in enumerate(stream.values):
            values[i] = row
        lower = np.array(stream.lower, float).reshape(count, n)
        upper = np.array(stream.upper, float).reshape(count, n)
        return cls(lower, upper, values, np.array(stream.labels))

    @property
    def table(self) -> dict[str, Any]:
        """What every method of the classifier takes."""
        X = np.empty((len(self), self.lower.shape[1] + self.values.shape[1]), dtype=object)
        X[:, : self.lower.shape[1]] = self.lower
        X[:, self.lower.shape[1] :] = self.values
        return {"X": X, "upper": self.upper if self.upper.size else None}

    def samples(self) -> list[tuple[list[float], list[float], list[Any]]]:
        """The rows as the specification takes them."""
        low = np.where(np.isnan(self.lower), math.inf, self.lower).tolist()
        high = np.where(np.isnan(self.upper), -math.inf, self.upper).tolist()
        return [*zip(low, high, self.values.tolist(), strict=True)]


class Pair:
    """The engine and the specification with the same settings."""

    def __init__(self, n: int, r: int, **parameters: Any) -> None:
        chosen = {"scale": "quantile", "class_prior": "data", "max_boxes": 30} | parameters
        self.clf = HyperboxClassifier(
            categorical_features=[*range(n, n + r)], unlabelled=UNLABELLED, **chosen
        )
        scale: Any = QuantileScale
        if chosen["scale"] == "range":
            fixed = "feature_range" in chosen and chosen["feature_range"] != "data"
            scale = (lambda: RangeScale(0, 1, growing=False)) if fixed else RangeScale
        self.reference = Evidence(
            self.clf.theta, self.clf.delta, self.clf.max_boxes, self.clf.adapt,
            PRIORS[self.clf.class_prior], scale, self.clf.additive,
        )  # fmt: skip

    def learn(self, rows: Rows) -> None:
        learn(self.clf, rows)
        weights = np.ones(len(rows)) if rows.weights is None else rows.weights
        told = zip(rows.samples(), rows.labels.tolist(), weights.tolist(), strict=True)
        for sample, label, weight in told:
            self.reference.learn(*sample, None if label == UNLABELLED else label, weight)

    def check(self, rows: Rows) -> None:
        assert_same_boxes(self.clf, self.reference)
        assert_same_experts(self.clf, self.reference)
        assert_same_changes(self.clf, self.reference)
        if any(box.label is not None for box in self.reference.boxes):
            assert_same_answers(self.clf, self.reference, rows)
        else:
            with pytest.raises(ValueError, match="no row with a label"):
                self.clf.predict(**rows.table)


def learn(clf: HyperboxClassifier, rows: Rows) -> HyperboxClassifier:
    return clf.partial_fit(y=rows.labels, sample_weight=rows.weights, **rows.table)


def state(clf: HyperboxClassifier) -> bytes:
    return pack(*clf._model.to_state())


def columns_of(clf: HyperboxClassifier) -> list[tuple[str, int]]:
    schema = clf._model.schema
    numeric = [("numeric", j) for j in range(len(schema.numeric))]
    return [*numeric, *(("categorical", j) for j in range(len(schema.categorical)))]


def assert_same_experts(clf: HyperboxClassifier, reference: Evidence) -> None:
    snapshot = clf._model.engine.snapshot()
    assert snapshot["id"].tolist() == [box.id for box in reference.boxes]
    assert snapshot["last"].tolist() == [box.last for box in reference.boxes]
    members = {box.id: m for m, e in enumerate(reference.experts) for box in e.boxes}
    assert snapshot["place"][:, 0].tolist() == [members[box.id] for box in reference.boxes]
    parameters = [*columns_of(clf), DECAY, TEMPERATURE]
    fields = zip(reference.experts, snapshot["members"], snapshot["relevance"], strict=True)
    for expert, (role, loss, *counts), relevance in fields:
        assert ROLES[int(role)] == expert.role
        assert counts == [expert.since, expert.clock, expert.rows, expert.steps]
        assert loss == pytest.approx(expert.loss, rel=0, abs=1e-11)
        logs, squares = np.split(relevance, 2)
        theirs = [expert.logs.get(p, 0.0) for p in parameters]
        # A gradient that cancels out to rounding errors is divided by 0.17 at the first steps.
        np.testing.assert_allclose(logs, theirs, rtol=0, atol=1e-10)
        theirs = [expert.squares.get(p, 0.0) for p in parameters]
        np.testing.assert_allclose(squares, theirs, rtol=1e-9, atol=1e-12)
    assert clf._model.engine.prior == reference.prior


def assert_same_changes(clf: HyperboxClassifier, reference: Evidence) -> None:
    found = clf._model.engine.snapshot()["changes"]
    assert len(found) == len(reference.changes)
    for (row, event, *numbers), change in zip(found.tolist(), reference.changes, strict=True):
        assert (row, EVENTS[int(event)]) == (change.row, change.event)
        moved = [change.moved.get(p, 0.0) for p in columns_of(clf)]
        expected = [change.before, change.after, change.boxes, *moved]
        np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-10)


def assert_same_answers(clf: HyperboxClassifier, reference: Evidence, rows: Rows) -> None:
    samples = rows.samples()
    predicted = clf.predict(**rows.table)
    assert predicted.tolist() == [reference.predict(*sample) for sample in samples]
    order = [reference.classes.index(label) for label in clf.classes_.tolist()]
    p = clf.predict_proba(**rows.table)
    expected = np.array([reference.probabilities(*sample) for sample in samples])[:, order]
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-9 if clf.additive else 1e-12)
    assert (clf.classes_[p.argmax(axis=1)] == predicted).all()
    carried = [reference.responsibilities(*sample) for sample in samples]
    np.testing.assert_allclose(clf.responsibilities(**rows.table), carried, rtol=0, atol=1e-9)
    support = [reference.support(*sample) for sample in samples]
    np.testing.assert_allclose(clf.support(**rows.table), support, rtol=1e-10, atol=1e-12)


def rule(lower: np.ndarray, values: np.ndarray, classes: int) -> np.ndarray:
    places = np.searchsorted([-0.5, 0.3, 0.8], lower[:, :1]).sum(axis=1)
    return (places + (values[:, :1] % 2).sum(axis=1)) % classes


def random_rows(
    seed: int,
    rows: int,
    n: int = 2,
    r: int = 2,
    *,
    vocabulary: int = 4,
    grid: int | None = None,
    missing: float = 0.0,
    intervals: float = 0.0,
    unlabelled: float = 0.0,
    late: bool = False,
    weights: tuple[float, ...] = (),
    classes: int = 3,
    noise: float = 0.1,
    shifts: tuple[int, ...] = (),
) -> Rows:
    """Return rows with a rule that changes at every shift."""
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=(rows, n))
    if grid:
        lower = rng.integers(0, grid + 1, (rows, n)) / grid
    values = rng.integers(0, vocabulary, (rows, r))
    if vocabulary < 50:  # some values are frequent
        values = np.minimum(values, rng.integers(0, vocabulary, (rows, r)))
    labels = rule(lower, values, classes)
    for shift in shifts:
        labels[shift:] = (labels[shift:] + 1) % classes
    random = rng.random(rows) < noise
    labels[random] = rng.integers(0, classes, random.sum())
    upper = lower + (rng.random((rows, n)) < intervals) * rng.random((rows, n))
    gaps = rng.random((rows, n)) < missing
    lower[gaps] = upper[gaps] = np.nan
    text = np.array([f"v{v}" for v in values.ravel()], object).reshape(rows, r)
    text[rng.random((rows, r)) < missing / 2] = None
    if late:
        labels[2 * rows // 3 :: 5] = classes
        text[2 * rows // 3 :: 4] = "late"
    labels[rng.random(rows) < unlabelled] = UNLABELLED
    chosen = rng.choice(weights, rows) if weights else None
    return Rows(lower, upper, text, labels, chosen)


KINDS: dict[str, dict[str, Any]] = {
    "numbers": {"n": 3, "r": 0},
    "one number": {"n": 1, "r": 0},
    "many columns": {"n": 7, "r": 7},
    "mixed": {},
    "categories": {"n": 0, "r": 3},
    "ties": {"grid": 4, "vocabulary": 2, "noise": 0.0},
    "missing": {"missing": 0.3},
    "intervals": {"intervals": 0.4},
    "unlabelled": {"unlabelled": 0.4},
    "late": {"late": True},
    "many values": {"vocabulary": 500, "missing": 0.1},
    "weights": {"weights": (0.0, 0.3, 1.0, 2.7), "unlabelled": 0.1},
    "all": {"missing": 0.2, "intervals": 0.2, "unlabelled": 0.2, "late": True, "weights": (0.5, 1)},
}
BUDGETS = (1, 5, 30, 100, None)
SCALES = ("quantile", "range")
CLASS_PRIORS = ("data", "balanced", "auto")
# Each kind once, with budgets, scales and class priors in turn.
QUICK = [(kind, BUDGETS[i % 5], SCALES[i % 2], CLASS_PRIORS[i % 3]) for i, kind in enumerate(KINDS)]
# Every kind with every budget, and both with every scale and class prior.
BOTH = [*product(SCALES, CLASS_PRIORS)]
PAIRS = [
    (kind, max_boxes, *BOTH[(i + 2 * j + k) % len(BOTH)])
    for (i, kind), (j, max_boxes) in product(enumerate(KINDS), enumerate(BUDGETS))
    for k in (0, 3)
]


@pytest.mark.parametrize(
    ("kind", "max_boxes", "scale", "class_prior"),
    mostly_long([*dict.fromkeys([*QUICK, *PAIRS])], quick=QUICK),
)
def test_engine_equals_the_specification(kind, max_boxes, scale, class_prior):
    rows = random_rows(len(kind), 700 if kind == "many values" else 300, **KINDS[kind])
    unseen = random_rows(99, 10, **{**KINDS[kind], "weights": (), "vocabulary": 600})
    pair = Pair(
        rows.lower.shape[1], rows.values.shape[1],
        max_boxes=max_boxes, scale=scale, class_prior=class_prior,
    )  # fmt: skip
    for begin in range(0, len(rows), 100):
        pair.learn(rows[begin : begin + 100])
        pair.check(rows[max(begin - 10, 0) : begin + 20])
    pair.check(unseen)


def assert_equal_on(stream: Stream, scale: str, adapt: bool, class_prior: str) -> None:
    rows = Rows.of(stream)
    reading = {"max_boxes": stream.max_boxes}
    if scale == "range" and stream.fixed_range:
        reading["feature_range"] = (0, 1)
    pair = Pair(
        stream.n, rows.values.shape[1], theta=stream.theta, delta=stream.delta,
        scale=scale, adapt=adapt, class_prior=class_prior, **reading,
    )  # fmt: skip
    pair.learn(rows)
    pair.check(rows[:10])


SETTINGS = (st.sampled_from(SCALES), st.booleans(), st.sampled_from(CLASS_PRIORS))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams(max_rows=60), *SETTINGS)
def test_engine_equals_the_specification_whatever_the_settings(stream, scale, adapt, class_prior):
    assert_equal_on(stream, scale, adapt, class_prior)


@pytest.mark.long
@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams(), *SETTINGS)
def test_engine_equals_the_specification_on_longer_streams(stream, scale, adapt, class_prior):
    assert_equal_on(stream, scale, adapt, class_prior)


# Rows, the rows at which the rule changes, budgets, and what is to happen with each.
SHIFTS = {
    "replaced": (1300, (700,), (20, 30, 100, None), {"alarm", "replaced"}),
    "returned": (1700, (600, 1200), (100, None), {"alarm", "replaced", "returned"}),
    "dropped": (2200, (600, 640), (100,), {"alarm", "dropped"}),
}


@pytest.mark.parametrize(
    ("kind", "max_boxes"),
    mostly_long(
        [(kind, budget) for kind, (_, _, budgets, _) in SHIFTS.items() for budget in budgets],
        quick=[("replaced", 30), ("returned", 100), ("dropped", 100)],
    ),
)
def test_engine_follows_changes_as_the_specification_does(kind, max_boxes):
    n_rows, shifts, _, expected = SHIFTS[kind]
    rows = random_rows(6, n_rows, 2, 1, classes=2, noise=0.02, shifts=shifts)
    pair = Pair(2, 1, max_boxes=max_boxes)
    for begin in range(0, n_rows, 50):
        pair.learn(rows[begin : begin + 50])
        pair.check(rows[begin : begin + 2])
    assert expected <= {change.event for change in pair.reference.changes}


@pytest.mark.parametrize(("learned", "role"), [(600, "challenger"), (650, "retired")])
@pytest.mark.parametrize("changed", [{"adapt": False}, {"max_boxes": 10}, {"max_boxes": 25}])
def test_engine_goes_on_with_other_parameters_as_the_specification_does(learned, role, changed):
    rows = random_rows(6, 700, 2, 1, classes=2, noise=0.02, shifts=(540,))
    pair = Pair(2, 1, max_boxes=40)
    pair.learn(rows[:learned])
    assert [expert.role for expert in pair.reference.experts] == ["current", role]
    pair.clf.set_params(**changed)
    pair.reference.configure(pair.clf.max_boxes, adapt=pair.clf.adapt)
    pair.learn(rows[learned:])
    pair.check(rows[:5])
    events = [change.event for change in pair.reference.changes]
    gone = role == "challenger" and changed != {"max_boxes": 25}
    assert events.count("dropped") == gone


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [None, 100, 40, 5])
def test_engine_unites_boxes_that_are_alike_as_the_specification_does(seed, most):
    n, r = [(2, 0), (0, 3), (2, 2), (4, 1)][seed % 4]
    rows = random_rows(seed, 260, n, r, classes=3, missing=0.1, unlabelled=0.1)
    options = {"theta": 0.2, "delta": 0.1, "scale": ("range", "quantile")[seed % 2]}
    pair = Pair(n, r, max_boxes=None, adapt=False, **options)
    pair.learn(rows[:200])
    before = len(pair.reference.boxes)
    pair.clf._model.engine.merge_alike(most or 0)
    pair.reference.experts[0].merge_alike(most, pair.clf.theta, pair.clf.delta)
    assert len(pair.reference.boxes) <= (most or before - 1)
    pair.check(rows[200:210])
    pair.learn(rows[200:])
    pair.check(rows[:10])


def test_only_the_latest_changes_are_kept():
    rows = random_rows(6, 800, 2, 1, classes=2, noise=0.02, shifts=(540,))
    pair = Pair(2, 1, max_boxes=40)
    pair.learn(rows[:500])
    header, arrays = pair.clf._model.to_state()
    old = np.zeros((MOST_CHANGES + 5, arrays["changes"].shape[1]))  # as older versions wrote them
    old[:, 0], old[:, 1] = range(len(old)), EVENTS.index("dropped")
    pair.clf._model = Model.from_state(header, arrays | {"changes": old})
    pair.reference.changes.extend(Change(row, "dropped", 0.0, 0.0) for row in range(len(old)))
    assert [change.row for change in pair.clf.changes_] == [*range(5, len(old))]
    pair.learn(rows[500:])
    assert len(pair.clf.changes_) == MOST_CHANGES
    assert {change.event for change in pair.clf.changes_[-2:]} == {"alarm", "replaced"}
    pair.check(rows[:5])


@pytest.mark.parametrize("seed", [0, 2])
def test_retired_boxes_that_weigh_the_same_are_kept_by_age(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, 1_100)
    labels = np.where(np.arange(1_100) < 600, values, values + 1) % 10
    numbers = rng.random((1_100, 1))
    rows = Rows(numbers, numbers, np.array([[f"v{v}"] for v in values], object), labels)
    pair = Pair(1, 1, max_boxes=60, theta=0.0, delta=0.0)  # boxes of one row, equally new
    for begin in range(0, 1_100, 100):
        pair.learn(rows[begin : begin + 100])
        pair.check(rows[begin : begin + 2])
    assert "replaced" in [change.event for change in pair.clf.changes_]


def shifting(seed: int = 0, rows: int = 1_500, **parameters: Any) -> Rows:
    chosen = {"missing": 0.05, "intervals": 0.1, "unlabelled": 0.05, "shifts": (500, 1_000)}
    return random_rows(seed, rows, 3, 2, **{**chosen, "classes": 2, "noise": 0.02, **parameters})


def classifier(**parameters: Any) -> HyperboxClassifier:
    chosen = {"max_boxes": 60, "class_prior": "auto", "categorical_features": [3, 4]}
    return HyperboxClassifier(**{**chosen, "unlabelled": UNLABELLED, **parameters})


@pytest.mark.parametrize("weights", [(), (0.3, 1.0, 2.5)], ids=["rows", "weights"])
@pytest.mark.parametrize("size", [1, 7, 500])
def test_chunks_saving_and_loading_make_no_difference(size, weights):
    rows = shifting(weights=weights, late=True)
    bulk, chunked, saved = learn(classifier(), rows), classifier(), classifier()
    for begin in range(0, len(rows), size):
        learn(chunked, rows[begin : begin + size])
        learn(saved, rows[begin : begin + size])
        if begin % 5 == 0:
            saved._model = Model.from_state(*saved._model.to_state())
    assert {"alarm", "replaced"} <= {change.event for change in bulk.changes_}
    assert state(chunked) == state(bulk)
    assert state(saved) == state(bulk)
    X = rows[:200].table
    np.testing.assert_array_equal(saved.predict_proba(**X), bulk.predict_proba(**X))


@pytest.mark.parametrize("scale", ["quantile", "range"])
def test_predicting_first_makes_no_difference(scale):
    rows = shifting()
    learned, asked = classifier(scale=scale), classifier(scale=scale)
    for i in range(len(rows)):
        one = rows[i : i + 1]
        if i % 3 and i > 50:
            asked.predict(**one.table)
        if i % 5 == 0 and i > 50:  # another row is the last one predicted
            asked.predict_proba(**rows[i - 20 : i - 10].table)
        learn(asked, one)
        learn(learned, one)
    assert state(asked) == state(learned)


def test_learning_elsewhere_does_not_change_the_answer_to_the_last_row():
    rows = shifting()
    one, other = learn(classifier(), rows[:300]), learn(classifier(), rows[700:900])
    last = rows[300:301].table
    before = one.predict_proba(**last)
    learn(other, rows[900:901])
    np.testing.assert_array_equal(one.predict_proba(**last), before)
    learn(other, rows[901:902])
    learn(one, rows[300:301])
    assert state(one) == state(learn(classifier(), rows[:301]))


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_make_no_difference(n_jobs):
    rows, many = shifting(noise=0.3, rows=3_000), shifting(1, 2_000)
    one = learn(classifier(theta=0.1, max_boxes=None), rows)
    assert one.n_boxes_ * len(many) > 400_000  # enough to be worth the threads
    several = copy.deepcopy(one).set_params(n_jobs=n_jobs)
    for method in ("predict", "predict_proba", "support", "responsibilities", "membership"):
        expected = getattr(one, method)(**many.table)
        np.testing.assert_array_equal(getattr(several, method)(**many.table), expected)


@pytest.mark.parametrize("max_boxes", [1, 2, 5, 19, 20, 33, 100])
def test_budget_is_never_exceeded(max_boxes):
    rows, clf = shifting(late=True), classifier(max_boxes=max_boxes)
    for i in range(len(rows)):
        learn(clf, rows[i : i + 1])
        assert clf.n_boxes_ <= max_boxes
    assert clf.n_boxes_ == max_boxes
    assert bool(clf.changes_) == (max_boxes >= 20)


def test_whole_weights_equal_repeated_rows():
    rows = shifting(weights=(1.0, 2.0, 4.0))
    again = rows[np.repeat(np.arange(len(rows)), rows.weights.astype(int))]
    again.weights = None
    assert state(learn(classifier(), rows)) == state(learn(classifier(), again))


@pytest.mark.parametrize("size", [1, 100, 1_500])
def test_rows_of_weight_0_change_nothing(size):
    rows = shifting(weights=(0.0, 1.0, 1.5), late=True)
    whole, without = classifier(), learn(classifier(), rows[rows.weights > 0])
    for begin in range(0, len(rows), size):
        learn(whole, rows[begin : begin + size])
    assert state(whole) == state(without)


def test_values_after_the_first_255_are_answered_alike_before_and_after_they_are_known():
    rows = random_rows(3, 600, 0, 1, vocabulary=400)
    clf = HyperboxClassifier(categorical_features=[0]).partial_fit(y=rows.labels, **rows.table)
    values = [*dict.fromkeys(rows.values[:, 0])]
    assert len(values) > 256
    known = clf.predict_proba([[value] for value in values[255:]])
    np.testing.assert_array_equal(known, clf.predict_proba([["never seen"]] * len(known)))
    np.testing.assert_array_equal(known[:1], clf.predict_proba([["never seen"]]))
    assert (clf.predict_proba([[value] for value in values[:255]]) != known[0]).any(axis=1).all()


def test_responsibilities_are_of_one_moment_while_classes_are_learned():
    X = np.random.default_rng(0).random((3_000, 2))
    clf = HyperboxClassifier(max_boxes=100).fit(X[:200], [f"c{i % 2}" for i in range(200)])
    sums: list[float] = []

    def learn_new_classes() -> None:
        for k in range(400):
            clf.partial_fit(X[k : k + 1], [f"new {k}"])

    with ThreadPoolExecutor() as pool:
        learning = pool.submit(learn_new_classes)
        while not learning.done():
            sums.append(clf.responsibilities(X[:100]).sum(axis=1).max())
        learning.result()
    assert sums
    assert max(sums) <= 1 + 1e-9


@pytest.mark.parametrize("weight", [1.3, 2.5, 3.0])
def test_ranks_of_a_table_do_not_depend_on_a_weight_that_all_rows_have(weight):
    X = np.arange(200.0)[:, None]
    clf = HyperboxClassifier().fit(X, X[:, 0] > 100, sample_weight=np.full(200, weight))
    scale = clf._model.engine.snapshot()["scales"]
    once = HyperboxClassifier().fit(X, X[:, 0] > 100)._model.engine.snapshot()["scales"]
    seen, ahead = scale[1], scale[3]
    assert seen == math.ceil(weight) * once[1]
    assert ahead == 0
