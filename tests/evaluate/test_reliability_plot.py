"""The reliability diagram: every curve is on it, with its error, and the shares are below."""

import sys

import numpy as np
import pytest

from boxwise.evaluate import plot_reliability, reliability

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def curve(seed, n_rows=200):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1, 1, 1], size=n_rows)
    return reliability(rng.integers(3, size=n_rows), p, range(3))


def drawn(ax):
    return [line for line in ax.lines if line.get_gid() == "curve"]


def test_accuracy_is_drawn_over_confidence_where_there_are_predictions():
    found = curve(0)
    (line,) = drawn(plot_reliability(found))
    held = found.count > 0
    assert line.get_xdata().tolist() == found.confidence[held].tolist()
    assert line.get_ydata().tolist() == found.accuracy[held].tolist()


def test_several_curves_differ_in_colour_and_marker_and_show_their_errors():
    curves = {"before": curve(0), "after": curve(1)}
    ax = plot_reliability(curves)
    lines = drawn(ax)
    assert [line.get_label() for line in lines] == [
        f"{name} (ECE {found.error:.3f})" for name, found in curves.items()
    ]
    assert len({line.get_color() for line in lines}) == 2
    assert len({line.get_marker() for line in lines}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        line.get_label() for line in lines
    ]


def test_the_shares_of_the_rows_are_below_in_the_same_colours():
    curves = {"before": curve(0), "after": curve(1)}
    above, below = plot_reliability(curves).figure.axes
    for line, steps, found in zip(drawn(above), below.patches, curves.values(), strict=True):
        assert steps.get_edgecolor()[:3] == mpl.colors.to_rgb(line.get_color())
        assert steps.get_data().values.tolist() == (found.count / found.count.sum()).tolist()


def test_axes_of_ones_own_hold_the_curves_alone():
    _, mine = plt.subplots()
    assert plot_reliability({"one": curve(0)}, ax=mine) is mine
    assert mine.figure.axes == [mine]
    assert mine.get_xlabel()


def test_the_diagonal_is_there_and_nothing_is_cut_off():
    found = curve(3)
    ax = plot_reliability(found)
    assert any(line.get_gid() == "diagonal" for line in ax.lines)
    low, high = ax.get_xlim()
    assert low <= np.nanmin(found.confidence) and high == 1
    assert ax.get_ylim() == (0, 1)


def test_nothing_to_draw_is_an_error():
    with pytest.raises(ValueError, match="curves is empty"):
        plot_reliability({})


def test_without_matplotlib_the_error_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[plot\]"'):
        plot_reliability(curve(0))
