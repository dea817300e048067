"""Changes of learners along a stream: by rows of the stream, and in the picture of a run."""

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.core import Model
from boxwise.datasets import LoanStream
from boxwise.evaluate import prequential
from boxwise.learners.changes import EVENTS

plt = pytest.importorskip("matplotlib.pyplot")


def drifting(n=1500):
    return [*LoanStream(n, function=1, seed=1), *LoanStream(n, function=2, seed=2)]


@pytest.fixture(scope="module")
def run():
    learners = {"ours": HyperboxClassifier(), "eiol": EIOLGFMM(theta=0.3, delta=1.0)}
    yield prequential(learners, drifting(), window=500)
    plt.close("all")


def test_changes_are_those_of_the_learner(run):
    clf = HyperboxClassifier()
    rows = drifting()
    clf.partial_fit([row for row, _ in rows], [label for _, label in rows])
    assert run.changes == {"ours": clf.changes_, "eiol": []}
    assert clf.changes_


def test_rows_are_counted_along_the_stream_whatever_was_learned_before_or_left_out(run):
    clf = HyperboxClassifier()
    first, second = drifting()[:1500], drifting()[1500:]
    clf.partial_fit([row for row, _ in first], [label for _, label in first])
    before = len(clf.changes_)
    missing = [pair for row, label in second for pair in ((row, None), (row, label))]
    found = prequential(clf, missing, window=500).changes["HyperboxClassifier"]
    own = clf.changes_[before:]
    assert [change.row for change in found] == [2 * (change.row - 1500) for change in own]
    assert [change.event for change in found] == [change.event for change in own]
    assert found


def test_changes_are_noted_although_the_learner_keeps_the_latest_only():
    rows, labels = zip(*drifting(), strict=True)
    clf = HyperboxClassifier().partial_fit(rows[:1000], labels[:1000])
    header, arrays = clf._model.to_state()
    many = np.zeros((1000, arrays["changes"].shape[1]))
    many[:, 0], many[:, 1] = range(1000), EVENTS.index("dropped")
    clf._model = Model.from_state(header, arrays | {"changes": many})
    found = prequential(clf, [*zip(rows[1000:], labels[1000:], strict=True)], window=500).changes
    assert len(clf.changes_) == 1000
    assert "replaced" in [change.event for change in found["HyperboxClassifier"]]


def test_alarms_are_dotted_and_replacements_solid_with_an_entry_in_the_legend(run):
    ax = run.plot()
    looks = {"alarm": ":", "replaced": "-"}
    for event, style in looks.items():
        rows = [
            change.row
            for change in run.changes["ours"]
            if change.event == event or (event, change.event) == ("replaced", "returned")
        ]
        for panel in ax.figure.axes:
            lines = [line for line in panel.get_lines() if line.get_gid() == f"change-{event}"]
            assert [line.get_xdata()[0] for line in lines] == rows
            assert {line.get_linestyle() for line in lines} <= {style}
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    assert entries == ["ours", "eiol", "alarm (ours)", "boxes replaced (ours)"]
