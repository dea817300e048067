"""A stand-in for the service: the page's own files, and answers that a test has made up."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from threading import Thread
from time import sleep, time

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from boxwise import HyperboxClassifier
from boxwise.service.http.static_page import routes


class Canned:
    """Answers as of a model that learned these rows; none of them if there are no rows."""

    def __init__(self, rows=(), labels=(), *, token=None, learner=HyperboxClassifier):
        self.rows, self.labels, self.token = list(rows), list(labels), token
        self.asked = []
        self.learner = learner.__name__
        self.model = learner().fit(self.rows, self.labels) if self.rows else None

    def app(self):
        paths = {
            "/v1/model": self.about,
            "/v1/models": lambda: {"models": [{"name": "canned"}]},
            "/v1/history": self.history,
            "/v1/changes": lambda: {"changes": []},
            "/v1/decisions": self.decisions,
            "/v1/curves": self.curves,
            "/v1/rules": self.rules,
        }
        own = [Route(path, self._answer(make)) for path, make in paths.items()]
        events = Route("/v1/events", self._events)
        predict = Route("/v1/predict", self._predict, methods=["POST"])
        return Starlette(routes=[*routes(), *own, events, predict])

    def _refusal(self, request):
        self.asked.append((request.url.path, request.headers.get("authorization")))
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return JSONResponse({"detail": "send a token with the scope 'predict'"}, 401)
        return None

    def _answer(self, make):
        async def answer(request):
            return self._refusal(request) or JSONResponse(make())

        return answer

    async def _events(self, request):
        if refusal := self._refusal(request):
            return refusal

        async def beats():
            while True:
                yield ": beat\n\n"
                await asyncio.sleep(1)

        return StreamingResponse(beats(), media_type="text/event-stream")

    async def _predict(self, request):
        if refusal := self._refusal(request):
            return refusal
        body = json.loads(await request.body())
        if not hasattr(self.model, "explain"):
            return self._plainly(body)
        try:
            whys = self.model.explain(body["rows"], counterfactual=body["counterfactual"])
        except ValueError as error:
            return JSONResponse({"detail": str(error)}, 422)
        found = [{"text": str(why), "explanation": why.to_dict()} for why in whys]
        return JSONResponse({"predictions": [{"explanation": one} for one in found]})

    def _plainly(self, body):
        if body.get("explain"):
            return JSONResponse({"detail": "its decisions cannot be explained"}, 409)
        probabilities = dict(
            zip(self.classes, self.model.predict_proba(body["rows"])[0].tolist(), strict=True)
        )
        label = max(probabilities, key=probabilities.get)
        found = {"label": label, "probabilities": probabilities, "support": None}
        return JSONResponse({"predictions": [found]})

    def about(self):
        columns = [self._column(name) for name in (self.rows[0] if self.rows else ())]
        return {
            "name": "canned", "version": 1, "rows": len(self.rows), "position": len(self.rows),
            "boxes": len(self.model.boxes_) if self.model else 0, "max_boxes": 1000,
            "classes": self.classes, "columns": columns, "learner": self.learner,
            "shadow": None, "checkpoint": None,
        }  # fmt: skip

    @property
    def classes(self):
        return self.model.classes_.tolist() if self.model else []

    def _column(self, name):
        values = [row[name] for row in self.rows if row[name] is not None]
        if isinstance(values[0], str):
            return {"name": name, "kind": "categorical", "values": sorted(set(values))}
        return {"name": name, "kind": "numeric", "range": [min(values), max(values)]}

    def history(self):
        if not self.rows:
            return {"points": []}
        counts = {str(label): self.labels.count(label) for label in self.labels}
        speeds = {"learned_per_second": 10.0, "predicted_per_second": 0.0}
        times = {"predict_ms": None, "learn_ms": {"p50": 1.0, "p99": 2.0}}
        scores = {"accuracy": 0.5, "cba": 0.4, "log_loss": 0.7}
        same = {"rows": len(self.rows), "boxes": 3, "classes": counts} | scores | speeds | times
        return {"points": [{"at": time() - 60 + i, **same} for i in range(60)]}

    def decisions(self):
        labels = self.model.predict(self.rows).tolist() if self.rows else []
        same = {"at": time(), "probability": 0.75, "support": 3.0, "truth": None}
        pairs = zip(self.rows, labels, strict=True)
        found = [
            {"id": f"{i}", "row": row, "label": one} | same for i, (row, one) in enumerate(pairs)
        ]
        return {"decisions": found[:20]}

    def curves(self):
        keys = ("contributions", "lately", "rows", "values", "classes")
        found = []
        for curve in getattr(self.model, "curves", list)():
            arrays = {key: [*map(_plain, getattr(curve, key))] for key in keys}
            same = {"column": curve.column, "kind": curve.kind, "importance": curve.importance}
            found.append({**arrays, **same, "others": None, "n_others": 0})
        return {"curves": found}

    def rules(self):
        found = self.model.rules() if self.model else []
        return {
            "rules": [
                {"label": r.label, "rows": r.rows, "conditions": [*map(str, r.conditions)]}
                for r in found
            ]
        }


def _plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


@contextmanager
def served(canned):
    """Yield the address of a service that gives these answers."""
    config = uvicorn.Config(canned.app(), port=0, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)
