"""Messages to rows: kinds, refused rows with the reason, weights, spelling."""

import math

import pytest

from boxwise import HyperboxClassifier
from boxwise.streams.learning import begun
from boxwise.streams.message import Message
from boxwise.streams.payload import LARGEST, read_json
from boxwise.streams.rows import RowOptions, RowReader
from boxwise.streams.spelling import spelled


def messages(*rows):
    return [Message(str(i), {}, row, repr(row)) for i, row in enumerate(rows)]


def reader(typed=True, tell=lambda text: None, **options):
    return RowReader(RowOptions("label", **options), typed=typed, place="the stream", tell=tell)


def read(*rows, typed=True, kinds=None, estimator=None, **options):
    model = begun(estimator or HyperboxClassifier(), kinds or {"age": "numeric"})
    return reader(typed, **options).read(model, messages(*rows))


def test_kinds_follow_the_types_of_json():
    found = reader().infer(messages({"age": 3, "zip": "3", "ok": True, "label": "a"}))
    assert found == {"age": "numeric", "zip": "categorical", "ok": "categorical"}


def test_kinds_of_text_follow_all_values():
    rows = messages({"age": "3", "ward": "3"}, {"age": "4.5", "ward": "3b"})
    assert reader(typed=False).infer(rows) == {"age": "numeric", "ward": "categorical"}


def test_kinds_obey_the_options():
    rows = messages({"age": 3, "ward": 7, "id": 1, "w": 2.0})
    found = reader(weight="w", categorical=["ward", "later"], drop=frozenset({"id"})).infer(rows)
    assert found == {"age": "numeric", "ward": "categorical", "later": "categorical"}


def test_messages_without_a_column_are_an_error():
    with pytest.raises(ValueError, match="no column to learn from"):
        reader().infer(messages({"label": "a"}))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"age": "abc", "label": "a"}, "column 'age': 'abc' is not a number; correct it"),
        ({"age": [3], "label": "a"}, "column 'age': [3] is a list within a row"),
        ({"age": 3, "label": 0.5}, "column 'label': 0.5 is no class: it is a measurement"),
        ({"old": 3, "label": "a"}, "the row has none of the columns 'age'; it has 'old', 'label'"),
        ({"age": 1e300, "label": "a"}, "column 'age': 1e+300 is beyond ±1e+150; rescale"),
        ({"age": 3, "label": "a", "w": -1}, "column 'w': -1 is no weight, which is from 0 to"),
        ({"age": 3, "label": "a", "w": "x"}, "column 'w': 'x' is not a number"),
    ],
)
def test_a_row_is_refused_with_the_reason_and_the_others_are_not(row, reason):
    rows = read({"age": 3, "label": "a"}, row, {"age": 4, "label": "b"}, weight="w")
    assert [*rows.refused] == [1]
    assert rows.refused[1].startswith(reason)
    assert rows.typed.labels == ["a", "b"]
    assert [*rows.typed.rows] == [0, 2]


def test_a_payload_that_is_no_row_is_refused_with_its_problem():
    model = begun(HyperboxClassifier(), {"age": "numeric"})
    broken = Message("7", {}, None, b"[", "is no JSON")
    assert reader().read(model, [broken]).refused == {0: "is no JSON"}


def test_rows_without_a_label_or_with_weight_zero_are_not_learned():
    rows = read(
        {"age": 1, "label": "a"},
        {"age": 2},
        {"age": 3, "label": ""},
        {"age": 4, "label": "a", "w": 0},
        {"age": 5, "label": "a", "w": 2.5},
        weight="w",
    )
    assert rows.learned == [True, False, False, False, True]
    assert rows.weights == [1, 1, 1, 0, 2.5]


def test_rows_without_a_label_are_learned_if_the_model_takes_them():
    rows = read({"age": 2}, estimator=HyperboxClassifier(unlabelled=math.nan))
    assert rows.learned == [True]


def test_a_marked_value_is_missing():
    rows = read({"age": " ? ", "label": "a"}, missing=("?",))
    assert math.isnan(rows.typed.columns["age"][0])
    assert not rows.refused


def test_a_column_that_is_not_used_is_told_once():
    told = []
    model = begun(HyperboxClassifier(), {"age": "numeric"})
    one = reader(tell=told.append, drop=frozenset({"id"}))
    for _ in range(2):
        one.read(model, messages({"age": 1, "id": 2, "job": "x", "label": "a"}))
    assert told == ["ignored, not a column of the model: job"]


def test_a_column_gets_its_kind_with_its_first_value_in_a_learned_row():
    kinds = {"age": "numeric", "note": "unknown"}
    rows = read({"age": 1, "note": "x"}, {"age": 1, "label": "a", "note": 7}, kinds=kinds)
    assert rows.typing.kinds["note"] == "numeric"
    assert [*rows.refused] == [0]


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_spelling_does_not_depend_on_where_the_stream_is_cut(cut):
    cells = ["a", 3, True, 2.0]
    known = []
    found = []
    for part in (cells[:cut], cells[cut:]):
        new = spelled(part, known, [True] * len(part), typed=True)
        known += new
        found += new
    assert found == ["a", "3", "true", "2"]


def test_spelling_follows_only_values_that_are_learned():
    assert spelled(["x", 3], [], [False, True], typed=True) == ["x", 3]
    assert spelled(["x", 3], [], [True, True], typed=True) == ["x", "3"]


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (b"", "is no JSON"),
        (b'{"a": 1', "is no JSON"),
        (b"3", "is no object"),
        (b'{"a": 1, "a": 2}', "column 'a': the payload has this key twice"),
        (b"\xff{}", "byte 1 of the payload is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "more than 4,300 digits"),
        (b'{"a": "\\ud800"}', "half of a character"),
        (b" " * (LARGEST + 1), "more than 16 MB"),
    ],
)
def test_a_payload_that_is_no_object_has_a_reason(payload, problem):
    row, reason = read_json(payload)
    assert row is None
    assert problem in reason
