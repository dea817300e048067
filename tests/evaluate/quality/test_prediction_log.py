"""Predictions on a stream in bounded memory."""

import math

import numpy as np
import pytest

from boxwise.evaluate import Confusion, assess
from boxwise.evaluate.quality import prediction_log
from boxwise.evaluate.quality.assessment import Plan
from boxwise.evaluate.quality.prediction_log import PredictionLog

CLASSES = ["no", "yes"]


def drawn(n, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(2, size=n)
    score = np.clip(0.3 * codes + 0.7 * random.random(n), 0, 1)
    return [CLASSES[c] for c in codes], np.column_stack([1 - score, score])


def filled(y, p, columns=(), block=37, **options):
    """Return a log of these predictions, taken in blocks."""
    log, confusion = PredictionLog(10, [*columns], **options), Confusion()
    for i in range(0, len(y), block):
        rows = slice(i, i + block)
        said = [CLASSES[c] for c in p[rows].argmax(axis=1)]
        shares = [dict(zip(CLASSES, row, strict=True)) for row in p[rows].tolist()]
        log.add(y[rows], said, shares, [[*column[rows]] for column in columns.values()]
                if columns else [])  # fmt: skip
        confusion.update(y[rows], said)
    log.note(confusion)
    return log


@pytest.mark.parametrize("block", [1, 37, 1000])
def test_log_of_a_short_stream_gives_what_assess_gives(block):
    y, p = drawn(400)
    sex = ["f" if i % 3 else "m" for i in range(400)]
    log = filled(y, p, {"sex": sex}, block)
    found = log.assess(Plan())
    wanted = assess(y, p, CLASSES, groups={"sex": sex}, n_blocks=50)
    for mine, its in zip(found.to_rows(), wanted.to_rows(), strict=True):
        assert mine == pytest.approx(its, nan_ok=True)
    assert found.rows == found.sampled == 400


def test_log_loss_and_brier_score_are_sums_over_all_rows_however_few_are_held():
    y, p = drawn(3000)
    log = filled(y, p, most_rows=100)
    wanted = assess(y, p, CLASSES).figures
    assert log.means() == pytest.approx((wanted["log_loss"].value, wanted["brier"].value))


def test_recent_means_are_those_of_the_window():
    y, p = drawn(300)
    log = filled(y, p)
    wanted = assess(y[-10:], p[-10:], CLASSES).figures
    assert log.recent_means() == pytest.approx((wanted["log_loss"].value, wanted["brier"].value))


def test_of_a_long_stream_the_log_holds_a_uniform_sample_in_order():
    y, p = drawn(4000)
    number = [*range(4000)]
    held = []
    for seed in range(20):
        log = filled(y, p, most_rows=200, seed=seed)
        log._columns = ()
        predictions = log.predictions()
        assert len(predictions) == 200
        places = [np.flatnonzero(p[:, 1] == share)[0] for share in predictions.p[:, 1]]
        assert places == sorted(places)
        held += places
    assert len(number) == 4000
    assert np.histogram(held, 4, (0, 4000))[0] == pytest.approx([1000] * 4, abs=110)


def test_a_sample_has_about_the_figures_of_all_rows_and_says_that_it_is_one():
    y, p = drawn(20_000)
    log = filled(y, p, most_rows=4000, block=1000)
    found, wanted = log.assess(Plan()), assess(y, p, CLASSES).figures
    assert (found.rows, found.sampled) == (20_000, 4000)
    assert found.figures["auc"].value == pytest.approx(wanted["auc"].value, abs=0.02)
    for name in ("accuracy", "cba", "kappa", "macro_f1", "log_loss", "brier"):
        assert found.figures[name].value == pytest.approx(wanted[name].value), name
    assert "a random sample of 4,000 of 20,000 rows" in repr(found)


def test_memory_is_bounded_also_with_many_classes(monkeypatch):
    monkeypatch.setattr(prediction_log, "MOST_CELLS", 5000)
    log = PredictionLog(10, [])
    for i in range(200):
        labels = [(i + j) % 100 for j in range(20)]
        log.add(labels, labels, [{k: 1.0} for k in labels], [])
    log.note(Confusion())
    assert log.predictions().p.size <= 5000


def test_classes_that_come_later_had_probability_0():
    log = PredictionLog(10, [])
    log.add(["a"], ["a"], [{"a": 1.0}], [])
    log.add(["c", "b"], ["a", "a"], [{"a": 1.0}, {"a": 0.5, "c": 0.5}], [])
    log.note(Confusion())
    predictions = log.predictions()
    assert [*predictions.labels] == ["a", "b", "c"]
    assert predictions.p.tolist() == [[1, 0, 0], [1, 0, 0], [0.5, 0, 0.5]]
    assert predictions.truth.tolist() == [0, 2, 1]


def test_probabilities_are_made_to_sum_to_1():
    log = PredictionLog(10, [])
    shares = [{"a": 0.2, "b": 0.2}, {}, {"a": math.nan, "b": 0.1}]
    log.add(["a", "b", "a"], ["a", "a", "b"], shares, [])
    log.note(Confusion())
    assert log.predictions().p.tolist() == [[0.5, 0.5], [0.5, 0.5], [0, 1]]


def test_a_column_with_very_many_values_has_others_together(monkeypatch):
    monkeypatch.setattr(prediction_log, "MOST_GROUPS", 3)
    y, p = drawn(60)
    log = filled(y, p, {"n": [*range(60)]})
    (comparison,) = log.assess(Plan()).groups.values()
    assert {g.value: g.rows for g in comparison.groups} == {"other values": 57, 0: 1, 1: 1, 2: 1}


def test_a_learner_without_probabilities_has_the_other_figures():
    log, confusion = PredictionLog(10, ["half"], has_probabilities=False), Confusion()
    truth, said = ["a", "b"] * 60, ["a"] * 120
    log.add(truth, said, [], [[i // 60 for i in range(120)]])
    confusion.update(truth, said)
    log.note(confusion)
    found = log.assess(Plan())
    assert found.figures["accuracy"].value == 0.5
    assert math.isnan(found.figures["auc"].value)
    assert [g.rows for g in found.groups["half"].groups] == [60, 60]
    assert all(map(math.isnan, (*log.means(), log.auc())))


def test_an_empty_log_has_no_figures():
    log = PredictionLog(10, [])
    assert all(map(math.isnan, (*log.means(), *log.recent_means(), log.auc())))


def test_what_comes_after_the_last_note_does_not_count():
    y, p = drawn(400)
    log = filled(y[:300], p[:300])
    shares = [dict(zip(CLASSES, row, strict=True)) for row in p[300:].tolist()]
    log.add(["new"] * 100, y[300:], shares, [])
    found, wanted = log.assess(Plan()), assess(y[:300], p[:300], CLASSES, n_blocks=50)
    assert found.rows == 300
    for name, figure in wanted.figures.items():
        if name != "brier":  # which depends on how many classes there are
            assert found.figures[name].value == pytest.approx(figure.value), name
