"""The functions that MLflow expects of a flavour: save, log and load a model."""

from __future__ import annotations

import os
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mlflow.models import Model, ModelSignature
from mlflow.models.model import ModelInfo
from mlflow.tracking.artifact_utils import _download_artifact_from_uri

import mlflow
from boxwise.learners import load
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.mlflow.signature import signature_of

FLAVOR_NAME = "boxwise"
MODEL_FILE = "model.box"


def get_default_pip_requirements() -> list[str]:
    """Return what an environment needs to predict with a model; MLflow adds itself."""
    return [f"boxwise=={version('boxwise')}", f"pandas=={version('pandas')}"]


def save_model(
    clf: HyperboxLearner,
    path: str | os.PathLike[str],
    *,
    mlflow_model: Model | None = None,
    signature: ModelSignature | None = None,
    input_example: Any = None,
    pip_requirements: list[str] | str | None = None,
    extra_pip_requirements: list[str] | str | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Save a model in MLflow's format.

    Parameters
    ----------
    clf : estimator
        Any of boxwise, fitted.
    path : path
        A directory that does not exist, or is empty. It holds the model file, `MLmodel` with the
        flavours ``boxwise`` and ``python_function``, and the requirements.
    signature : ModelSignature, optional
        By default that of the columns, as `signature_of` gives.
    input_example : table, optional
        Some rows, saved beside the model.
    mlflow_model, pip_requirements, extra_pip_requirements, metadata
        As in ``mlflow.sklearn.save_model``.
    """
    if not isinstance(clf, HyperboxLearner):
        raise TypeError(
            f"boxwise.mlflow saves estimators of boxwise, not {type(clf).__name__}; "
            "mlflow.sklearn saves pipelines"
        )
    model = Model() if mlflow_model is None else mlflow_model
    model.add_flavor(
        FLAVOR_NAME,
        boxwise_version=version("boxwise"),
        learner=type(clf).__name__,
        data=f"data/{MODEL_FILE}",  # where MLflow copies the file to
    )
    if pip_requirements is None:
        pip_requirements = get_default_pip_requirements()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, MODEL_FILE)
        clf.save(file)
        mlflow.pyfunc.save_model(
            path=os.fspath(path),
            loader_module="boxwise.mlflow",
            data_path=str(file),
            mlflow_model=model,
            signature=signature_of(clf) if signature is None else signature,
            input_example=input_example,
            pip_requirements=pip_requirements,
            extra_pip_requirements=extra_pip_requirements,
            metadata=metadata,
        )


def log_model(
    clf: HyperboxLearner,
    name: str = "model",
    *,
    registered_model_name: str | None = None,
    **options: Any,
) -> ModelInfo:
    """Log a model to the active run; without one, a run is created.

    Parameters
    ----------
    clf : estimator
        Any of boxwise, fitted.
    name : str, default="model"
        Its name.
    registered_model_name : str, optional
        Also make it a version of this model in the registry.
    **options
        Those of `save_model`, and those of ``mlflow.models.Model.log``, such as ``step``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Its ``model_uri`` is what `load_model` and ``mlflow.pyfunc.load_model`` take.
    """
    return Model.log(
        artifact_path=None,
        name=name,
        flavor=_flavor(),
        clf=clf,
        registered_model_name=registered_model_name,
        params=clf_parameters(clf),
        **options,
    )


def clf_parameters(clf: HyperboxLearner) -> dict[str, str]:
    """Return the parameters of an estimator as MLflow logs them."""
    return {name: repr(value) for name, value in clf.get_params().items()}


def load_model(model_uri: str, dst_path: str | None = None) -> Any:
    """Return the estimator of a saved model, which can go on learning.

    Parameters
    ----------
    model_uri : str
        As in ``mlflow.pyfunc.load_model``: a path, ``models:/name/1``, ``runs:/...``.
    dst_path : str, optional
        Where to put what is downloaded.
    """
    folder = _download_artifact_from_uri(artifact_uri=model_uri, output_path=dst_path)
    flavors = Model.load(folder).flavors
    if FLAVOR_NAME not in flavors:
        raise ValueError(
            f"{model_uri} was not saved by boxwise.mlflow; it has the flavours "
            f"{', '.join(flavors) or 'none'}"
        )
    return load(Path(folder, flavors[FLAVOR_NAME]["data"]))


def _flavor() -> Any:
    import boxwise.mlflow

    return boxwise.mlflow
