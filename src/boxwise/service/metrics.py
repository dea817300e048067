"""Metrics for Prometheus; the numbers of the service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import time
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

if TYPE_CHECKING:
    from boxwise.service.served import Served
    from boxwise.service.writer import Writer

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Counts requests and rows, and reads the state of the models when it is asked for.

    No label holds what a client has sent: routes are those of the service, and models have names
    of letters, digits, dots and dashes.

    Parameters
    ----------
    writers : mapping of str to Writer
        The models by name; it may grow.
    """

    def __init__(self, writers: Mapping[str, Writer]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "boxwise_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "boxwise_request_seconds",
            "Time to answer a request.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._rows = Counter(
            "boxwise_rows",
            "Rows predicted and learned.",
            ("model", "what"),
            registry=self._registry,
        )
        self._registry.register(_Models(writers))

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def rows(self, model: str, what: str, number: int) -> None:
        """Count rows that were predicted or learned."""
        self._rows.labels(model, what).inc(number)

    def text(self) -> bytes:
        """Return all metrics in the format of Prometheus."""
        return generate_latest(self._registry)


class _Models:
    """Gauges of the models."""

    def __init__(self, writers: Mapping[str, Writer]) -> None:
        self._writers = writers

    def collect(self) -> Iterator[Metric]:
        gauges: dict[str, GaugeMetricFamily] = {}
        for name, writer in [*self._writers.items()]:
            for what, (text, value) in _state(writer.served, len(writer)).items():
                gauge = gauges.setdefault(
                    what, GaugeMetricFamily(f"boxwise_{what}", text, labels=["model"])
                )
                if value is not None:
                    gauge.add_metric([name], value)
        yield from gauges.values()


def _state(served: Served, waiting: int) -> dict[str, tuple[str, float | None]]:
    scores = served.scores.summary()
    return {
        "model_rows": ("Rows learned in all.", served.live.rows),
        "model_boxes": ("Boxes of the model.", served.live.model.n_boxes),
        "model_bytes": ("Memory of the boxes.", served.live.model.n_bytes),
        "model_version": ("Version of the model.", served.version),
        "journal_position": ("Position of the last entry learned.", served.position),
        "checkpoint_position": ("Position of the last checkpoint.", served.checkpoint.position),
        "checkpoint_age_seconds": ("Age of the last checkpoint.", time() - served.checkpoint.at),
        "accuracy": (
            "Accuracy of the latest rows before they were learned.",
            scores["accuracy"],
        ),
        "cba": ("Class balanced accuracy over the same rows.", scores["cba"]),
        "log_loss": ("Mean log-loss over the same rows.", scores["log_loss"]),
        "waiting_requests": ("Requests that wait to be learned.", waiting),
        "event_readers": ("Open streams of events.", len(served.hub)),
        "learning_blocked": ("1 while nothing can be learned.", float(served.trouble is not None)),
        "store_full": ("1 while the store has no room.", float(served.full)),
    }
