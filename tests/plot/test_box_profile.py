"""The picture of one box: its intervals and shares, against the rows of its class and of all."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from boxwise import HyperboxClassifier
from boxwise.evaluate.line_styles import COLOURS
from boxwise.plot import plot_box
from tests.plot.looking import assert_legible, notes, of_gid, pixel, plt


def panels(figure):
    return {ax.get_title(loc="left"): ax for ax in figure.axes}


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_interval_is_drawn_and_told_over_the_rows(two_boxes):
    model, rows, labels = two_boxes
    figure = plot_box(model, 1, X=rows, labels=labels)
    ax = panels(figure)["age"]
    (interval,) = of_gid(ax, "interval")
    corners = interval.get_extents().transformed(ax.transData.inverted())
    assert (corners.x0, corners.x1) == pytest.approx((60, 70), abs=0.5)
    assert interval.get_facecolor()[:3] == to_rgb(COLOURS[1])
    assert notes(ax) == "60 to 70"
    assert figure.get_suptitle() == "Box 1: yes, 2 rows"
    assert legend(figure) == ["this box", "all rows", "rows of class yes"]
    assert_legible(figure)


def test_the_interval_is_seen_in_the_colour_of_the_class(two_boxes):
    figure = plot_box(two_boxes[0], 0)
    ax = panels(figure)["age"]
    seen, beside = pixel(ax, 25, ax.get_ylim()[1] * 0.97), pixel(ax, 45, ax.get_ylim()[1] * 0.97)
    assert seen[2] > seen[0] + 0.1  # blue
    assert beside.tolist() == [1, 1, 1]


def test_the_distributions_are_those_of_the_rows_and_of_the_class(two_boxes):
    model, rows, labels = two_boxes
    ax = panels(plot_box(model, 1, X=rows, labels=labels))["age"]
    (everyone,), (its,) = of_gid(ax, "all rows"), of_gid(ax, "class")
    assert everyone.get_data().values.sum() == pytest.approx(1)
    assert np.count_nonzero(everyone.get_data().values) == 4
    assert np.count_nonzero(its.get_data().values) == 2


def test_without_rows_those_of_all_boxes_stand_for_them(two_boxes):
    figure = plot_box(two_boxes[0], 0)
    assert legend(figure) == ["this box", "the rows of all boxes", "boxes of class no"]
    (everyone,) = of_gid(panels(figure)["age"], "all rows")
    shares, edges, _ = everyone.get_data()
    middles = (edges[1:] + edges[:-1]) / 2
    assert shares[(middles > 30) & (middles < 60)].max() < 0.05
    assert shares[middles < 30].sum() == pytest.approx(0.5, abs=0.05)


def test_shares_of_categories_stand_beside_those_of_all_rows():
    rows = [["a"]] * 3 + [["b"]] + [["c"]] * 4
    model = HyperboxClassifier(delta=1).partial_fit(rows, ["x"] * 4 + ["y"] * 4)
    (ax,) = plot_box(model, 0, X=rows).axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    assert [bar.get_width() for bar in of_gid(ax, "shares")] == [0.75, 0.25, 0]
    assert [bar.get_width() for bar in of_gid(ax, "all rows")] == [3 / 8, 1 / 8, 1 / 2]
    assert notes(ax) == "a 75%"


def test_a_row_is_marked_also_where_its_value_was_never_seen(two_boxes):
    model, _, _ = two_boxes
    figure = plot_box(model, 0, row={"age": 90, "job": "poet", "income": None})
    its = panels(figure)
    assert of_gid(its["age"], "row")[0].get_xdata()[0] == 90
    assert its["age"].get_xlim()[1] > 90
    assert "poet" in [text.get_text() for text in its["job"].get_yticklabels()]
    assert of_gid(its["job"], "row")
    assert not of_gid(its["income"], "row")
    assert legend(figure)[-1] == "the row"
    assert_legible(figure)


def test_of_many_values_those_that_matter_have_bars(many_boxes):
    model, table, labels = many_boxes
    figure = plot_box(model, -1, X=table, labels=labels, row={"car": "Volvo", "age": 33})
    ax = panels(figure)["car"]
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert len(names) == 6
    assert "Volvo" in names
    assert "15 others" in names
    assert figure.get_suptitle().startswith(f"Box {len(model.boxes_) - 1}: ")
    assert_legible(figure)


def test_what_a_box_has_not_seen_is_said_and_a_box_may_have_no_class():
    rows = [{"a": None, "b": 1.0, "d": None}, {"a": 3.0, "b": 9.0, "d": None}]
    model = HyperboxClassifier(unlabelled="?", categorical_features=[]).partial_fit(
        rows, ["?", "x"]
    )
    figure = plot_box(model, 0, ["a", "b", "d"])
    assert notes(panels(figure)["a"]) == "no value in this box"
    assert notes(panels(figure)["b"]) == "1"
    assert notes(panels(figure)["d"]) == "no box has a value"
    assert figure.get_suptitle() == "Box 0: no class, 1 row"
    assert legend(figure) == ["this box", "the rows of all boxes"]


def test_long_names_and_values_are_legible():
    names = [f"a_rather_long_name_of_a_column_{j}" for j in range(14)]
    rows = [
        {name: f"a rather long value {j}" for j, name in enumerate(names)},
        dict.fromkeys(names),
    ]
    model = HyperboxClassifier().fit(rows, ["a class with a long name indeed"] * 2)
    figure = plot_box(model, 0)
    assert len(figure.axes) == 12
    assert_legible(figure)


def test_numbers_that_differ_little_are_told_apart():
    rows = [[1_000_000.0], [1_000_000.25], [1_000_001.0]]
    model = HyperboxClassifier(theta=1.0).partial_fit(rows, ["a", "a", "b"])
    (ax,) = plot_box(model, 0).axes
    assert notes(ax) == "1,000,000 to 1,000,000.2"
    texts = [text.get_text() for text in ax.get_xticklabels()]
    assert len(set(texts)) == len(texts) > 1
    assert_legible(ax.figure)


def test_a_part_of_a_figure_can_be_drawn_in(two_boxes):
    whole = plt.figure(figsize=(12, 4), layout="constrained")
    left, right = whole.subfigures(1, 2)
    assert plot_box(two_boxes[0], 0, figure=left) is left
    assert len(left.axes) == 3
    assert not right.axes


def test_a_box_that_is_not_there_is_an_error(two_boxes):
    with pytest.raises(IndexError, match="there is no box 2; there are 2 boxes, the first is 0"):
        plot_box(two_boxes[0], 2)
    with pytest.raises(ValueError, match="row has 1 values, but there are 3 columns"):
        plot_box(two_boxes[0], 0, row=[1])


def test_rows_of_fractional_weight_are_told_and_have_shares_that_add_up():
    rows = [{"age": 31.0, "job": "cook"}, {"age": 70.0, "job": "smith"}]
    model = HyperboxClassifier().partial_fit(rows, ["yes", "no"], sample_weight=[0.3, 0.3])
    figure = plot_box(model, 0)
    assert figure.get_suptitle() == "Box 0: yes, 0.3 rows"
    (everyone,) = of_gid(panels(figure)["age"], "all rows")
    assert everyone.get_data().values.sum() == pytest.approx(1)
    assert notes(panels(figure)["job"]) == "cook 100%"
