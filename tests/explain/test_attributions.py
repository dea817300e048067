"""Attributions: exact Shapley values that sum to the log-odds, as `shap` computes them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.explain.shapley import exact, sampled

JOBS = np.array(["cook", "smith", "clerk", None], dtype=object)


def coded_rows(n: int, seed: int = 0) -> np.ndarray:
    """Two numbers, some missing, and two categories as their codes, of which 9 is never learned."""
    random = np.random.default_rng(seed)
    rows = np.column_stack(
        [random.normal(size=n).round(1), random.exponential(size=n), *random.integers(0, 4, (2, n))]
    )
    rows[random.random(n) < 0.1, 0] = np.nan
    return rows


def table(coded: np.ndarray) -> list[dict[str, object]]:
    names = [*JOBS, *["other"] * 6]
    return [
        {"age": a, "job": names[int(j)], "wage": w, "town": f"town {int(t)}"}
        for a, w, j, t in coded.tolist()
    ]


def labels(coded: np.ndarray, n_classes: int) -> list[str]:
    score = np.nan_to_num(coded[:, 0]) * (coded[:, 2] > 1) + coded[:, 1]
    return [f"class {k}" for k in np.argsort(np.argsort(score)) * n_classes // len(score)]


def model(n_classes: int, **parameters: object) -> HyperboxClassifier:
    coded = coded_rows(300)
    clf = HyperboxClassifier(max_boxes=60, **parameters)
    return clf.fit(table(coded), labels(coded, n_classes))


def log_odds(p: np.ndarray) -> np.ndarray:
    """The second of two classes, or each against all others."""
    odds = np.log(p) - np.log(1 - p)
    return odds[:, 1] if p.shape[1] == 2 else odds


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("additive", [True, False])
def test_attributions_sum_to_the_log_odds(n_classes, additive):
    clf = model(n_classes, additive=additive)
    rows = table(coded_rows(20, seed=1))
    rows[0]["job"] = "never learned"
    for exact_columns in (10, 2, 0):
        found = clf.attributions(rows, exact_columns=exact_columns)
        sums = found.values.sum(axis=1) + found.base_values
        np.testing.assert_allclose(sums, log_odds(clf.predict_proba(rows)), rtol=0, atol=1e-9)
        assert found.exact == (exact_columns == 10)
    base = log_odds(clf.predict_proba(rows[:7])).mean(axis=0)
    found = clf.attributions(rows[7:], background=rows[:7])
    np.testing.assert_allclose(found.base_values, np.tile(base, (13, *[1] * base.ndim)), atol=1e-9)
    assert found.n_background == 7


@pytest.mark.parametrize("n_classes", [2, 3])
def test_attributions_equal_those_of_shap(n_classes):
    shap = pytest.importorskip("shap")
    clf, background, coded = model(n_classes), coded_rows(12, seed=2), coded_rows(6, seed=3)
    coded[0, 3] = 9

    def score(rows: np.ndarray) -> np.ndarray:
        return log_odds(clf.predict_proba(table(rows)))

    masker = shap.maskers.Independent(background)
    found = clf.attributions(table(coded), background=table(background))
    # The table has the columns in another order than the codes.
    values = found.values[:, [0, 2, 1, 3]]
    expected = shap.explainers.Exact(score, masker)(coded, silent=True)
    np.testing.assert_allclose(values, expected.values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.base_values, expected.base_values, rtol=0, atol=1e-9)


def test_exact_plan_is_the_mean_over_all_orders():
    scores = np.random.default_rng(4).normal(size=(16, 2))
    values = np.zeros((4, 2))
    for order in permutations(range(4)):
        held = 0
        for column in order:
            values[column] += (scores[held | 1 << column] - scores[held]) / 24
            held |= 1 << column
    np.testing.assert_allclose(exact(4).values(scores), values, rtol=0, atol=1e-12)


def test_sampled_plan_pairs_each_order_with_its_reverse_and_repeats_itself():
    plan, again = sampled(6, 3, seed=5), sampled(6, 3, seed=5)
    np.testing.assert_array_equal(plan.orders, again.orders)
    np.testing.assert_array_equal(plan.orders[3:], plan.orders[:3, ::-1])
    weights = np.arange(1.0, 7.0)
    values = plan.values((plan.masks @ weights)[:, None])  # an additive score has exact values
    np.testing.assert_allclose(values[:, 0], weights, rtol=0, atol=1e-12)


def test_sampled_attributions_approach_the_exact_ones():
    clf, rows = model(2), table(coded_rows(8, seed=6))
    expected = clf.attributions(rows).values
    few = clf.attributions(rows, exact_columns=0, permutations=1).values
    many = clf.attributions(rows, exact_columns=0, permutations=100).values
    assert 0 < np.abs(many - expected).mean() < np.abs(few - expected).mean() / 3
    np.testing.assert_array_equal(
        few, clf.attributions(rows, exact_columns=0, permutations=1).values
    )


def test_a_column_that_equals_the_background_gets_nothing():
    clf, rows = model(3), table(coded_rows(5, seed=7))
    background = [{**rows[0], "age": age} for age in (-1.0, 0.0, None)]
    found = clf.attributions(rows[:1], background=background)
    assert found.feature_names == ["age", "job", "wage", "town"]
    assert np.abs(found.values[0, 0]).max() > 0
    assert not found.values[0, 1:].any()


def test_the_default_background_is_drawn_from_the_boxes_always_the_same():
    clf, rows = model(2), table(coded_rows(5, seed=8))
    found = clf.attributions(rows)
    assert found.n_background == 50
    np.testing.assert_array_equal(found.values, clf.attributions(rows).values)
    # It stands for the learned rows: their mean log-odds are near.
    learned = log_odds(clf.predict_proba(table(coded_rows(300)))).mean()
    assert abs(found.base_values[0] - learned) < 1.0


def test_attributions_hold_the_values_of_the_rows_and_the_names_of_classes():
    clf, rows = model(3), table(coded_rows(4, seed=9))
    rows[0] |= {"age": None, "job": "never learned"}
    found = clf.attributions(rows)
    assert found.data[0].tolist() == [None, "never learned", rows[0]["wage"], rows[0]["town"]]
    assert found.output_names == clf.classes_.tolist()
    assert repr(found) == "Attributions(4 × 4 × 3, exact, 50 background rows)"
    numbers = HyperboxClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    found = numbers.attributions([[0.5, np.nan]])
    assert found.data.dtype == np.float64 and found.output_names == [1]


def test_a_class_announced_but_never_learned_has_finite_attributions():
    clf = HyperboxClassifier().partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1, 2])
    found = clf.attributions([[0.2]])
    assert found.values.shape == (1, 1, 3)
    assert found.values[0, 0, 2] == pytest.approx(0) and found.base_values[0, 2] < -600


def test_intervals_have_attributions_that_sum_up():
    lower, upper = [[0.0, 1.0], [2.0, 3.0]], [[0.5, 1.0], [2.5, 4.0]]
    clf = HyperboxClassifier().fit(lower, [0, 1], upper=upper)
    found = clf.attributions(lower, upper)
    expected = log_odds(clf.predict_proba(lower, upper))
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, expected, atol=1e-9)
    assert found.data[0, 0] == (0.0, 0.5)


def test_attributions_refuse_what_has_no_log_odds():
    with pytest.raises(ValueError, match=r"one class only, 'a', .* learn rows of another class"):
        HyperboxClassifier().fit([[0.0]], ["a"]).attributions([[0.0]])
    clf = HyperboxClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="exact_columns must be a whole number from 0 to 16"):
        clf.attributions([[0.0]], exact_columns=17)
    with pytest.raises(ValueError, match="permutations must be a whole number from 1 to"):
        clf.attributions([[0.0]], permutations=0)


def test_attributions_become_an_explanation_that_shap_draws():
    shap = pytest.importorskip("shap")
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    rows = table(coded_rows(30, seed=10))
    binary, three = (model(k).attributions(rows).to_shap() for k in (2, 3))
    for draw in (
        lambda: shap.plots.waterfall(binary[0], show=False),
        lambda: shap.plots.bar(binary, show=False),
        lambda: shap.plots.bar(three[:, :, "class 1"], show=False),
        lambda: shap.plots.waterfall(three[1, :, 2], show=False),
    ):
        draw()
        drawn = {text.get_text() for axes in plt.gcf().axes for text in axes.get_yticklabels()}
        assert any("age" in text for text in drawn)
        plt.close("all")
    numbers = HyperboxClassifier().fit(np.nan_to_num(coded_rows(60)), [0, 1] * 30)
    shap.plots.beeswarm(numbers.attributions(coded_rows(20)).to_shap(), show=False)
    plt.close("all")


def test_attributions_without_shap_say_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shap", None)
    found = model(2).attributions(table(coded_rows(1)))
    with pytest.raises(ImportError, match=r'pip install "boxwise\[shap\]"'):
        found.to_shap()
