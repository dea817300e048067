"""Open Inference Protocol v2, MLflow's /invocations, and the OpenAPI."""

from __future__ import annotations

import json

import pytest
from tests.service.serving import ROWS, learn, predict, served, serving

from boxwise import HyperboxClassifier
from boxwise.database import open_store
from boxwise.service.app import ENDPOINTS

AGE = {"name": "age", "shape": [3], "datatype": "FP64", "data": [41, 23, 60]}
JOB = {"name": "job", "shape": [3, 1], "datatype": "BYTES", "data": ["cook", "nurse", None]}
INFER = "/v2/models/loans/infer"


def by_name(answer):
    return {one["name"]: one for one in answer.json()["outputs"]}


def test_open_inference_predicts_as_predict_does(client):
    learn(client)
    answer = client.post(INFER, json={"id": "q1", "inputs": [JOB, AGE]})
    plain = predict(client).json()["predictions"]
    told = answer.json()
    assert (told["model_name"], told["model_version"], told["id"]) == ("loans", "1", "q1")
    classes = json.loads(told["parameters"]["classes"])
    outputs = by_name(answer)
    assert outputs["label"] == {
        "name": "label",
        "datatype": "BYTES",
        "shape": [3],
        "data": [one["label"] for one in plain],
    }
    assert outputs["probabilities"]["shape"] == [3, 2]
    assert outputs["probabilities"]["data"] == [
        one["probabilities"][k] for one in plain for k in classes
    ]
    assert outputs["support"]["data"] == [one["support"] for one in plain]
    only = client.post(INFER, json={"inputs": [JOB, AGE], "outputs": [{"name": "label"}]})
    assert {*by_name(only)} == {"label"}


def test_open_inference_takes_one_tensor_of_numbers(tmp_path):
    model = HyperboxClassifier().fit([[1.0, 2.0], [5.0, 6.0]], [0, 1])
    with open_store(tmp_path / "m.db") as store, serving(store, model) as client:
        for data in ([1.1, 2, 5, 6.1], [[1.1, 2], [5, 6.1]]):
            tensor = {"name": "input-0", "shape": [2, 2], "datatype": "FP32", "data": data}
            outputs = by_name(client.post(INFER, json={"inputs": [tensor]}))
            assert outputs["label"]["data"] == [0, 1]
            assert outputs["label"]["datatype"] == "INT64"
        columns = [
            {"name": f"x{j}", "shape": [1], "datatype": "INT64", "data": [j]} for j in range(2)
        ]
        assert client.post(INFER, json={"inputs": columns}).status_code == 200


def test_open_inference_describes_server_and_model(client):
    learn(client)
    assert client.get("/v2").json()["name"] == "boxwise"
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").json() == {"ready": True}
    assert client.get("/v2/models/loans/ready").json() == {"name": "loans", "ready": True}
    told = client.get("/v2/models/loans").json()
    assert told["versions"] == ["1"] and told["inputs"] == [
        {"name": "age", "datatype": "FP64", "shape": [-1]},
        {"name": "job", "datatype": "BYTES", "shape": [-1]},
    ]
    body = {"inputs": [AGE, JOB]}
    assert client.post("/v2/models/loans/versions/1/infer", json=body).status_code == 200
    assert client.post("/v2/models/loans/versions/2/infer", json=body).status_code == 404
    assert client.get("/v2/models/none").status_code == 404


@pytest.mark.parametrize(
    "inputs",
    [
        None,
        [],
        [3],
        [AGE],
        [AGE, AGE],
        [AGE, {**JOB, "datatype": "STRING"}],
        [AGE, {**JOB, "shape": [2]}],
        [AGE, {**JOB, "shape": [3, 2]}],
        [AGE, {**JOB, "shape": [0]}],
        [AGE, {**JOB, "shape": [1, 1, 3]}],
        [AGE, {**JOB, "shape": ["3"]}],
        [AGE, {**JOB, "data": ["a", 1, "b"]}],
        [AGE, {**JOB, "data": "abc"}],
        [AGE, {"name": "job", "shape": [3], "datatype": "BYTES"}],
        [{**AGE, "datatype": "INT32", "data": [1.5, 2, 3]}, JOB],
        [{**AGE, "shape": [2], "data": [1, 2]}, JOB],
        [{**AGE, "data": [True, 2, 3]}, JOB],
        [{"name": "all", "shape": [1, 3], "datatype": "FP64", "data": [1, 2, 3]}],
    ],
)
def test_open_inference_refuses(client, inputs):
    learn(client)
    assert client.post(INFER, json={"inputs": inputs}).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        {"dataframe_records": ROWS},
        {"instances": ROWS},
        {"inputs": ROWS},
        {"inputs": {"age": [41, 23, 60], "job": ["cook", "nurse", None]}},
        {
            "dataframe_split": {
                "index": [0, 1, 2],
                "columns": ["job", "age"],
                "data": [["cook", 41], ["nurse", 23], [None, 60]],
            }
        },
    ],
)
def test_invocations_predict_in_the_formats_of_mlflow(client, body):
    learn(client)
    plain = predict(client).json()["predictions"]
    answer = client.post("/invocations", json=body)
    assert answer.json() == {"predictions": [one["label"] for one in plain]}
    params = {"params": {"predict_method": "predict_proba"}}
    chances = client.post("/invocations", json={**body, **params}).json()["predictions"]
    assert chances == [[one["probabilities"][k] for k in ("yes", "no")] for one in plain]


def test_invocations_predict_csv(client):
    learn(client)
    csv = "job,age\r\ncook,41\r\nnurse,23\r\n,60\r\n"
    headers = {"Content-Type": "text/csv; charset=utf-8"}
    answer = client.post("/invocations", content=csv, headers=headers)
    plain = predict(client).json()["predictions"]
    assert answer.json() == {"predictions": [one["label"] for one in plain]}
    for bad, status in (
        ("job,age\ncook,x\n", 422),
        ("job,age\ncook\n", 422),
        ("job,age\n", 422),
        ("", 422),
        ('job,age\n"cook,41\n', 400),
        (b"job,age\n\xff,1\n", 400),
        ("age\n1\n", 422),
    ):
        answer = client.post("/invocations", content=bad, headers=headers)
        assert answer.status_code == status, bad


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"inputs": 3},
        {"inputs": [1, 2]},
        {"inputs": {"age": [1], "job": []}},
        {"inputs": {"age": 1}},
        {"inputs": ROWS, "instances": ROWS},
        {"inputs": ROWS, "other": 1},
        {"inputs": ROWS, "params": {"predict_method": "__class__"}},
        {"inputs": ROWS, "params": []},
        {"dataframe_split": []},
        {"dataframe_split": {"columns": ["age"], "data": [[1, 2]]}},
        {"dataframe_split": {"columns": [1], "data": [[1]]}},
        {"dataframe_split": {"columns": ["age", "job"], "data": ["ab"]}},
    ],
)
def test_invocations_refuse(client, body):
    learn(client)
    assert client.post("/invocations", json=body).status_code == 422


def test_openapi_has_every_endpoint_with_its_scope(client):
    told = client.get("/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    found = {
        (method.upper(), path): operation
        for path, operations in told["paths"].items()
        for method, operation in operations.items()
    }
    assert len(found) == len(ENDPOINTS)
    for endpoint in ENDPOINTS:
        operation = found[endpoint.method, endpoint.path.replace(":path}", "}")]
        assert operation.get("x-scope") == endpoint.scope
        assert bool(operation["security"]) == (endpoint.scope is not None)
    ids = [operation["operationId"] for operation in found.values()]
    assert len({*ids}) == len(ids)
    text = json.dumps(told)
    for name in set(__import__("re").findall(r'"#/components/schemas/(\w+)"', text)):
        assert name in told["components"]["schemas"]


def test_openapi_examples_of_predicting_and_learning_work(tmp_path):
    from tests.service.serving import empty_model

    columns = {"age": "numeric", "education": "categorical", "loan": "numeric"}
    with open_store(tmp_path / "m.db") as store, serving(store, empty_model(columns)) as client:
        tried = 0
        for endpoint in sorted(ENDPOINTS, key=lambda one: one.path != "/v1/learn"):
            for body in endpoint.bodies:
                if body.example is None or endpoint.path.endswith(("/models", "/promote")):
                    continue
                path = endpoint.path.replace("{name}", "loans").replace("{version}", "1")
                kind = {"Content-Type": body.media_type}
                content = (
                    body.example if isinstance(body.example, str) else json.dumps(body.example)
                )
                answer = client.post(path, content=content, headers=kind)
                assert answer.status_code == endpoint.status, (path, answer.text)
                tried += 1
                if path.endswith("rollback"):
                    served(client).version = 1
        assert tried >= 7


def test_docs_need_no_script_and_name_every_endpoint(client):
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" not in page.text and "http:" not in page.text and "https:" not in page.text
    for endpoint in ENDPOINTS:
        assert endpoint.path.replace(":path}", "}") in page.text
