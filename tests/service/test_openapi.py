"""The OpenAPI document against the service, over HTTP: schemathesis, and tokens at every endpoint.

All of it is generated from the document, so that no new endpoint can be forgotten.
"""

from __future__ import annotations

import copy
import http.client
import json
import re
from collections import Counter
from contextlib import suppress
from functools import cache

import pytest

pytest.importorskip("schemathesis")
pytest.importorskip("typer")

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS
from tests.service.serving import COLUMNS, ROWS, Process, learn, loan_columns, loans

from boxwise.service.app import ENDPOINTS
from boxwise.service.http.openapi import document
from boxwise.service.http.schemas import ROWS as ANY_ROWS

ENDLESS = "/v1/events"  # an answer that never ends: see test_events
CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)
TOKENS = {scope: f"{scope}-token-0123456789" for scope in ("predict", "learn", "admin")}
NAMES = {"name": "loans", "id": "row-1", "position": "0", "version": "1"}
CALLS = [
    pytest.param(method.upper(), path, id=f"{method.upper()} {path}")
    for path, methods in document(ENDPOINTS)["paths"].items()
    for method in methods
]
FEW = pytest.param(3, id="3")
MANY = pytest.param(100, id="100", marks=pytest.mark.long)


@cache
def operations():
    """Return the operations that schemathesis finds, for rows of the model that is served."""
    described = copy.deepcopy(document(ENDPOINTS))
    for methods in described["paths"].values():
        for operation in methods.values():
            operation.pop("security")  # here the service has no tokens
    text = json.dumps(described)
    assert json.dumps(ANY_ROWS) in text
    text = text.replace(json.dumps(ANY_ROWS), json.dumps(rows_of_the_model()))
    found = schemathesis.openapi.from_dict(json.loads(text)).get_all_operations()
    return {(one.ok().method.upper(), one.ok().path): one.ok() for one in found}


def rows_of_the_model():
    row = {
        "type": "object",
        "required": [*COLUMNS],
        "additionalProperties": False,
        "properties": {
            "age": {"type": ["number", "boolean", "null"]},
            "job": {"type": ["number", "string", "boolean", "null"]},
        },
    }
    return {"type": "array", "minItems": 1, "items": row}


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openapi")
    (folder / "c.json").write_text(json.dumps(COLUMNS))
    arguments = ("--new", "--schema", "c.json", "--store", "m.db", "--name", "loans", "-q")
    running = Process(folder, *arguments)
    assert learn(running.client).status_code == 200
    running.client.post("/v1/predict", json={"rows": ROWS, "ids": ["row-1", "b", "c"]})
    yield running
    running.kill()


@pytest.mark.parametrize("examples", [FEW, MANY])
@pytest.mark.parametrize(("method", "path"), CALLS)
def test_answers_are_as_the_document_says(process, method, path, examples):
    if path == ENDLESS:
        pytest.skip("it never ends")
    operation = operations()[method, path]
    if (method, path) == ("POST", "/v1/models"):
        examples = min(examples, 60)  # each makes a model, and a thread for it
    statuses = Counter()
    with requests.Session() as session:
        for mode in GenerationMode:
            with suppress(Unsatisfiable):  # nothing can be wrong with what takes nothing
                statuses += check_cases(operation, mode, process.url, session, examples)
    assert statuses and not any(status >= 500 for status in statuses), statuses
    # What schemathesis makes up are no tensors of the model, and a shadow may be there or not.
    if examples >= 60 and not path.endswith(("/infer", "/promote", "/shadow")):
        assert any(status < 300 for status in statuses), statuses


def check_cases(operation, mode, url, session, examples):
    """Try what schemathesis makes up: with the model that there is, and with any."""
    statuses = Counter()
    names = {name: value for name, value in NAMES.items() if f"{{{name}}}" in operation.path}
    cases = operation.as_strategy(generation_mode=mode)
    if mode is GenerationMode.POSITIVE:
        cases = operation.as_strategy(path_parameters=names) if names else cases
        cases = cases.map(with_the_model)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(cases)
    def check(case):
        answer = case.call(base_url=url, session=session, timeout=30)
        statuses[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS.get_by_names([*CHECKED]))

    check()
    return statuses


def with_the_model(case):
    if "model" in case.query:
        case.query["model"] = "loans"
    return case


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "c.json").write_text(json.dumps(loan_columns()))
    (folder / "tokens").write_text("".join(f"{s}:{s}:{t}\n" for s, t in TOKENS.items()))
    running = Process(
        folder, "--new", "--schema", "c.json", "--store", "m.db", "--name", "loans",
        "--tokens", "tokens", "-q",
    )  # fmt: skip
    rows, labels = loans(50)
    headers = {"Authorization": f"Bearer {TOKENS['admin']}"}
    body = {"rows": rows, "labels": labels}
    assert running.client.post("/v1/learn", json=body, headers=headers).status_code == 200
    yield running
    running.kill()


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_scope_of_the_document_is_what_a_token_needs(guarded, method, path):
    described = guarded.client.get("/openapi.json").json()["paths"][path][method.lower()]
    needed = described.get("x-scope")
    assert described["security"] == ([{"token": [needed]}] if needed else [])
    found = {
        name: status_of(guarded, method, path, token)
        for name, token in {
            "none": None, "empty": "", "wrong": TOKENS["admin"][:-1], **TOKENS,
        }.items()
    }  # fmt: skip
    if needed is None:
        assert {*found.values()} == {200}
        return
    assert {found["none"], found["empty"], found["wrong"]} == {401}
    for scope in TOKENS:
        allowed = scope in (needed, "admin")
        assert (found[scope] not in (401, 403)) if allowed else found[scope] == 403
        assert found[scope] < 500


def status_of(process, method, path, token):
    """Return the status of an answer without reading it: that of events never ends."""
    path = re.sub(r"{(\w+)}", lambda found: NAMES[found[1]], path)
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    connection = http.client.HTTPConnection(process.url.removeprefix("http://"), timeout=20)
    try:
        connection.request(method, path, None if method == "GET" else "{}", headers)
        return connection.getresponse().status
    finally:
        connection.close()
