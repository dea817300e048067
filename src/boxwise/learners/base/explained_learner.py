"""Estimators that say why a row is predicted as it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from boxwise.explain import Explanation, explain
from boxwise.learners.base.online_learner import OnlineLearner


class ExplainedLearner(OnlineLearner):
    """An online estimator whose predictions can be explained by its boxes."""

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
        fixed : collection of str or int, default=()
            The columns, by name or position, that such a change leaves alone: what a person
            cannot change, for example.

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
            model, batch, counterfactual=counterfactual, fixed=fixed, threads=self._threads()
        )
        return [*found]
