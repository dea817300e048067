"""The part of an estimator that writes model files and is read from them."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from boxwise.core import Model, Settings
from boxwise.inputs.labels import declared_labels
from boxwise.learners.base.parameters import parameters_from_json, parameters_to_json
from boxwise.schema import Schema, show
from boxwise.store import write

# Parameters that version 0.2 does not have: files of models that do without stay readable to it.
_ADDED = ("dates", "immutable", "monotonic_cst")


class SavedLearner(BaseEstimator):  # type: ignore[misc]
    """An estimator with a model that files keep, together with the parameters."""

    _announced: tuple[object, ...] = ()
    _model: Model

    @abstractmethod
    def _fitted(self) -> Model:
        """Return the model."""

    @abstractmethod
    def _check_parameters(self, schema: Schema) -> None:
        """Check every parameter: a file is not to be found wanting when its model predicts."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `boxwise.load` reads.

        Parameters
        ----------
        path : path
            The file; an existing one is replaced, at once or not at all.
        """
        write(path, *self._to_saved())

    def _to_saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what a model file holds: what JSON can hold, and arrays."""
        model = self._fitted()
        given = {k: v for k, v in self.get_params().items() if v is not None or k not in _ADDED}
        parameters = parameters_to_json(given)
        self._check_parameters(model.schema)  # what is saved must be what can be loaded
        content, arrays = model.to_state()
        content |= {
            "learner": type(self).__name__,
            "parameters": parameters,
            "announced": declared_labels(self._announced),
        }
        return content, arrays

    @classmethod
    def _from_saved(
        cls,
        content: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        kind: type[Settings],
    ) -> Self:
        """Return the estimator that was saved; `kind` is that of the settings of its models."""
        parameters = parameters_from_json(content["parameters"])
        for name in parameters:
            if name not in cls._get_param_names():
                raise ValueError(f"{cls.__name__} has no parameter {show(name)}")
        clf = cls(**parameters)
        clf._model = Model.from_state(content, arrays)
        if type(clf._model.settings) is not kind:
            raise ValueError(f"{cls.__name__} does not learn by {clf._model.settings.algorithm}")
        clf._check_parameters(clf._model.schema)
        declared_labels(clf._model.labels.values)  # a vocabulary may hold more than can be a class
        if not isinstance(content["announced"], list):
            raise ValueError("the announced classes are no list")
        clf._announced = tuple(declared_labels(content["announced"]))
        return clf
