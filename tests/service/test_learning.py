"""What is acknowledged is journalled and learned once, in SQLite and in PostgreSQL."""

from __future__ import annotations

import json

import pytest
from tests.service.serving import (
    JSON,
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
)

from boxwise import HyperboxClassifier, dumps
from boxwise.database import open_store
from boxwise.service.live import LiveModel


def test_learn_answers_what_was_learned_and_where(client):
    first = learn(client)
    assert first.status_code == 200
    assert first.json() == {
        "model": "loans",
        "version": 1,
        "learned": 3,
        "position": 1,
        "rows": 3,
    }
    assert learn(client, ROWS[:1], LABELS[:1]).json()["position"] == 2
    assert model_of(client) == dumps(
        empty_model().partial_fit(ROWS, LABELS).partial_fit(ROWS[:1], LABELS[:1])
    )


def test_learn_leaves_the_model_that_partial_fit_makes(url):
    rows, labels = loans(1200)
    alone = empty_model(loan_columns())
    with open_store(url) as store, serving(store, empty_model(loan_columns())) as client:
        for i in range(0, 1200, 60):
            assert learn(client, rows[i : i + 60], labels[i : i + 60]).status_code == 200
            alone.partial_fit(rows[i : i + 60], labels[i : i + 60])
        assert model_of(client) == dumps(alone) == replayed(store, "loans")


def test_learn_weighs_rows(client):
    """A row of weight 2.5 is learned three times; the rows of a model say so after a start too."""
    assert learn(client, weights=[1, 0, 2.5]).json()["rows"] == 4
    assert LiveModel.from_bytes(model_of(client)).rows == served(client).live.rows == 4
    alone = empty_model().partial_fit(ROWS, LABELS, sample_weight=[1, 0, 2.5])
    assert model_of(client) == dumps(alone) == replayed(served(client).store, "loans")


@pytest.mark.parametrize(("of_model", "sent"), [("1 2", [1, 2.0]), ([1, 2], "1 2")])
def test_categories_and_labels_are_those_of_the_model_as_text_or_numbers(tmp_path, of_model, sent):
    """A model learned from CSV knows text; its clients send numbers in JSON."""
    own, theirs = (v.split() if isinstance(v, str) else v for v in (of_model, sent))
    rows = [{"age": float(i), "zone": own[i % 2]} for i in range(40)]
    model = HyperboxClassifier(categorical_features=["zone"])
    model.partial_fit(rows, [own[i % 2] for i in range(40)])
    asked = [{"age": 3.0, "zone": zone} for zone in theirs]
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        found = client.post("/v1/predict", json={"rows": asked, "explain": True}).json()
        assert [one["label"] for one in found["predictions"]] == own
        assert "unknown" not in str(found)
        assert learn(client, asked, theirs).status_code == 200
        (left,) = served(client).live.model.schema.vocabularies
        assert (left.values, served(client).live.model.labels.values) == (own, own)
        assert served(client).live.rows == 42
        again = [{"age": 3.0, "zone": zone} for zone in own]
        expected = dumps(model.partial_fit(again, own))
        assert model_of(client) == expected


@pytest.mark.parametrize(
    ("own", "other", "new"), [(["1", "2"], [1, 2], 3), ([1, 2], ["1", "2"], "x")]
)
def test_values_keep_their_spelling_after_one_of_the_other_sort(tmp_path, own, other, new):
    model = HyperboxClassifier(categorical_features=["zone"])
    model.partial_fit([{"zone": zone} for zone in own], own)
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        assert learn(client, [{"zone": new}], [new]).status_code == 200
        assert learn(client, [{"zone": zone} for zone in other], other).status_code == 200
        assert learn(client, [{"zone": zone} for zone in own], own).status_code == 200
        known = served(client).live.model
        assert known.labels.values == [*own, new]
        assert known.schema.vocabularies[0].values in ([*own, new], [*own, str(new)])


def test_the_truth_of_a_decision_is_spelled_as_its_label(tmp_path):
    """The page compares the two."""
    model = HyperboxClassifier().partial_fit([{"age": 1.0}, {"age": 9.0}], ["0", "1"])
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        assert predict(client, [{"age": 1.0}], ids=["a"]).status_code == 200
        labelled = {"labelled": [{"id": "a", "label": 0}]}
        assert client.post("/v1/learn", json=labelled).status_code == 200
        (decision,) = client.get("/v1/decisions").json()["decisions"]
        assert (decision["label"], decision["truth"]) == ("0", "0")
        assert store.prediction("loans", "a").truth == b'"0"'


def test_rows_as_lists_are_spelled_as_the_model_does(tmp_path):
    model = HyperboxClassifier(categorical_features=["zone"], dates={"d": ["month", "day"]})
    row = {"d": "2024-05-01", "zone": "1"}
    model.partial_fit([row, {**row, "zone": "2"}], ["a", "b"])
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        assert learn(client, [["2024-05-01", 2]], ["b"]).status_code == 200
        assert served(client).live.model.schema.vocabularies[-1].values == ["1", "2"]
        for odd in ([[]], [["2024-05-01"]], [["2024-05-01", 2, 3]]):
            assert predict(client, odd).status_code == 422


@pytest.mark.parametrize("value", [[1], {"a": 1}])
def test_values_that_are_neither_text_nor_number_are_refused(client, value):
    learn(client)
    before = model_of(client)
    row = {"age": 1, "job": value}
    assert predict(client, [row]).status_code == 422
    assert learn(client, [row], ["yes"]).status_code == 422
    assert learn(client, [{"age": 1, "job": "cook"}], [value]).status_code == 422
    assert model_of(client) == before


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (7, "7")])
def test_a_new_category_is_spelled_as_the_others_and_a_new_class_as_it_comes(client, value, text):
    learn(client)
    assert learn(client, [{"age": 1, "job": value}], [value]).status_code == 200
    model = served(client).live.model
    assert model.schema.vocabularies[0].values == ["cook", "nurse", None, text]
    assert model.labels.values == ["yes", "no", value]


def test_learn_takes_columns_whose_kind_comes_with_a_value(tmp_path):
    columns = {"age": "numeric", "note": "unknown"}
    rows = [{"age": 1, "note": None}, {"age": 2, "note": "x"}, {"age": 3, "note": "y"}]
    with open_store(tmp_path / "m.db") as store, serving(store, empty_model(columns)) as client:
        for row in rows:
            assert learn(client, [row], ["a"]).status_code == 200
        refused = learn(client, [{"age": 3, "note": {"no": 1}}], ["a"])
        assert refused.status_code == 422 and "note" in refused.json()["detail"]
        assert model_of(client) == replayed(store, "loans")
        kinds = {c["name"]: c["kind"] for c in client.get("/v1/model").json()["columns"]}
        assert kinds == {"age": "numeric", "note": "categorical"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"rows": [{"age": "x", "job": "a"}], "labels": ["yes"]}, "column 'age': 'x' is not a num"),
        ({"rows": [{"age": 1}], "labels": ["yes"]}, "column 'job' is absent"),
        ({"rows": [{"age": 1, "job": "a", "b": 1}], "labels": ["yes"]}, "column 'b' is not one of"),
        ({"rows": [{"age": 1e300, "job": "a"}], "labels": ["yes"]}, "'age': 1e300 is beyond"),
        ({"rows": [{"age": 1, "job": ["a"]}], "labels": ["yes"]}, "column 'job'"),
        ({"rows": [{"age": 1, "job": "a"}], "labels": [1.5]}, "1.5 of row 0 is not a class"),
        ({"rows": [{"age": 1, "job": "a"}], "labels": [None]}, "label of row 0 is missing"),
        ({"rows": [{"age": 1, "job": "a"}], "labels": [["a"]]}, "label of row 0 must be"),
        ({"rows": [{"age": 1, "job": "a"}], "labels": []}, "0 labels, but 1 rows"),
        ({"rows": [{"age": 1, "job": "a"}]}, "0 labels, but 1 rows"),
        ({"rows": [], "labels": []}, "at least one row"),
        ({"rows": {"age": 1}, "labels": [1]}, "must be a list"),
        ({"rows": [{"age": 1, "job": "a"}, 3], "labels": [1, 2]}, "row 1 is a number"),
        ({"rows": [None], "labels": [1]}, "row 0 is null"),
        ({"rows": [{"age": 1, "job": "a"}], "labels": ["a"], "weights": [-1]}, "sample_weight"),
        ({"rows": [{"age": 1, "job": "a"}], "labels": ["a"], "weights": ["1"]}, "must be a number"),
        ({"rows": [{"age": 1, "job": "a"}], "labels": ["a"], "weights": []}, "0 weights"),
        ({"row": []}, "no field 'row'; there are 'rows', 'labels'"),
        ({"labelled": []}, "'labelled'"),
        ({"labelled": [{"id": "a"}]}, "item 0 of 'labelled'"),
        ({"labelled": [{"id": "", "label": 1}]}, "an id must be"),
        ({"labelled": [{"id": True, "label": 1}]}, "an id must be"),
        ({"labelled": [{"id": 1, "label": 1}, {"id": "1", "label": 1}]}, "occurs twice (item 1)"),
        ({"labelled": [{"id": "a", "label": 1}], "rows": []}, "either 'rows'"),
        ([], "must be a JSON object"),
    ],
)
def test_learn_refuses_as_a_whole_what_it_cannot_learn(client, body, words):
    learn(client)
    before = model_of(client)
    answer = client.post("/v1/learn", json=body)
    assert answer.status_code == 422 and words in answer.json()["detail"]
    assert answer.headers["content-type"] == "application/problem+json"
    assert model_of(client) == before
    assert served(client).store.last_position("loans") == 1


def test_idempotency_key_gives_the_first_answer_again(client):
    body = json.dumps({"rows": ROWS, "labels": LABELS})
    headers = {**JSON, "Idempotency-Key": "k1"}
    first = client.post("/v1/learn", content=body, headers=headers)
    learn(client)
    again = client.post("/v1/learn", content=body, headers=headers)
    assert again.status_code == 200 and again.content == first.content
    assert served(client).position == 2
    other = client.post("/v1/learn", content=body + " ", headers=headers)
    assert other.status_code == 422 and "another request before" in other.json()["detail"]


def test_idempotency_key_is_known_after_a_restart(url):
    with open_store(url) as store:
        with serving(store) as client:
            first = learn(client, key="schlüssel")
        with serving(store) as client:
            assert learn(client, key="schlüssel").content == first.content
            assert learn(client, key="other").json()["position"] == 2


def test_idempotency_key_of_a_refused_request_may_be_used_again(client):
    assert learn(client, [{"age": "x", "job": "a"}], ["a"], key="k").status_code == 422
    assert learn(client, key="k").status_code == 200


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_idempotency_key_has_a_length(client, key):
    assert learn(client, key=key).status_code == 422


def test_labels_may_come_later_for_rows_predicted_before(url):
    with open_store(url) as store:
        with serving(store) as client:
            learn(client)
            given = predict(client, ids=["a/1", 17, "é\u0000\n"]).json()["predictions"]
            assert [one["id"] for one in given] == ["a/1", "17", "é\u0000\n"]
            (made,) = predict(client, ROWS[:1], remember=True).json()["predictions"]
        with serving(store) as client:  # they survive a restart
            labelled = [
                {"id": 17, "label": "no"},
                {"id": "é\u0000\n", "label": "yes", "weight": 2},
                {"id": made["id"], "label": "yes"},
            ]
            answer = client.post("/v1/learn", json={"labelled": labelled}).json()
            assert (answer["learned"], answer["position"]) == (3, 2)
            alone = empty_model().partial_fit(ROWS, LABELS)
            alone.partial_fit(
                [ROWS[1], ROWS[2], ROWS[0]], ["no", "yes", "yes"], sample_weight=[1, 2, 1]
            )
            assert model_of(client) == dumps(alone) == replayed(store, "loans")
            decisions = {one["id"]: one for one in client.get("/v1/decisions").json()["decisions"]}
            assert decisions["17"]["truth"] == "no" and decisions["a/1"]["truth"] is None
            again = client.post("/v1/learn", json={"labelled": [{"id": "17", "label": "no"}]})
            assert again.status_code == 409 and "position 2" in again.json()["detail"]


def test_labels_of_unknown_rows_are_refused_with_all_of_the_request(client):
    learn(client)
    predict(client, ROWS[:1], ids=["a"])
    items = [{"id": "a", "label": "yes"}, {"id": "b", "label": "yes"}]
    answer = client.post("/v1/learn", json={"labelled": items})
    assert answer.status_code == 404 and "'b'" in answer.json()["detail"]
    assert client.post("/v1/learn", json={"labelled": items[:1]}).status_code == 200


def test_labels_sent_again_with_their_key_are_learned_once(client):
    learn(client)
    predict(client, ROWS[:1], ids=["a"])
    body = {"labelled": [{"id": "a", "label": "yes"}]}
    first = client.post("/v1/learn", json=body, headers={"Idempotency-Key": "k"})
    again = client.post("/v1/learn", json=body, headers={"Idempotency-Key": "k"})
    assert first.content == again.content and again.status_code == 200
    assert served(client).position == 2


def test_stop_writes_a_checkpoint_with_all_that_was_learned(url):
    with open_store(url) as store:
        with serving(store) as client:
            learn(client)
            data = model_of(client)
        latest = store.latest_checkpoint("loans")
        assert (latest.info.position, latest.data) == (1, data)


def test_checkpoints_are_written_as_rows_come(tmp_path):
    with open_store(tmp_path / "m.db") as store, serving(store, checkpoint_rows=6) as client:
        for _ in range(5):
            learn(client)
        positions = [info.position for info in store.checkpoints("loans")]
        assert positions == [0, 2, 4]


def test_start_replays_the_journal_after_the_checkpoint(url):
    rows, labels = loans(600)
    with open_store(url) as store:
        with serving(store, empty_model(loan_columns()), checkpoint_rows=200) as client:
            for i in range(0, 600, 25):
                learn(client, rows[i : i + 25], labels[i : i + 25])
            data, position = model_of(client), served(client).position
        with store.transaction() as writing:  # as if it had been killed before the last ones
            writing._connection.execute(
                "DELETE FROM boxwise_checkpoint WHERE position > 16 AND model = ?", ("loans",)
            )
        assert store.latest_checkpoint("loans").info.position < position
        with serving(store) as client:
            assert (model_of(client), served(client).position) == (data, position)
            assert client.get("/v1/model").json()["rows"] == 600


def test_models_learn_apart_from_each_other(client):
    body = {"name": "other", "schema": {"columns": [{"name": "x", "kind": "numeric"}]}}
    assert client.post("/v1/models", json=body).status_code == 201
    learn(client)
    answer = client.post("/v1/learn?model=other", json={"rows": [{"x": 1}], "labels": ["a"]})
    assert answer.json()["model"] == "other"
    assert client.get("/v1/model?model=other").json()["rows"] == 1
    assert client.get("/v1/model").json()["rows"] == 3
    unknown = client.post("/v1/learn?model=third", json={"rows": [{"x": 1}], "labels": ["a"]})
    assert unknown.status_code == 404 and "'loans', 'other'" in unknown.json()["detail"]
    names = [one["name"] for one in client.get("/v1/models").json()["models"]]
    assert names == ["loans", "other"]


def test_a_model_that_learns_all_rows_at_once_only_predicts(tmp_path):
    from boxwise import AgglomerativeGFMM

    model = AgglomerativeGFMM().fit([{"x": 1.0}, {"x": 5.0}], ["a", "b"])
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        answer = client.post("/v1/learn", json={"rows": [{"x": 1.0}], "labels": ["a"]})
        assert answer.status_code == 409 and "AgglomerativeGFMM" in answer.json()["detail"]
        (one,) = client.post("/v1/predict", json={"rows": [{"x": 1.0}]}).json()["predictions"]
        assert one["label"] == "a"
