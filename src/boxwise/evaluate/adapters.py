"""Adapters: predict and learn row by row with learners of different libraries."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sklearn.exceptions import NotFittedError

Prediction = Hashable | None
Shares = Mapping[Hashable, float]  # the probability of each class


@dataclass
class Forecasts:
    """What a learner says of rows before it learns them.

    Attributes
    ----------
    labels : list
        The predicted class of each row, or None.
    shares : list
        Its probabilities; empty if they are not wanted or the learner gives none.
    """

    labels: list[Prediction] = field(default_factory=list)
    shares: list[Shares] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.labels)


class Adapter(Protocol):
    """One way to predict each row and then learn it.

    Attributes
    ----------
    gives_shares : bool
        Whether the forecasts have probabilities.
    """

    gives_shares: bool

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], forecasts: Forecasts
    ) -> None:
        """Predict and learn each row, and append the prediction, or None, to `forecasts`.

        When a row fails, there are as many forecasts as rows before it.
        """


def adapter_for(
    learner: Any, name: str, classes: Sequence[Hashable] | None, *, shares: bool = False
) -> Adapter:
    """Return the adapter that fits a learner, by the methods that it has.

    With `shares` probabilities are wanted, if the learner has any.
    """
    if hasattr(learner, "test_then_train"):
        return BlockAdapter(learner, shares and hasattr(learner, "test_then_train_proba"))
    if hasattr(learner, "predict_one") and hasattr(learner, "learn_one"):
        return RiverAdapter(learner, shares and hasattr(learner, "predict_proba_one"))
    if hasattr(learner, "predict") and hasattr(learner, "partial_fit"):
        return ScikitLearnAdapter(learner, classes, shares and hasattr(learner, "predict_proba"))
    raise TypeError(
        f"learner {name!r}: {type(learner).__name__} cannot learn row by row; it has neither "
        "test_then_train, nor learn_one and predict_one (River), nor partial_fit and predict "
        "(scikit-learn)"
    )


class BlockAdapter:
    """A learner that takes many rows in one call, with the results of one row a call."""

    def __init__(self, learner: Any, gives_shares: bool = False) -> None:
        self.learner, self.gives_shares = learner, gives_shares

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], forecasts: Forecasts
    ) -> None:
        """Hand over all rows at once."""
        try:
            self._take(rows, labels, forecasts)
        except Exception:
            if len(rows) == 1:
                raise
            # It has read all rows before it learns one, so nothing is learned twice; by halves,
            # the one that is wrong is found.
            middle = len(rows) // 2
            self.predict_then_learn(rows[:middle], labels[:middle], forecasts)
            self.predict_then_learn(rows[middle:], labels[middle:], forecasts)

    def _take(self, rows: Sequence[Any], labels: Sequence[Hashable], forecasts: Forecasts) -> None:
        if not self.gives_shares:
            forecasts.labels.extend(self.learner.test_then_train(rows, labels).tolist())
            return
        predicted, p = self.learner.test_then_train_proba(rows, labels)
        classes = self.learner.classes_.tolist()
        forecasts.shares.extend(dict(zip(classes, row, strict=True)) for row in p.tolist())
        forecasts.labels.extend(predicted.tolist())


class RiverAdapter:
    """A learner of River, or with its methods; a row is a dict."""

    def __init__(self, learner: Any, gives_shares: bool = False) -> None:
        self.learner, self.gives_shares = learner, gives_shares

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], forecasts: Forecasts
    ) -> None:
        """Call `predict_one` and `learn_one` for each row."""
        predict, learn = self.learner.predict_one, self.learner.learn_one
        for row, label in zip(rows, labels, strict=True):
            x = row if isinstance(row, Mapping) else dict(enumerate(row))
            prediction = predict(x)
            shares = self.learner.predict_proba_one(x) if self.gives_shares else None
            learn(x, label)
            forecasts.labels.append(prediction)
            if shares is not None:
                forecasts.shares.append(shares)


class ScikitLearnAdapter:
    """An incremental learner of scikit-learn; a row is a list, in the order of the first row."""

    def __init__(
        self, learner: Any, classes: Sequence[Hashable] | None, gives_shares: bool = False
    ) -> None:
        self.learner, self.gives_shares = learner, gives_shares
        self._announce = {} if classes is None else {"classes": [*classes]}
        self._columns: list[Hashable] = []

    def predict_then_learn(
        self, rows: Sequence[Any], labels: Sequence[Hashable], forecasts: Forecasts
    ) -> None:
        """Call `predict` and `partial_fit` with each row."""
        for row, label in zip(rows, labels, strict=True):
            x = [self._values(row)]
            prediction = self._predict(x)
            shares: Shares = {}
            if self.gives_shares and prediction is not None:
                p = self.learner.predict_proba(x)[0].tolist()
                shares = dict(zip(self.learner.classes_.tolist(), p, strict=True))
            self.learner.partial_fit(x, [label], **self._announce)
            self._announce = {}
            forecasts.labels.append(prediction)
            if self.gives_shares:
                forecasts.shares.append(shares)

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
