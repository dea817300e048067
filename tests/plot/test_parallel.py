"""The parallel picture: an axis a column, a band a box, and the shapes of classes behind many."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from boxwise import HyperboxClassifier
from boxwise.evaluate.line_styles import COLOURS
from boxwise.plot import plot_parallel
from tests.plot.looking import assert_legible, legend_of, notes, of_gid, pixel, plt


def axes_of(ax):
    return [label.get_text().replace("\n", "") for label in ax.get_xticklabels()]


def values_on(ax, x):
    """Return the values written at an axis, from below."""
    texts = [t for t in of_gid(ax, "value") if int(t.get_position()[0]) == x]
    return [t.get_text() for t in sorted(texts, key=lambda t: t.get_position()[1])]


def test_each_box_is_a_band_over_its_intervals_in_the_colour_of_its_class(two_boxes):
    model, _, _ = two_boxes
    ax = plot_parallel(model, ["age", "income"])
    (bands,) = of_gid(ax, "bands")
    assert len(bands.get_paths()) == 2
    # The scale leaves 4% of the range free at both ends.
    place = lambda age: (age - 18) / (72 - 18)  # noqa: E731
    sides = sorted(sorted({y for x, y in p.vertices if x == 0}) for p in bands.get_paths())
    assert np.allclose(sides, [[place(20), place(30)], [place(60), place(70)]])
    colours = {tuple(face[:3]) for face in bands.get_facecolor().tolist()}
    assert colours == {to_rgb(COLOURS[0]), to_rgb(COLOURS[1])}
    assert notes(ax) == "Bands: all 2 boxes"
    assert not of_gid(ax, "shape")
    assert_legible(ax.figure)


def test_the_picture_is_blue_where_the_first_class_is_and_white_where_no_box_is(two_boxes):
    ax = plot_parallel(two_boxes[0], ["age", "income"])
    red, _, blue = pixel(ax, 0.12, 0.09)
    assert blue > red + 0.1
    assert pixel(ax, 0.05, 0.5).tolist() == [1, 1, 1]


def test_values_are_in_the_units_of_the_input_and_categories_at_even_distances(two_boxes):
    model, _, _ = two_boxes
    ax = plot_parallel(model, ["job", "age"])
    assert axes_of(ax) == ["job", "age"]
    assert values_on(ax, 0) == ["cook", "smith"]
    assert values_on(ax, 1) == ["20", "40", "60"]
    places = [t.get_position()[1] for t in of_gid(ax, "value")][:2]
    assert sorted(places) == [0.25, 0.75]


def test_a_box_goes_to_every_value_that_it_holds_more_than_rarely():
    rows = [["a", "u"]] * 6 + [["b", "u"]] * 4 + [["c", "u"]] * 90
    model = HyperboxClassifier(theta=1, delta=1).fit(rows, ["x"] * 100)
    assert len(model.boxes_) == 1
    (bands,) = of_gid(plot_parallel(model, [0, 1]), "bands")
    assert len(bands.get_paths()) == 1  # c alone has a share of a tenth
    model = HyperboxClassifier(theta=1, delta=1).fit(rows[:10], ["x"] * 10)
    (bands,) = of_gid(plot_parallel(model, [0, 1]), "bands")
    opacity = [face[3] for face in bands.get_facecolor()]
    assert opacity[0] == pytest.approx(opacity[1] * 6 / 4)


def test_of_many_boxes_the_strongest_of_each_class_are_bands_and_shapes_show_all(many_boxes):
    model, _, _ = many_boxes
    ax = plot_parallel(model)
    assert f"the 16 with most rows of {len(model.boxes_):,} boxes" in notes(ax)
    assert "the rows of all boxes, by class" in notes(ax)
    assert len(of_gid(ax, "shape")) == 8 * 2
    faces = of_gid(ax, "bands")[0].get_facecolor()
    for colour in COLOURS[:2]:
        assert (np.abs(faces[:, :3] - to_rgb(colour)).max(axis=1) < 1e-6).any()
    assert_legible(ax.figure)


def test_the_shape_of_a_class_follows_its_rows(many_boxes):
    model, table, labels = many_boxes
    ax = plot_parallel(model, ["salary", "age"])
    approved, declined = of_gid(ax, "shape")[:2]

    def height(shape):
        x, y = shape.get_xy().T
        return np.average(y, weights=np.maximum(-x, 0))

    higher = np.median(table["salary"][labels == "approved"]) > np.median(
        table["salary"][labels == "declined"]
    )
    assert (height(approved) > height(declined)) == higher


def test_the_columns_that_tell_most_of_the_class_come_first_and_at_most_eight():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 20))
    X[:, 7] = np.repeat([0.0, 0.5, 1.0], 100)
    names = [f"a_rather_long_name_of_a_column_{j}" for j in range(20)]
    table = {name: X[:, j] for j, name in enumerate(names)}
    model = HyperboxClassifier(theta=0.9).fit(table, np.repeat(["a", "b", "c"], 100))
    ax = plot_parallel(model)
    assert len(axes_of(ax)) == 8
    assert axes_of(ax)[0].endswith("7")
    assert "the 8 of 20 that change predictions most" in notes(ax)
    assert_legible(ax.figure)


def test_many_values_share_the_last_place_and_long_ones_are_shortened():
    values = [f"a rather long value number {k:02}" for k in range(40)]
    model = HyperboxClassifier(delta=0).fit({"v": values, "w": values}, ["x", "y"] * 20)
    ax = plot_parallel(model)
    assert len(values_on(ax, 0)) == 12
    assert values_on(ax, 0)[-1] == "29 others"
    assert all(len(text) <= 16 for text in values_on(ax, 0))
    assert_legible(ax.figure)


def test_missing_values_and_columns_never_seen_and_boxes_without_a_class_are_drawn():
    rows = [
        {"a": None, "b": 1.0, "c": "u", "d": None},
        {"a": 3.0, "b": 9.0, "c": None, "d": None},
    ]
    model = HyperboxClassifier(unlabelled="?", categorical_features=["c"]).partial_fit(
        rows, ["?", "x"]
    )
    ax = plot_parallel(model)
    assert sorted(axes_of(ax)) == ["a", "b", "c"]
    assert legend_of(ax) == ["x", "no class"]
    assert "missing" in [text.get_text() for text in of_gid(ax, "value")]
    with pytest.raises(ValueError, match="column 'd': no box has a value"):
        plot_parallel(model, ["d", "b"])


@pytest.mark.parametrize("table", [{"a": [1.0, 2.0, 9.0]}, {"a": ["u", "u", "v"]}])
def test_one_column_of_either_kind_is_enough(table):
    ax = plot_parallel(HyperboxClassifier().fit(table, [1, 1, 2]))
    assert of_gid(ax, "bands")
    assert_legible(ax.figure)


def test_axes_of_ones_own_are_drawn_in_and_wrong_columns_are_named(two_boxes):
    model, _, _ = two_boxes
    _, mine = plt.subplots()
    assert plot_parallel(model, ax=mine) is mine
    with pytest.raises(ValueError, match=r"write \['age'\]"):
        plot_parallel(model, "age")
    with pytest.raises(ValueError, match="'age' is given twice"):
        plot_parallel(model, ["age", 0])
    with pytest.raises(ValueError, match="columns is empty"):
        plot_parallel(model, [])
    with pytest.raises(ValueError, match="no column 'wage'; there are age"):
        plot_parallel(model, ["wage"])
