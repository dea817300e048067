"""boxes_: the model as a person reads it."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier

BACKENDS = ["pandas", "polars", "pyarrow"]
ROWS = [
    {"age": 31.0, "job": "cook", "pay": 10.5},
    {"age": 33.0, "job": "cook", "pay": None},
    {"age": 70.0, "job": None, "pay": None},
    {"age": 32.0, "job": "smith", "pay": 11.0},
]
LABELS = ["yes", "yes", "no", "yes"]


@pytest.fixture
def clf() -> EIOLGFMM:
    return EIOLGFMM(theta=0.5, delta=1.0, feature_range={"age": (0, 100)}).fit(ROWS, LABELS)


def columns_of(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, pd.DataFrame):
        return {str(name): frame[name].tolist() for name in frame}
    return frame.to_pydict() if hasattr(frame, "to_pydict") else frame.to_dict(as_series=False)


def test_bounds_are_in_the_units_of_the_input_and_nan_where_nothing_was_seen(
    clf: EIOLGFMM,
) -> None:
    boxes = clf.boxes_
    assert len(boxes) == 3
    np.testing.assert_array_equal(boxes.lower, [[31, 10.5], [70, math.nan], [32, 11]])
    np.testing.assert_array_equal(boxes.upper, [[33, 10.5], [70, math.nan], [32, 11]])


def test_counts_samples_and_labels_are_those_of_the_rows(clf: EIOLGFMM) -> None:
    boxes = clf.boxes_
    assert boxes.counts == [[{"cook": 2}], [{None: 1}], [{"smith": 1}]]
    assert boxes.n_samples.tolist() == [2, 1, 1]
    assert boxes.labels.tolist() == ["yes", "no", "yes"]
    assert boxes.n_samples.sum() == len(ROWS)


@pytest.mark.parametrize("name", ["lower", "upper", "n_samples", "labels"])
def test_the_arrays_are_read_only(clf: EIOLGFMM, name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(clf.boxes_, name)[0] = getattr(clf.boxes_, name)[1]


def test_a_view_stays_as_it_was_taken(clf: EIOLGFMM) -> None:
    boxes = clf.boxes_
    clf.partial_fit([{"age": 29.0, "job": "nurse", "pay": 10.0}], ["maybe"])
    assert len(boxes) == 3
    assert len(clf.boxes_) == 4
    assert boxes.counts == [[{"cook": 2}], [{None: 1}], [{"smith": 1}]]
    assert boxes.lower[0].tolist() == [31, 10.5]


def test_describe_says_in_words_what_a_box_covers(clf: EIOLGFMM) -> None:
    boxes = clf.boxes_
    assert boxes.describe(0) == "yes, 2 rows: age 31 to 33; pay 10.5; job is cook"
    assert boxes.describe(1) == "no, 1 row: age 70; pay is missing; job is missing"
    assert boxes.describe(-1) == boxes.describe(2)
    with pytest.raises(IndexError):
        boxes.describe(3)


def test_describe_gives_shares_and_sums_up_rare_values() -> None:
    rows = [[value] for value in "aaaaabbbcc" + "defghi"]
    boxes = HyperboxClassifier(delta=1).partial_fit(rows, [1] * len(rows)).boxes_
    assert boxes.describe(0) == ("1, 16 rows: x0 is a (31%), b (19%), c (12%), d (6%), 5 others")


def test_the_repr_says_how_much_there_is(clf: EIOLGFMM) -> None:
    assert repr(clf.boxes_) == "Boxes(3 boxes, 2 classes, 4 rows)"


@pytest.mark.parametrize("backend", BACKENDS)
def test_to_frame_gives_one_row_per_box(clf: EIOLGFMM, backend: str) -> None:
    frame = clf.boxes_.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    columns = columns_of(frame)
    assert [*columns] == [
        *("label", "n_samples", "age.lower", "age.upper", "pay.lower", "pay.upper", "job")
    ]
    assert columns["label"] == ["yes", "no", "yes"]
    assert columns["n_samples"] == [2, 1, 1]
    assert columns["age.upper"] == [33, 70, 32]
    assert columns["pay.lower"][0] == 10.5
    assert columns["pay.lower"][1] is None or math.isnan(columns["pay.lower"][1])
    assert columns["job"] == ["cook: 2", "missing: 1", "smith: 1"]


def test_to_frame_takes_pandas_by_default(clf: EIOLGFMM) -> None:
    assert isinstance(clf.boxes_.to_frame(), pd.DataFrame)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("unlabelled", "y"),
    [
        (None, ["a", 7]),
        (-1, [-1, "a"]),
        (float("nan"), [float("nan"), "a"]),
        ("?", ["?", 7]),
        (-1, [-1, 7]),
    ],
)
def test_to_frame_takes_labels_of_several_types(backend: str, unlabelled: Any, y: Any) -> None:
    clf = HyperboxClassifier(unlabelled=unlabelled)
    clf.partial_fit([[0.0], [1.0]], np.array(y, dtype=object))
    columns = columns_of(clf.boxes_.to_frame(backend))
    assert len(columns["label"]) == 2
    assert str(columns["label"][1]) == str(y[1])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["label", "n_samples", "size.lower"])
def test_to_frame_keeps_the_label_beside_a_column_of_that_name(backend: str, name: str) -> None:
    X = pd.DataFrame({"size": [1.0, 2.0], name: ["u", "v"]})
    boxes = HyperboxClassifier().partial_fit(X, ["p", "q"]).boxes_
    columns = columns_of(boxes.to_frame(backend))
    assert columns["label"] == ["p", "q"]
    assert columns["n_samples"] == [1, 1]
    assert columns["size.lower"] == [1, 2]
    assert ["u: 1", "v: 1"] in columns.values()


def test_models_of_one_kind_of_column_have_an_empty_half() -> None:
    numbers = HyperboxClassifier().partial_fit([[1.0], [2.0]], ["a", "b"]).boxes_
    assert numbers.counts == [[], []]
    words = HyperboxClassifier().partial_fit([["x"], ["y"]], ["a", "b"]).boxes_
    assert words.lower.shape == words.upper.shape == (2, 0)
    assert words.describe(1) == "b, 1 row: x0 is y"
