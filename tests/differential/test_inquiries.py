"""What a row tells of the choices and reaches, asked of a portion of the boxes with each row.

It has to come out as if all had been asked at once, however boxes change meanwhile. Portions are as
small as the engine can have them, so that there are many.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.core import EvidenceSettings, Model
from boxwise.core.settings import Range
from boxwise.reference.evidence import Evidence
from boxwise.reference.quantiles import ByQuantiles
from boxwise.schema import Column, Vocabulary
from boxwise.store.modelfile import pack

from .agreement import assert_same_boxes
from .cases import mostly_long
from .streams import UNLABELLED, Stream
from .test_evidence import assert_same_record, pair

PORTION = 64
GRID = ([0.02, 0.4], [0.01, 8.0], [0.5, 2.0])


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch, with_and_without_an_index: None) -> None:
    new_engine = EvidenceSettings.new_engine

    def in_small_portions(self: EvidenceSettings, n_categorical: int, ranges: list[Range]) -> Any:
        engine = new_engine(self, n_categorical, ranges)
        engine.set_portions(PORTION, 2 * PORTION)
        return engine

    monkeypatch.setattr(EvidenceSettings, "new_engine", in_small_portions)
    monkeypatch.setattr(Evidence, "test_portion", PORTION)
    monkeypatch.setattr(Evidence, "step_portion", 2 * PORTION)


def made_up(n: int, r: int, unlabelled: float = 0.0, rows: int = 330, seed: int = 0) -> Stream:
    """Return a stream with a box for every other row; the other rows are taken by boxes."""
    random = Random(f"{n} {r} {unlabelled} {seed}")
    stream = Stream(
        0.05, 0.5, 0.5, [1.0] * n, "each", False, lower=[], upper=[], values=[], labels=[]
    )
    classes: list[int] = []  # a row that had no label may have one when it comes again
    for _ in range(rows):
        if stream.lower and random.random() < 0.4:  # into a box that is there
            again = random.randrange(len(stream.lower))
            low, values, label = stream.lower[again], stream.values[again], classes[again]
        else:
            low = [random.random() for _ in range(n)]
            values = [f"v{int(random.random() * random.choice([3, 40]))}" for _ in range(r)]
            label = random.choice([0, 0, 1])
            if n and random.random() < 0.05:
                low[0] = float("nan")
        stream.lower.append(low)
        stream.upper.append(low)
        stream.values.append(values)
        classes.append(label)
        stream.labels.append(UNLABELLED if random.random() < unlabelled else label)
    return stream


def learn_apart(clf: HyperboxClassifier, stream: Stream, begin: int, end: int) -> None:
    X, upper = stream.table()
    part = None if upper is None else upper[begin:end]
    clf.partial_fit(X[begin:end], stream.labels[begin:end], upper=part)


def teach_apart(reference: Evidence, stream: Stream, begin: int, end: int) -> None:
    for sample, label in zip(stream.samples()[begin:end], stream.labels[begin:end], strict=True):
        reference.learn(*sample, None if label == UNLABELLED else label)


@pytest.mark.parametrize(
    ("n", "r", "unlabelled", "forget"),
    mostly_long(
        [
            (n, r, unlabelled, forget)
            for n, r in [(2, 2), (3, 0), (0, 4), (9, 9)]
            for unlabelled in (0.0, 0.1)
            for forget in (True, False)
        ],
        quick=[(2, 2, 0.1, True), (3, 0, 0.0, False), (0, 4, 0.1, False), (9, 9, 0.0, True)],
    ),
)
def test_boxes_answer_as_they_were_when_the_row_came(n, r, unlabelled, forget):
    stream = made_up(n, r, unlabelled)
    clf, reference = pair(stream, GRID, [0.0, 1.0], forget)
    assert_same_boxes(clf, reference)
    assert len(reference.boxes) > PORTION
    assert_same_record(clf, reference)


def test_it_takes_effect_after_as_many_rows_as_there_are_portions_and_not_before():
    stream = made_up(2, 2)
    clf, reference = pair(stream, GRID, [0.0])
    engine = clf._model.engine
    seen = set()
    for begin in range(60):
        learn_apart(clf, stream, begin, begin + 1)
        before, (due, _, step_due) = (
            engine.snapshot()["losses"].tolist(),
            engine.snapshot()["waits"],
        )
        teach_apart(reference, stream, begin, begin + 1)
        assert (due, step_due) == (
            reference.test.due if reference.test else 0,
            reference.step.due if reference.step else 0,
        )
        assert before == [*reference.losses.values()]
        seen |= {int(due - reference.rows), *before}
    assert {0, 1, 2} <= seen  # it waits for a while,
    assert len(seen) > 40  # and something comes of it


@pytest.mark.parametrize("unlabelled", [0.0, 0.1])
def test_saving_and_loading_in_between_makes_no_difference(unlabelled):
    stream = made_up(2, 2, unlabelled, rows=300)
    whole, apart = (stream.by_evidence() for _ in range(2))
    learn_apart(whole, stream, 0, 300)
    waited = 0
    sizes = iter([1, 150, *[1, 2, 3] * 50])
    begin = 0
    while begin < 300:
        end = min(begin + next(sizes), 300)
        learn_apart(apart, stream, begin, end)
        state = apart._model.to_state()
        waited += all(state[1]["waits"][[0, 2]])
        apart._model = Model.from_state(*state)
        begin = end
    assert waited > 10
    assert pack(*apart._model.to_state()) == pack(*whole._model.to_state())


def until_both_wait(stream: Stream) -> tuple[int, HyperboxClassifier, Evidence]:
    """Return how many rows it took until a test and a step wait, and both learners."""
    first = {name: vars(stream)[name][:1] for name in ("lower", "upper", "values", "labels")}
    clf, reference = pair(replace(stream, **first), GRID, [0.0])
    end = 260
    learn_apart(clf, stream, 1, end)
    teach_apart(reference, stream, 1, end)
    while not (reference.test and reference.step):
        learn_apart(clf, stream, end, end + 1)
        teach_apart(reference, stream, end, end + 1)
        end += 1
    return end, clf, reference


@cache  # and not a fixture of the module, which would be made before portions are small
def state_in_which_both_wait() -> tuple[dict[str, Any], dict[str, Any]]:
    _, clf, _ = until_both_wait(made_up(2, 2))
    return clf._model.to_state()


def test_boxes_that_are_removed_in_between_have_been_asked():
    _, clf, reference = until_both_wait(made_up(2, 2))
    for place in (100, 70, 3):  # which are their ids; to look them up would have all boxes asked
        clf._model.engine.remove(place)
        del reference.boxes[place]
    assert_same_record(clf, reference)


def test_so_have_those_that_are_merged():
    _, clf, reference = until_both_wait(made_up(2, 2))
    labels = [box.label for box in reference.boxes]
    a = labels.index(0, 70)
    clf._model.engine.merge(a, labels.index(0, a + 1))
    assert clf.n_boxes_ == len(reference.boxes) - 1
    assert_same_record(clf, reference, boxes_too=False)


@pytest.mark.parametrize("unlabelled", [0.0, 0.1])
def test_boxes_that_are_not_in_order_of_creation_are_asked_in_that_order(unlabelled):
    stream = made_up(3, 0, unlabelled, rows=520)
    end, clf, reference = until_both_wait(stream)
    gone = []  # kept, so that no other object gets the id of one of them
    for place in range(60, -1, -2):
        clf._model.engine.remove(place)
        gone.append(reference.boxes.pop(place))
    reference.newest = {
        label: max(reference.last[id(box)] for box in reference.boxes if box.label == label)
        for label in reference.classes
    }
    learn_apart(clf, stream, end, 520)
    teach_apart(reference, stream, end, 520)
    assert len(gone) == 31
    assert_same_boxes(clf, reference)
    assert_same_record(clf, reference)


def test_other_choices_forget_what_waits_and_the_same_do_not():
    _, clf, _ = until_both_wait(made_up(2, 2))
    for model in (clf._model, clf._model.copy()):
        before = model.engine.snapshot()
        model.configure(replace(model.settings, theta=0.2, powers=[1.0]))
        after = model.engine.snapshot()
        for name in ("waits", "test_scores", "step_slopes"):
            assert after[name].tolist() == before[name].tolist()
        model.configure(replace(model.settings, bandwidths=[0.1], backoffs=[1.0]))
        after = model.engine.snapshot()
        assert after["waits"].tolist() == [0, 0, 0]
        assert after["test_scores"].size == after["step_slopes"].size == 0


def test_an_engine_that_is_restored_asks_no_boxes_that_are_gone():
    _, clf, _ = until_both_wait(made_up(2, 2))
    engine, settings = clf._model.engine, clf._model.settings
    blank = settings.new_engine(2, [Range(), Range()]).snapshot()
    engine.restore(**{k: v for k, v in blank.items() if k not in ("low", "high", "growing")})
    assert engine.snapshot()["waits"].tolist() == [0, 0, 0]
    middle = np.full((1, 2), 0.5)
    engine.learn(middle, middle, np.zeros((1, 2), np.int32), np.zeros(1, np.int32))
    assert engine.n_boxes == 1


@pytest.mark.parametrize("r", [4, 9])
def test_values_that_boxes_of_a_later_portion_have_not_seen(r):
    clf, reference = pair(made_up(1, r), ([0.1], [1e-5, 1e-4], [1.0]), [0.0])
    assert_same_record(clf, reference)


def test_new_columns_come_while_something_waits():
    _, clf, _ = until_both_wait(made_up(2, 2))
    before, settings = clf._model.engine.snapshot(), clf._model.settings
    columns = [Column("x4", "continuous"), Column("x5", "categorical", Vocabulary([None]))]
    wider = replace(settings, gamma=[*settings.gamma, 1.0])
    after = clf._model.widened(columns, wider, [Range()]).engine.snapshot()
    slopes = before["step_slopes"].tolist()  # of numbers, categories and the memory
    assert after["step_slopes"].tolist() == [*slopes[:2], 0, *slopes[2:4], 0, slopes[4]]
    assert after["test_scores"].tolist() == before["test_scores"].tolist()


@pytest.mark.parametrize(("seed",), mostly_long([(0,), (1,), (2,)], quick=[(0,)]))
def test_ranks_that_are_measured_anew_do_not_change_what_was_asked(seed):
    """Boxes are moved then, all of them."""
    stream = made_up(2, 1, rows=420, seed=seed)
    stream.lower = stream.upper = [[10**x for x in low] for low in stream.lower]
    clf = stream.by_evidence().set_params(scale="quantile")
    by_evidence = EvidenceSettings(
        stream.theta, stream.gamma, stream.delta, stream.alpha, False, *GRID, [0.0], True
    )
    clf._settings = lambda schema: by_evidence  # type: ignore[method-assign]
    inner = Evidence(
        stream.theta, stream.delta, stream.alpha, stream.gamma, "each",
        bandwidths=GRID[0], backoffs=GRID[1], temperatures=GRID[2], forget=True,
    )  # fmt: skip
    reference = ByQuantiles(inner)
    learn_apart(clf, stream, 0, 420)
    teach_apart(reference, stream, 0, 420)
    assert_same_boxes(clf, reference)
    assert_same_record(clf, inner)


def test_portions_that_the_engine_cannot_have_are_refused():
    clf = made_up(1, 0, rows=5).by_evidence()
    clf.fit([[1.0], [2.0]], [0, 1])
    for portion in (0, 1, 63, 192, 300):
        with pytest.raises(ValueError, match="a portion is 64 boxes"):
            clf._model.engine.set_portions(portion, 64)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("waits", np.array([9, 2, 9], np.uint64), "does not fit the choices"),
        ("waits", np.array([9], np.uint64), "three numbers"),
        ("test_scores", np.zeros((3, 2)), "does not fit the choices"),
        ("test_scores", np.full((5, 2), np.nan), "does not fit the choices"),
        ("test_scores", np.full((5, 2), np.inf), "does not fit the choices"),
        ("waits", np.array([2**63, 0, 9], np.uint64), "does not fit the choices"),
        ("waits", np.array([9, 0, 2**63], np.uint64), "does not fit the columns"),
        ("step_slopes", np.zeros(3), "does not fit the columns"),
    ],
)
def test_what_waits_in_a_damaged_file_is_not_trusted(name, value, message):
    header, arrays = state_in_which_both_wait()
    Model.from_state(header, arrays)
    with pytest.raises(ValueError, match=message):
        Model.from_state(header, {**arrays, name: value})


def test_a_class_of_which_no_box_says_anything_spoils_no_loss():
    rows = np.zeros((40, 301), dtype=object)
    rows[:, 300] = "a"
    rows[1::2, :300], rows[1::2, 300] = 1e150, "b"  # so far away that no number can say it
    clf = HyperboxClassifier(
        0.1, feature_range=(0, 1.1e-150), bandwidth=1e-6, categorical_features=[300]
    ).partial_fit(rows, [0, 1] * 20)
    assert clf.predict(rows[:2]).tolist() == [0, 1]
    assert np.isfinite(clf._model.engine.snapshot()["losses"]).all()
    clf._model.copy()


def test_nor_do_scores_in_a_file_by_which_no_class_is_possible():
    end, clf, _ = until_both_wait(stream := made_up(2, 2))
    header, arrays = clf._model.to_state()
    scores = np.full_like(arrays["test_scores"], -np.inf)
    scores[0] = arrays["test_scores"][0]
    clf._model = Model.from_state(header, {**arrays, "test_scores": scores})
    learn_apart(clf, stream, end, end + 20)
    assert np.isfinite(clf._model.engine.snapshot()["losses"]).all()
    clf._model.copy()


def test_a_file_from_before_anything_could_wait_is_read_as_one_in_which_nothing_does():
    _, clf, _ = until_both_wait(made_up(2, 2))
    header, arrays = clf._model.to_state()
    older = {name: array for name, array in arrays.items() if name not in EvidenceSettings.blank}
    assert len(older) == len(arrays) - 3
    snapshot = Model.from_state(header, older).engine.snapshot()
    assert snapshot["waits"].tolist() == [0, 0, 0]
    assert snapshot["losses"].tolist() == arrays["losses"].tolist()
