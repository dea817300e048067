"""Who may do what: tokens and scopes at every endpoint, hosts, origins and rates."""

from __future__ import annotations

import hashlib
import logging

import pytest
from tests.service.serving import JSON, ROWS, learn, predict, serving

from boxwise.database import open_store
from boxwise.service import Tokens
from boxwise.service.app import ENDPOINTS
from boxwise.service.http.rates import Rates
from boxwise.service.http.tokens import new_token

SECRETS = {scope: f"{scope}-token-0123456789" for scope in ("predict", "learn", "admin")}
LINES = [f"{scope}:{scope}:{secret}" for scope, secret in SECRETS.items()]
PATHS = {
    "{name}": "loans",
    "{id:path}": "a/b",
    "{position}": "0",
    "{version}": "1",
}
BODIES = {
    "/v1/predict": {"rows": ROWS},
    "/v1/learn": {"rows": ROWS, "labels": ["a", "b", "c"]},
    "/v1/models": {"name": "new", "schema": {"columns": [{"name": "x", "kind": "numeric"}]}},
    "/v1/models/{name}/rollback": {"position": 0},
    "/invocations": {"dataframe_records": ROWS},
}
TENSORS = {"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP64", "data": [1, 2]}]}
ENDED = ("/v1/events",)  # never ends by itself: see test_events


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    path = tmp_path_factory.mktemp("guarded") / "m.db"
    with open_store(path) as store, serving(store, tokens=Tokens.parse(LINES)) as client:
        yield client


def ask(client, endpoint, token):
    path = endpoint.path
    for name, value in PATHS.items():
        path = path.replace(name, value)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    if endpoint.method == "GET" or endpoint.method == "DELETE":
        return client.request(endpoint.method, path, headers=headers)
    body = TENSORS if "infer" in path else BODIES.get(endpoint.path, {})
    return client.request(endpoint.method, path, headers=headers, json=body)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: f"{one.method} {one.path}")
def test_endpoint_needs_a_token_with_its_scope(guarded, endpoint):
    without = ask(guarded, endpoint, None)
    if endpoint.scope is None:
        assert without.status_code == 200
        return
    assert without.status_code == 401
    assert without.headers["www-authenticate"].startswith("Bearer")
    wrong = SECRETS["admin"][:-1]
    for token in (wrong, wrong + "x", "", "admin", hashlib.sha256(b"x").hexdigest()):
        assert ask(guarded, endpoint, token).status_code == 401
    for scope, token in SECRETS.items():
        if scope not in (endpoint.scope, "admin"):
            refused = ask(guarded, endpoint, token)
            assert refused.status_code == 403 and endpoint.scope in refused.json()["detail"]
    if endpoint.path not in ENDED:
        for scope in (endpoint.scope, "admin"):
            assert ask(guarded, endpoint, SECRETS[scope]).status_code not in (401, 403)


def test_every_route_is_in_the_table_or_open_by_intention(guarded):
    known = {endpoint.path for endpoint in ENDPOINTS}
    others = {route.path for route in guarded.app.routes} - known
    assert {path for path in others if not path.startswith("/page/")} == {
        "/",
        "/docs",
        "/openapi.json",
    }


def test_scheme_of_the_token_may_be_written_in_any_case(guarded):
    for scheme in ("Bearer", "bearer", "BEARER"):
        headers = {"Authorization": f"{scheme} {SECRETS['predict']}"}
        assert guarded.get("/v1/models", headers=headers).status_code == 200
    basic = {"Authorization": f"Basic {SECRETS['predict']}"}
    assert guarded.get("/v1/models", headers=basic).status_code == 401


def test_token_is_not_taken_from_the_query(guarded):
    path = f"/v1/models?token={SECRETS['admin']}&access_token={SECRETS['admin']}"
    assert guarded.get(path).status_code == 401


def test_log_names_the_token_and_never_shows_it(guarded, caplog):
    with caplog.at_level(logging.INFO, "boxwise.access"):
        headers = {"Authorization": f"Bearer {SECRETS['learn']}", "Idempotency-Key": "key-of-mine"}
        guarded.post("/v1/learn?secret=hidden", json={"rows": ROWS}, headers=headers)
        guarded.get("/nowhere/hidden%0d%0aINFO%20forged?a=hidden", headers=headers)
    assert len(caplog.records) == 2
    assert " learn POST /v1/learn 422 " in caplog.text and " GET (none) 404 " in caplog.text
    for hidden in (SECRETS["learn"], "hidden", "forged", "key-of-mine"):
        assert hidden not in caplog.text


def test_tokens_are_read_from_a_file_with_hashes_or_plain(tmp_path):
    token, line = new_token("web", "predict,learn")
    assert token not in line and "sha256:" in line
    path = tmp_path / "tokens"
    path.write_text(f"# who may do what\n\n{line}\nboss:admin:a-long-enough-token\n")
    tokens = Tokens.read(path)
    web = tokens.caller(f"Bearer {token}")
    assert web.name == "web" and web.may("learn") and not web.may("admin")
    assert tokens.caller("Bearer a-long-enough-token").may("predict")
    digest = hashlib.sha256(token.encode()).hexdigest()
    assert tokens.caller(f"Bearer sha256:{digest}") is None
    assert tokens.caller(f"Bearer {digest}") is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("just-a-token-0123456789", "line 1: a token is written as name:scope,scope:token"),
        ("a b:learn:0123456789abcdef", "written as"),
        ("web:write:0123456789abcdef", "must be among predict, learn, admin"),
        ("web:learn:short", "less than 16 characters"),
    ],
)
def test_tokens_that_are_malformed_are_refused_without_being_shown(line, words):
    with pytest.raises(ValueError, match=words) as caught:
        Tokens.parse([line])
    assert line.rpartition(":")[2] not in str(caught.value) or ":" not in line


def test_tokens_need_different_names():
    with pytest.raises(ValueError, match="'a' occurs twice"):
        Tokens.parse(["a:learn:0123456789abcdef", "a:learn:0123456789abcdeg"])


def test_page_of_another_origin_may_not_write(client):
    evil = {"Origin": "https://evil.example"}
    assert client.post("/v1/predict", json={"rows": ROWS}, headers=evil).status_code == 403
    assert client.post("/v1/models/loans/checkpoint", headers=evil).status_code == 403
    own = {"Origin": "http://localhost"}
    assert client.post("/v1/predict", json={"rows": ROWS}, headers=own).status_code == 200
    sandbox = {"Origin": "null"}
    assert client.post("/v1/predict", json={"rows": ROWS}, headers=sandbox).status_code == 403
    read = client.get("/v1/model", headers=evil)
    assert read.status_code == 200 and "access-control-allow-origin" not in read.headers


def test_page_of_an_allowed_origin_may_use_the_service(tmp_path):
    friend = {"Origin": "https://friend.example"}
    with (
        open_store(tmp_path / "m.db") as store,
        serving(store, cors_origins=("https://friend.example",)) as client,
    ):
        answer = client.post("/v1/predict", json={"rows": ROWS}, headers=friend)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == friend["Origin"]
        preflight = client.request(
            "OPTIONS",
            "/v1/learn",
            headers={
                **friend,
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,content-type",
            },
        )
        assert preflight.status_code == 200
        evil = {"Origin": "https://evil.example"}
        assert client.post("/v1/predict", json={"rows": ROWS}, headers=evil).status_code == 403


def test_host_that_is_not_allowed_is_refused(tmp_path):
    hosts = ("localhost", "127.0.0.1", "[::1]")
    with open_store(tmp_path / "m.db") as store, serving(store, allowed_hosts=hosts) as client:
        for host in ("localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:80"):
            assert client.get("/v1/models", headers={"Host": host}).status_code == 200
        for host in ("evil.example", "localhost.evil.example", "[::2]"):
            refused = client.get("/v1/models", headers={"Host": host})
            assert refused.status_code == 421 and "--allowed-host" in refused.json()["detail"]


def test_rate_is_that_of_each_token(tmp_path):
    tokens = Tokens.parse(LINES)
    with open_store(tmp_path / "m.db") as store, serving(store, tokens=tokens, rate=3) as client:
        headers = {"Authorization": f"Bearer {SECRETS['predict']}"}
        found = [client.get("/v1/models", headers=headers) for _ in range(6)]
        statuses = [answer.status_code for answer in found]
        assert statuses[:3] == [200] * 3 and 429 in statuses[3:]
        late = found[statuses.index(429)]
        assert late.headers["retry-after"] == "1" and "3 requests a second" in late.json()["detail"]
        other = {"Authorization": f"Bearer {SECRETS['admin']}"}
        assert client.get("/v1/models", headers=other).status_code == 200
        guesses = [
            client.get("/v1/models", headers={"Authorization": f"Bearer {i}"}) for i in range(6)
        ]
        assert {answer.status_code for answer in guesses} == {401, 429}


def test_rates_forget_callers_that_are_too_many(monkeypatch):
    monkeypatch.setattr("boxwise.service.http.rates.MOST_CALLERS", 10)
    rates = Rates(5.0)
    for i in range(100):
        rates.count(str(i))
    assert len(rates._buckets) == 10


def test_answers_have_headers_that_keep_browsers_careful(client):
    learn(client)
    for answer in (predict(client), client.get("/v1/model"), client.get("/nowhere")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert JSON["Content-Type"] == predict(client).headers["content-type"]
