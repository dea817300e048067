"""The River face: dates by the parts that the user chooses."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

pytest.importorskip("river")

import boxwise
from boxwise.river import HyperboxClassifier

RANDOM = random.Random(0)
DATES = {"opened": ["weekday", "hour"]}


def _pairs(n: int) -> list[tuple[dict[str, Any], str]]:
    found: list[tuple[dict[str, Any], str]] = []
    for i in range(n):
        time = dt.datetime(2024, 1, 1) + dt.timedelta(minutes=RANDOM.randrange(500 * 1440))
        given: Any = None if i % 50 == 7 else time if i % 2 else time.isoformat()
        label = "weekend" if time.weekday() > 4 else "week"
        found.append(({"opened": given, "x": RANDOM.random()}, label))
    return found


PAIRS = _pairs(300)


def learned(**parameters: Any) -> HyperboxClassifier:
    model = HyperboxClassifier(**parameters)
    for x, y in PAIRS:
        model.learn_one(x, y)
    return model


def test_the_model_is_that_of_the_other_face() -> None:
    model = learned(dates=DATES)
    other = boxwise.HyperboxClassifier(dates=DATES)
    other.partial_fit([x for x, _ in PAIRS], [y for _, y in PAIRS])
    assert model.classifier.schema_ == other.schema_
    saved = boxwise.loads(boxwise.dumps(model.classifier))
    back = HyperboxClassifier.from_classifier(saved)
    assert back.dates == DATES
    for x, _ in PAIRS[:60]:
        (proba,) = other.predict_proba([x])
        expected = dict(zip(other.classes_.tolist(), proba.tolist(), strict=True))
        for face in (model, back):
            assert face.predict_proba_one(x) == pytest.approx(expected)
            assert face.predict_one(x) == other.predict([x])[0]
        assert saved.predict([x])[0] == model.predict_one(x)


def test_weighted_rows_and_copies_have_dates_too() -> None:
    model = learned(dates=DATES).clone()
    assert model.dates == DATES
    for x, y in PAIRS:
        model.learn_one(x, y, w=2.0)
    assert model.classifier.schema_.inputs == ("opened", "x")
    assert model.predict_one({"opened": "2024-03-02T10:00", "x": 0.5}) == "weekend"


def test_fixed_and_immutable_dates_stay() -> None:
    x = {"opened": "2024-03-02T10:00", "x": 0.5}
    why = learned(dates=DATES).explain_one(x)
    assert why is not None
    assert why.counterfactual is not None
    assert why.counterfactual.changes[0].column == "weekday of opened"
    fixed = learned(dates=DATES).explain_one(x, fixed=["opened"])
    kept = learned(dates=DATES, immutable=["opened"]).explain_one(x)
    for why in (fixed, kept):
        assert why is not None
        changes = [c.column for one in why.counterfactuals for c in one.changes]
        assert not [name for name in changes if "opened" in name]


def test_what_is_no_date_is_refused_and_teaches_nothing() -> None:
    model = learned(dates=DATES)
    before = boxwise.dumps(model.classifier)
    with pytest.raises(ValueError, match="column 'opened': 'soon' is not a date"):
        model.learn_one({"opened": "soon", "x": 0.5}, "week")
    assert boxwise.dumps(model.classifier) == before
    with pytest.raises(ValueError, match="did you mean 'hour'"):
        HyperboxClassifier(dates={"opened": ["hours"]})
    with pytest.raises(TypeError, match="dates must be a mapping"):
        HyperboxClassifier(dates=["opened"])
