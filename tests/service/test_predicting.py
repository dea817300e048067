"""Predictions, explanations and what the other GET endpoints tell."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.service.serving import (
    LABELS,
    ROWS,
    empty_model,
    learn,
    loan_columns,
    loans,
    predict,
    served,
    serving,
    until,
)

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.database import open_store
from boxwise.service.http.wire import to_json


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A service that has learned a stream with a change in it."""
    rows, labels = loans(3000)
    path = tmp_path_factory.mktemp("busy") / "m.db"
    model = empty_model(loan_columns(), theta=0.3, delta=1.0)
    with open_store(path) as store, serving(store, model, point_seconds=0.2) as client:
        for i in range(0, 3000, 100):
            learn(client, rows[i : i + 100], labels[i : i + 100])
        yield client


def test_predict_says_what_the_model_says(busy):
    rows, _ = loans(100, seed=5)
    answer = predict(busy, rows).json()
    model = served(busy).live.estimator
    found = answer["predictions"]
    assert [one["label"] for one in found] == model.predict(rows).tolist()
    chances = [[one["probabilities"][k] for k in model.classes_] for one in found]
    np.testing.assert_array_equal(chances, model.predict_proba(rows))
    assert [one["support"] for one in found] == model.support(rows).tolist()
    assert (answer["model"], answer["version"], answer["position"]) == ("loans", 1, 30)


def test_predict_before_the_first_row_has_no_label(client):
    for rows in (ROWS, ROWS * 20):
        found = predict(client, rows).json()["predictions"]
        assert found == [{"label": None, "probabilities": {}, "support": None}] * len(rows)
    explained = predict(client, explain=True)
    assert explained.status_code == 409 and "no class yet" in explained.json()["detail"]


def test_predict_takes_rows_as_lists_of_a_model_without_names(tmp_path):
    model = HyperboxClassifier().fit([[1.0, "a"], [5.0, "b"]], [0, 1])
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        (one,) = predict(client, [[1.2, None]]).json()["predictions"]
        assert one["label"] == 0 and {*one["probabilities"]} == {"0", "1"}
        assert learn(client, [[2, "c"]], [True]).status_code == 200
        assert predict(client, [[1.2]]).status_code == 422
        assert predict(client, [{"x0": 1, "x1": "a"}]).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"rows": [{"age": 1}]}, 422, "column 'job' is absent"),
        ({"rows": [{"age": {}, "job": "a"}]}, 422, "column 'age'"),
        ({"rows": ROWS, "ids": ["a"]}, 422, "1 ids, but 3 rows"),
        ({"rows": ROWS, "ids": ["a", "b", "a"]}, 422, "'a' occurs twice"),
        ({"rows": ROWS, "ids": ["a", "b", None]}, 422, "id 2"),
        ({"rows": ROWS, "ids": ["a", "b", "x" * 201]}, 422, "200 characters"),
        ({"rows": ROWS, "ids": "abc"}, 422, "'ids' must be a list"),
        ({"rows": ROWS, "explain": 1}, 422, "'explain' must be true or false"),
        ({"rows": ROWS, "remember": "yes"}, 422, "'remember' must be"),
        ({"rows": ROWS * 40, "explain": True}, 413, "at most 100"),
        ({"rows": [1]}, 422, "row 0 is a number"),
        ({"rows": []}, 422, "at least one row"),
        ({}, 422, "at least one row"),
    ],
)
def test_predict_refuses(client, body, status, words):
    learn(client)
    answer = client.post("/v1/predict", json=body)
    assert answer.status_code == status and words in answer.json()["detail"]


def test_predict_explains_with_a_counterfactual_if_asked(busy):
    rows, _ = loans(2, seed=6)
    model = served(busy).live.estimator
    plain = predict(busy, rows, explain=True).json()["predictions"]
    for one, why in zip(plain, model.explain(rows, counterfactual=False), strict=True):
        assert one["explanation"] == {
            "text": str(why),
            "explanation": json.loads(why.to_json()),
        }
    deep = predict(busy, rows[:1], counterfactual=True).json()["predictions"]
    (why,) = model.explain(rows[:1])
    assert deep[0]["explanation"]["explanation"] == json.loads(why.to_json())


def test_predict_can_be_kept_out_of_decisions(client):
    learn(client)
    predict(client, ROWS[:1], note=False)
    assert client.get("/v1/decisions").json()["decisions"] == []
    predict(client, ROWS[:2])
    assert [d["row"] for d in client.get("/v1/decisions?limit=1").json()["decisions"]] == ROWS[1:2]


def test_model_tells_its_columns_and_parameters(busy):
    told = busy.get("/v1/model").json()
    live = served(busy).live
    assert told["rows"] == 3000 and told["boxes"] == live.model.n_boxes
    assert told["classes"] == live.estimator.classes_.tolist()
    assert told["parameters"]["theta"] == 0.3 and told["learner"] == "HyperboxClassifier"
    assert told["store"] == "sqlite" and told["shadow"] is None and told["trouble"] is None
    by_name = {column["name"]: column for column in told["columns"]}
    salary, car = by_name["salary"], by_name["car"]
    assert salary["kind"] == "numeric" and salary["range"][0] < salary["range"][1]
    assert car["kind"] == "categorical" and len(car["values"]) == 20
    relevance = [column["relevance"] for column in told["columns"]]
    assert relevance == live.estimator.relevance_.tolist()


def test_rules_are_those_with_the_most_rows(busy):
    rules = busy.get("/v1/rules?limit=7").json()["rules"]
    expected = served(busy).live.estimator.rules().sort("rows")[:7]
    assert [rule["text"] for rule in rules] == [rule.in_words() for rule in expected]
    assert rules[0]["rows"] >= rules[-1]["rows"] and rules[0]["conditions"]


def test_curves_are_those_of_the_model(busy):
    found = busy.get("/v1/curves").json()["curves"]
    expected = served(busy).live.estimator.curves()
    assert [one["column"] for one in found] == [one.column for one in expected]
    for one, curve in zip(found, expected, strict=True):
        assert one["values"] == curve.values.tolist()
        assert one["contributions"] == curve.contributions.tolist()
        assert one["missing"]["contributions"] == curve.missing.contributions.tolist()


def test_changes_tell_of_the_alarm_and_the_replacement(busy):
    found = busy.get("/v1/changes").json()["changes"]
    expected = served(busy).live.estimator.changes_
    assert {"alarm", "replaced"} <= {one["event"] for one in found}
    assert [(one["row"], one["event"], one["text"]) for one in found] == [
        (one.row, one.event, str(one)) for one in expected
    ]
    until(lambda: all(c["at"] for c in busy.get("/v1/changes").json()["changes"]))


def test_history_has_scores_of_rows_before_they_were_learned(busy):
    points = until(lambda: [p for p in history(busy) if p["rows"] == 3000])
    last = points[-1]
    assert 0.6 < last["accuracy"] <= 1 and 0 < last["cba"] <= 1 and 0 < last["log_loss"] < 2
    assert sum(last["classes"].values()) == 1000
    assert {"p50", "p99"} == {*next(p["learn_ms"] for p in history(busy) if p["learn_ms"])}
    assert len(history(busy, points=2)) == 2
    assert history(busy, since=last["at"] + 1e6) == []
    at = [point["at"] for point in history(busy)]
    assert at == sorted(at)


def history(client, **parameters):
    return client.get("/v1/history", params=parameters).json()["points"]


def test_history_is_there_after_a_restart(tmp_path):
    with open_store(tmp_path / "m.db") as store:
        with serving(store, point_seconds=0.05) as client:
            learn(client)
            until(lambda: [p for p in history(client) if p["rows"]])
        with serving(store, point_seconds=1e6) as client:
            assert history(client)[-1]["rows"] == 3


@pytest.mark.parametrize(
    "path",
    [
        "/v1/history?points=0",
        "/v1/history?points=x",
        "/v1/history?points=1e3",
        "/v1/history?points=-1",
        "/v1/history?since=nan",
        "/v1/history?since=x",
        "/v1/rules?limit=99999999999999999999",
        "/v1/decisions?limit=",
        "/v1/decisions/a/explanation?counterfactual=maybe",
    ],
)
def test_query_that_is_malformed_is_refused(client, path):
    assert client.get(path).status_code == 422


def test_decision_is_explained_by_the_model_of_now(client):
    learn(client)
    predict(client, ROWS[:1], ids=["a/b ü?\u0000"])
    predict(client, ROWS[1:2])
    for decision in client.get("/v1/decisions").json()["decisions"]:
        from urllib.parse import quote

        path = f"/v1/decisions/{quote(decision['id'], safe='')}/explanation"
        why = client.get(path).json()
        assert why["decision"]["row"] == decision["row"] and why["version"] == 1
        assert why["explanation"]["prediction"] == decision["label"]
        assert why["explanation"]["counterfactual"] is None
        deep = client.get(path + "?counterfactual=true").json()["explanation"]
        assert deep["counterfactual"] is not None
    gone = client.get("/v1/decisions/nothing/explanation")
    assert gone.status_code == 404 and "no longer kept" in gone.json()["detail"]


def test_decisions_are_bounded_in_memory_and_found_in_the_store(tmp_path):
    with open_store(tmp_path / "m.db") as store, serving(store, keep_decisions=5) as client:
        learn(client)
        predict(client, ROWS[:1], ids=["first"])
        for _ in range(10):
            predict(client, ROWS[1:2])
        assert len(client.get("/v1/decisions").json()["decisions"]) == 5
        assert client.get("/v1/decisions/first/explanation").status_code == 200


def test_decisions_leave_out_rows_that_are_too_large_to_be_held(client):
    learn(client)
    large = {"age": 1, "job": "x" * 20_000}
    assert predict(client, [large], ids=["large"]).status_code == 200
    assert client.get("/v1/decisions").json()["decisions"] == []
    assert client.get("/v1/decisions/large/explanation").status_code == 200


def test_a_model_that_decides_by_membership_is_served_too(tmp_path):
    model = EIOLGFMM().fit(ROWS, LABELS)
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        assert learn(client).status_code == 200
        found = predict(client, ROWS, explain=True).json()["predictions"]
        assert [one["label"] for one in found] == LABELS and found[0]["support"] is None
        assert client.get("/v1/curves").json() == {"curves": []}
        assert client.get("/v1/changes").json() == {"changes": []}
        assert client.get("/v1/model").json()["columns"][0]["relevance"] is None
        weighted = learn(client, weights=[1, 2, 3])
        assert weighted.status_code == 422 and "no weights" in weighted.json()["detail"]


def test_json_holds_what_a_model_may_hold():
    assert to_json({"a": float("nan"), "b": np.float64("inf"), 1: {2}}) == (
        b'{"a":null,"b":null,"1":[2]}'
    )
    assert json.loads(to_json([2**80, "\ud800"])) == [2**80, "\ud800"]


def test_metrics_count_requests_and_tell_of_the_models(client):
    learn(client)
    predict(client)
    client.get("/v1/%22%7d%0a/nowhere?x=1")
    text = client.get("/metrics").text
    for line in (
        'boxwise_requests_total{method="POST",route="/v1/learn",status="200"} 1.0',
        'boxwise_requests_total{method="GET",route="(none)",status="404"} 1.0',
        'boxwise_rows_total{model="loans",what="learned"} 3.0',
        'boxwise_rows_total{model="loans",what="predicted"} 3.0',
        'boxwise_model_rows{model="loans"} 3.0',
        'boxwise_journal_position{model="loans"} 1.0',
        'boxwise_store_full{model="loans"} 0.0',
    ):
        assert f"\n{line}\n" in text
    assert "nowhere" not in text


def test_health_tells_of_the_models(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok", "models": 1, "learning_blocked": []}
    assert client.get("/ping").status_code == 200
    assert client.request("HEAD", "/readyz").status_code == 200
    assert client.get("/healthz/").status_code == 404
    assert client.get("/version").text == __import__("boxwise").__version__
    client.app.state.service.ready = False
    assert client.get("/readyz").status_code == 503
    assert client.get("/v2/health/ready").json() == {"ready": False}
