"""The picture of a prequential run."""

import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.evaluate import prequential

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def result():
    learners = {"small": HyperboxClassifier(0.1), "large": HyperboxClassifier(0.5)}
    yield prequential(learners, LoanStream(1000), window=100)
    plt.close("all")


def test_the_recent_cba_of_each_learner_is_drawn_over_the_rows(result):
    ax = result.plot()
    for line, (name, points) in zip(ax.get_lines(), result.points.items(), strict=True):
        assert line.get_label() == name
        assert line.get_xdata().tolist() == [point.rows for point in points]
        assert line.get_ydata().tolist() == [point.recent.cba for point in points]
    assert "last 100 rows" in ax.get_ylabel()


def test_the_boxes_are_drawn_below_in_the_same_colours(result):
    above, below = result.plot().figure.axes
    assert below.get_ylabel() == "boxes"
    for line, other, points in zip(
        above.get_lines(), below.get_lines(), result.points.values(), strict=True
    ):
        assert line.get_color() == other.get_color()
        assert other.get_ydata().tolist() == [point.boxes for point in points]


def test_axes_of_ones_own_hold_the_scores_alone(result):
    _, mine = plt.subplots()
    assert result.plot(ax=mine) is mine
    assert len(mine.figure.axes) == 1


def test_a_run_of_one_step_is_to_be_seen():
    ax = prequential(HyperboxClassifier(), LoanStream(10)).plot()
    assert ax.get_lines()[0].get_marker() == "o"
    plt.close("all")


def test_rows_of_interest_are_marked_in_both_panels_and_named_in_the_first(result):
    above, below = result.plot(marks={500: "drift"}).figure.axes
    for panel in (above, below):
        (line,) = (line for line in panel.get_lines() if line.get_gid() == "mark")
        assert line.get_xdata()[0] == 500
    assert [text.get_text() for text in above.texts] == ["drift"]
    marked = result.plot(marks=[200, 700])
    assert sum(line.get_gid() == "mark" for line in marked.get_lines()) == 2
