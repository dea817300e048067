"""What each parameter takes, what it refuses, and what the ranges of the columns do."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.reference import EIOL

State = Callable[[HyperboxClassifier], bytes]
ROWS = [[0.1, "x", 0.3], [0.4, "y", 0.9], [0.2, "x", 0.5]]
NAN, INF = float("nan"), float("inf")

BAD: list[tuple[str, Any]] = [
    *[("theta", v) for v in (-0.1, NAN, INF, "0.1", None, [0.1], True, 1j, 10**400)],
    *[("delta", v) for v in (-0.1, 1.1, NAN, INF, "0.1", None, [0.1], False)],
    *[
        ("categorical_features", v)
        for v in ("x1", "dtype", 1, [9], [-4], ["job"], [True], [1, "a"])
    ],
    *[("max_boxes", v) for v in (0, -1, 1.5, NAN, "3", [3], True, 2**60)],
    *[("scale", v) for v in ("Range", "rank", "", None, 1, ["range"])],
    *[("feature_range", v) for v in ("Data", "01", None, 1, (0,), (0, 1, 2), (1, 0), (0, 0))],
    *[("feature_range", v) for v in ((0, NAN), (0, INF), (0, 1e200), (0, 10**400), (0, None))],
    *[("feature_range", v) for v in ({"x9": (0, 1)}, {"x1": (0, 1)}, {1: (0, 1)}, {5: (0, 1)})],
    *[("feature_range", v) for v in ({"x0": (1, 0)}, {"x0": 1}, {"x0": None}, {None: (0, 1)})],
]


BAD_OF_EIOL: list[tuple[str, Any]] = [
    *[("alpha", v) for v in (-0.1, 1.1, NAN, "Auto", "", None, [0.5], True)],
    *[("gamma", v) for v in (0, -1, NAN, INF, "1", None, True, {}, [1.0], [1.0] * 3, [])],
    *[("gamma", v) for v in ([1.0, 0.0], [1.0, NAN], [1.0, "1"], [[1.0, 1.0]], [[1, 2], [3]])],
    *[("version", v) for v in ("1", "", None, 0, 3, 1.5, 1.0, True, [1], {1}, NAN)],
    *[("version", v) for v in (np.True_, np.array([1.0]), np.array([1, 2]), pd.Index([1]))],
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=[f"{n}-{v!r}"[:40] for n, v in BAD])
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("learner", [HyperboxClassifier, EIOLGFMM])
def test_a_bad_parameter_is_a_value_error_that_names_it(
    name: str, value: Any, learn: str, learner: Any
) -> None:
    with pytest.raises(ValueError, match=name):
        getattr(learner(**{name: value}), learn)(ROWS, ["a", "b", "a"])


BAD_OF_OURS: list[tuple[str, Any]] = [
    *[(name, v) for name in ("adapt", "additive") for v in (None, 0, 1, "yes", [True])],
    *[("class_prior", v) for v in ("Data", "", None, 1, ["data"])],
    *[("class_weight", v) for v in ("even", 1, ["a"], {"a": -1}, {"a": NAN}, {"b": "2"})],
    *[("class_weight", v) for v in ({"a": True}, {"a": 10**400}, {"a": INF})],
]


@pytest.mark.parametrize(("name", "value"), BAD_OF_OURS, ids=repr)
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_our_learner_refuses_a_bad_parameter_by_its_name(name: str, value: Any, learn: str) -> None:
    with pytest.raises(ValueError, match=name):
        getattr(HyperboxClassifier(**{name: value}), learn)(ROWS, ["a", "b", "a"])


@pytest.mark.parametrize(("name", "value"), BAD_OF_EIOL, ids=repr)
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_eiol_refuses_a_bad_parameter_by_its_name(name: str, value: Any, learn: str) -> None:
    with pytest.raises(ValueError, match=name):
        getattr(EIOLGFMM(**{name: value}), learn)(ROWS, ["a", "b", "a"])


GOOD: list[tuple[str, Any]] = [
    *[("theta", v) for v in (0, 1, 5, 0.3, np.float32(0.3), np.int64(1))],
    *[("delta", v) for v in (0, 1, np.float64(0.3))],
    *[("categorical_features", v) for v in ([1], ["x1"], [-2], [False, True, False], (1,))],
    *[("categorical_features", v) for v in (np.array([1]), {1}, pd.Index(["x1"]), range(1, 2))],
    *[("feature_range", v) for v in ((0, 1), [0, 1], {"x0": (0, 1)}, {2: [0, 1]}, {})],
    ("scale", "quantile"),
    ("max_boxes", 2),
    ("max_boxes", None),
    ("max_boxes", np.int64(3)),
]


GOOD_OF_EIOL: list[tuple[str, Any]] = [
    *[("alpha", v) for v in (0, 1, np.float32(0.5), "auto")],
    *[("gamma", v) for v in (2, np.float64(2), [1.0, 2.0], (1, 2), np.array([1.0, 2.0]))],
    ("gamma", np.array(2.0)),
    *[("version", v) for v in (1, 2, np.int64(2))],
]
USED = [(learner, *pair) for learner in (HyperboxClassifier, EIOLGFMM) for pair in GOOD]
USED += [(EIOLGFMM, *pair) for pair in GOOD_OF_EIOL]
USED += [
    *[(HyperboxClassifier, "adapt", v) for v in (True, False, np.True_)],
    *[(HyperboxClassifier, "additive", v) for v in (True, False, np.True_)],
    *[(HyperboxClassifier, "class_prior", v) for v in ("data", "balanced", "auto")],
    *[(HyperboxClassifier, "class_weight", v) for v in (None, {}, {"a": 2, "b": np.int64(3)})],
]


@pytest.mark.parametrize(("learner", "name", "value"), USED, ids=repr)
def test_a_good_parameter_is_used_and_kept_as_it_is(learner: Any, name: str, value: Any) -> None:
    clf = learner(**{"scale": "range", name: value}).fit(ROWS, ["a", "b", "a"])
    assert clf.predict(ROWS).tolist() == ["a", "b", "a"]
    assert clf.get_params()[name] is value


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_ranks_and_a_fixed_range_do_not_go_together(learn: str) -> None:
    clf = HyperboxClassifier(scale="quantile", feature_range=(0, 1))
    with pytest.raises(ValueError, match=r"scale='quantile'.*leave feature_range at 'data'"):
        getattr(clf, learn)(ROWS, ["a", "b", "a"])


def test_theta_bounds_the_sides_of_a_box_as_a_share_of_the_range() -> None:
    X = [[0.0], [10.0], [4.0], [6.0]]
    for theta, boxes in (0.19, 4), (0.2, 3), (0.4, 2), (1.0, 1):
        assert len(EIOLGFMM(theta=theta).fit(X, ["a"] * 4).boxes_) == boxes
    # Here the limit follows the relevance of the column, and the boxes the order of likelihood.
    by_theta = [
        len(HyperboxClassifier(theta, scale="range").fit(X, ["a"] * 4).boxes_)
        for theta in (0.01, 0.4, 1.0)
    ]
    assert by_theta[0] == 4 > by_theta[1] > by_theta[2] == 1


def test_delta_zero_keeps_values_apart_and_one_never_does() -> None:
    X = [["x"], ["y"], ["z"], ["x"]]
    apart = HyperboxClassifier(delta=0).fit(X, ["a"] * 4).boxes_
    assert sorted(apart.describe(i) for i in range(len(apart))) == [
        *("a, 1 row: x0 is y", "a, 1 row: x0 is z", "a, 2 rows: x0 is x")
    ]
    assert HyperboxClassifier(delta=1).fit(X, ["a"] * 4).boxes_.n_samples.tolist() == [4]


def test_alpha_zero_and_one_let_one_kind_decide_which_box_takes_a_row() -> None:
    X, y = [[0.0, "x"], [1.0, "y"], [1.0, "x"]], ["a"] * 3
    by_category = EIOLGFMM(alpha=0, theta=0, delta=0).fit(X, y)
    assert by_category.boxes_.n_samples.tolist() == [2, 1]
    assert by_category.boxes_.upper.tolist() == [[0], [1]]  # a member's box does not grow
    by_number = EIOLGFMM(alpha=1, theta=0, delta=0).fit(X, y)
    assert by_number.boxes_.n_samples.tolist() == [1, 2]
    assert by_number.boxes_.counts == [[{"x": 1}], [{"y": 1, "x": 1}]]


def test_parameters_changed_in_mid_stream_are_used_from_then_on() -> None:
    for learner in (EIOLGFMM, HyperboxClassifier):
        clf = learner(theta=0.0).fit([[0.0], [1.0]], ["a", "a"])
        clf.partial_fit([[0.5]], ["a"])
        assert clf.n_boxes_ == 3
        clf.set_params(theta=1.0).partial_fit([[0.25]], ["a"])
        assert clf.n_boxes_ == 3


def test_one_gamma_per_column_goes_by_the_order_of_the_numeric_columns() -> None:
    clf = EIOLGFMM(gamma=[1.0, 3.0], alpha=1, feature_range=(0, 1))
    clf.fit([[0.5, "x", 0.5]], ["a"])
    found = clf.membership([[0.6, "x", 0.5], [0.5, "x", 0.6]])
    np.testing.assert_allclose(found[:, 0], [0.9, 0.7])


def test_listed_categorical_columns_may_hold_numbers() -> None:
    X = pd.DataFrame({"zip": [10, 20, 10], "size": [1.0, 2.0, 3.0]})
    clf = HyperboxClassifier(categorical_features=["zip"]).fit(X, ["a", "b", "a"])
    assert clf.schema_.categorical_names == ("zip",)
    assert clf.boxes_.counts[0] == [{10: 1}]
    assert clf.predict(X.assign(zip=[10.0, 20.0, 10.0])).tolist() == ["a", "b", "a"]


def reference_boxes(model: EIOL) -> list[Any]:
    return [(b.V, b.W, b.D, b.n, b.label) for b in model.boxes]


def classifier_boxes(clf: HyperboxClassifier) -> list[Any]:
    b = clf.boxes_
    labels = b.labels.tolist()
    return [*zip(b.lower.tolist(), b.upper.tolist(), b.counts, b.n_samples, labels, strict=True)]


@pytest.mark.parametrize("version", [1, 2])
def test_growing_ranges_decide_as_the_reference_does(version: int) -> None:
    rng = np.random.default_rng(11)
    numbers = (rng.normal(size=(300, 2)) * [3, 0.01]).round(4) * np.linspace(0.1, 1, 300)[:, None]
    words = rng.choice(list("abc"), (300, 2), p=[0.7, 0.2, 0.1])
    y = (numbers[:, 0] > 0).astype(int).tolist()
    X = pd.DataFrame(
        {"n0": numbers[:, 0], "w0": words[:, 0], "n1": numbers[:, 1], "w1": words[:, 1]}
    )
    clf = EIOLGFMM(theta=0.2, delta=0.5, version=version)
    model = EIOL(0.2, 0.5, 0.5, [1.0, 1.0], "mean" if version == 2 else "each")
    for part in range(0, 300, 50):
        clf.partial_fit(X[part : part + 50], y[part : part + 50])
    for number, word, label in zip(numbers.tolist(), words.tolist(), y, strict=True):
        model.learn(number, number, word, label)
    assert classifier_boxes(clf) == reference_boxes(model)
    assert clf.schema_.columns[0].range == (numbers[:, 0].min(), numbers[:, 0].max())


def test_growing_ranges_decide_as_if_everything_had_been_rescaled() -> None:
    # Powers of two, so that scaling by hand rounds nothing.
    X, y = [[0.0], [1.0], [0.25], [4.0], [3.0], [8.0], [7.0]], ["a", "b", "a", "b", "b", "b", "b"]
    clf = EIOLGFMM(theta=0.25).partial_fit(X[:3], y[:3])
    assert clf.boxes_.upper.tolist() == [[0.25], [1.0]]  # 0.25 of the range 0 to 1
    clf.partial_fit(X[3:5], y[3:5])
    assert clf.boxes_.upper.tolist() == [[0.25], [1.0], [4.0]]  # range 0 to 4
    np.testing.assert_allclose(clf.membership([[2.0]]), [[1 - 1.75 / 4, 0.75, 0.75]])
    clf.partial_fit(X[5:], y[5:])
    scaled = EIOLGFMM(theta=0.25, feature_range=(0, 1))
    scaled.fit(clf.boxes_.lower / 8, clf.boxes_.labels, upper=clf.boxes_.upper / 8)
    np.testing.assert_array_equal(
        clf.membership([[2.0], [5.5]]), scaled.membership([[0.25], [0.6875]])
    )


def test_fit_scales_by_the_range_of_the_whole_table() -> None:
    X, y = [[0.0], [2.0], [10.0]], ["a", "a", "a"]
    for learner in (EIOLGFMM(theta=0.2), HyperboxClassifier(theta=0.2, scale="range")):
        assert sorted(learner.fit(X, y).boxes_.upper.tolist()) == [[2], [10]]
        assert len(clone(learner).partial_fit(X, y).boxes_) == 3


def test_the_scale_of_a_column_does_not_matter(table: pd.DataFrame, labels: list[str]) -> None:
    clf = HyperboxClassifier(theta=0.25).fit(table, labels)
    scaled = table.assign(age=table["age"] * 1024, income=table["income"] / 4096)
    other = HyperboxClassifier(theta=0.25).fit(scaled, labels)
    assert other.boxes_.n_samples.tolist() == clf.boxes_.n_samples.tolist()
    np.testing.assert_array_equal(other.membership(scaled), clf.membership(table))


def test_a_fixed_range_stays_whatever_the_data() -> None:
    clf = HyperboxClassifier(theta=0.1, scale="range", feature_range=(0, 1))
    clf.partial_fit([[50.0], [50.2]], ["a", "a"])
    assert len(clf.boxes_) == 2
    assert clf.schema_.columns[0].range == (0, 1)


def test_a_mapping_fixes_some_columns_and_leaves_the_others_to_the_data() -> None:
    X = pd.DataFrame({"a": [0.0, 5.0], "w": ["x", "y"], "b": [0.0, 5.0]})
    for mapping in {"b": (0, 10)}, {2: (0, 10)}:
        clf = HyperboxClassifier(scale="range", feature_range=mapping).fit(X, ["p", "q"])
        assert clf.schema_.columns[0].range == (0, 5)
        assert clf.schema_.columns[2].range == (0, 10)
        clf.partial_fit(X.assign(a=20.0, b=20.0), ["p", "q"])
        assert clf.schema_.columns[0].range == (0, 20)
        assert clf.schema_.columns[2].range == (0, 10)


def test_a_constant_column_keeps_nothing_apart() -> None:
    X, y = [[3.0, 0.0], [3.0, 1.0]], ["a", "b"]
    for clf in (EIOLGFMM(0.0), HyperboxClassifier(0.0, scale="range"), HyperboxClassifier(0.0)):
        near = clf.fit(X, y).membership([[99.0, 0.0], [3.0, 0.0]])
        assert near[0].tolist() == near[1].tolist()
        of_a, of_b = (near[0, clf.boxes_.labels == label].item() for label in "ab")
        assert of_a == 1 > of_b
        assert clf.predict([[99.0, 0.0], [3.0, 1.0]]).tolist() == ["a", "b"]


def test_a_learned_range_does_not_depend_on_the_order_of_calls(state: State) -> None:
    X, y = [[0.0, 3.0], [2.0, 1.0], [4.0, 2.0]], [0, 1, 0]
    whole = HyperboxClassifier(theta=0.2).fit(X, y)
    assert [c.range for c in whole.schema_.columns] == [(0, 4), (1, 3)]
    pieces = HyperboxClassifier(theta=0.2)
    for row, label in zip(X, y, strict=True):
        pieces.partial_fit([row], [label])
    assert [c.range for c in pieces.schema_.columns] == [(0, 4), (1, 3)]
