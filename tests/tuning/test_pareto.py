"""The Pareto plot: every candidate, the front and the best are where they belong, and legible."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import loans
from boxwise.tuning import Candidate, evolve, plot_pareto
from boxwise.tuning.front import front_of

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def evolution_of(boxes: Any, scores: Any, **params: Any) -> Any:
    params = params or {"theta": 0.51234, "delta": 0.5, "alpha": 0.123456, "version": 2}
    candidates = [
        Candidate(float(b), float(s), 0.01, params, i)
        for i, (b, s) in enumerate(zip(boxes, scores, strict=True))
    ]
    return SimpleNamespace(
        candidates_=candidates, front_=front_of(candidates), score_name_="class balanced accuracy"
    )


def cloud(n: int, most: float = 800.0, seed: int = 0) -> Any:
    """Make scores that rise with the number of boxes, and then fall."""
    rng = np.random.default_rng(seed)
    boxes = np.exp(rng.uniform(np.log(8), np.log(most), n))
    share = np.log(boxes / 8) / np.log(most / 8)
    return evolution_of(boxes, 0.4 + 1.2 * share * (1.2 - share) - rng.exponential(0.08, n))


def part(ax: Any, gid: str) -> Any:
    (found,) = (artist for artist in [*ax.lines, *ax.collections] if artist.get_gid() == gid)
    return found


def note(ax: Any) -> Any:
    (found,) = ax.texts
    return found


def assert_legible(ax: Any) -> None:
    """What is written is within the axes, above all points, and apart from each other."""
    ax.figure.canvas.draw()
    box = ax.get_window_extent()
    written = [note(ax).get_window_extent()]
    if ax.get_legend():
        written.append(ax.get_legend().get_window_extent())
        assert not written[0].overlaps(written[1])
    (best,) = part(ax, "best").get_xydata()
    for extent in written:
        assert box.x0 <= extent.x0 and extent.x1 <= box.x1
        assert ax.transData.transform(best)[1] < extent.y0
        assert extent.y1 <= box.y1


def test_every_candidate_is_a_point():
    evolution = cloud(50)
    ax = plot_pareto(evolution)
    shown = part(ax, "candidates").get_offsets()
    np.testing.assert_array_equal(shown, [(c.n_boxes, c.score) for c in evolution.candidates_])
    low, high = ax.get_xlim()
    assert ((low < shown[:, 0]) & (shown[:, 0] < high)).all()
    low, high = ax.get_ylim()
    assert ((low < shown[:, 1]) & (shown[:, 1] < high)).all()


def test_the_front_is_marked_and_joined_by_steps_to_the_right_and_up():
    evolution = cloud(200)
    ax = plot_pareto(evolution)
    points = [(c.n_boxes, c.score) for c in evolution.front_]
    assert len(points) > 3
    np.testing.assert_array_equal(part(ax, "front").get_xydata(), points)
    reach = part(ax, "reach")
    assert reach.get_drawstyle() == "steps-post"
    most = max(c.n_boxes for c in evolution.candidates_)
    np.testing.assert_array_equal(reach.get_xydata(), [*points, (most, points[-1][1])])


def test_the_best_has_a_star_and_its_figures():
    evolution = evolution_of([10, 24.66, 50], [0.6, 0.7123, 0.7123])
    ax = plot_pareto(evolution)
    assert part(ax, "best").get_xydata().tolist() == [[24.66, 0.7123]]
    assert part(ax, "best").get_marker() == "*"
    assert note(ax).get_text() == (
        "0.712 with 24.7 boxes\ntheta=0.512, delta=0.5, alpha=0.123, version=2"
    )
    assert note(ax).xy == (24.66, 0.7123)


def test_the_axes_and_the_numbers_of_points_are_named():
    evolution = cloud(1500)
    ax = plot_pareto(evolution)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("boxes", "class balanced accuracy")
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["1,500 candidates", f"front ({len(evolution.front_)})"]


@pytest.mark.parametrize(("boxes", "scale"), [([10, 99], "linear"), ([10, 100], "log")])
def test_the_boxes_are_on_a_log_scale_if_they_are_ten_times_apart(boxes, scale):
    assert plot_pareto(evolution_of(boxes, [0.5, 0.6])).get_xscale() == scale


@pytest.mark.parametrize("most", [30, 90, 1_000, 1_000_000])
def test_the_numbers_on_the_axis_are_plain_and_apart(most):
    ax = plot_pareto(cloud(100, most=most))
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [t for t in ax.get_xticklabels() if low <= t.get_position()[0] <= high]
    assert len(labels) >= 3
    assert all(float(t.get_text().replace(",", "")) == t.get_position()[0] for t in labels)
    boxes = [t.get_window_extent() for t in labels]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


@pytest.mark.parametrize("n", [1, 2, 20, 2000])
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_written_is_legible_whatever_the_number_of_candidates(n, seed):
    ax = plot_pareto(cloud(n, seed=seed))
    assert_legible(ax)
    assert ax.get_legend()
    assert "\n" in note(ax).get_text()


@pytest.mark.parametrize("best", [0, 1, 2])
@pytest.mark.parametrize("scores", [(0.5, 0.9), (-0.9, -0.2), (-900.0, -20.0), (0.5, 0.5000001)])
def test_it_is_legible_wherever_the_best_is(best, scores):
    low, high = scores
    values = [low, low, low]
    values[best] = high
    assert_legible(plot_pareto(evolution_of([5, 60, 700], values)))


@pytest.mark.parametrize("score", [0.0, 0.7, 1.0, -3.0])
def test_it_is_legible_if_all_scores_are_the_same(score):
    assert_legible(plot_pareto(evolution_of([5, 60, 700], [score] * 3)))


def test_long_parameters_are_wrapped_and_cut():
    ax = plot_pareto(evolution_of([5, 9], [0.5, 0.6], gamma=[*range(200)], theta=0.1))
    assert_legible(ax)
    assert note(ax).get_text().endswith("…")


@pytest.mark.parametrize("size", [(2, 1.6), (3, 2), (4, 5), (12, 2), (12, 8)])
@pytest.mark.parametrize("best", [0, 2])
def test_given_axes_are_used_and_legible_whatever_their_size(size, best):
    _, ax = plt.subplots(figsize=size)
    scores = [0.5, 0.5, 0.5]
    scores[best] = 0.8
    assert plot_pareto(evolution_of([5, 60, 700], scores), ax=ax) is ax
    assert_legible(ax)


@pytest.mark.parametrize("layout", ["constrained", "tight"])
@pytest.mark.parametrize("fontsize", [10, 16])
def test_it_is_legible_after_the_layout_has_moved_the_axes(layout, fontsize):
    figure, ax = plt.subplots(figsize=(5, 3), layout=layout)
    figure.suptitle("A title\nof two lines", fontsize=20)
    assert_legible(plot_pareto(cloud(50), ax=ax, fontsize=fontsize))


def test_only_small_axes_do_without_the_parameters():
    _, (small, _) = plt.subplots(2, 1, figsize=(3, 3))
    _, large = plt.subplots(figsize=(6, 4))
    assert "theta" not in note(plot_pareto(cloud(20), ax=small)).get_text()
    assert "theta" in note(plot_pareto(cloud(20), ax=large)).get_text()


def test_the_letters_have_the_size_asked_for():
    ax = plot_pareto(cloud(20), fontsize=14)
    assert ax.xaxis.label.get_fontsize() == 14
    assert note(ax).get_fontsize() == pytest.approx(12.6)
    assert_legible(ax)


def test_points_are_smaller_when_there_are_many():
    few, many = (part(plot_pareto(cloud(n)), "candidates").get_sizes()[0] for n in (20, 2000))
    assert many < few / 2


def test_candidates_are_fainter_than_the_front_in_any_style():
    for style, ground in (("default", 1.0), ("dark_background", 0.0)):
        with plt.style.context(style):
            ax = plot_pareto(cloud(20))
        grey = part(ax, "candidates").get_facecolor()[0, :3]
        front = np.array(mpl.colors.to_rgb(part(ax, "front").get_color()))
        assert np.ptp(grey) < 1e-9
        assert np.abs(grey - ground).max() < np.abs(front - ground).max()


def test_candidates_without_a_score_are_left_out():
    evolution = evolution_of([5, 6, 7, 8], [np.nan, 0.5, -np.inf, 0.6])
    ax = plot_pareto(evolution)
    assert part(ax, "candidates").get_offsets().tolist() == [[6, 0.5], [8, 0.6]]


def test_it_draws_what_evolve_returns():
    pytest.importorskip("optuna")
    rows, labels = loans(100, function=2, seed=1)
    found = evolve(HyperboxClassifier(), rows, labels, cv=2, n_trials=20, random_state=0)
    ax = plot_pareto(found)
    assert len(part(ax, "candidates").get_offsets()) == len(found.candidates_)
    assert_legible(ax)


def test_without_matplotlib_the_error_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[plot\]"'):
        plot_pareto(cloud(3))
