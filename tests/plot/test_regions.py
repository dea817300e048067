"""The regions picture: predictions in the background, boxes and rows on it, and what is held."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from boxwise import (
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
    load,
)
from boxwise.evaluate.line_styles import COLOURS
from boxwise.plot import plot_regions
from boxwise.plot.class_styles import ClassStyle
from tests.plot.looking import assert_legible, legend_of, notes, of_gid, pixel, plt


def tint(k):
    return ClassStyle("", COLOURS[k], "o", "").tint


def test_every_box_is_outlined_by_its_sides_in_the_colour_of_its_class(two_boxes):
    model, _, _ = two_boxes
    ax = plot_regions(model, "age", "income")
    boxes = of_gid(ax, "box")
    assert [box.get_bbox().bounds for box in boxes] == [(20, 10, 10, 20), (60, 20, 10, 20)]
    assert [box.get_edgecolor()[:3] for box in boxes] == [to_rgb(COLOURS[0]), to_rgb(COLOURS[1])]
    assert [mark.get_marker() for mark in of_gid(ax, "mark")] == ["o", "s"]
    assert legend_of(ax) == ["no", "yes"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "income")
    assert "all 2 boxes" in notes(ax)
    assert_legible(ax.figure)


def test_the_background_has_the_colour_of_the_class_predicted_there(two_boxes):
    model, _, _ = two_boxes
    ax = plot_regions(model, "age", "income", at={"job": "cook"})
    for age, income in [(22, 14), (27, 25), (33, 35), (55, 12), (63, 25), (68, 35)]:
        label = model.predict([{"age": age, "income": income, "job": "cook"}])[0]
        seen = pixel(ax, age, income)
        distance = [np.abs(seen - tint(k)).max() for k in (0, 1)]
        # A pixel may lie on a line of the hatching, which is darker, but of the same colour.
        assert int(np.argmin(distance)) == ["no", "yes"].index(label), (age, income)


def test_other_columns_keep_what_is_given_or_else_the_usual_value_and_it_is_said(two_boxes):
    model, _, _ = two_boxes
    assert "with job = smith" in notes(plot_regions(model, "age", "income", at={"job": "smith"}))
    assert "with job = missing" in notes(plot_regions(model, "age", "income", at={"job": None}))
    said = notes(plot_regions(model, "age", "job"))
    (middle,) = [word for word in said.split() if word.replace(".", "").isdigit()][-1:]
    assert 20 <= float(middle) <= 30


def test_what_is_held_decides_the_background():
    rows = [[age, job] for age in (1.0, 5.0, 9.0) for job in "ab"]
    model = HyperboxClassifier(theta=0.1, delta=0.0).fit([[0.0, *r] for r in rows], list("nynyny"))
    classes = {}
    for job in "ab":
        ax = plot_regions(model, 0, 1, at={"x2": job})
        (mesh,) = of_gid(ax, "regions")
        classes[job] = set(np.unique(mesh.get_array()).tolist())
    assert classes == {"a": {0}, "b": {1}}


def test_a_whole_row_is_marked_by_a_star(two_boxes):
    model, rows, _ = two_boxes
    for row in (rows[1], [30, 30, "cook"]):
        ax = plot_regions(model, "age", "income", at=row)
        (star,) = of_gid(ax, "row")
        assert (star.get_xdata()[0], star.get_ydata()[0]) == (30, 30)
        assert legend_of(ax)[-1] == "the row given"
    assert not of_gid(plot_regions(model, "age", "income", at={"age": 3}), "row")


def test_rows_are_points_in_the_colour_and_with_the_mark_of_their_class(two_boxes):
    model, rows, labels = two_boxes
    ax = plot_regions(model, "age", "income", X=rows, labels=labels)
    first, second = of_gid(ax, "points")
    assert first.get_offsets().tolist() == [[20, 10], [30, 30]]
    assert second.get_facecolor()[0, :3].tolist() == list(to_rgb(COLOURS[1]))
    assert first.get_paths()[0].vertices.shape != second.get_paths()[0].vertices.shape
    assert "Points: 4 rows" in notes(ax)
    (plain,) = of_gid(plot_regions(model, "age", "income", X=rows), "points")
    assert len(plain.get_offsets()) == 4


def test_rows_that_have_no_place_are_counted(two_boxes):
    model, rows, _ = two_boxes
    more = [*rows, {"age": None, "income": 3, "job": "cook"}, {"age": 3, "income": 3, "job": "new"}]
    for other, said in [("income", "5 of 6 rows (1 has"), ("job", "4 of 6 rows (2 have")]:
        assert f"{said} no position here)" in notes(plot_regions(model, "age", other, X=more))


def test_intervals_are_points_in_their_middle():
    low, high = np.array([[1.0, 2.0], [5.0, 6.0]]), np.array([[3.0, 2.0], [7.0, 8.0]])
    model = HyperboxClassifier().fit(low, ["a", "b"], upper=high)
    ax = plot_regions(model, 0, 1, X=low, upper=high)
    (points,) = of_gid(ax, "points")
    assert points.get_offsets().tolist() == [[2, 2], [6, 7]]


def test_of_many_boxes_and_rows_some_are_drawn_and_it_is_said_how_many(many_boxes):
    model, table, labels = many_boxes
    ax = plot_regions(model, "age", "salary", X=table, labels=labels)
    assert len(of_gid(ax, "box")) == 25
    assert f"the 25 with most rows of {len(model.boxes_):,} boxes" in notes(ax)
    assert "600 of 2,600 rows" in notes(ax)
    assert sum(len(points.get_offsets()) for points in of_gid(ax, "points")) == 600
    strongest = np.sort(model.boxes_.n_samples)[-25:]
    assert strongest.min() > np.median(model.boxes_.n_samples)
    assert_legible(ax.figure)


@pytest.mark.parametrize(("x", "y"), [("education", "age"), ("age", "education")])
def test_in_a_column_of_categories_each_box_has_a_bar_for_every_value_it_holds(many_boxes, x, y):
    model, _, _ = many_boxes
    ax = plot_regions(model, x, y, max_boxes=5)
    strongest = np.argsort(-model.boxes_.n_samples, kind="stable")[:5]
    j = model.schema_.categorical_names.index("education")
    assert len(of_gid(ax, "box")) == sum(len(model.boxes_.counts[i][j]) for i in strongest)
    axis = ax.xaxis if x == "education" else ax.yaxis
    names = [text.get_text() for text in axis.get_ticklabels()]
    assert names == ["bachelor", "college", "master", "none", "school"]
    assert_legible(ax.figure)


def test_over_two_columns_of_categories_areas_show_the_rows_of_each_class():
    rows = [["a", "u"]] * 9 + [["b", "v"]]
    model = HyperboxClassifier().fit(rows, ["one"] * 9 + ["two"])
    large, small = of_gid(plot_regions(model, 0, 1), "box")
    area = [box.get_width() * box.get_height() for box in (large, small)]
    assert area[0] == pytest.approx(9 * area[1])


def test_values_that_are_too_many_are_left_out_and_it_is_said(many_boxes):
    model, table, _ = many_boxes
    ax = plot_regions(model, "car", "zip_code", X=table)
    assert ax.get_xlabel() == "car (the 12 most frequent of 20 values)"
    assert len(ax.get_xticklabels()) == 12
    assert_legible(ax.figure)


def test_more_classes_than_colours_share_a_grey_one():
    model = HyperboxClassifier(theta=0.01).fit([[float(k), 0.0] for k in range(12)], [*range(12)])
    ax = plot_regions(model, 0, 1)
    assert legend_of(ax) == ["0", "1", "2", "3", "4", "5", "6", "5 other classes"]
    assert_legible(ax.figure)


def test_boxes_without_a_class_are_dashed_and_need_no_prediction():
    model = HyperboxClassifier(unlabelled=-1).partial_fit([[1.0, 1.0], [9.0, 9.0]], [-1, -1])
    ax = plot_regions(model, 0, 1, X=[[1.0, 1.0]], labels=[-1])
    assert legend_of(ax) == ["no class"]
    assert {box.get_linestyle() for box in of_gid(ax, "box")} == {"--"}
    assert not of_gid(ax, "regions")


@pytest.mark.parametrize("labels", [[1, 1, 2], [True, True, False], ["x", "x", "x"]])
def test_labels_may_be_numbers_or_truth_values_or_all_the_same(labels):
    model = HyperboxClassifier().fit([[1.0, 2.0], [1.5, 2.0], [9.0, 4.0]], labels)
    ax = plot_regions(model, "x0", "x1", X=[[1.0, 2.0]], labels=labels[:1])
    assert legend_of(ax) == [str(label) for label in sorted(set(labels))]


def test_names_that_look_like_formulas_or_are_long_are_shown_as_they_are_or_shortened():
    names = ["$price$ in $", "_" + "number_of_previous_applications" * 2]
    rows = [dict(zip(names, row, strict=True)) for row in ([1.0, 2.0], [5.0, 6.0])]
    model = HyperboxClassifier().fit(rows, ["_no", "a" * 90])
    ax = plot_regions(model, *names)
    assert ax.get_xlabel() == r"\$price\$ in \$"
    assert len(ax.get_legend().get_texts()) == 2
    assert_legible(ax.figure)


def test_boxes_that_have_no_value_in_one_of_the_columns_are_not_drawn():
    rows = [{"a": 1.0, "b": None}, {"a": None, "b": 5.0}]
    model = HyperboxClassifier(categorical_features=[]).fit(rows, ["x", "y"])
    ax = plot_regions(model, "a", "b")
    assert not of_gid(ax, "box")
    assert "none of 2 boxes" in notes(ax)


def test_a_constant_column_and_a_single_row_can_be_drawn():
    model = HyperboxClassifier().fit([[5.0, 5.0]], ["a"])
    assert_legible(plot_regions(model, 0, 1).figure)


@pytest.mark.parametrize(
    "learner",
    [AgglomerativeGFMM, CastilloGFMM, ImprovedOnlineGFMM, OnlineGFMM, ShindeGFMM],
)
def test_every_learner_can_be_drawn_also_when_loaded(learner, tmp_path):
    model = learner().fit({"a": [1.0, 2.0, 9.0], "b": [1.0, 5.0, 9.0]}, [1, 1, 2])
    model.save(tmp_path / "m.box")
    assert of_gid(plot_regions(load(tmp_path / "m.box"), "a", "b"), "box")


def test_axes_of_ones_own_are_drawn_in(two_boxes):
    _, (mine, other) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    assert plot_regions(two_boxes[0], "age", "income", ax=mine) is mine
    assert not other.has_data()
    assert_legible(mine.figure)


def test_what_cannot_be_drawn_is_said(two_boxes):
    model, rows, _ = two_boxes
    with pytest.raises(ValueError, match="no column 'ages'; there are age, income, job"):
        plot_regions(model, "ages", "income")
    with pytest.raises(ValueError, match="no column 7; there are 3"):
        plot_regions(model, "age", 7)
    with pytest.raises(ValueError, match="same column 'age'"):
        plot_regions(model, "age", 0)
    with pytest.raises(NotFittedError):
        plot_regions(HyperboxClassifier(), "age", "income")
    with pytest.raises(TypeError, match=r"Pipeline has no boxes to draw; .* its last step"):
        plot_regions(make_pipeline(model), "age", "income")
    with pytest.raises(ValueError, match="column 'income': 'much' is not a number"):
        plot_regions(model, "age", "job", at={"income": "much"})
    with pytest.raises(ValueError, match="at has 2 values, but there are 3 columns"):
        plot_regions(model, "age", "job", at=[1, 2])
    with pytest.raises(ValueError, match="X has 4 rows, y has 1"):
        plot_regions(model, "age", "job", X=rows, labels=["no"])
    gaps = HyperboxClassifier(categorical_features=[]).fit([{"a": None, "b": 1.0}], ["x"])
    with pytest.raises(ValueError, match="column 'a': no box has a value"):
        plot_regions(gaps, "a", "b")
    table = [{"a": float(i), "b": float(i % 3), "c": float(i % 4)} for i in range(20)]
    bound = HyperboxClassifier(monotonic_cst={"a": {"x": 1}}).fit(table, ["x", "y"] * 10)
    with pytest.raises(ValueError, match=r"column 'a' is one of monotonic_cst.*plot_curves"):
        plot_regions(bound, "a", "b")


def test_without_matplotlib_the_error_tells_what_to_install(two_boxes, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[plot\]"'):
        plot_regions(two_boxes[0], "age", "income")


def loans_with_noise():
    rng = np.random.default_rng(2)
    table = {name: rng.uniform(size=400) for name in ("noise", "pay", "other", "debt")}
    table["job"] = rng.choice(["cook", "smith", "nurse"], 400)
    return table, np.where(table["pay"] > table["debt"], "yes", "no")


def test_the_columns_over_which_predictions_vary_most_are_chosen():
    model = HyperboxClassifier().fit(*loans_with_noise())
    ax = plot_regions(model)
    assert {ax.get_xlabel(), ax.get_ylabel()} == {"pay", "debt"}
    assert plot_regions(model, "debt").get_ylabel() == "pay"
    assert plot_regions(model, y="debt").get_xlabel() == "pay"
    with pytest.raises(ValueError, match="the model has 1 column with values"):
        plot_regions(HyperboxClassifier().fit([{"a": 1.0}, {"a": 2.0}], ["x", "y"]))


def test_ends_with_hardly_any_rows_are_cut_off_and_named():
    table, labels = loans_with_noise()
    table["debt"] = np.where(np.arange(400) == 7, 1_000.0, table["debt"])
    ax = plot_regions(HyperboxClassifier().fit(table, labels), "pay", "debt")
    assert ax.get_ylim()[1] < 2
    assert "Cut to the middle 90% of rows: debt" in notes(ax)
    at = {"debt": 500.0}
    assert (
        plot_regions(HyperboxClassifier().fit(table, labels), "pay", "debt", at=at).get_ylim()[1]
        > 500
    )
