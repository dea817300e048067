"""The signature of a model, from its columns: what MLflow checks before it predicts."""

from __future__ import annotations

from typing import Any

from mlflow.models import ModelSignature
from mlflow.types.schema import (
    AnyType,
    ColSpec,
    DataType,
    ParamSchema,
    ParamSpec,
    Schema,
    TensorSpec,
)

from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.mlflow.prediction import DEFAULTS
from boxwise.schema import Column


def signature_of(clf: HyperboxLearner) -> ModelSignature:
    """Return the signature of a fitted estimator.

    Categorical columns of text are strings. All others are of any type: a number may be whole in
    one table and a float in the next, where one is missing, and MLflow refuses whole numbers for a
    double. A table without names of columns, all numeric, is a tensor. The parameters are those of
    `Predictor.predict`.
    """
    schema = clf.schema_
    if schema.named:
        inputs = Schema([_column(column) for column in schema.columns])
    elif len(schema.numeric) == schema.n_features:
        inputs = Schema([TensorSpec(_double(), (-1, schema.n_features))])
    else:
        inputs = Schema([ColSpec(AnyType()) for _ in schema.columns])
    params = ParamSchema(
        [
            ParamSpec("output", DataType.string, DEFAULTS["output"]),
            ParamSpec("counterfactual", DataType.boolean, DEFAULTS["counterfactual"]),
        ]
    )
    return ModelSignature(inputs=inputs, params=params)


def _double() -> Any:
    return DataType.double.to_numpy()


def _column(column: Column) -> ColSpec:
    values = [] if column.vocabulary is None else column.vocabulary.values
    if values and all(value is None or isinstance(value, str) for value in values):
        return ColSpec(DataType.string, column.name)
    return ColSpec(AnyType(), column.name)
