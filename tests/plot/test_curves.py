"""The picture of the curves: what is drawn is what the model adds, where its rows are."""

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.plot import plot_curves
from tests.plot.looking import assert_legible, notes, of_gid, plt


def table(n=1_500, seed=0):
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n).astype(float)
    age[random.random(n) < 0.1] = np.nan
    jobs = np.array(["cook", "smith", "clerk", None], dtype=object)
    return {
        "noise": random.random(n),
        "age": age,
        "job": jobs[random.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])],
        "wage": np.exp(random.normal(10, 1.2, n)),
        "town": np.array([f"town {k}" for k in random.integers(0, 16, n)], dtype=object),
    }


@pytest.fixture(scope="module", name="X")
def learned_table():
    return table()


@pytest.fixture(scope="module")
def model(X):
    score = np.nan_to_num(X["age"], nan=50.0) / 12 + (X["job"] == "smith") - 4.5
    return HyperboxClassifier().partial_fit(X, np.where(score > 0, "yes", "no"))


def panels(figure):
    return {ax.get_title(loc="left"): ax for ax in figure.axes}


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def curve_of(model, column):
    return {curve.column: curve for curve in model.curves()}[column]


def test_the_line_is_the_curve_in_log_odds_of_the_second_class(model):
    figure = plot_curves(model)
    line, missing = of_gid(panels(figure)["age"], "curve")
    age = curve_of(model, "age")
    assert line.get_xdata().tolist() == age.values.tolist()
    assert line.get_ydata() == pytest.approx(2 * age.contributions[:, 1], abs=1e-12)
    assert line.get_ydata()[-1] > 1 > -1 > line.get_ydata()[0]
    assert missing.get_ydata() == pytest.approx(2 * age.missing.contributions[1])
    assert missing.get_xdata()[0] > line.get_xdata()[-1]
    assert figure.get_suptitle() == "What each column adds to the log-odds of yes"
    assert_legible(figure)


def test_categories_have_a_mark_each_the_missing_value_too(model):
    figure = plot_curves(model, ["job"])
    (ax,) = figure.axes
    job = curve_of(model, "job")
    texts = [text.get_text() for text in ax.get_xticklabels()]
    assert sorted(texts[:-1]) == sorted(job.values.tolist())
    assert texts[-1] == "missing"
    (marks,) = of_gid(ax, "curve")
    by_value = dict(zip(texts, marks.get_ydata().tolist(), strict=True))
    for value, parts in zip(job.values.tolist(), job.contributions, strict=True):
        assert by_value[value] == pytest.approx(parts[1] - parts[0])
    assert by_value["missing"] == pytest.approx(2 * job.missing.contributions[1])
    assert_legible(figure)


def test_bars_show_where_the_rows_are(model):
    figure = plot_curves(model, ["age", "job"])
    (stairs,) = of_gid(panels(figure)["age"], "rows")
    heights, edges, _ = stairs.get_data()
    expected, _ = np.histogram(curve_of(model, "age").values, edges,
                               weights=curve_of(model, "age").rows)  # fmt: skip
    assert heights / heights.max() == pytest.approx(expected / expected.max())
    bars = of_gid(panels(figure)["job"], "rows")
    tall = [bar.get_height() for bar in bars]
    assert len(tall) == 4
    assert tall[0] == max(tall)  # the value with most rows comes first


def test_columns_come_by_what_they_add_and_are_limited(model):
    order = sorted(model.curves(), key=lambda curve: -curve.importance)
    figure = plot_curves(model)
    assert [*panels(figure)] == [curve.column for curve in order]
    assert order[0].column == "age"
    few = plot_curves(model, max_columns=2)
    assert [*panels(few)] == [curve.column for curve in order[:2]]
    assert "Columns: the 2 of 5 with the largest curves" in few.get_suptitle()
    assert [*panels(plot_curves(model, ["town", 0]))] == ["town", "noise"]


def test_all_panels_have_the_same_scale(model):
    assert len({ax.get_ylim() for ax in plot_curves(model).axes}) == 1


def test_far_ends_with_hardly_a_row_are_left_out(model, X):
    ax = panels(plot_curves(model))["wage"]
    shown = np.mean(X["wage"] <= ax.get_xlim()[1])
    assert notes(ax) == f"{shown:.0%} of its rows"
    assert shown > 0.95
    assert ax.get_xlim()[1] < X["wage"].max() / 2
    assert notes(panels(plot_curves(model))["age"]) == ""


def test_of_many_values_those_with_most_rows_are_named(model):
    ax = panels(plot_curves(model))["town"]
    texts = [text.get_text() for text in ax.get_xticklabels()]
    assert len(texts) == 9
    assert texts[-1] == "4 others"
    assert notes(ax) == "the 8 values with most rows"


def test_the_latest_rows_are_drawn_only_where_they_differ():
    random = np.random.default_rng(3)
    X = {"a": random.random(4_000), "b": random.random(4_000)}
    p = 1 / (1 + np.exp(-6 * (X["a"] - 0.5)))
    y = np.where(random.random(4_000) < p, "yes", "no")
    model = HyperboxClassifier(adapt=False).partial_fit(X, y)
    figure = plot_curves(model)
    a, b = (curve_of(model, name) for name in "ab")
    span = max(np.abs(2 * c.contributions).max() for c in (a, b))
    for ax, curve in ((panels(figure)["a"], a), (panels(figure)["b"], b)):
        apart = 2 * np.abs(curve.lately - curve.contributions).max()
        if not 0.04 * span < apart < 0.12 * span:  # the axis is one to two spans high
            assert bool(of_gid(ax, "lately")) == (apart >= 0.12 * span)
    drawn = any(of_gid(ax, "lately") for ax in figure.axes)
    assert ("latest rows" in legend(figure)) == drawn


def test_several_classes_have_a_line_each(X):
    y = np.where(np.nan_to_num(X["age"]) > 60, "old", np.where(X["wage"] > 2e4, "rich", "poor"))
    model = HyperboxClassifier().partial_fit(X, y)
    figure = plot_curves(model, ["age", "job"])
    age = curve_of(model, "age")
    assert age.classes == ("old", "poor", "rich")
    lines = [line for line in of_gid(panels(figure)["age"], "curve") if len(line.get_xdata()) > 1]
    assert len(lines) == 3
    for k, line in enumerate(lines):
        assert line.get_ydata() == pytest.approx(age.contributions[:, k], abs=1e-12)
    assert len({line.get_color() for line in lines}) == 3
    assert legend(figure)[:3] == ["old", "poor", "rich"]
    assert "logit of each class" in figure.get_suptitle()
    assert_legible(figure)


def test_before_anything_is_learned_by_the_layer_curves_are_flat():
    model = HyperboxClassifier().partial_fit(
        [{"x": 1.0, "k": "u"}, {"x": 2.0, "k": None}], ["a", "b"]
    )
    figure = plot_curves(model)
    for ax in figure.axes:
        assert all(not np.any(line.get_ydata()) for line in of_gid(ax, "curve"))
    assert figure.get_suptitle().endswith("\nIn this model the boxes decide alone")
    assert_legible(figure)


def test_long_names_are_legible():
    names = [f"a_rather_long_name_of_a_column_{j}" for j in range(14)]
    rows = [dict.fromkeys(names, f"a rather long value {i % 5}") for i in range(40)]
    model = HyperboxClassifier().fit(rows, [f"a class with a long name {i % 3}" for i in range(40)])
    figure = plot_curves(model)
    assert len(figure.axes) == 9
    assert_legible(figure)


def test_a_part_of_a_figure_can_be_drawn_in(model):
    whole = plt.figure(figsize=(12, 4), layout="constrained")
    left, right = whole.subfigures(1, 2)
    assert plot_curves(model, ["age"], figure=left) is left
    assert len(left.axes) == 1
    assert not right.axes


def test_what_has_no_curves_is_an_error_that_says_why(model, X):
    rows = [[1.0], [2.0]]
    with pytest.raises(TypeError, match="EIOLGFMM has no curves"):
        plot_curves(EIOLGFMM().fit(rows, ["a", "b"]))
    with pytest.raises(ValueError, match="learn with additive=True"):
        plot_curves(HyperboxClassifier(additive=False).fit(rows, ["a", "b"]))
    with pytest.raises(ValueError, match="let the model learn rows of two classes"):
        plot_curves(HyperboxClassifier().fit(rows, ["a", "a"]))
    with pytest.raises(ValueError, match="there is no column 'salary'"):
        plot_curves(model, ["salary"])
    with pytest.raises(ValueError, match="max_columns must be at least 1"):
        plot_curves(model, max_columns=0)
    late = [{"x": float(i), "later": None} for i in range(6)]
    with pytest.raises(ValueError, match="'later' has had no value yet"):
        plot_curves(HyperboxClassifier().partial_fit(late, ["a", "b"] * 3), ["later"])
