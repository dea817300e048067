"""An MLflow flavour: models in runs and registries, scores of streams as metrics.

Needs the extra `mlflow`: ``pip install "boxwise[mlflow]"``.

>>> import boxwise.mlflow  # doctest: +SKIP
>>> info = boxwise.mlflow.log_model(clf, name="credit")  # doctest: +SKIP
>>> clf = boxwise.mlflow.load_model(info.model_uri)  # doctest: +SKIP
"""

try:
    import pandas as _pandas

    import mlflow as _mlflow
except ImportError as error:
    raise ImportError(
        f'boxwise.mlflow needs MLflow and pandas ({error}): pip install "boxwise[mlflow]"'
    ) from error

from boxwise.mlflow.flavor import (
    FLAVOR_NAME,
    get_default_pip_requirements,
    load_model,
    log_model,
    save_model,
)
from boxwise.mlflow.metrics import PrequentialLogger
from boxwise.mlflow.prediction import OUTPUTS, Predictor, _load_pyfunc
from boxwise.mlflow.signature import signature_of

del _mlflow, _pandas

__all__ = [
    "FLAVOR_NAME",
    "OUTPUTS",
    "Predictor",
    "PrequentialLogger",
    "_load_pyfunc",
    "get_default_pip_requirements",
    "load_model",
    "log_model",
    "save_model",
    "signature_of",
]
