"""CastilloGFMM: bounds that can be seen, saved and checked; all rows first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import boxwise
from boxwise import CastilloGFMM, HyperboxClassifier
from boxwise._native import BoundEngine
from boxwise.core import Model

CITIES = ["Lyon", "Lyon", "Oslo", "Oslo", None, "Rome", "Rome", "Rome"]
ROWS = pd.DataFrame({"size": [1.0, 1.5, 5.0, 5.5, 2.0, 9.0, 9.5, 3.0], "city": CITIES})
LABELS = ["a", "a", "b", "a", "b", "b", "b", "?"]


def small() -> CastilloGFMM:
    return CastilloGFMM(theta=0.5, eta=0.5, unlabelled="?").fit(ROWS, LABELS)


def test_the_bounds_of_every_box_are_there_to_be_read():
    boxes = small().boxes_
    assert len(boxes.bounds) == len(boxes)
    for (bounds,), (counts,) in zip(boxes.bounds, boxes.counts, strict=True):
        assert 1 <= len(bounds) <= 2
        assert set(bounds) <= set(CITIES)
        assert counts
    assert (None,) in [bounds for (bounds,) in boxes.bounds]


def test_boxes_of_other_algorithms_have_no_bounds():
    boxes = HyperboxClassifier().fit(ROWS, ["a", "b"] * 4).boxes_
    assert not hasattr(boxes, "bounds")
    with pytest.raises(AttributeError, match="no bounds among categories"):
        _ = boxes.bounds


def test_partial_fit_is_not_there_and_says_why():
    clf = CastilloGFMM()
    assert not hasattr(clf, "partial_fit")
    with pytest.raises(AttributeError, match=r"whole training table.*fit with all rows.*Hyperbox"):
        _ = clf.partial_fit


@pytest.mark.parametrize("eta", [-0.1, 1.1, "far", None, float("nan")])
def test_a_wrong_eta_is_refused_in_words(eta: Any) -> None:
    with pytest.raises(ValueError, match="eta must be a number from 0 to 1"):
        CastilloGFMM(eta=eta).fit(ROWS, LABELS)


def test_a_row_with_a_value_never_seen_is_in_no_box_but_still_gets_a_class():
    clf = small()
    row = pd.DataFrame({"size": [1.0], "city": ["Bern"]})
    assert clf.membership(row).max() == 0
    assert clf.predict(row)[0] in ("a", "b")


def test_a_value_that_only_unlabelled_rows_have_is_like_one_never_seen():
    rows = pd.DataFrame({"city": ["Lyon", "Oslo", "Rome", "Bern"]})
    clf = CastilloGFMM(unlabelled="?").fit(rows, ["a", "b", "a", "?"])
    labelled = clf.boxes_.labels != "?"
    membership = clf.membership(rows)
    assert membership[3][labelled].max() == 0
    assert membership[3][~labelled].tolist() == [1]


def test_the_order_in_which_categories_are_coded_changes_nothing():
    """Rows of a fold have the codes of the whole table: which value was seen first must not be
    taken from the codes."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (300, 2)).astype(np.int32)
    labels = np.where(rng.random(300) < 0.3, codes[:, 0] % 2, codes[:, 1] % 3).astype(np.int32)
    labels = pd.factorize(labels)[0].astype(np.int32)
    points = np.round(rng.random((300, 1)), 1)

    def boxes(code_of: list[int]) -> list[Any]:
        engine = BoundEngine(2, 0.5, [1.0], 0.6, [0.0], [1.0], [False])
        coded = np.array(code_of, dtype=np.int32)[codes]
        engine.learn(points, points, coded, labels)
        state = engine.snapshot()
        value_of = {code: value for value, code in enumerate(code_of)} | {-1: None}
        bounds = [[value_of[code] for code in row] for row in state["bounds"].tolist()]
        return [bounds, state["V"].tolist(), state["W"].tolist()]

    assert boxes([0, 1, 2, 3, 4, 5]) == boxes([5, 3, 9, 0, 1, 4])


def test_the_engine_learns_all_rows_in_one_call():
    engine = BoundEngine(1, 0.5, [], 0.6, [], [], [])
    none = np.empty((1, 0))
    codes, labels = np.zeros((1, 1), np.int32), np.zeros(1, np.int32)
    engine.learn(none, none, codes, labels)
    with pytest.raises(ValueError, match="in one call"):
        engine.learn(none, none, codes, labels)


def test_a_clone_learns_anew_and_settings_differ_between_models():
    first = small()
    again = CastilloGFMM(**first.get_params()).fit(ROWS, LABELS)
    assert again.boxes_.bounds == first.boxes_.bounds
    other = CastilloGFMM(theta=0.5, eta=0.0, unlabelled="?").fit(ROWS, LABELS)
    assert len(other.boxes_) > len(first.boxes_)


def test_bounds_and_distances_come_back_from_a_file(tmp_path: Path) -> None:
    clf = small()
    clf.save(tmp_path / "model.box")
    loaded = boxwise.load(tmp_path / "model.box")
    assert loaded.boxes_.bounds == clf.boxes_.bounds
    unseen = pd.DataFrame({"size": [4.0] * 4, "city": ["Lyon", "Oslo", None, "Bern"]})
    np.testing.assert_array_equal(loaded.membership(unseen), clf.membership(unseen))
    assert loaded.predict(unseen).tolist() == clf.predict(unseen).tolist()


def changed(name: str, index: Any, value: int) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][index] = value

    return change


def cut(name: str) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name][:-1].copy()

    return change


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no bounds": (lambda arrays: arrays.pop("bounds"), "bounds"),
    "a box too few": (cut("bounds"), "do not fit together"),
    "another type": (
        lambda arrays: arrays.update(bounds=arrays["bounds"].astype(float)),
        "another form",
    ),
    "E unset": (changed("bounds", (0, 0), -1), "no value"),
    "E too large": (changed("bounds", (0, 0), 4), "no value"),
    "F below unset": (changed("bounds", (0, 1), -2), "no value"),
    "F too large": (changed("bounds", (0, 1), 2**31 - 1), "no value"),
    "a feature too few": (cut("n_values"), "do not fit together"),
    "too many values": (changed("n_values", 0, 2**64 - 1), "more values than there are"),
    "too few values": (changed("n_values", 0, 3), "more values than features have"),
    "no first": (lambda a: a.update(seen_first=a["seen_first"][:0]), "do not fit together"),
    "first moved": (changed("seen_first", 0, 1), "do not fit together"),
    "first out of order": (changed("seen_first", 1, 2**63), "no place"),
    "last moved": (changed("seen_first", -1, 100), "do not fit together"),
    "a class too few": (cut("seen_class"), "do not fit together"),
    "unknown class": (changed("seen_class", 0, 2), "not in order"),
    "negative class": (changed("seen_class", 0, -1), "not in order"),
    "class twice": (changed("seen_class", 2, 0), "not in order"),
    "no rows": (changed("seen_times", 0, 0), "not in order"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damaged_bounds_are_refused(case: str) -> None:
    header, arrays = small()._model.to_state()
    Model.from_state(header, arrays)
    change, message = DAMAGE[case]
    change(arrays)
    with pytest.raises((ValueError, KeyError), match=message):
        Model.from_state(header, arrays)


def test_more_values_than_the_schema_has_are_refused() -> None:
    header, arrays = small()._model.to_state()
    header["schema"]["columns"][1]["values"].append(["str", "Bern"])
    Model.from_state(header, arrays)  # a category that no row had
    arrays["n_values"] = arrays["n_values"] + 2
    arrays["seen_first"] = np.append(arrays["seen_first"], arrays["seen_first"][[-1, -1]])
    with pytest.raises(ValueError, match="schema does not have"):
        Model.from_state(header, arrays)


def test_a_failed_restore_leaves_the_model_as_it_was() -> None:
    clf = small()
    header, arrays = clf._model.to_state()
    before = clf.membership(ROWS)
    names = [name for name in arrays if name not in ("low", "high", "growing")]
    broken = {name: arrays[name] for name in names} | {"n": arrays["n"] * 0}
    with pytest.raises(ValueError, match="no sample"):
        clf._model.engine.restore(**broken, n_classes=2, next_id=header["next_id"])
    np.testing.assert_array_equal(clf.membership(ROWS), before)


def test_a_column_of_very_many_values_does_not_need_their_square() -> None:
    rng = np.random.default_rng(0)
    values = pd.DataFrame({"id": rng.integers(0, 20_000, 60_000).astype(str)})
    clf = CastilloGFMM(eta=0.0).fit(values, rng.integers(0, 3, 60_000))
    assert clf._model.engine.bytes < 10_000_000  # the square would be 3,200,000,000
