"""The scores of a prequential run as metrics of an MLflow run, step by step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from types import TracebackType
from typing import Any, Self

import mlflow
from boxwise.evaluate.prequential_scores import Point

NOT_ALLOWED = re.compile(r"[^\w\-. :/]")  # in the name of a metric
NOT_METRICS = {"learner", "rows"}


class PrequentialLogger:
    """Logs every point of a prequential run: a callback, and a context that holds an MLflow run.

    The step of a metric is the number of rows of the stream. Metrics are the numbers of
    `boxwise.evaluate.Point.to_row`: ``cba``, ``recent_cba``, ``boxes``, ``rows_per_second`` ...
    Of several learners they begin with the name of the learner and ``/``.

    Parameters
    ----------
    learners : learner, or mapping of str to learner, optional
        As for `prequential`: their parameters are logged too.
    run_name : str, optional
        The name of the run that the context starts.

    Examples
    --------
    >>> with PrequentialLogger(clf) as log:  # doctest: +SKIP
    ...     result = prequential(clf, stream, every=500, progress=log)
    ...     boxwise.mlflow.log_model(clf)
    """

    def __init__(self, learners: Any = None, *, run_name: str | None = None) -> None:
        self._named = learners if isinstance(learners, Mapping) else {"": learners}
        self._run_name = run_name
        self._started = False

    def __enter__(self) -> Self:
        """Start a run, unless one is active, and log the parameters."""
        if mlflow.active_run() is None:
            mlflow.start_run(run_name=self._run_name)
            self._started = True
        for name, learner in self._named.items():
            if hasattr(learner, "get_params"):
                prefix = f"{_allowed(str(name))}/" if name else ""
                found = learner.get_params().items()
                mlflow.log_params({f"{prefix}{key}": repr(value) for key, value in found})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the run that was started; as failed or stopped after an error."""
        if self._started:
            status = "FINISHED" if kind is None else "FAILED"
            mlflow.end_run("KILLED" if kind is KeyboardInterrupt else status)
            self._started = False

    def __call__(self, points: Sequence[Point]) -> None:
        """Log the points of all learners at one step."""
        for point in points:
            prefix = f"{_allowed(point.learner)}/" if len(points) > 1 else ""
            numbers = {
                f"{prefix}{name}": float(value)
                for name, value in point.to_row().items()
                if name not in NOT_METRICS and isinstance(value, int | float) and isfinite(value)
            }
            mlflow.log_metrics(numbers, step=point.rows)


def _allowed(name: str) -> str:
    return NOT_ALLOWED.sub("_", name)
