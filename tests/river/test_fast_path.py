"""The River face: plain dicts take a fast lane, and nothing but the speed tells."""

from __future__ import annotations

import math
import threading
from typing import Any

import pytest

pytest.importorskip("river")

from boxwise import HyperboxClassifier as Classifier
from tests.river.streams import everything, learned, patchy


@pytest.mark.parametrize("seed", range(5))
def test_rows_on_the_fast_lane_and_on_the_general_way_are_learned_alike(seed: int) -> None:
    """A row that is no dict but a mapping takes the general way."""

    class Row(dict[Any, Any]):
        pass

    pairs = patchy(150, seed)
    fast = learned(pairs, theta=0.3)
    general = learned([(Row(x), y) for x, y in pairs], theta=0.3)
    mixed = learned([(Row(x) if i % 3 else x, y) for i, (x, y) in enumerate(pairs)], theta=0.3)
    assert everything(fast) == everything(general) == everything(mixed)
    for x, _ in patchy(80, seed + 100):
        assert fast.predict_one(x) == general.predict_one(Row(x))
        assert fast.predict_proba_one(x) == general.predict_proba_one(Row(x))


def test_plain_rows_do_take_the_fast_lane() -> None:
    model = learned([({"a": 1.0, "b": "x"}, "p"), ({"a": 2, "b": None}, "q")])
    reader = model._reader
    for row in (
        {"a": 1, "b": "x"},
        {"b": "a new text", "a": None},
        {"a": math.nan},
        {},
        {"z": None},
    ):
        assert reader.learn(row, "p")
        assert reader.predict(row) in ("p", "q")
        assert len(reader.probabilities(row)) == 2
    assert model.n_boxes_ == len(model.boxes)
    assert "a new text" in model.classifier.schema_.columns[1].vocabulary.codes
    for row, label in (
        ({"a": "text"}, "p"),
        ({"a": 1.0, "z": 1}, "p"),
        ({"a": 1.0}, "new"),
        ({"b": 1.5}, "p"),
    ):
        assert not reader.learn(row, label)


def test_rows_that_only_have_new_features_or_a_new_label_are_not_read_as_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: Any) -> None:
        raise AssertionError("read as a table")

    monkeypatch.setattr(Classifier, "partial_fit", refused)
    first, second = {"a": 1.0, "b": "x"}, {"a": 2, "b": "y"}
    model = learned([(first, "p"), (second, 7), ({**first, "c": "z"}, "p")])
    assert model.predict_one(second) == 7
    assert model.classifier.schema_.names == ("a", "b", "c")


def test_a_new_label_goes_again_when_its_row_is_refused() -> None:
    model = learned([({"a": 1.0, "b": "x"}, "p"), ({"a": 2, "b": "y"}, "q")])
    before = everything(model)
    for row in ({"a": "text"}, {"a": 1.0, "z": []}):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(row, "new")
    assert everything(model) == before
    assert model.predict_proba_one({"a": 1.0}).keys() == {"p", "q"}
    model.learn_one({"a": 1.0, "b": "x"}, "other")
    assert model.predict_proba_one({"a": 1.0}).keys() == {"p", "q", "other"}


class Emptying:
    """A value that empties the row it is in when it is looked up."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row

    def __hash__(self) -> int:
        self.row.clear()
        return hash("x")

    def __eq__(self, other: object) -> bool:
        return True


def test_values_that_run_code_when_looked_up_do_no_harm() -> None:
    model = learned([({"a": 1.0, "b": "x"}, "p"), ({"a": 2, "b": "y"}, "q")])
    for _ in range(100):
        row: dict[str, Any] = {"a": 1.0}
        row["b"] = Emptying(row)
        assert model.predict_one(row) in ("p", "q")

    class Interrupting:
        def __hash__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.predict_one({"b": Interrupting()})


def test_threads_may_predict_while_one_learns_new_classes() -> None:
    model = learned([({"a": 0.0}, "first")])
    done, errors = threading.Event(), []

    def ask() -> None:
        while not done.is_set():
            try:
                shares = model.predict_proba_one({"a": 0.5})
                assert math.isclose(sum(shares.values()), 1)
                model.predict_one({"a": 0.5})
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for i in range(1_500):
        model.learn_one({"a": i % 10 / 10}, i)
    done.set()
    for thread in threads:
        thread.join()
    assert not errors
