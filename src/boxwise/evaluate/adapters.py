"""Adapters: predict and learn row by row with learners of different libraries."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

from sklearn.exceptions import NotFittedError

Prediction = Hashable | None


class Adapter(Protocol):
    """One way to predict each row and then learn it."""

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], predictions: list[Prediction]
    ) -> None:
        """Predict and learn each row, and append the prediction, or None, to `predictions`.

        When a row fails, there are as many predictions as rows before it.
        """


def adapter_for(learner: Any, name: str, classes: Sequence[Hashable] | None) -> Adapter:
    """Return the adapter that fits a learner, by the methods that it has."""
    if hasattr(learner, "test_then_train"):
        return BlockAdapter(learner)
    if hasattr(learner, "predict_one") and hasattr(learner, "learn_one"):
        return RiverAdapter(learner)
    if hasattr(learner, "predict") and hasattr(learner, "partial_fit"):
        return ScikitLearnAdapter(learner, classes)
    raise TypeError(
        f"learner {name!r}: {type(learner).__name__} cannot learn row by row; it has neither "
        "test_then_train, nor learn_one and predict_one (River), nor partial_fit and predict "
        "(scikit-learn)"
    )


class BlockAdapter:
    """A learner that takes many rows in one call, with the results of one row a call."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], predictions: list[Prediction]
    ) -> None:
        """Hand over all rows at once."""
        try:
            predictions.extend(self.learner.test_then_train(rows, labels).tolist())
        except Exception:
            if len(rows) == 1:
                raise
            # It has read all rows before it learns one, so nothing is learned twice; by halves,
            # the one that is wrong is found.
            middle = len(rows) // 2
            self.predict_then_learn(rows[:middle], labels[:middle], predictions)
            self.predict_then_learn(rows[middle:], labels[middle:], predictions)


class RiverAdapter:
    """A learner of River, or with its methods; a row is a dict."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], predictions: list[Prediction]
    ) -> None:
        """Call `predict_one` and `learn_one` for each row."""
        predict, learn = self.learner.predict_one, self.learner.learn_one
        for row, label in zip(rows, labels, strict=True):
            x = row if isinstance(row, Mapping) else dict(enumerate(row))
            prediction = predict(x)
            learn(x, label)
            predictions.append(prediction)


class ScikitLearnAdapter:
    """An incremental learner of scikit-learn; a row is a list, in the order of the first row."""

    def __init__(self, learner: Any, classes: Sequence[Hashable] | None) -> None:
        self.learner = learner
        self._announce = {} if classes is None else {"classes": [*classes]}
        self._columns: list[Hashable] = []

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], predictions: list[Prediction]
    ) -> None:
        """Call `predict` and `partial_fit` with each row."""
        for row, label in zip(rows, labels, strict=True):
            x = [self._values(row)]
            prediction = self._predict(x)
            self.learner.partial_fit(x, [label], **self._announce)
            self._announce = {}
            predictions.append(prediction)

    def _predict(self, x: list[Sequence[Any]]) -> Prediction:
        try:
            prediction: Prediction = self.learner.predict(x).tolist()[0]
        except NotFittedError:
            return None
        return prediction

    def _values(self, row: Any) -> Sequence[Any]:
        if not isinstance(row, Mapping):
            return row  # type: ignore[no-any-return]
        self._columns = self._columns or [*row]
        return [row[name] for name in self._columns]
