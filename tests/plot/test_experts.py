"""Pictures leave out boxes of retired experts that have no part in decisions."""

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream

plt = pytest.importorskip("matplotlib.pyplot")

from boxwise.plot import plot_parallel, plot_regions  # noqa: E402
from boxwise.plot.view import View  # noqa: E402


@pytest.fixture(scope="module")
def changed():
    rows = [*LoanStream(1500, function=1, seed=1), *LoanStream(1500, function=2, seed=2)]
    return HyperboxClassifier().partial_fit([row for row, _ in rows], [label for _, label in rows])


def test_boxes_without_weight_are_not_drawn(changed):
    view = View(changed)
    place = changed._fitted().engine.snapshot()["place"][:, 0]
    assert view.shown[place == 0].all()
    left = int((~view.shown).sum())
    assert left > 0
    assert not np.isin(view.strongest(10_000), np.flatnonzero(~view.shown)).any()
    number = f"of {int(view.shown.sum()):,} boxes"
    for ax in (plot_parallel(changed), plot_regions(changed, "salary", "age")):
        texts = [text.get_text() for text in (*ax.texts, *ax.figure.texts, ax.title)]
        texts += [ax.get_title(loc) for loc in ("left", "right")]
        assert any(number in text for text in texts), texts
        plt.close("all")
