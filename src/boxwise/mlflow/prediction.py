"""The model as MLflow's generic Python function (pyfunc) calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from boxwise.explain import Explanation
from boxwise.learners import load

OUTPUTS = ("label", "proba", "explain")
DEFAULTS: dict[str, Any] = {"output": "label", "counterfactual": False}


class Predictor:
    """Predicts tables.

    Parameters
    ----------
    clf : estimator
        Any of boxwise; ``output="explain"`` needs one that has `explain`.
    """

    def __init__(self, clf: Any) -> None:
        self.clf = clf

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> Any:
        """Return what was asked for of each row.

        Parameters
        ----------
        model_input : table
            The rows, with the columns of the model.
        params : mapping, optional
            ``output``: "label" (the default) for an array of classes; "proba" for a table with a
            column for each class; "explain" for a table with the prediction, its probability (by
            membership, its share), the explanation as text and as JSON. ``counterfactual``: whether
            an explanation looks for a change that would change the prediction, which takes time.
        """
        given = DEFAULTS | dict(params or {})
        output = given["output"]
        if output not in OUTPUTS:
            raise ValueError(
                f"output must be one of {', '.join(map(repr, OUTPUTS))}, not {output!r}"
            )
        if output == "label":
            return self.clf.predict(model_input)
        if output == "proba":
            columns = [str(label) for label in self.clf.classes_.tolist()]
            return pd.DataFrame(self.clf.predict_proba(model_input), columns=columns)
        if not hasattr(self.clf, "explain"):
            raise ValueError(f"{type(self.clf).__name__} cannot explain decisions; ask for 'label'")
        why = self.clf.explain(model_input, counterfactual=bool(given["counterfactual"]))
        return pd.DataFrame([_row(one) for one in why], columns=[*_COLUMNS])


_COLUMNS = ("prediction", "probability", "text", "json")


def _row(why: Explanation) -> tuple[Any, ...]:
    return why.prediction, why.probability, str(why), why.to_json()


def _load_pyfunc(path: str) -> Predictor:
    """Return the model of a file; MLflow calls it with the ``data`` of the saved model."""
    return Predictor(load(path))
