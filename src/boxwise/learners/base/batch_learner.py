"""The base class of estimators that need all rows at once."""

from __future__ import annotations

from typing import Any

from boxwise.learners.base.hyperbox_learner import HyperboxLearner


class BatchLearner(HyperboxLearner):
    """An estimator that must see all rows before it can learn."""

    _why_batch: str

    @property
    def partial_fit(self) -> Any:
        """Not there: all rows are needed first."""
        raise AttributeError(
            f"{type(self).__name__} has no partial_fit: {self._why_batch}. Call fit with all rows, "
            "or use HyperboxClassifier, which learns row by row."
        )
