"""Notebook cards: small, escaped, on light and dark, without resources from elsewhere."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.card import MOST_FOLDED, MOST_ROWS, balance, card, line_chart, long_table

from .report.reading import Page

NAME, VALUE, LABEL = "<b>n & 'm'", "<script>alert(1)</script>", "</div><i>"


def rows(n: int, wide: int = 0) -> list[dict[str, object]]:
    random = np.random.default_rng(1)
    return [
        {NAME: float(random.normal()), "job": [VALUE, "cook", None][k % 3]}
        | {f"x{j}": float(random.normal()) for j in range(wide)}
        for k in range(n)
    ]


def fitted(n: int = 200, wide: int = 0) -> HyperboxClassifier:
    X = rows(n, wide)
    y = [LABEL if row[NAME] > 0 else "ok" for row in X]  # type: ignore[operator]
    return HyperboxClassifier(theta=0.1, delta=0.0).fit(X, y)


def objects(clf: HyperboxClassifier, X: list[dict[str, object]]) -> dict[str, object]:
    return {
        "estimator": clf,
        "boxes": clf.boxes_,
        "rules": clf.rules(),
        "measured rules": clf.rules(X, clf.predict(X)),
        "list": clf.rules().simplify(X, clf.predict(X), progress=False),
        "attributions": clf.attributions(X[:3]),
        "explanation": clf.explain(X[:1])[0],
        "curve of a number": clf.curves()[0],
        "curve of categories": clf.curves()[1],
        "EIOLGFMM": EIOLGFMM().fit(X, clf.predict(X)),
    }


@pytest.fixture(scope="module")
def shown() -> dict[str, object]:
    return objects(fitted(), rows(200))


@pytest.mark.parametrize(
    "name",
    ["estimator", "boxes", "rules", "measured rules", "list", "attributions", "explanation",
     "curve of a number", "curve of categories", "EIOLGFMM"],
)  # fmt: skip
def test_card_is_sound_small_and_escaped(shown, name):
    html = shown[name]._repr_html_()
    page = Page(html)  # fails on elements that do not fit together
    assert not {tag for tag, _ in page.elements} & {"script", "style", "link", "img", "iframe", "i"}
    for _, attributes in page.elements:
        assert not {"src", "href", "id", "class"} & {*attributes}
        assert not any(key.startswith("on") for key in attributes)
    assert "url(" not in html and "http" not in html
    assert len(html) < 60_000
    assert name not in ("boxes", "rules") or LABEL in page.text()


def test_card_has_no_colour_that_hides_text(shown):
    for one in shown.values():
        html = one._repr_html_()  # type: ignore[attr-defined]
        assert not re.search(r"[;\"']color:(?!inherit)", html)
        backgrounds = {*re.findall(r"background:([^;\"']+)", html)}
        assert all(b == "transparent" or b.startswith("rgba(") for b in backgrounds)


def test_estimator_card_names_what_was_learned():
    clf = fitted(wide=12)
    page = Page(clf._repr_html_())
    text = page.text()
    assert text.startswith(f"HyperboxClassifier: {clf.n_boxes_} boxes, 200 rows classes: ")
    assert LABEL in text and VALUE in text and NAME in text and "relevance" in text
    assert "and 4 more" in text and "HyperboxClassifier(delta=0.0, theta=0.1)" in text


def test_estimator_card_tells_of_changes():
    X = np.random.default_rng(2).normal(size=(2400, 2))
    y = (X[:, 0] > 0) ^ (np.arange(2400) > 1200)
    clf = HyperboxClassifier().partial_fit(X, y)
    assert clf.changes_
    assert f"changes: {len(clf.changes_)}; latest: " in Page(clf._repr_html_()).text()


def test_diagram_of_scikit_learn_stays_reachable():
    clf = fitted()
    assert "sk-estimator" in sklearn.utils.estimator_html_repr(clf)
    assert (
        HyperboxClassifier()._repr_html_()
        == sklearn.utils.estimator_html_repr(HyperboxClassifier())
        or "sk-estimator" in HyperboxClassifier()._repr_html_()
    )
    assert "sk-estimator" in make_pipeline(FunctionTransformer(), clf)._repr_html_()
    bundle = clf._repr_mimebundle_()
    assert bundle["text/html"] == clf._repr_html_() and bundle["text/plain"] == repr(clf)
    with sklearn.config_context(display="text"):
        assert not hasattr(clf, "_repr_html_")
        assert [*clf._repr_mimebundle_()] == ["text/plain"]


def test_long_tables_are_folded_and_cut():
    n = MOST_ROWS + MOST_FOLDED + 7
    page = Page(card("title", long_table([[str(i)] for i in range(n)])))
    assert len(page.all("tr")) == MOST_ROWS + MOST_FOLDED
    assert (
        f"and {MOST_FOLDED + 7} more" in page.text() and "and 7 that are not shown" in page.text()
    )
    assert "more" not in Page(long_table([["1"]] * MOST_ROWS)).text()


def test_bars_point_to_the_side_of_their_sign():
    assert "left:50%;width:25%" in balance(1.0, 2.0)
    assert "left:0%;width:50%" in balance(-2.0, 2.0)
    assert "width:0%" in balance(0.0, 0.0)


def test_line_chart_draws_higher_values_higher():
    (line,) = Page(line_chart([0.0, 1.0, 3.0], [-1.0, 0.0, 1.0], "<a>")).all("polyline")
    points = [tuple(map(float, point.split(","))) for point in line["points"].split()]
    assert points[0][1] > points[1][1] > points[2][1]
    assert points[2][0] - points[1][0] == pytest.approx(2 * (points[1][0] - points[0][0]), abs=0.2)
