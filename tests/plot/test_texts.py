"""Names, values and classes of any characters are drawn, and no font is asked for what none has."""

import io

import pytest

from boxwise import HyperboxClassifier
from boxwise.plot import plot_box, plot_curves, plot_parallel, plot_regions
from boxwise.plot.texts import shown, wrapped
from tests.plot.looking import plt

pytest.importorskip("matplotlib")

ODD = "a\0b\x7f\x9b\x1b[0m\ud800\uffff"
PICTURES = {
    "regions": lambda clf, X, y: plot_regions(clf, 0, 1, X=X, labels=y).figure,
    "parallel": lambda clf, X, y: plot_parallel(clf).figure,
    "box": lambda clf, X, y: plot_box(clf, 0, X=X, labels=y),
}


@pytest.mark.parametrize("form", ["png", "svg"])
@pytest.mark.parametrize("kind", PICTURES)
def test_control_characters_are_escaped(kind, form):
    X = {f"n {ODD}": [1.0, 2.0, 8.0, 9.0], f"c {ODD}": [ODD, "b\x01", ODD, "c"]}
    y = [f"yes {ODD}", f"yes {ODD}", "no\x02", "no\x02"]
    clf = HyperboxClassifier().fit(X, y)
    file = io.BytesIO()
    PICTURES[kind](clf, X, y).savefig(file, format=form)  # a glyph that is missing is a warning
    assert file.tell() > 1000


def test_a_name_of_28_characters_is_shown_whole():
    assert shown("previous-24h-flare-activity") == "previous-24h-flare-activity"
    assert shown("x" * 14 + "y" * 15) == "xxxxxxxxxxx…xyyyyyyyyyyyyyyy"


def test_titles_break_after_underscores_and_hyphens_and_keep_spaces():
    assert wrapped("request_from_other_domain", 20) == "request_from_\nother_domain"
    assert wrapped("previous-24h-flare - activity", 15) == "previous-24h-\nflare -\nactivity"
    X = {"request_from_other_domain": [1.0, 2.0, 8.0, 9.0]}
    clf = HyperboxClassifier().fit(X, ["no", "no", "yes", "yes"])
    (ax,) = plot_curves(clf, figure=plt.figure(figsize=(2.2, 3), layout="constrained")).axes
    assert ax.get_title(loc="left") == "request_from_\nother_domain"


def test_characters_of_other_scripts_stay():
    assert shown("Größe 身長 👩‍🔧 नमस्ते") == "Größe 身長 👩‍🔧 नमस्ते"
    assert shown("a\x07\tb") == r"a\x07 b"
