"""Models, checkpoints, roll back, shadow and promote."""

from __future__ import annotations

import pytest
from tests.service.serving import (
    LABELS,
    ROWS,
    empty_model,
    learn,
    loan_columns,
    loans,
    model_of,
    predict,
    replayed,
    served,
    serving,
    until,
)

from boxwise import HyperboxClassifier, dumps, loads
from boxwise.database import open_store

COLUMNS = {"columns": [{"name": "age", "kind": "numeric"}, {"name": "job", "kind": "categorical"}]}


def test_create_model_is_empty_with_its_parameters(client):
    body = {"name": "second", "schema": COLUMNS, "parameters": {"max_boxes": 7, "theta": 0.2}}
    made = client.post("/v1/models", json=body)
    assert made.status_code == 201 and made.json()["name"] == "second"
    assert made.json()["max_boxes"] == 7 and made.json()["rows"] == 0
    assert learn(client).json()["model"] == "loans"
    answer = client.post("/v1/learn?model=second", json={"rows": ROWS, "labels": LABELS})
    assert answer.status_code == 200
    alone = empty_model(max_boxes=7, theta=0.2).partial_fit(ROWS, LABELS)
    assert model_of(client, "second") == dumps(alone)


def test_create_model_survives_a_restart(url):
    with open_store(url) as store:
        with serving(store) as client:
            client.post("/v1/models", json={"name": "b", "schema": COLUMNS})
        with serving(store) as client:
            assert {m["name"] for m in client.get("/v1/models").json()["models"]} == {"loans", "b"}


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"name": "loans"}, 409, "'loans' already"),
        ({"name": "../x"}, 422, "cannot be called"),
        ({"name": None}, 422, "cannot be called"),
        ({"schema": None}, 422, "the schema must be like"),
        ({"schema": {"columns": []}}, 422, "the schema must be like"),
        ({"schema": {"columns": [{"name": "a", "kind": "text"}]}}, 422, "'a': the kind must be"),
        ({"schema": {"columns": [{"name": 1, "kind": "numeric"}]}}, 422, "must be text"),
        ({"schema": {"columns": [{"name": "a"}, {"name": "a"}]}}, 422, "occurs 2 times"),
        ({"schema": {"columns": [{"name": "a", "x": 1}]}}, 422, "no more"),
        ({"schema": {"columns": [{"name": "a"}]}, "learner": "EIOLGFMM"}, 422, "at least one"),
        ({"parameters": {"thetta": 1}}, 422, "no parameter 'thetta'; it has adapt"),
        ({"parameters": {"theta": "x"}}, 422, "theta must be a number"),
        ({"parameters": {"max_boxes": 0}}, 422, "max_boxes must be"),
        ({"parameters": {"class_weight": "balanced"}}, 422, "needs the whole table"),
        ({"parameters": {"class_weight": {"yes": 2}}}, 201, ""),
        ({"parameters": {"n_jobs": {"a": 1}}}, 422, "n_jobs must be"),
        ({"parameters": {"unlabelled": [1]}}, 422, "unlabelled must be"),
        ({"parameters": {"monotonic_cst": {"age": {"1": 1}}}}, 201, ""),
        ({"parameters": {"monotonic_cst": {"age": 1}}}, 422, "'age' has 1 without a class"),
        ({"parameters": {"monotonic_cst": {"agee": {"1": 1}}}}, 422, "there is no column 'agee'"),
        ({"learner": "ImprovedOnlineGFMM"}, 201, ""),
        ({"learner": "os.system"}, 422, "no learner 'os.system'"),
        ({"surprise": 1}, 422, "no field 'surprise'"),
    ],
)
def test_create_model_refuses(client, change, status, words):
    body = {"name": "new", "schema": COLUMNS, **change}
    answer = client.post("/v1/models", json=body)
    assert answer.status_code == status
    assert status == 201 or words in answer.json()["detail"]
    assert len(client.get("/v1/models").json()["models"]) == (2 if status == 201 else 1)


def test_checkpoint_is_kept_and_can_be_downloaded(client):
    learn(client)
    made = client.post("/v1/models/loans/checkpoint")
    assert made.status_code == 201
    assert (made.json()["position"], made.json()["kept"]) == (1, True)
    learn(client)
    listed = client.get("/v1/models/loans/checkpoints").json()["checkpoints"]
    assert [one["position"] for one in listed] == [0, 1]
    data = client.get("/v1/models/loans/checkpoints/1").content
    assert data == dumps(empty_model().partial_fit(ROWS, LABELS))
    for path in ("7", "-1", "x", "99999999999999999999"):
        assert client.get(f"/v1/models/loans/checkpoints/{path}").status_code in (404, 422)
    assert client.get("/v1/models/none/checkpoints").status_code == 404


def test_roll_back_makes_the_model_what_it_was(url):
    with open_store(url) as store:
        with serving(store) as client:
            learn(client)
            client.post("/v1/models/loans/checkpoint")
            before = model_of(client)
            learn(client, ROWS, ["no", "no", "maybe"])
            after = model_of(client)
            done = client.post("/v1/models/loans/rollback", json={"position": 1}).json()
            assert (done["version"], done["checkpoint"]["position"]) == (2, 3)
            assert model_of(client) == before
            assert predict(client).json()["version"] == 2
            assert learn(client).json()["position"] == 4
            again = client.post("/v1/models/loans/rollback", json={"position": 2}).json()
            assert again["version"] == 3 and model_of(client) == after
            undone = client.post("/v1/models/loans/rollback", json={"version": 1}).json()
            assert undone["version"] == 4 and model_of(client) == after
            learn(client)
            last = model_of(client)
            assert last == replayed(store, "loans")
        with serving(store) as client:
            assert model_of(client) == last and served(client).version == 4


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"position": 9}, 404),
        ({"version": 9}, 404),
        ({}, 422),
        ({"position": 0, "version": 1}, 422),
        ({"position": "0"}, 422),
        ({"position": -1}, 422),
        ({"position": True}, 422),
        ({"version": 2**70}, 422),
        ({"to": 0}, 422),
    ],
)
def test_roll_back_refuses(client, body, status):
    learn(client)
    assert client.post("/v1/models/loans/rollback", json=body).status_code == status
    assert served(client).version == 1


def test_roll_back_is_replayed_after_a_crash(url):
    """The journal decides, even if the latest checkpoint is that of the roll back."""
    with open_store(url) as store:
        with serving(store) as client:
            learn(client)
            client.post("/v1/models/loans/rollback", json={"position": 0})
            learn(client, ROWS[:1], LABELS[:1])
            data = model_of(client)
            assert data == dumps(empty_model().partial_fit(ROWS[:1], LABELS[:1]))
        with store.transaction() as writing:
            writing._connection.execute(
                "DELETE FROM boxwise_checkpoint WHERE reason = ?", ("regular",)
            )
        with serving(store) as client:
            assert model_of(client) == data == replayed(store, "loans")


def test_shadow_learns_beside_and_becomes_the_model(url):
    rows, labels = loans(900)
    with open_store(url) as store:
        with serving(store, empty_model(loan_columns())) as client:
            learn(client, rows[:300], labels[:300])
            body = {"parameters": {"theta": 0.3, "delta": 1.0}}
            started = client.post("/v1/models/loans/shadow", json=body)
            assert started.status_code == 201 and started.json()["shadow"]["rows"] == 0
            learn(client, rows[300:600], labels[300:600])
        with serving(store) as client:  # it goes on after a restart
            learn(client, rows[600:], labels[600:])
            told = client.get("/v1/model").json()["shadow"]
            assert told["rows"] == 600 and told["parameters"]["theta"] == 0.3
            assert 0 < told["accuracy"] <= 1 and 0 < told["model"]["accuracy"] <= 1
            alone = empty_model(loan_columns(), theta=0.3, delta=1.0)
            alone.partial_fit(rows[300:600], labels[300:600])
            alone.partial_fit(rows[600:], labels[600:])
            assert served(client).shadow.live.to_bytes() == dumps(alone)
            done = client.post("/v1/models/loans/promote").json()
            assert done["version"] == 2 and model_of(client) == dumps(alone)
            assert client.get("/v1/model").json()["shadow"] is None
            learn(client, rows[:10], labels[:10])
            last = model_of(client)
            assert last == replayed(store, "loans")
            old = client.post("/v1/models/loans/rollback", json={"version": 1}).json()
            assert old["version"] == 3 and served(client).live.rows == 900
        with serving(store) as client:
            assert served(client).version == 3 and served(client).shadow is None


def test_shadow_catches_up_with_the_journal_after_a_crash(tmp_path):
    rows, labels = loans(400)
    with open_store(tmp_path / "m.db") as store:
        with serving(store, empty_model(loan_columns())) as client:
            learn(client, rows[:100], labels[:100])
            client.post("/v1/models/loans/shadow", json={"from": "model"})
            learn(client, rows[100:], labels[100:])
            data, shadow = model_of(client), served(client).shadow.live.to_bytes()
        with store.transaction() as writing:
            writing._connection.execute(
                "DELETE FROM boxwise_checkpoint WHERE reason = ?", ("regular",)
            )
        with serving(store) as client:
            assert model_of(client) == data
            assert served(client).shadow.live.to_bytes() == shadow == data


def test_shadow_may_be_a_copy_or_another_learner(client):
    learn(client)
    copy = client.post(
        "/v1/models/loans/shadow", json={"from": "model", "parameters": {"max_boxes": 5}}
    )
    assert copy.json()["shadow"]["rows"] == 3
    assert client.delete("/v1/models/loans/shadow").json()["shadow"] is None
    other = client.post("/v1/models/loans/shadow", json={"learner": "EIOLGFMM"})
    assert other.json()["shadow"]["learner"] == "EIOLGFMM"
    learn(client)
    promoted = client.post("/v1/models/loans/promote")
    assert promoted.status_code == 200
    assert type(served(client).live.estimator).__name__ == "EIOLGFMM"
    (one,) = predict(client, ROWS[:1]).json()["predictions"]
    assert one["label"] == "yes"


def test_empty_shadow_reads_the_dates_of_the_model(tmp_path):
    rows = [{"at": f"2026-0{i % 9 + 1}-01", "age": i} for i in range(30)]
    labels = ["yes" if i % 9 > 4 else "no" for i in range(30)]
    dated = HyperboxClassifier(dates={"at": ["month"]}).partial_fit(rows, labels)
    with open_store(tmp_path / "m.db") as store, serving(store, dated) as client:
        made = client.post("/v1/models/loans/shadow", json={"parameters": {"max_boxes": 50}})
        assert made.status_code == 201, made.text
        assert learn(client, rows, labels).status_code == 200
        shadow = served(client).shadow
        assert shadow.failed is None
        assert shadow.live.rows == 30
        assert shadow.live.model.schema.names == ("month of at", "age")


def test_shadow_that_cannot_learn_stops_and_harms_nobody(client):
    learn(client)
    client.post("/v1/models/loans/shadow", json={"learner": "EIOLGFMM"})
    assert learn(client, weights=[2, 2, 2]).status_code == 200
    told = client.get("/v1/model").json()["shadow"]
    assert "no weights" in told["failed"]
    refused = client.post("/v1/models/loans/promote")
    assert refused.status_code == 409 and "stopped learning" in refused.json()["detail"]
    assert learn(client).status_code == 200


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"from": "scratch"}, "'empty' or 'model'"),
        ({"parameters": {"theta": -1}}, "theta must be"),
        ({"parameters": {"x": 1}}, "no parameter 'x'"),
        ({"learner": "Tree"}, "no learner 'Tree'"),
        ({"learner": "EIOLGFMM", "from": "model"}, "a copy of the model is a HyperboxClassifier"),
        ({"parameters": []}, "'parameters' must be an object"),
    ],
)
def test_shadow_refuses(client, body, words):
    answer = client.post("/v1/models/loans/shadow", json=body)
    assert answer.status_code == 422 and words in answer.json()["detail"]
    assert client.get("/v1/model").json()["shadow"] is None


def test_shadow_is_one_at_a_time(client):
    assert client.post("/v1/models/loans/promote").status_code == 409
    assert client.delete("/v1/models/loans/shadow").status_code == 409
    assert client.post("/v1/models/loans/shadow").status_code == 201
    assert client.post("/v1/models/loans/shadow").status_code == 409


def test_journal_is_trimmed_to_what_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("boxwise.service.chronicle.HOUSEKEEPING_SECONDS", 0.01)
    with open_store(tmp_path / "m.db") as store:
        with serving(store, keep_journal=5, checkpoint_rows=3) as client:
            for _ in range(30):
                learn(client)
            data = model_of(client)
        assert 5 <= len([*store.journal_since("loans", 0)]) < 30
        with serving(store) as client:
            assert model_of(client) == data


def test_shadow_that_the_journal_has_left_behind_stays_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("boxwise.service.chronicle.HOUSEKEEPING_SECONDS", 0.01)
    with open_store(tmp_path / "m.db") as store:
        with serving(store, keep_journal=0, checkpoint_rows=3) as client:
            client.post("/v1/models/loans/shadow", json={"learner": "EIOLGFMM"})
            learn(client, weights=[2, 2, 2])
            assert "no weights" in client.get("/v1/model").json()["shadow"]["failed"]
            for _ in range(20):
                learn(client)
            until(lambda: len([*store.journal_since("loans", 0)]) < 10)
        with serving(store) as client:
            assert "the journal no longer has" in client.get("/v1/model").json()["shadow"]["failed"]
            assert client.post("/v1/models/loans/promote").status_code == 409
            assert learn(client).status_code == 200


def test_served_models_are_held_and_let_go(tmp_path):
    from boxwise.database import ModelInUseError

    path = tmp_path / "m.db"
    with open_store(path) as store, open_store(path) as other:
        with serving(store), pytest.raises(ModelInUseError):
            other.hold("loans")
        other.hold("loans")


def test_new_model_is_that_of_the_library():
    from boxwise.service import new_model

    made = loads(new_model({"age": "numeric", "job": "categorical"}, "HyperboxClassifier", {}))
    assert isinstance(made, HyperboxClassifier)
    assert dumps(made) == dumps(empty_model())
