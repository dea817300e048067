"""Scores of a stream as metrics of an MLflow run."""

from __future__ import annotations

import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.evaluate import prequential

mlflow = pytest.importorskip("mlflow")
from boxwise.mlflow import PrequentialLogger  # noqa: E402


def history(run_id: str, name: str) -> dict[int, float]:
    return {m.step: m.value for m in mlflow.MlflowClient().get_metric_history(run_id, name)}


def test_every_point_is_logged_at_its_row(store):
    clf = HyperboxClassifier(theta=0.3)
    with PrequentialLogger(clf, run_name="stream") as log:
        run_id = mlflow.active_run().info.run_id
        result = prequential(clf, LoanStream(2000, function=7), every=500, progress=log)
    assert mlflow.active_run() is None
    points = result.points["HyperboxClassifier"]
    assert history(run_id, "recent_cba") == {p.rows: p.recent.cba for p in points}
    assert [*history(run_id, "boxes")] == [500, 1000, 1500, 2000]
    run = mlflow.get_run(run_id)
    assert run.info.status == "FINISHED" and run.info.run_name == "stream"
    assert run.data.params["theta"] == "0.3"
    assert "log_loss" not in run.data.metrics  # which was not asked for, and is nan


def test_metrics_of_several_learners_have_their_names(store):
    learners = {"small é": HyperboxClassifier(theta=0.1), "large": HyperboxClassifier(theta=0.5)}
    with mlflow.start_run() as run, PrequentialLogger(learners) as log:
        prequential(learners, LoanStream(600, function=7), every=300, progress=log)
        assert mlflow.active_run() is not None
    data = mlflow.get_run(run.info.run_id).data
    assert {"small é/cba", "large/cba"} <= {*data.metrics}
    assert data.params["large/theta"] == "0.5"


@pytest.mark.parametrize(
    ("error", "status"), [(ValueError, "FAILED"), (KeyboardInterrupt, "KILLED")]
)
def test_run_says_how_it_ended(store, error, status):
    with pytest.raises(error), PrequentialLogger():
        run_id = mlflow.active_run().info.run_id
        raise error
    assert mlflow.get_run(run_id).info.status == status
