"""A tracking store for each module: SQLite, artifacts beside it; nothing is sent anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Set the store; return its folder."""
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("sqlalchemy")
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'runs.db'}")
    artifacts = (folder / "artifacts").as_uri()
    experiment = mlflow.create_experiment("boxwise", artifact_location=artifacts)
    mlflow.set_experiment(experiment_id=experiment)
    return folder
