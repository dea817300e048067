"""Models learned on parts of the data, merged: the same rules, about as many boxes, as good."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import boxwise
from boxwise import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
    dumps,
    merge,
)
from boxwise.datasets import LoanStream, loans
from boxwise.evaluate import class_balanced_accuracy

SETTINGS = [(0.2, 0.5), (0.1, 0.1), (0.5, 0.5)]


@cache
def loan_table(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    columns, labels = LoanStream(n_rows, function=2, noise=0.05, seed=1).table()
    return pd.DataFrame(columns), labels


def in_parts(
    clf: HyperboxClassifier, X: pd.DataFrame, y: Any, n_parts: int = 8, seed: int | None = None
) -> list[HyperboxClassifier]:
    """A model for each part: contiguous, or dealt out at random if there is a seed."""
    order = np.arange(len(X))
    if seed is not None:
        order = np.random.default_rng(seed).permutation(order)
    y = np.asarray(y)
    parts = [np.sort(rows) for rows in np.array_split(order, n_parts)]
    return [clone(clf).fit(X.iloc[p], y[p]) for p in parts]


# The promise


@pytest.mark.parametrize(("theta", "delta"), SETTINGS)
@pytest.mark.parametrize("seed", [None, 0], ids=["contiguous", "random"])
@pytest.mark.parametrize("learner", [EIOLGFMM(), EIOLGFMM(version=2)])
def test_eight_parts_merged_are_about_as_small_and_as_good_as_one_pass(theta, delta, seed, learner):
    X, y = loan_table(8_000)
    learn, test = slice(6_000), slice(6_000, None)
    clf = clone(learner).set_params(theta=theta, delta=delta)
    merged = merge(in_parts(clf, X[learn], y[learn], seed=seed))
    clf.fit(X[learn], y[learn])
    assert merged.boxes_.n_samples.sum() == 6_000
    assert len(merged.boxes_) <= 1.5 * len(clf.boxes_)
    cba = [class_balanced_accuracy(y[test], m.predict(X[test])) for m in (merged, clf)]
    assert cba[0] >= 0.97 * cba[1]


@pytest.mark.parametrize("seed", [None, 0], ids=["contiguous", "random"])
@pytest.mark.parametrize("max_boxes", [300, 1000, None])
def test_eight_parts_by_evidence_keep_to_the_budget_and_are_about_as_good_as_one_pass(
    seed, max_boxes
):
    X, y = loan_table(8_000)
    learn, test = slice(6_000), slice(6_000, None)
    clf = HyperboxClassifier(max_boxes=max_boxes)
    parts = in_parts(clf, X[learn], y[learn], seed=seed)
    merged = merge(parts)
    clf.fit(X[learn], y[learn])
    assert len(merged.boxes_) < sum(p.n_boxes_ for p in parts)
    assert len(merged.boxes_) <= (max_boxes or 10**9)
    if max_boxes is None:  # no row is given up
        assert merged.boxes_.n_samples.sum() == 6_000
    assert {*merged.boxes_.labels.tolist()} == {*y.tolist()}
    cba = [class_balanced_accuracy(y[test], m.predict(X[test])) for m in (merged, clf)]
    assert cba[0] >= 0.95 * cba[1]
    tree = parts
    while len(tree) > 1:
        tree = [merge(tree[i : i + 2]) for i in range(0, len(tree), 2)]
    assert class_balanced_accuracy(y[test], tree[0].predict(X[test])) >= 0.95 * cba[1]


def test_parts_that_fit_into_the_budget_keep_their_boxes():
    X, y = loan_table(600)
    parts = in_parts(HyperboxClassifier(), X, y, n_parts=2)
    merged = merge(parts)
    assert len(merged.boxes_) == sum(p.n_boxes_ for p in parts) <= 1000
    np.testing.assert_array_equal(
        merged.boxes_.lower, np.concatenate([part.boxes_.lower for part in parts])
    )


def test_rows_to_tune_with_are_learned_by_the_merged_model():
    X, y = loan_table(3_000)
    for clf in (HyperboxClassifier(max_boxes=200), EIOLGFMM(0.3)):
        parts = in_parts(clf, X[:2_400], y[:2_400])
        merged = merge(parts, tune=(X[2_400:], y[2_400:]))
        by_hand = merge(parts)
        if isinstance(clf, HyperboxClassifier):
            by_hand.set_params(adapt=False).partial_fit(X[2_400:], y[2_400:])
            by_hand.set_params(adapt=True)._configure_to_go_on(by_hand._model)
        else:
            by_hand.partial_fit(X[2_400:], y[2_400:])
        assert dumps(merged) == dumps(by_hand)
        assert dumps(merged) != dumps(merge(parts))


def test_rows_to_tune_with_count_as_often_as_their_weights_say():
    X, y = loan_table(900)
    parts = in_parts(HyperboxClassifier(max_boxes=None), X[:600], y[:600], n_parts=2)
    weights = np.arange(300) % 3
    merged = merge(parts, tune=(X[600:], y[600:], weights))
    assert merged.boxes_.n_samples.sum() == 600 + weights.sum()
    same = merge(parts, tune=(X[600:], y[600:], None))
    assert dumps(same) == dumps(merge(parts, tune=(X[600:], y[600:])))
    with pytest.raises(TypeError, match=r"EIOLGFMM knows no weights of rows; give tune as \(X, y"):
        merge(in_parts(EIOLGFMM(), X, y, n_parts=2), tune=(X, y, weights))


def test_no_change_is_looked_for_among_rows_to_tune_with():
    X, y = loan_table(4_000)
    parts = in_parts(HyperboxClassifier(max_boxes=50), X[:1_000], y[:1_000], n_parts=2)
    swapped = np.where(y == y[0], "other", y[0])  # a change that partial_fit finds
    merged = merge(parts, tune=(X[1_000:], np.concatenate([y[1_000:2_500], swapped[2_500:]])))
    assert merged.changes_ == []
    assert merged.adapt
    going_on = merge(parts).partial_fit(X[1_000:2_500], y[1_000:2_500])
    assert going_on.partial_fit(X[2_500:], swapped[2_500:]).changes_
    merged.partial_fit(X[1_000:2_500], y[1_000:2_500])
    assert merged.partial_fit(X[1_000:], swapped[1_000:]).changes_


def test_a_column_of_two_kinds_names_the_models_that_have_a_value():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [None, None]})
    kinds = (X, X.assign(b=[1, 2]), X.assign(b=["x", "y"]))
    parts = [HyperboxClassifier().fit(part, ["no", "yes"]) for part in kinds]
    message = "'b' is numeric in model 1 and categorical in model 2; give categorical_features to"
    with pytest.raises(ValueError, match=message):
        merge(parts)


def test_what_are_no_rows_to_tune_with_is_refused():
    X, y = loan_table(400)
    parts = in_parts(HyperboxClassifier(), X, y, n_parts=2)
    for tune in (X, (X,), (X, y, y, y), [X, y]):
        with pytest.raises(TypeError, match=r"tune must be a pair \(X, y\) of rows and labels"):
            merge(parts, tune=tune)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        merge(parts, tune=(X, y[:-1]))
    at_once = in_parts(AgglomerativeGFMM(), X, y, n_parts=2)
    with pytest.raises(TypeError, match="AgglomerativeGFMM learns all rows at once"):
        merge(at_once, tune=(X, y))


def test_in_order_the_boxes_of_later_parts_are_younger_and_their_relevance_counts_more():
    X, y = loan_table(2_000)
    parts = in_parts(HyperboxClassifier(max_boxes=None), X, y, n_parts=2)
    turns, order = merge(parts), merge(parts, in_order=True)
    last, young = (m._model.engine.snapshot()["last"] for m in (turns, order))
    assert 0 < last.min() < 1_000 and last.max() == young.max() == 2_000
    assert (young > 1_000).mean() > (last > 1_000).mean() - 0.1
    logs = [np.log(model.relevance_) for model in (*parts, turns, order)]
    away = [np.abs(mean - logs[1]) for mean in logs[2:]]
    assert (away[1] <= away[0] + 1e-12).all() and (away[1] < away[0]).any()
    assert dumps(merge(parts, in_order=True)) == dumps(order)


@pytest.mark.parametrize(("theta", "delta", "version"), [(0.2, 0.5, 1), (0.5, 0.5, 2)])
def test_a_tree_of_merges_is_about_as_good_as_one_merge(theta, delta, version):
    X, y = loan_table(8_000)
    learn, test = slice(6_000), slice(6_000, None)
    parts = in_parts(EIOLGFMM(theta, delta, version), X[learn], y[learn])
    flat, tree = merge(parts), parts
    while len(tree) > 1:
        tree = [merge(tree[i : i + 2]) for i in range(0, len(tree), 2)]
    assert len(tree[0].boxes_) <= 1.3 * len(flat.boxes_)
    cba = [class_balanced_accuracy(y[test], m.predict(X[test])) for m in (tree[0], flat)]
    assert cba[0] >= 0.97 * cba[1]


# The rules


def test_merged_boxes_stay_within_theta_of_the_united_range_and_keep_every_count():
    X, y = loan_table(3_000)
    merged = merge(in_parts(EIOLGFMM(0.3, 0.9, 2), X, y, seed=1))
    boxes = merged.boxes_
    ranges = [c.range for c in merged.schema_.columns if c.kind == "numeric"]
    limit = 0.3 * np.array([high - low for low, high in ranges])
    assert (boxes.upper - boxes.lower <= limit * (1 + 1e-12)).all()
    for counts, n in zip(boxes.counts, boxes.n_samples, strict=True):
        assert all(sum(d.values()) == n for d in counts)
    for j, name in enumerate(merged.schema_.categorical_names):
        total: dict[object, int] = {}
        for counts in boxes.counts:
            for value, times in counts[j].items():
                total[value] = total.get(value, 0) + times
        assert total == X[name].value_counts().to_dict()


def test_where_numbers_are_measured_by_rank_the_ranks_are_those_of_all_rows():
    X, y = loan_table(3_000)
    X["salary"] **= 4
    clf = EIOLGFMM(0.3, 1.0, 2, scale="quantile")
    merged, whole = merge(in_parts(clf, X, y, seed=1)), clf.fit(X, y)
    assert merged.boxes_.n_samples.sum() == len(X)
    ranks = X["salary"].rank(pct=True).to_numpy()
    order, salaries = np.argsort(ranks), np.sort(X["salary"].to_numpy())
    j = merged.schema_.numeric_names.index("salary")
    sides = [
        np.interp(bounds[:, j], salaries, ranks[order])
        for bounds in (merged.boxes_.lower, merged.boxes_.upper)
    ]
    assert (sides[1] - sides[0]).max() < 0.3 + 0.05  # the sketch is a little off
    scores = [class_balanced_accuracy(y, model.predict(X)) for model in (merged, whole)]
    assert scores[0] > 0.95 * scores[1]
    goes_on = merged.partial_fit(X[:100], y[:100])
    assert goes_on.boxes_.n_samples.sum() == len(X) + 100


def test_all_rows_count_and_relevance_is_averaged_without_a_budget():
    rows, labels = loans(2_000, function=7, noise=0.05, seed=3)
    first = labels[0]
    other = next(i for i, label in enumerate(labels) if label != first)
    order = [other, *range(other), *range(other + 1, 1_000)]  # the classes the other way round
    clf = HyperboxClassifier(max_boxes=None, adapt=False, class_prior="auto")
    parts = [
        clone(clf).fit([rows[i] for i in order], [labels[i] for i in order]),
        clone(clf).fit(rows[1_000:], labels[1_000:]),
    ]
    merged = merge(parts)

    assert merged.boxes_.n_samples.sum() == 2_000
    assert len(merged.boxes_) < sum(len(part.boxes_) for part in parts)
    ends = np.log([part.relevance_ for part in parts])
    between = np.log(merged.relevance_)
    assert (ends.min(axis=0) - 1e-9 <= between).all()
    assert (between <= ends.max(axis=0) + 1e-9).all()
    assert merged._model.engine.snapshot()["rows"].tolist() == [2_000, 2_000]


def test_many_values_of_several_models_share_a_code_once_merged():
    ids = [[f"id {i}"] for i in range(700)]
    labels = ["even", "odd"] * 350
    parts = [HyperboxClassifier().fit(ids[i : i + 300], labels[i : i + 300]) for i in (0, 150, 400)]
    merged = merge(parts)
    assert len(merged.schema_.vocabularies[0]) <= 256
    assert merged.boxes_.n_samples.sum() == 900
    for counts, n in zip(merged.boxes_.counts, merged.boxes_.n_samples, strict=True):
        assert sum(counts[0].values()) == n
    merged.partial_fit([["new"]], ["odd"])


def overlaps_across_classes(boxes: Any) -> int:
    meet = (boxes.lower[:, None] <= boxes.upper[None]).all(axis=2)
    meet &= meet.T
    return int((meet & (boxes.labels[:, None] != boxes.labels[None])).sum()) // 2


def test_no_merge_makes_boxes_of_different_classes_overlap():
    """Numbers alone, where boxes only grow: overlaps come from boxes that stayed, or not at all."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((600, 2)), columns=["a", "b"])
    y = np.where(X["a"] + X["b"] > 1, "high", "low")
    parts = in_parts(EIOLGFMM(0.3), X, y, n_parts=2, seed=2)
    before = pd.concat(
        [pd.DataFrame({"l": [*m.boxes_.lower], "u": [*m.boxes_.upper], "y": m.boxes_.labels})
         for m in parts]
    )  # fmt: skip

    class Both:
        lower, upper = np.stack(before["l"]), np.stack(before["u"])
        labels = before["y"].to_numpy()

    assert overlaps_across_classes(merge(parts).boxes_) <= overlaps_across_classes(Both)


def test_a_box_that_another_contains_is_taken_by_it():
    whole = EIOLGFMM(0.5, feature_range=(0, 1)).fit([[0.2, "x"], [0.6, "x"]], ["a", "a"])
    inside = EIOLGFMM(0.5, feature_range=(0, 1)).fit([[0.3, "x"], [0.4, "x"]], ["a", "a"])
    merged = merge([whole, inside])
    assert merged.boxes_.describe(0) == "a, 4 rows: x0 0.2 to 0.6; x1 is x"
    assert len(merged.boxes_) == 1


def test_overlapping_boxes_of_different_models_and_classes_stay():
    one = EIOLGFMM(0.5, feature_range=(0, 1)).fit([[0.2], [0.6]], ["a", "a"])
    other = EIOLGFMM(0.5, feature_range=(0, 1)).fit([[0.4], [0.8]], ["b", "b"])
    merged = merge([one, other])
    assert merged.boxes_.labels.tolist() == ["a", "b"]
    assert merged.boxes_.n_samples.tolist() == [2, 2]


def test_a_box_without_a_label_takes_the_class_of_what_it_merges_with():
    clf = EIOLGFMM(0.5, feature_range=(0, 1), unlabelled="?")
    one = clone(clf).fit([[0.2], [0.3]], ["?", "?"])
    other = clone(clf).fit([[0.25], [0.4]], ["a", "a"])
    merged = merge([one, other])
    assert merged.boxes_.labels.tolist() == ["a"]
    assert merged.boxes_.n_samples.tolist() == [4]


# What is united, and what must agree


def test_categories_classes_and_ranges_are_united():
    one = HyperboxClassifier().partial_fit([[1.0, "red"], [2.0, "blue"]], ["no", "yes"])
    other = HyperboxClassifier().partial_fit([[9.0, "green"], [5.0, "blue"]], ["maybe", "no"])
    merged = merge([one, other])
    assert merged.classes_.tolist() == ["maybe", "no", "yes"]
    number, colour = merged.schema_.columns
    assert number.range == (1.0, 9.0)
    assert colour.vocabulary.values == ["red", "blue", "green"]
    assert [box[0] for box in merged.boxes_.counts] == [
        {"red": 1},
        {"blue": 1},
        {"green": 1},
        {"blue": 1},
    ]
    assert merged.predict([[9.0, "green"], [1.0, "red"]]).tolist() == ["maybe", "no"]


def test_the_models_are_not_changed_and_the_merged_one_is_their_own(
    state: Callable[[Any], bytes],
):
    X, y = loan_table(1_000)
    parts = in_parts(HyperboxClassifier(0.5, 0.9), X, y, n_parts=3)
    before = [state(part) for part in parts]
    merged = merge(parts)
    learned = state(merged)
    merged.partial_fit(X[:50], y[:50])
    assert [state(part) for part in parts] == before
    assert state(merge(parts)) == learned  # and it is the same every time


def test_a_merged_model_goes_on_learning_is_saved_and_loaded(
    tmp_path: Any, state: Callable[[Any], bytes]
):
    X, y = loan_table(1_000)
    merged = merge(in_parts(HyperboxClassifier(0.5, 0.9), X[:800], y[:800], n_parts=2))
    merged.partial_fit(X[800:], y[800:])
    assert merged.boxes_.n_samples.sum() == 1_000
    merged.save(tmp_path / "merged.box")
    assert state(boxwise.load(tmp_path / "merged.box")) == state(merged)


def test_one_model_alone_is_copied(state: Callable[[Any], bytes]):
    X, y = loan_table(300)
    clf = HyperboxClassifier().fit(X, y)
    merged = merge([clf])
    assert merged is not clf
    np.testing.assert_array_equal(merged.boxes_.lower, clf.boxes_.lower)
    np.testing.assert_array_equal(merged.predict(X), clf.predict(X))


def test_classes_announced_to_a_model_are_announced_to_the_merged_one():
    one = HyperboxClassifier().partial_fit([[1.0]], ["a"], classes=["a", "z"])
    other = HyperboxClassifier().partial_fit([[2.0]], ["b"])
    assert merge([one, other]).classes_.tolist() == ["a", "b", "z"]


@pytest.mark.parametrize("clf", [ImprovedOnlineGFMM(0.3), AgglomerativeGFMM(0.3)])
def test_other_learners_whose_boxes_keep_to_the_same_rules_are_merged_too(clf):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((400, 2)), columns=["a", "b"])
    y = np.where(X["a"] > X["b"], "more", "less")
    merged = merge(in_parts(clf, X, y, n_parts=4))
    assert type(merged) is type(clf)
    assert np.mean(merged.predict(X) == y) > 0.9


@pytest.mark.parametrize("learner", [OnlineGFMM, ShindeGFMM, CastilloGFMM])
def test_learners_that_contract_are_refused_with_the_reason(learner):
    models = [learner().fit([[1.0], [2.0]], ["a", "b"]) for _ in range(2)]
    with pytest.raises(TypeError, match=f"{learner.__name__} models cannot be merged: .*contract"):
        merge(models)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"theta": 0.2}, "differ in theta: 0.3 and 0.2"),
        ({"delta": 0.5}, "differ in delta: 0.3 and 0.5"),
        ({"alpha": 0.1}, "differ in alpha: 'auto' and 0.1"),
        ({"gamma": [2.0]}, r"differ in gamma: 1.0 and \[2.0\]"),
        ({"version": 2}, "differ in version: 1 and 2"),
        ({"unlabelled": -1}, "differ in unlabelled: None and -1"),
        ({"scale": "quantile"}, "column 'x0': .*scale, 'range' and 'quantile'"),
        ({"feature_range": (0, 3)}, r"column 'x0': .*feature_range, 'data' and \(0, 3\)"),
    ],
)
def test_a_parameter_that_differs_is_named(parameters, words):
    rows, labels = [[1.0, "x"], [2.0, "y"]], ["a", "b"]
    one = EIOLGFMM().fit(rows, labels)
    with pytest.raises(ValueError, match=words):
        merge([one, EIOLGFMM(**parameters).fit(rows, labels)])


def test_ranges_that_are_fixed_must_be_the_same():
    clf = HyperboxClassifier(scale="range")
    one = clone(clf).set_params(feature_range=(0, 1)).fit([[0.5]], ["a"])
    with pytest.raises(ValueError, match=r"column 'x0': .* \(0, 1\) and \(0, 2\)"):
        merge([one, clf.set_params(feature_range=(0, 2)).fit([[0.5]], ["a"])])


def test_alpha_found_in_each_part_must_be_the_same():
    X, y = loan_table(200)
    parts = in_parts(EIOLGFMM(alpha="estimate"), X, y, n_parts=2)
    if parts[0].alpha_ != parts[1].alpha_:
        with pytest.raises(ValueError, match=r"differ in alpha: 0\.\d+ and 0\.\d+"):
            merge(parts)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"size": [1.0], "shade": ["x"]}, "models 0 and 1 differ in column 'shade'"),
        ({"colour": ["x"], "size": [1.0]}, "differ in the order of the columns"),
        (
            {"size": ["1"], "colour": ["x"]},
            "column 'size' is numeric in model 0 and categorical",
        ),
    ],
)
def test_columns_that_differ_are_named(columns, words):
    one = HyperboxClassifier().fit(pd.DataFrame({"size": [1.0], "colour": ["x"]}), ["a"])
    with pytest.raises(ValueError, match=words):
        merge([one, HyperboxClassifier().fit(pd.DataFrame(columns), ["a"])])


def test_what_is_no_list_of_fitted_estimators_of_one_kind_is_refused():
    clf = HyperboxClassifier().fit([[1.0]], ["a"])
    with pytest.raises(ValueError, match="no models"):
        merge([])
    with pytest.raises(TypeError, match="only estimators of boxwise"):
        merge([clf, "model.box"])
    with pytest.raises(TypeError, match="HyperboxClassifier and a ImprovedOnlineGFMM"):
        merge([clf, ImprovedOnlineGFMM().fit([[1.0]], ["a"])])
    with pytest.raises(ValueError, match="not fitted yet"):
        merge([clf, HyperboxClassifier()])
