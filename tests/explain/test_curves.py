"""The curves of a model: what they add agrees with `explain`, whatever was learned."""

from __future__ import annotations

import numpy as np
import pytest

import boxwise
from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.reference.evidence import PRIOR_ROWS


def table(n=400, seed=0):
    """Numbers, some missing; a flag; few categories, some missing; many categories."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n).astype(float)
    age[random.random(n) < 0.1] = np.nan
    jobs = np.array(["cook", "smith", "clerk", None], dtype=object)
    return {
        "age": age,
        "job": jobs[random.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])],
        "wage": np.exp(random.normal(10, 1, n)),
        "town": np.array([f"town {k}" for k in random.integers(0, 15, n)], dtype=object),
        "flag": random.integers(0, 2, n).astype(float),
    }


def rows_of(X):
    return [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)]


def labels_of(X, n_classes=2):
    score = np.nan_to_num(X["age"], nan=30.0) / 20 + (X["job"] == "smith") + X["flag"]
    return [f"class {int(k)}" for k in np.argsort(np.argsort(score)) * n_classes // len(score)]


def contribution(curve, value, k):
    """What a curve says of a value, read as its docstring says."""
    known = curve.values.tolist()
    if value is None or value != value:
        return curve.missing.contributions[k] + curve.offset[k]
    if curve.kind == "numeric":
        return np.interp(value, known, curve.contributions[:, k]) + curve.offset[k]
    if value in known:
        return curve.contributions[known.index(value), k] + curve.offset[k]
    return curve.others.contributions[k] + curve.offset[k]


def assert_agrees_with_explain(clf, X):
    curves = {curve.column: curve for curve in clf.curves()}
    rows = rows_of(X)
    sums = 0.0
    for row, why in zip(rows, clf.explain(rows, counterfactual=False), strict=True):
        for parts in why.sums:
            assert [name for name, _ in parts.curves] == list(curves)
            trust = why.support / (why.support + PRIOR_ROWS)
            for name, added in parts.curves:
                curve = curves[name]
                k = curve.classes.index(parts.label)
                assert trust * contribution(curve, row[name], k) == pytest.approx(added, abs=1e-9)
                sums += abs(added)
    assert sums > 0


def support(curve):
    others = 0.0 if curve.others is None else curve.others.rows
    return curve.rows.sum() + others + curve.missing.rows


@pytest.fixture(scope="module", name="X")
def learned_table():
    return table()


@pytest.fixture(scope="module")
def clf(X):
    return HyperboxClassifier().partial_fit(X, labels_of(X))


@pytest.mark.parametrize("scale", ["quantile", "range"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_curves_agree_with_explain(X, scale, n_classes):
    clf = HyperboxClassifier(scale=scale).partial_fit(X, labels_of(X, n_classes))
    assert_agrees_with_explain(clf, {name: column[:40] for name, column in X.items()})


def test_curves_of_two_classes_are_opposite_and_in_order_of_classes(clf):
    for curve in clf.curves():
        assert curve.classes == tuple(clf.classes_.tolist())
        assert curve.contributions[:, 0] == pytest.approx(-curve.contributions[:, 1], abs=1e-12)
    age = clf.curves()[0]
    assert age.contributions[-1, 1] > 0 > age.contributions[0, 1]  # the old are of class 1


def test_classes_are_in_the_order_of_classes_whichever_came_first(X):
    labels = labels_of(X)
    swapped = [{"class 0": "z", "class 1": "a"}[label] for label in labels]
    first, second = (HyperboxClassifier().partial_fit(X, y).curves()[0] for y in (labels, swapped))
    assert second.classes == ("a", "z")
    assert second.contributions[:, 1] == pytest.approx(first.contributions[:, 0], abs=1e-12)


def test_the_mean_over_the_learned_rows_is_zero(clf):
    for curve in clf.curves():
        points = [curve.rows @ curve.contributions]
        lately = [curve.rows @ curve.lately]
        for part in (curve.missing, curve.others):
            if part is not None:
                points.append(part.rows * part.contributions)
                lately.append(part.rows * part.lately)
        assert np.sum(points, axis=0) == pytest.approx(0, abs=1e-9)
        assert np.sum(lately, axis=0) == pytest.approx(0, abs=1e-9)
        assert np.abs(curve.offset).max() > 0


def test_support_adds_up_to_the_rows_the_layer_has_learned(clf, X):
    learned = clf._model.engine.snapshot()["layer_rows"][0]  # of the bias, active in every row
    assert 390 < learned < 400
    by_column = {curve.column: curve for curve in clf.curves()}
    # A column takes part from its second value on.
    for curve in by_column.values():
        assert learned - 5 <= round(support(curve), 6) <= learned
        assert (curve.rows >= 0).all()
    missing = np.isnan(X["age"]).sum()
    assert missing - 2 <= by_column["age"].missing.rows <= missing


def test_support_lies_where_the_rows_are(clf, X):
    by_column = {curve.column: curve for curve in clf.curves()}
    flag = by_column["flag"]
    at = dict(zip(flag.values.tolist(), flag.rows.tolist(), strict=True))
    assert at[1.0] == pytest.approx(X["flag"].sum(), abs=3)
    assert at[0.0] + at[1.0] == pytest.approx(flag.rows.sum())
    wage = by_column["wage"]
    low = wage.rows[wage.values <= np.median(X["wage"])].sum()
    assert low == pytest.approx(200, abs=30)


def test_the_first_twelve_values_have_a_weight_of_their_own(clf, X):
    town = {curve.column: curve for curve in clf.curves()}["town"]
    in_order = list(dict.fromkeys(X["town"].tolist()))
    assert town.values.tolist() == in_order[:12]
    assert town.n_others == 3
    later = sum(value in in_order[12:] for value in X["town"].tolist())
    assert later - 2 <= town.others.rows <= later


def test_a_missing_category_has_a_weight_or_is_among_the_others(X):
    first = HyperboxClassifier().partial_fit(X, labels_of(X))
    job = {curve.column: curve for curve in first.curves()}["job"]
    missing = sum(value is None for value in X["job"].tolist())
    assert None not in job.values.tolist()
    assert missing - 2 <= job.missing.rows <= missing
    assert np.abs(job.missing.contributions).min() > 1e-3
    late = {**X, "town": X["town"].copy()}
    late["town"][390:] = None
    second = HyperboxClassifier().partial_fit(late, labels_of(late))
    town = {curve.column: curve for curve in second.curves()}["town"]
    assert None not in town.values.tolist()
    assert town.missing.contributions.tolist() == town.others.contributions.tolist()
    assert town.missing.rows == 0
    assert_agrees_with_explain(second, {name: column[-20:] for name, column in late.items()})


def test_what_was_never_missing_adds_nothing_or_what_others_do(clf, X):
    curves = {curve.column: curve for curve in clf.curves()}
    wage, town = curves["wage"], curves["town"]
    assert wage.missing.rows == town.missing.rows == 0
    assert wage.missing.contributions == pytest.approx(-wage.offset)
    assert town.missing.contributions.tolist() == town.others.contributions.tolist()
    unseen = {name: column[:2].copy() for name, column in X.items()}
    unseen["town"][:] = [None, "never seen"]
    assert_agrees_with_explain(clf, unseen)


def test_past_255_values_a_missing_one_is_among_the_others():
    random = np.random.default_rng(0)
    values = random.permutation(np.repeat(np.arange(400), 5))
    X = {"c": np.array([f"v{value}" for value in values], dtype=object)}
    clf = HyperboxClassifier().partial_fit(X, [int(value % 50 > 4) for value in values])
    assert_agrees_with_explain(clf, {"c": np.array([None, "v399", "new"], dtype=object)})


@pytest.mark.filterwarnings("error")
def test_curves_of_rows_without_labels_are_zero():
    rows = [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}] * 5
    clf = HyperboxClassifier(unlabelled="?").partial_fit(rows, ["?"] * 10)
    assert [curve.importance for curve in clf.curves()] == [0.0, 0.0]


def test_a_category_that_comes_late_has_a_curve_at_once(X):
    clf = HyperboxClassifier().partial_fit(X, labels_of(X))
    before = {curve.column: curve for curve in clf.curves()}["job"]
    more = {name: column[:30].copy() for name, column in X.items()}
    more["job"][:] = "pilot"
    clf.partial_fit(more, ["class 1"] * 30)
    after = {curve.column: curve for curve in clf.curves()}["job"]
    assert "pilot" not in before.values.tolist()
    at = after.values.tolist().index("pilot")
    assert after.rows[at] == 30
    assert after.contributions[at, 1] > 0
    assert_agrees_with_explain(clf, more)


def test_lately_tells_a_column_that_has_changed_sides():
    random = np.random.default_rng(1)
    X = {"a": random.random(3_000), "b": random.random(3_000)}
    right = X["a"] > 0.5
    right[2_000:] = ~right[2_000:]
    labels = np.where(right, "yes", "no")
    parts = [slice(0, 2_000), slice(2_000, 2_100), slice(2_100, None)]
    clf = HyperboxClassifier(adapt=False)
    seen = []
    for part in parts:
        clf.partial_fit({name: column[part] for name, column in X.items()}, labels[part])
        seen.append({curve.column: curve for curve in clf.curves()}["a"])
    rise = [a.lately[-1, 1] - a.lately[0, 1] for a in seen]
    assert rise[0] > rise[1] > 0 > rise[2] or rise[0] > 0 > rise[1] > rise[2]
    assert all(np.abs(a.lately - a.contributions).max() > 1e-4 for a in seen)


def test_importance_is_the_mean_absolute_contribution():
    random = np.random.default_rng(2)
    X = {"telling": random.integers(0, 2, 500).astype(float), "noise": random.random(500)}
    clf = HyperboxClassifier().partial_fit(X, X["telling"].astype(int))
    telling, noise = clf.curves()
    by_hand = telling.rows @ np.abs(telling.contributions) / telling.rows.sum()
    assert telling.importance == pytest.approx(by_hand.mean())
    assert telling.importance > 2 * noise.importance


def test_saved_and_loaded_the_curves_are_the_same(clf, tmp_path):
    clf.save(tmp_path / "m.box")
    for before, after in zip(clf.curves(), boxwise.load(tmp_path / "m.box").curves(), strict=True):
        assert after.contributions.tolist() == before.contributions.tolist()
        assert after.lately.tolist() == before.lately.tolist()
        assert after.rows.tolist() == before.rows.tolist()
        assert after.values.tolist() == before.values.tolist()


@pytest.mark.parametrize("labels", [["a"] * 3, ["a", "a", "b"]])
def test_before_the_layer_has_learned_curves_are_zero(labels):
    # The row of a new class teaches the layer only that there is one.
    rows = [{"x": 1.0, "k": "u"}, {"x": 2.0, "k": "v"}, {"x": 3.0, "k": "u"}]
    curves = HyperboxClassifier().partial_fit(rows, labels).curves()
    assert [curve.column for curve in curves] == ["x", "k"]
    for curve in curves:
        assert curve.contributions.shape == (len(curve.values), len(set(labels)))
        assert not curve.contributions.any()
        assert curve.importance == support(curve) == 0


def test_a_column_of_one_number_has_no_values_yet():
    rows = [{"x": 7.0, "k": "u"}, {"x": 7.0, "k": "v"}] * 5
    x, _ = HyperboxClassifier().partial_fit(rows, ["a", "b"] * 5).curves()
    assert len(x.values) == 0
    assert x.contributions.shape == (0, 2)


def test_a_column_without_a_kind_has_no_curve():
    rows = [{"x": float(i), "later": None} for i in range(6)]
    curves = HyperboxClassifier().partial_fit(rows, ["a", "b"] * 3).curves()
    assert [curve.column for curve in curves] == ["x"]


def test_a_model_without_curves_says_how_to_get_them(X):
    clf = HyperboxClassifier(additive=False).partial_fit(X, labels_of(X))
    with pytest.raises(ValueError, match="additive=False and has no curves; learn with additive="):
        clf.curves()
    assert not hasattr(EIOLGFMM, "curves")
