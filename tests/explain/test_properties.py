"""Laws of explanations, over models of every kind of column, with gaps, intervals and ties."""

from __future__ import annotations

import json
import math

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from boxwise.reference.hyperbox import in_units
from tests.differential.streams import UNLABELLED, Stream, streams

thorough = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
DECISIONS = st.sampled_from(["membership", "evidence"])
SCALES = st.sampled_from(["range", "quantile"])
PRIOR_ROWS = 0.1  # spread evenly over the classes, beside those that speak for a row


def model_and_rows(stream: Stream, decision: str, scale: str, rows: int = 6, **more):
    """Return a model that has learned all rows but the last, and those, which it has not."""
    assume(any(label != UNLABELLED for label in stream.labels[:-rows]))
    clf = stream.by_evidence() if decision == "evidence" else stream.classifier()
    clf.set_params(scale=scale, **more)
    if scale == "quantile":
        clf.set_params(feature_range="data")
    X, upper = stream.table()
    cut = max(len(X) - rows, 1)
    part = (lambda rows: None) if upper is None else (lambda rows: upper[rows])
    clf.partial_fit(X[:cut], stream.labels[:cut], upper=part(slice(cut)))
    assume(len(X) > cut and any(label != UNLABELLED for label in clf.boxes_.labels))
    return clf, X[cut:], part(slice(cut, None))


def recomputed(clf, box) -> float:
    """The membership, by the formula that the documentation gives."""
    numbers = [f.term for f in box.features if f.kind == "numeric"]
    counts = [f.count for f in box.features if f.kind == "categorical"]
    b_num = min(numbers, default=1.0)
    if not counts:
        return in_units(b_num)
    b_cat = sum(counts) / (box.rows * len(counts))
    alpha = clf._model.settings.alpha
    return in_units(alpha * b_num + (1 - alpha) * b_cat if numbers else b_cat)


@thorough
@given(streams(max_rows=60), DECISIONS, SCALES)
def test_the_memberships_of_an_explanation_are_those_of_the_model(stream, decision, scale):
    """By membership the terms of the winner recompute its own, bit for bit."""
    clf, X, upper = model_and_rows(stream, decision, scale)
    degrees = clf.membership(X, upper=upper)
    assert degrees.min(initial=0) >= 0
    assert degrees.max(initial=0) <= 1
    for why in clf.explain(X, upper, counterfactual=False):
        winner = why.winner
        assert winner.membership == degrees[why.row, winner.box]
        if decision == "membership":
            assert recomputed(clf, winner) == winner.membership
        for rival in why.rivals:
            assert rival.box.membership == degrees[why.row, rival.box.box]


@thorough
@given(streams(max_rows=60), SCALES)
def test_by_membership_contributions_and_comparisons_add_up(stream, scale):
    clf, X, upper = model_and_rows(stream, "membership", scale)
    degrees, labels = clf.membership(X, upper=upper), clf.boxes_.labels
    for why in clf.explain(X, upper, counterfactual=False):
        assert why.prediction == clf.predict(X, upper=upper)[why.row]
        assert why.winner.membership == degrees[why.row][labels != UNLABELLED].max()
        costs = [f.contribution for f in why.winner.features]
        assert max(costs) <= 0
        assert math.isclose(1 + sum(costs), why.winner.membership, abs_tol=2e-12)
        assert {r.label for r in why.rivals} == {*labels.tolist()} - {why.prediction, UNLABELLED}
        for rival in why.rivals:
            assert rival.box.membership == degrees[why.row][labels == rival.label].max()
            assert rival.margin == why.winner.membership - rival.box.membership >= 0
        if why.against is not None:
            parts = [part for _, part in why.against.columns]
            assert math.isclose(sum(parts), why.against.total, abs_tol=2e-12)
            assert math.isclose(why.against.total, why.rivals[0].margin, abs_tol=2e-12)


@thorough
@given(streams(max_rows=60), SCALES, st.sampled_from(["data", "balanced", "auto"]))
def test_by_evidence_all_numbers_of_the_decision_follow(stream, scale, prior):
    """The log terms give the shares of the boxes and the odds of the classes."""
    clf, X, upper = model_and_rows(stream, "evidence", scale, class_prior=prior, adapt=False)
    carried, p = clf.responsibilities(X, upper=upper), clf.predict_proba(X, upper=upper)
    support = clf.support(X, upper=upper)
    of_class = {label: k for k, label in enumerate(clf.classes_.tolist())}
    even = PRIOR_ROWS / len({*clf.boxes_.labels.tolist()} - {UNLABELLED})
    for why in clf.explain(X, upper, counterfactual=False):
        assert why.winner.share == carried[why.row, why.winner.box]
        assert why.probability == p[why.row, of_class[why.prediction]] == p[why.row].max()
        parts = sum(f.contribution for f in why.winner.features)
        assert math.isclose(
            why.winner.log_evidence, math.log(why.winner.weight) + parts, abs_tol=1e-9
        )
        sums = {one.label: one for one in why.sums}
        assert [*sums] == [label for label, _ in why.probabilities]
        if why.against is None:
            assert len({*clf.boxes_.labels.tolist()} - {UNLABELLED}) == 1
            continue
        parts = sum(part for _, part in why.against.columns) + why.against.rest
        assert math.isclose(parts, why.against.total, abs_tol=1e-9)
        # What few rows allow is taken out of the probabilities by the boxes, which leaves the odds.
        ours, theirs = (
            sums[label].by_boxes * (support[why.row] + PRIOR_ROWS) - even
            for label in (why.prediction, why.against.label)
        )
        if min(ours, theirs) > 1e-6:
            odds = math.log(ours / theirs)
            odds += sums[why.prediction].class_prior - sums[why.against.label].class_prior
            assert math.isclose(odds, why.against.total, rel_tol=1e-4, abs_tol=1e-4)


@thorough
@given(
    streams(max_rows=60),
    SCALES,
    st.sampled_from(["data", "balanced", "auto"]),
    st.booleans(),
    st.booleans(),
)
def test_the_sums_of_all_classes_give_the_probabilities(stream, scale, prior, adapt, additive):
    clf, X, upper = model_and_rows(
        stream, "evidence", scale, class_prior=prior, adapt=adapt, additive=additive
    )
    for why in clf.explain(X, upper, counterfactual=False):
        for one in why.sums:
            curves = sum(part for _, part in one.curves)
            assert len(one.curves) == (X.shape[1] if additive else 0)
            parts = curves + one.constant + one.boxes + one.class_prior
            assert parts == one.logit or math.isclose(parts, one.logit, abs_tol=1e-9)
        highest = max(one.logit for one in why.sums)
        shares = [math.exp(one.logit - highest) for one in why.sums]
        for (_, p), share in zip(why.probabilities, shares, strict=True):
            assert math.isclose(p, share / sum(shares), abs_tol=1e-9)


@thorough
@given(streams(max_rows=60), SCALES)
def test_shares_of_the_boxes_are_those_of_responsibilities_and_within_the_probability(
    stream, scale
):
    clf, X, upper = model_and_rows(stream, "evidence", scale)
    carried, labels = clf.responsibilities(X, upper=upper), clf.boxes_.labels
    for why in clf.explain(X, upper, counterfactual=False):
        of_class = carried[why.row][labels == why.prediction]
        assert of_class.sum() <= why.probability + 1e-9
        assert [box.share for box in why.carried] == sorted(of_class, reverse=True)[
            : len(why.carried)
        ]
        assert why.n_boxes == len(of_class)


@thorough
@given(streams(max_rows=60), DECISIONS, SCALES, st.data())
def test_a_counterfactual_changes_the_prediction_and_nothing_that_is_fixed(
    stream, decision, scale, data
):
    clf, X, upper = model_and_rows(stream, decision, scale, rows=3)
    names = clf.schema_.names
    fixed = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=2))
    for why in clf.explain(X, upper, fixed=fixed):
        assert (why.counterfactual is None) == (why.no_counterfactual is not None)
        if why.counterfactual is None:
            continue
        found = why.counterfactual
        row, high = X[why.row : why.row + 1].copy(), None
        if upper is not None:
            high = upper[why.row : why.row + 1].copy()
        assert 1 <= len(found.changes) <= 2
        for change in found.changes:
            assert change.column not in fixed
            j = names.index(change.column)
            new = change.new if isinstance(change.new, tuple) else (change.new, change.new)
            assert new != (None, None)
            row[0, j] = new[0]
            if j < stream.n:
                high[0, j] = new[1]
        assert clf.predict(row, upper=high)[0] == found.prediction != why.prediction
        assert found.size > 0


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(streams(max_rows=25, max_numeric=1, max_categorical=0))
def test_in_one_column_there_is_no_smaller_change(stream):
    """With so few boxes all bounds are tried, and what is between them: nothing is missed."""
    clf, X, upper = model_and_rows(stream, "membership", "range", rows=2)
    low, high = clf.schema_.columns[0].range
    ends = np.concatenate([clf.boxes_.lower, clf.boxes_.upper])
    assume(high > low and np.any(ends % 1 > 0))  # whole numbers stay whole, which costs more
    for why in clf.explain(X, upper):
        (value,) = (feature.value for feature in why.winner.features)
        if not isinstance(value, float):
            continue
        values = np.linspace(low, high, 1001)[:, None]
        sizes = np.abs(values[:, 0] - value)[clf.predict(values) != why.prediction] / (high - low)
        if why.counterfactual is None:
            assert why.no_counterfactual == "the model knows no other class" or not len(sizes)
        elif len(sizes):  # a hundredth of the range further, in order to be readable
            assert why.counterfactual.size <= sizes.min() + 0.0101


@thorough
@given(streams(max_rows=60), SCALES)
def test_ties_are_those_boxes_that_have_the_largest_membership(stream, scale):
    clf, X, upper = model_and_rows(stream, "membership", scale)
    degrees, boxes = clf.membership(X, upper=upper), clf.boxes_
    known = np.flatnonzero(boxes.labels != UNLABELLED)
    for why in clf.explain(X, upper, counterfactual=False):
        degree = degrees[why.row]
        best = [int(i) for i in known if degree[i] == degree[known].max()]
        if why.tie is None:
            assert best == [why.winner.box]
            continue
        assert sorted(i for one in why.tie.classes for i in one.boxes) == best
        assert why.tie.classes[0].label == why.prediction
        for one in why.tie.classes:
            assert one.rows == sum(boxes.n_samples[i] for i in one.boxes)
        rows = [one.rows for one in why.tie.classes]
        if why.tie.decided_by == "rows":
            assert rows[0] > max(rows[1:])
            assert why.winner.membership > 0
        else:
            assert (len(rows) == 1) == (why.tie.decided_by == "class")


@thorough
@given(streams(max_rows=40), DECISIONS, SCALES)
def test_every_explanation_can_be_printed_shown_and_written(stream, decision, scale):
    clf, X, upper = model_and_rows(stream, decision, scale, rows=3)
    for why in clf.explain(X, upper):
        assert len(str(why).splitlines()) <= 40  # twelve boxes and eight factors at most
        assert json.loads(why.to_json()) == why.to_dict()
        assert why._repr_html_().count("<table") == why._repr_html_().count("</table>")
