"""Learning, reading, roll backs and promotions at the same time, by many threads."""

from __future__ import annotations

import itertools
import random
import threading
import time

from tests.service.serving import learn, model_of, replayed, served, serving

from boxwise.database import open_store

SECONDS = 3.0
READS = ("/v1/model", "/v1/rules", "/v1/curves", "/v1/changes", "/v1/history", "/v1/decisions",
         "/metrics", "/v1/models/loans/checkpoints")  # fmt: skip


class Crowd:
    """Threads that call functions until the time is over; the first error is raised in the end."""

    def __init__(self):
        self._end, self._errors, self._threads = time.monotonic() + SECONDS, [], []

    def add(self, work, number=1):
        for i in range(number):
            thread = threading.Thread(target=self._run, args=(work, i))
            thread.start()
            self._threads.append(thread)

    def _run(self, work, i):
        try:
            for turn in itertools.count():
                if time.monotonic() > self._end:
                    return
                work(f"{i}-{turn}")
        except BaseException as error:
            self._errors.append(error)

    def join(self):
        for thread in self._threads:
            thread.join()
        if self._errors:
            raise self._errors[0]


def test_learning_reading_and_replacing_go_together(tmp_path):
    """New categories and classes come all the time, so that what is read changes in size."""
    answers, seen = [], {"promoted": 0, "rolled back": 0}
    chance = random.Random(5)

    def batch(name, n=20):
        rows = [{"age": chance.randrange(90), "job": f"job {name} {i % 3}"} for i in range(n)]
        return rows, [f"class {chance.randrange(4)}" for _ in range(n)]

    with open_store(tmp_path / "m.db") as store, serving(store, checkpoint_rows=500) as client:

        def teach(name):
            rows, labels = batch(name)
            answer = learn(client, rows, labels, key=f"teach {name}")
            assert answer.status_code == 200, answer.text
            answers.append(answer.json()["position"])

        def read(name):
            answer = client.get(READS[int(name.partition("-")[2]) % len(READS)])
            assert answer.status_code == 200, answer.text

        def ask(name):
            rows, _ = batch(name, 3)
            more = {"explain": True} if name.endswith("5") else {}
            answer = client.post("/v1/predict", json={"rows": rows, **more})
            assert answer.status_code in (200, 409), answer.text  # 409: no class was learned yet
            for one in answer.json().get("predictions", []):
                assert one["label"] is None or abs(sum(one["probabilities"].values()) - 1) < 1e-9

        def replace(name):
            shadow = {"from": "model", "parameters": {"theta": chance.uniform(0.1, 0.4)}}
            assert client.post("/v1/models/loans/shadow", json=shadow).status_code == 201
            time.sleep(0.05)
            promoted = client.post("/v1/models/loans/promote")
            assert promoted.status_code == 200, promoted.text
            seen["promoted"] += 1
            every = client.get("/v1/models/loans/checkpoints").json()["checkpoints"]
            back = {"position": chance.choice([one["position"] for one in every if one["kept"]])}
            assert client.post("/v1/models/loans/rollback", json=back).status_code == 200
            seen["rolled back"] += 1

        teach("0")
        crowd = Crowd()
        for work, number in ((teach, 3), (read, 2), (ask, 2), (replace, 1)):
            crowd.add(work, number)
        crowd.join()
        state = served(client)
        assert state.trouble is None and min(seen.values()) > 0
        entries = [*store.journal_since("loans", 0)]
        replaced = sum(entry.kind == "replace" for entry in entries)
        assert replaced == sum(seen.values()) == state.version - 1
        assert sorted([*answers, *(e.position for e in entries if e.kind == "replace")]) == [
            *range(1, len(entries) + 1)
        ]
        before = model_of(client)
        assert before == replayed(store, "loans")
    with open_store(tmp_path / "m.db") as store, serving(store) as client:
        assert model_of(client) == before
