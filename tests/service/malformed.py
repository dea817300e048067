"""Requests that are malformed in every way that comes to mind, as the bytes that are sent."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

Chance = random.Random
PATHS = (
    "/v1/predict", "/v1/learn", "/v1/models", "/v1/models/loans/rollback",
    "/v1/models/loans/shadow", "/v2/models/loans/infer", "/invocations",
)  # fmt: skip
READING = (
    "/v1/model", "/v1/rules?limit=", "/v1/history?since=", "/v1/decisions?limit=",
    "/v1/decisions/x/explanation?counterfactual=", "/v1/models/loans/checkpoints/",
    "/v1/curves?model=",
)  # fmt: skip
ROW = {"age": 41, "job": "cook"}
JUNK: tuple[Any, ...] = (
    {}, [], [[]], {"a": {}}, [1, [2, [3]]], "text", "\ud7ff\U0010ffff\u0000", -(2**70), 1.5, 1e300,
    "1" * 5000, {"age": [1, 2]}, [None] * 50,
)  # fmt: skip
NOT_JSON = (
    b"", b"{", b"}", b"nul", b"NaN", b'{"rows": NaN}', b'{"rows": [Infinity]}', b"\x00" * 100,
    b'{"rows": [1e999]}', b"[" * 5000, b'{"a":' * 3000, b'{"rows": "\xff\xfe"}', b"{} {}",
    b'{"rows": "\\ud800"}', b"\xef\xbb\xbf{}", b"{'rows': 1}", b'{"rows": [1,]}', b'{"rows": 01}',
    b'{"rows"; 1}',
)  # fmt: skip


def requests(seed: int) -> Iterator[bytes]:
    """Yield requests forever; none of them may change a model."""
    chance = random.Random(seed)
    while True:
        yield chance.choice(KINDS)(chance)


def _request(method: str, path: str, body: bytes, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    if not any(line.lower().startswith("content-type") for line in headers):
        lines.append("Content-Type: application/json")
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def _bytes(chance: Chance) -> bytes:
    """Anything at all."""
    return chance.randbytes(chance.randrange(1, 300)) + chance.choice([b"", b"\r\n\r\n"])


def _not_json(chance: Chance) -> bytes:
    return _request("POST", chance.choice(PATHS), chance.choice(NOT_JSON))


def _json(chance: Chance) -> bytes:
    """JSON that is never what an endpoint takes."""
    body = chance.choice(
        [
            chance.choice(JUNK),
            {"rows": chance.choice(JUNK), "labels": ["yes"]},
            {
                "rows": [
                    {**ROW, chance.choice(["age", "job"]): chance.choice([{}, [1], {"a": 1}])}
                ],
                "labels": ["yes"],
            },
            {"rows": [{**ROW, "age": chance.choice(["x", "", 1e200, -1e308])}], "labels": ["yes"]},
            {"rows": [{"age": 1}, ROW], "labels": ["yes", "no"]},
            {"rows": [ROW], "labels": chance.choice([[], ["a", "b"], "yes", [None], [1.5], [{}]])},
            {
                "rows": [ROW],
                "labels": ["yes"],
                "weights": chance.choice([[-1], [1e9], ["1"], 1, [True]]),
            },
            {"rows": [ROW, [1, "a"]], "labels": ["yes", "no"]},
            {"rows": [ROW], "labels": ["yes"], "more": 1},
            {
                "labelled": chance.choice(
                    [[], [{}], [{"id": "never"}], [{"id": "never", "label": 1}], {}]
                )
            },
            {"inputs": chance.choice(JUNK)},
            {
                "inputs": [
                    {
                        "name": "x",
                        "shape": chance.choice([[-1], [2**60, 2**60], [1, 1, 1], "1"]),
                        "datatype": chance.choice(["FP64", "BYTES", "FP65", None]),
                        "data": [1],
                    }
                ]
            },
            {"dataframe_split": {"columns": chance.choice(JUNK), "data": chance.choice(JUNK)}},
            {
                "name": chance.choice(["", "..", "a/b", "x" * 65, 1, None]),
                "schema": {"a": "numeric"},
            },
            {"name": "new", "schema": chance.choice(JUNK)},
            {
                "name": "new",
                "schema": {"a": "numeric"},
                "parameters": chance.choice(
                    [{"theta": "x"}, {"max_boxes": -1}, {"nonsense": 1}, [], {"n_jobs": []}]
                ),
            },
            {"position": chance.choice([-1, 1.5, "0", 2**60, True, [], 10**9])},
        ]
    )
    path = chance.choice(PATHS)
    if path.endswith("shadow"):
        body = {"parameters": {"nonsense": body}}
    return _request("POST", path, json.dumps(body).encode("utf-8", "surrogatepass"))


def _truncated(chance: Chance) -> bytes:
    """A request of which the end does not come."""
    whole = _request(
        "POST", chance.choice(PATHS), json.dumps({"rows": [ROW], "labels": [1]}).encode()
    )
    return whole[: chance.randrange(1, len(whole) - 1)]


def _flipped(chance: Chance) -> bytes:
    """A request to read or predict with some bytes changed."""
    whole = bytearray(_request("POST", "/v1/predict", json.dumps({"rows": [ROW]}).encode()))
    for _ in range(chance.randrange(1, 6)):
        whole[chance.randrange(len(whole))] = chance.randrange(256)
    return bytes(whole)


def _headers(chance: Chance) -> bytes:
    """Headers that contradict each other, or mean nothing."""
    body = chance.choice([b"", b"{}", b"0\r\n\r\n", b"zz\r\n{}\r\n0\r\n\r\n", b"5\r\n{}"])
    strange = chance.sample(
        [
            "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Content-Length: 7",
            "Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Encoding: br",
            "Content-Type: text/xml", "Content-Type: \xff", "Content-Type: multipart/form-data",
            "Expect: 100-continue", "Expect: nonsense", "Upgrade: websocket", "Connection: Upgrade",
            "Authorization: Bearer \xff\x7f", "Authorization: " + "x" * 9000, "Origin: null",
            "Origin: http://[", "Idempotency-Key:", "Idempotency-Key: " + "k" * 300,
            "Last-Event-ID: \xe9", "X-Forwarded-For: ,,,", "X-Forwarded-Proto: \xff", "Host: a:b:c",
            "Range: bytes=0-", "Accept: \x01", "No colon at all", ": no name", "A" * 60_000 + ": 1",
        ],
        chance.randrange(1, 4),
    )  # fmt: skip
    method = chance.choice(["POST", "GET", "PUT", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW"])
    path = chance.choice([*(p for p in PATHS if p != "/v1/models/loans/shadow"), "/v1/model"])
    return _request(method, path, body, *strange)


def _paths(chance: Chance) -> bytes:
    """Addresses of nothing, with any bytes."""
    strange = [
        "%",
        "%00",
        "%ff",
        "%c3%28",
        "../",
        "//",
        "?",
        "#",
        "\xff",
        "%2e%2e%2f",
        "*",
        " ",
        "0" * 400,
    ]
    path = chance.choice(READING) + "".join(chance.choices(strange, k=chance.randrange(1, 5)))
    version = chance.choice(["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", ""])
    return f"GET {path} {version}\r\nHost: localhost\r\n\r\n".encode("latin-1")


KINDS: tuple[Callable[[Chance], bytes], ...] = (
    _bytes, _not_json, _json, _json, _json, _truncated, _flipped, _headers, _paths,
)  # fmt: skip
