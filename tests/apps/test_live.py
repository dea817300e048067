"""`boxwise live`: the client that feeds the service, and the end of all of it."""

from __future__ import annotations

import json
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from threading import Thread

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from boxwise.apps.live.feeder import Feeder, RefusedError, applications
from boxwise.apps.live.service import LiveService, ServiceError, free_port
from boxwise.datasets import LoanStream


class Recorder(BaseHTTPRequestHandler):
    """Notes each request; `answers` are statuses to give before 200, or None to hang up."""

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str | None, dict[str, object]]]
    answers: list[int | None]

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.path, self.headers.get("Idempotency-Key"), body))
        status = self.answers.pop(0) if self.answers else 200
        if status is None:
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


@pytest.fixture
def recorder():
    handler = type("Handler", (Recorder,), {"seen": [], "answers": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    handler.port = server.server_address[1]
    yield handler
    server.shutdown()
    server.server_close()


def test_applications_change_the_rule_every_so_many_rows():
    found = list(applications(30, 10, seed=4))
    money, people = (list(LoanStream(30, function=rule, noise=0.05, seed=4)) for rule in (7, 3))
    assert found == money[:10] + people[10:20] + money[20:]
    assert money[10:20] != people[10:20]


def test_feeder_has_each_row_predicted_and_learned_once(recorder):
    rows = list(applications(40, 20, seed=0))
    Feeder(recorder.port, lambda: None).feed(iter(rows), pace=400)
    predicted = [body for path, _, body in recorder.seen if path == "/v1/predict"]
    learned = [body for path, _, body in recorder.seen if path == "/v1/learn"]
    assert [row for body in predicted for row in body["rows"]] == [row for row, _ in rows]
    ids = [one for body in predicted for one in body["ids"]]
    labels = {one["id"]: one["label"] for body in learned for one in body["labelled"]}
    assert [labels[one] for one in ids] == [label for _, label in rows]
    assert Counter(ids).most_common(1)[0][1] == 1


@pytest.mark.parametrize("answer", [None, 500, 503, 507, 429])
def test_feeder_sends_a_request_again_under_the_same_key(recorder, answer):
    recorder.answers += [200, answer, answer, 200]
    looks = []
    feeder = Feeder(recorder.port, lambda: looks.append(1))
    feeder.feed(islice(applications(10, 10, seed=0), 10), pace=100)
    learned = [(key, body) for path, key, body in recorder.seen if path == "/v1/learn"]
    assert len(learned) == 3 and learned[0] == learned[1] == learned[2]
    assert learned[0][0] is not None
    assert len(looks) == 2


def test_feeder_ends_when_a_request_is_refused(recorder):
    recorder.answers += [422]
    with pytest.raises(RefusedError, match="/v1/predict: 422"):
        Feeder(recorder.port, lambda: None).feed(applications(10, 10, seed=0), pace=100)


def test_service_that_cannot_start_says_why(tmp_path):
    service = LiveService(
        ["--no-such-option"], port=free_port(), log=tmp_path / "log", restarted=lambda _: None
    )
    with pytest.raises(ServiceError, match="no-such-option"):
        service.start()
