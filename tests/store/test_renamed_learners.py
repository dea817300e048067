"""Model files from when HyperboxClassifier held both learners open as the class they are.

Most files were written by boxwise 0.1.0, just before the two were parted; `before_layer.box` later,
before there was an additive layer.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier, load

FILES = Path(__file__).parent / "files"
ROWS = [{"age": 40, "job": "cook"}, {"age": 24, "job": "smith"}]
OLD: dict[str, tuple[type, dict[str, Any], list[list[float]] | None]] = {
    "membership_v1": (
        EIOLGFMM,
        {"version": 1, "alpha": 0.3, "gamma": [2.0], "theta": 0.4, "delta": 0.6, "max_boxes": 50},
        [[0.8398576512455516, 0.1601423487544484], [0.3, 0.7]],
    ),
    "membership_v2": (
        EIOLGFMM,
        {"version": 2, "alpha": "estimate", "gamma": 1.0},
        [[0.6901408450704225, 0.3098591549295775], [0.453125, 0.546875]],
    ),
    "evidence": (
        HyperboxClassifier,
        {"theta": 0.4, "delta": 0.6, "class_prior": "auto"},
        None,
    ),
}


@pytest.mark.parametrize("name", OLD)
def test_load_opens_an_old_file_as_the_class_it_is(name: str, tmp_path: Path) -> None:
    learner, parameters, probabilities = OLD[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = load(FILES / f"{name}.box")
    assert type(clf) is learner
    assert {key: clf.get_params()[key] for key in parameters} == parameters
    if probabilities is not None:  # the learner by evidence is another one now
        np.testing.assert_allclose(clf.predict_proba(ROWS), probabilities, rtol=0, atol=1e-11)
    learned = [{"age": 24, "job": "cook"}, {"age": 50, "job": "smith"}]
    assert clf.predict(learned).tolist() == ["no", "yes"]
    clf.partial_fit(ROWS, ["yes", "no"])
    clf.save(tmp_path / "again.box")
    assert type(load(tmp_path / "again.box")) is learner


def test_load_opens_a_file_from_before_the_additive_layer(tmp_path: Path) -> None:
    """It has neither the parameter nor the arrays, and the model goes on without them."""
    old = load(FILES / "before_layer.box")
    assert (old.additive, old.theta, old.max_boxes) == (False, 0.4, 50)
    expected = [[0.2737149783010998, 0.7262850216989002], [0.9787315629808807, 0.02126843701911935]]
    np.testing.assert_allclose(old.predict_proba(ROWS), expected, rtol=0, atol=1e-9)
    old.partial_fit(ROWS, ["yes", "no"])
    old.save(tmp_path / "again.box")
    again = load(tmp_path / "again.box")
    assert again.additive is False
    again.set_params(additive=True).partial_fit(ROWS, ["yes", "no"])


def test_load_warns_of_a_parameter_that_has_left() -> None:
    with pytest.warns(UserWarning) as told:
        clf = load(FILES / "evidence_v1.box")
    words = " ".join(str(warning.message) for warning in told)
    assert "learned with alpha=0.3, which HyperboxClassifier no longer has" in words
    assert "learned with condition='each'" in words
    assert type(clf) is HyperboxClassifier
    expected = load(FILES / "evidence.box").predict_proba(ROWS)
    np.testing.assert_allclose(clf.predict_proba(ROWS), expected, rtol=0, atol=1e-11)


def test_the_warning_points_at_the_caller_of_load() -> None:
    with pytest.warns(UserWarning) as told:
        load(FILES / "evidence_v1.box")
    assert {Path(warning.filename).name for warning in told} == {Path(__file__).name}


def test_an_old_model_by_evidence_keeps_its_boxes_and_what_it_was_measured_by() -> None:
    clf = load(FILES / "evidence.box")
    assert [clf.boxes_.describe(i) for i in range(3)] == [
        "no, 2 rows: age 23 to 31; job is cook",
        "no, 1 row: age 25; job is missing",
        "yes, 2 rows: age 47 to 52; job is smith",
    ]
    assert (clf.scale, clf.max_boxes) == ("range", None)  # as they were then
    assert clf.changes_ == []
    assert np.isfinite(clf.relevance_).all()
    assert clf.predict_proba(ROWS[:1]).max() < 0.9  # a cook, but older than the others
