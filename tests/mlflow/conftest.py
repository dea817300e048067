"""A tracking store for each module: SQLite, artifacts beside it; nothing is sent anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Set the store; yield its folder."""
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("sqlalchemy")
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder / 'runs.db'}")
    artifacts = (folder / "artifacts").as_uri()
    experiment = mlflow.create_experiment("boxwise", artifact_location=artifacts)
    with pytest.MonkeyPatch.context() as patch:  # set_experiment would stay for other modules
        patch.setenv("MLFLOW_EXPERIMENT_ID", experiment)
        yield folder
