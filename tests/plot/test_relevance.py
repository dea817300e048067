"""The picture of the columns over time: what mattered before a change, and after it."""

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.plot import plot_relevance
from tests.plot.looking import assert_legible


@pytest.fixture(scope="module")
def stream():
    return LoanStream(6_000, function=7, drift_at=3_000, drift_to=3).table()


def lines_of(ax):
    return {line.get_label(): line.get_xydata() for line in ax.lines if line.get_gid() == "column"}


def test_columns_that_matter_before_and_after_a_change_are_drawn(stream):
    model = HyperboxClassifier().fit([{"a": 1.0}], ["x"])
    figure = plot_relevance(model, *stream)
    above, below = figure.axes
    lines = lines_of(below)
    assert {"loan", "salary", "age", "education"} <= lines.keys()
    assert len(lines) == len(lines_of(above)) == 6
    half = len(lines["loan"]) // 2
    loan, age = lines["loan"][:, 1], lines["age"][:, 1]
    assert loan[half - 5] > 5 * age[half - 5]
    assert age[-1] > loan[-1]
    assert lines["age"][-1, 0] == 6_000
    assert (
        figure.get_suptitle() == "Columns over 6,000 rows\nThe 6 of 9 that matter most at some time"
    )
    marks = [line.get_gid() for line in below.lines if str(line.get_gid()).startswith("change")]
    assert "change-replaced" in marks
    assert model.n_boxes_ == 1  # as it was
    assert_legible(figure)


def test_columns_may_be_chosen_and_there_need_be_no_curves(stream):
    figure = plot_relevance(HyperboxClassifier(additive=False), *stream, ["car", 2])
    (ax,) = figure.axes
    assert [*lines_of(ax)] == ["car", "age"]
    assert ax.get_yscale() == "log"


def test_what_has_no_relevance_is_refused(stream):
    with pytest.raises(TypeError, match="EIOLGFMM has no relevance"):
        plot_relevance(EIOLGFMM(), *stream)
    with pytest.raises(ValueError, match="there is no column 'wage'; there are salary"):
        plot_relevance(HyperboxClassifier(), *stream, ["wage"])
    with pytest.raises(ValueError, match="no rows to learn"):
        plot_relevance(HyperboxClassifier(), np.empty((0, 2)), [])
