"""Adapters: predict and learn row by row with learners of different libraries."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

from sklearn.exceptions import NotFittedError

Guess = Hashable | None


class Face(Protocol):
    """One way to predict each row and then learn it."""

    def turn(self, rows: Sequence[Any], labels: Sequence[Hashable], guesses: list[Guess]) -> None:
        """Predict and learn row after row; put each prediction, or None, at the end of `guesses`.

        When a row fails, there are as many guesses as rows before it.
        """


def face_of(learner: Any, name: str, classes: Sequence[Hashable] | None) -> Face:
    """Return the face that fits a learner, by the methods that it has."""
    if hasattr(learner, "test_then_train"):
        return Blocks(learner)
    if hasattr(learner, "predict_one") and hasattr(learner, "learn_one"):
        return River(learner)
    if hasattr(learner, "predict") and hasattr(learner, "partial_fit"):
        return ScikitLearn(learner, classes)
    raise TypeError(
        f"learner {name!r}: {type(learner).__name__} cannot learn row by row; it has neither "
        "test_then_train, nor learn_one and predict_one (River), nor partial_fit and predict "
        "(scikit-learn)"
    )


class Blocks:
    """A learner that takes many rows in one call, with the results of one row a call."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def turn(self, rows: Sequence[Any], labels: Sequence[Hashable], guesses: list[Guess]) -> None:
        """Hand over all rows at once."""
        try:
            guesses.extend(self.learner.test_then_train(rows, labels).tolist())
        except Exception:
            if len(rows) == 1:
                raise
            # It has read all rows before it learns one, so nothing is learned twice; by halves,
            # the one that is wrong is found.
            middle = len(rows) // 2
            self.turn(rows[:middle], labels[:middle], guesses)
            self.turn(rows[middle:], labels[middle:], guesses)


class River:
    """A learner of River, or with its methods; a row is a dict."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def turn(self, rows: Sequence[Any], labels: Sequence[Hashable], guesses: list[Guess]) -> None:
        """Call `predict_one` and `learn_one` for each row."""
        predict, learn = self.learner.predict_one, self.learner.learn_one
        for row, label in zip(rows, labels, strict=True):
            x = row if isinstance(row, Mapping) else dict(enumerate(row))
            guess = predict(x)
            learn(x, label)
            guesses.append(guess)


class ScikitLearn:
    """An incremental learner of scikit-learn; a row is a list, in the order of the first row."""

    def __init__(self, learner: Any, classes: Sequence[Hashable] | None) -> None:
        self.learner = learner
        self._announce = {} if classes is None else {"classes": [*classes]}
        self._columns: list[Hashable] = []

    def turn(self, rows: Sequence[Any], labels: Sequence[Hashable], guesses: list[Guess]) -> None:
        """Call `predict` and `partial_fit` with each row."""
        for row, label in zip(rows, labels, strict=True):
            x = [self._values(row)]
            guess = self._predict(x)
            self.learner.partial_fit(x, [label], **self._announce)
            self._announce = {}
            guesses.append(guess)

    def _predict(self, x: list[Sequence[Any]]) -> Guess:
        try:
            guess: Guess = self.learner.predict(x).tolist()[0]
        except NotFittedError:
            return None
        return guess

    def _values(self, row: Any) -> Sequence[Any]:
        if not isinstance(row, Mapping):
            return row  # type: ignore[no-any-return]
        self._columns = self._columns or [*row]
        return [row[name] for name in self._columns]
