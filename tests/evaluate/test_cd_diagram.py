"""The critical difference diagram: everything is on it, in its place, and nothing overlaps."""

import sys
from itertools import combinations

import numpy as np
import pytest

from boxwise.evaluate import AverageRanks, average_ranks, nemenyi_test, plot_cd_diagram

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

FOUR = AverageRanks(["M1", "M2", "v1", "v2"], [3, 3.214, 1.893, 1.893], n_datasets=14)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def ranks_of(n_methods, n_datasets=30, name="method {}"):
    rng = np.random.default_rng(n_methods)
    scores = rng.normal(size=(n_datasets, n_methods)) + np.linspace(0, 2, n_methods)
    return average_ranks(scores, methods=[name.format(i) for i in range(n_methods)])


def lines(ax, gid):
    return [line for line in ax.lines if line.get_gid() == gid]


def texts(ax, gid):
    return [text for text in ax.texts if text.get_gid() == gid]


def boxes(ax):
    ax.figure.canvas.draw()
    return {text: text.get_window_extent() for text in ax.texts}


def assert_clean(ax):
    found = boxes(ax)
    whole = ax.figure.bbox
    for text, box in found.items():
        assert box.x0 >= whole.x0 - 1, text
        assert box.x1 <= whole.x1 + 1, text
        assert box.y0 >= whole.y0 - 1, text
        assert box.y1 <= whole.y1 + 1, text
    for (one, box), (other, another) in combinations(found.items(), 2):
        assert not box.padded(-1).overlaps(another.padded(-1)), (one, other)
    for line in lines(ax, "group") + lines(ax, "method"):
        path = line.get_path().transformed(line.get_transform())
        for text, box in found.items():
            assert not path.intersects_bbox(box.padded(-1), filled=False), text


def test_every_method_has_its_name_and_its_rank():
    ax = plot_cd_diagram(FOUR)
    assert {text.get_text() for text in texts(ax, "method")} == {"M1", "M2", "v1", "v2"}
    beside = {
        name.get_text(): number.get_text()
        for name in texts(ax, "method")
        for number in texts(ax, "rank")
        if name.get_position()[1] == number.get_position()[1] and name.get_ha() == number.get_ha()
    }
    assert beside == {"M1": "3.00", "M2": "3.21", "v1": "1.89", "v2": "1.89"}


def test_every_line_starts_at_the_rank_and_ends_at_the_height_of_the_name():
    ax = plot_cd_diagram(FOUR)
    for line, name in zip(lines(ax, "method"), texts(ax, "method"), strict=True):
        (x, y), *_, (_, last) = line.get_xydata()
        assert (x, y) == (FOUR.of(name.get_text()), 0)
        assert last == name.get_position()[1]


def test_the_better_half_is_on_the_left():
    ax = plot_cd_diagram(ranks_of(7))
    names = [name for name, _ in ranks_of(7).best_first()]
    left = [text.get_text() for text in texts(ax, "method") if text.get_ha() == "right"]
    assert left == names[:4]


def test_a_bar_joins_each_group_from_its_first_rank_to_its_last():
    for n in (4, 10, 20):
        ranks = ranks_of(n)
        ax = plot_cd_diagram(ranks)
        bars = [tuple(line.get_xdata()) for line in lines(ax, "group")]
        groups = nemenyi_test(ranks).groups
        assert bars == [(ranks.of(group[0]), ranks.of(group[-1])) for group in groups]
        assert len(bars) >= 1


def test_bars_on_one_level_do_not_touch():
    ax = plot_cd_diagram(ranks_of(20, n_datasets=200))
    bars = [(line.get_ydata()[0], *line.get_xdata()) for line in lines(ax, "group")]
    assert len(bars) > 2
    for (y, first, last), (level, start, stop) in combinations(bars, 2):
        assert y != level or last < start or stop < first


def test_the_critical_difference_is_drawn_at_its_length_and_named():
    ax = plot_cd_diagram(FOUR)
    bar = lines(ax, "critical difference")[0].get_xdata()
    assert bar[1] - bar[0] == pytest.approx(1.2536, abs=1e-4)
    assert [text.get_text() for text in texts(ax, "critical difference")] == ["CD = 1.254"]
    stricter = plot_cd_diagram(FOUR, 0.01)
    assert texts(stricter, "critical difference")[0].get_text() == "CD = 1.519"


def test_no_bar_when_all_differ():
    assert not lines(plot_cd_diagram(AverageRanks(["a", "b", "c"], [1, 2, 3], 1000)), "group")


@pytest.mark.parametrize("n_methods", [2, 3, 4, 7, 10, 15, 20])
@pytest.mark.parametrize("name", ["{}", "method {}", "a method whose name is very long indeed, {}"])
def test_nothing_overlaps_and_nothing_is_cut_off(n_methods, name):
    assert_clean(plot_cd_diagram(ranks_of(n_methods, name=name)))


@pytest.mark.parametrize("n_datasets", [2, 3, 1000])
def test_nothing_overlaps_when_the_critical_difference_is_long_or_short(n_datasets):
    for n in (2, 5, 20):
        assert_clean(plot_cd_diagram(ranks_of(n, n_datasets=n_datasets)))


@pytest.mark.parametrize("ranks", [[2.5] * 4, [1, 2, 3, 4], [1, 3, 3, 3]])
def test_nothing_overlaps_when_ranks_are_whole_or_tied(ranks):
    assert_clean(plot_cd_diagram(AverageRanks(["aa", "bb", "cc", "dd"], ranks, 10)))


@pytest.mark.parametrize("size", [(3, 1.2), (4, 2.5), (12, 2), (5, 9)])
def test_given_axes_are_used_whatever_their_size(size):
    _, ax = plt.subplots(figsize=size)
    assert plot_cd_diagram(ranks_of(10), ax=ax) is ax
    assert_clean(ax)


def test_letters_shrink_only_where_there_is_no_room():
    _, (small, _) = plt.subplots(2, 1, figsize=(3, 2))
    _, large = plt.subplots(figsize=(8, 4))
    assert texts(plot_cd_diagram(ranks_of(10), ax=small), "method")[0].get_fontsize() < 10
    assert texts(plot_cd_diagram(ranks_of(10), ax=large), "method")[0].get_fontsize() == 10


def test_larger_letters_make_a_larger_figure():
    small, large = (plot_cd_diagram(FOUR, fontsize=size).figure for size in (8, 16))
    np.testing.assert_allclose(large.get_size_inches(), 2 * small.get_size_inches(), rtol=0.03)


def test_the_ink_is_that_of_the_style():
    with plt.style.context("dark_background"):
        ax = plot_cd_diagram(FOUR)
    assert {text.get_color() for text in ax.texts} == {"white"}


@pytest.mark.parametrize("engine", ["figure.autolayout", "figure.constrained_layout.use"])
def test_the_new_figure_fits_whatever_layout_is_the_default(engine):
    with plt.rc_context({engine: True}):
        assert_clean(plot_cd_diagram(ranks_of(10)))


def test_without_matplotlib_the_error_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[plot\]"'):
        plot_cd_diagram(FOUR)
