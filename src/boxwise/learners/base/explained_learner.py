"""Estimators that say why a row is predicted as it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from boxwise.core import Model
from boxwise.explain import Explanation, explain
from boxwise.explain.counterfactuals.fixed import fixed_positions
from boxwise.learners.base.hyperbox_learner import TrainingTable
from boxwise.learners.base.online_learner import OnlineLearner
from boxwise.learners.weights import LearnedRows
from boxwise.schema import Schema


class ExplainedLearner(OnlineLearner):
    """An online estimator whose predictions can be explained by its boxes.

    A subclass has the parameter `immutable`.
    """

    immutable: Any = None

    @property
    def _parameters_to_go_on_with(self) -> dict[str, Any]:
        """What replaces parameters that ask for all rows, once there is a model."""
        return {}

    def explain(
        self,
        X: Any,
        upper: Any = None,
        *,
        counterfactual: bool = True,
        counterfactuals: int = 1,
        fixed: Collection[str | int] = (),
    ) -> list[Explanation]:
        """Say of each row why it is predicted as it is.

        Parameters
        ----------
        X, upper
            As in `fit`.
        counterfactual : bool, default=True
            Whether to look for the smallest change of one or two columns that would change the
            prediction. It takes most of the time: without it many rows are explained quickly.
        counterfactuals : int, default=1
            How many such changes to look for: the smallest, and others that change other columns,
            those supported by learned rows first.
        fixed : collection of str or int, default=()
            The columns, by name or position, that such a change leaves alone, besides those of the
            parameter `immutable`.

        Returns
        -------
        list of Explanation
            One for each row. Print it, show it in a notebook, or take it apart.

        Examples
        --------
        >>> from boxwise import HyperboxClassifier
        >>> rows = [{"age": 23, "job": "cook"}, {"age": 27, "job": "smith"}]
        >>> rows += [{"age": 60, "job": "smith"}, {"age": 66, "job": "cook"}]
        >>> clf = HyperboxClassifier().fit(rows, ["no", "no", "yes", "yes"])
        >>> (why,) = clf.explain([{"age": 35, "job": "cook"}], fixed=["job"])
        >>> why.prediction, why.counterfactual.prediction, why.counterfactual.changes
        ('no', 'yes', (Change(column='age', old=35.0, new=46.0),))
        """
        model = self._fitted().copy()  # another thread may go on learning
        batch = self._encode(X, model.schema, upper, learn=True)
        found = explain(
            model,
            batch,
            counterfactual=counterfactual,
            counterfactuals=counterfactuals,
            fixed=self._fixed(model.schema, fixed),
            threads=self._threads(),
        )
        return [*found]

    def _fixed(self, schema: Schema, fixed: Collection[str | int] = ()) -> list[str]:
        """Return the columns that no counterfactual may change, in the order of the model."""
        places = self._immutable(schema) | fixed_positions(schema, fixed)
        return [schema.names[j] for j in sorted(places)]

    def _immutable(self, schema: Schema) -> set[int]:
        if self.immutable is None:
            return set()
        return fixed_positions(schema, self.immutable, "immutable")

    def _check_parameters(self, schema: Schema) -> None:
        super()._check_parameters(schema)
        self._immutable(schema)

    def _read_training(self, *table: Any, **named: Any) -> TrainingTable:
        training = super()._read_training(*table, **named)
        self._immutable(training.schema)
        return training

    def _read_to_learn(self, *table: Any, **named: Any) -> tuple[Model, LearnedRows]:
        model, rows = super()._read_to_learn(*table, **named)
        self._immutable(model.schema)
        return model, rows
