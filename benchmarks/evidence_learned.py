"""What might be learned on top of boxes that decide by evidence, a row at a time.

`Chooser` finds bandwidth, backoff and temperature as the engine does. The others start as plain
evidence, of one choice, and follow the gradient of the log-loss (AdaGrad), all their numbers at
once: weights of the columns, a backoff for each of them, weights of the boxes, an offset and a
temperature for each class, or a linear model whose sum is added to the scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.evidence_terms import Asked, Held, Rows, class_scores, softmax
from boxwise.learners.settings import BACKOFFS, BANDWIDTHS, TEMPERATURES
from boxwise.reference.evidence import ALL_OF, MEMORY, ONE_IN

RATE = 0.05  # of AdaGrad
# Of plain gradient descent; with 0 nothing is learned. From 21 settings of a linear model (rates,
# AdaGrad, pairs of values) that were tried on other folds of the same data sets.
RATES = [0.0, 0.005, 0.01, 0.02]
FLOOR = 1e-4  # a probability below this counts as this, where something is added to its logarithm
Choice = tuple[float, float, float]


class Chooser:
    """Losses of each bandwidth, backoff and temperature, by a profile of `Held`."""

    def __init__(self, profile: str = "even") -> None:
        self.profile, self.asked, self.tests = profile, 0, 0
        self.losses = np.zeros((len(BANDWIDTHS), len(BACKOFFS), len(TEMPERATURES)))

    def learn(self, held: Held, i: int) -> None:
        """Test the choices on row `i`, if it is its turn."""
        label = held.rows.y[i]
        if held.rows_of[label] and (self.asked < ALL_OF or self.asked % ONE_IN == 0):
            memory = min(MEMORY, self.tests / (self.tests + 2))
            self.tests += 1
            # In the order of the engine's tests: shape (bandwidths, backoffs, temperatures).
            self.losses = self.losses * memory + self._losses(held, i, label)
        self.asked += 1

    def _losses(self, held: Held, i: int, label: int) -> Any:
        counts, shares = held.counts_and_shares(i)
        size, k = np.log(held.n[: held.n_boxes]), len(held.rows.classes)
        numbers = [getattr(held, self.profile)(i, h).sum(axis=1) for h in BANDWIDTHS]
        others = [held.categories(counts, shares, a).sum(axis=1) + size for a in BACKOFFS]
        if not held.rows.numbers.shape[1]:  # all bandwidths say the same
            numbers = numbers[:1]
        scores = np.array(
            [[class_scores(x + c, held.label, k)[0] for c in others] for x in numbers]
        )
        p = softmax(scores[:, :, None, :] / np.array(TEMPERATURES)[:, None])
        p[..., label] -= 1
        return (p * p).sum(axis=-1)

    def loss_of(self, choice: Choice) -> float:
        """Return the loss of one choice so far."""
        grids = (BANDWIDTHS, BACKOFFS, TEMPERATURES)
        place = tuple(grid.index(one) for grid, one in zip(grids, choice, strict=True))
        return float(self.losses[place])

    @property
    def choice(self) -> Choice:
        """The choice that has predicted best so far; the first of several."""
        h, a, t = np.unravel_index(self.losses.argmin(), self.losses.shape)
        return BANDWIDTHS[h], BACKOFFS[a], TEMPERATURES[t]


class Plain:
    """Evidence of one choice; the others differ from it in what they learn."""

    def __init__(self, held: Held, temperature: float) -> None:
        self.held, self.t, self.k = held, temperature, len(held.rows.classes)
        self.theta = np.zeros(self._shape())
        self.squares = np.full(self.theta.shape, 1e-12)

    def _shape(self) -> tuple[int, ...]:
        return (0,)

    def probabilities(self, asked: Asked) -> Any:
        """Return what is said of the classes."""
        return softmax(self._logits(class_scores(self._logs(asked), asked.label, self.k)[0], asked))

    def learn(self, asked: Asked) -> None:
        """Take one step."""
        step = self.gradient(asked)
        self.squares += step * step
        self.theta = self.theta - RATE * step / np.sqrt(self.squares)

    def gradient(self, asked: Asked) -> Any:
        """Return that of the log-loss; a row of a class that no box has teaches nothing."""
        scores, parts = class_scores(self._logs(asked), asked.label, self.k)
        y = self.held.rows.y[asked.row]
        if scores[y] == -np.inf:
            return np.zeros_like(self.theta)
        error = softmax(self._logits(scores, asked))
        error[y] -= 1
        return self._gradient(asked, scores, error, parts)

    def _logs(self, asked: Asked) -> Any:
        return asked.logs

    def _logits(self, scores: Any, asked: Asked) -> Any:
        return scores / self.t

    def _gradient(self, asked: Asked, scores: Any, error: Any, parts: Any) -> Any:
        return self.theta

    def _of_boxes(self, asked: Asked, error: Any, parts: Any) -> Any:
        """Return the gradient by the logarithm of what each box says."""
        return error[asked.label] * parts / self.t


class Columns(Plain):
    """The logarithms of each column times its weight, exp(theta)."""

    def _shape(self) -> tuple[int, ...]:
        return (self.held.rows.numbers.shape[1] + self.held.rows.codes.shape[1],)

    def _logs(self, asked: Asked) -> Any:
        w, p = np.exp(self.theta), asked.numbers.shape[1]
        return asked.size + asked.numbers @ w[:p] + asked.categories @ w[p:]

    def _gradient(self, asked: Asked, scores: Any, error: Any, parts: Any) -> Any:
        of_boxes = self._of_boxes(asked, error, parts)
        of_columns = [of_boxes @ asked.numbers, of_boxes @ asked.categories]
        return np.concatenate(of_columns) * np.exp(self.theta)


class Kinds(Columns):
    """One weight for all numbers, one for all categories."""

    def _gradient(self, asked: Asked, scores: Any, error: Any, parts: Any) -> Any:
        step = super()._gradient(asked, scores, error, parts)
        p = asked.numbers.shape[1]
        sums = [np.full(p, step[:p].sum()), np.full(len(step) - p, step[p:].sum())]
        return np.concatenate(sums)


class Backoffs(Plain):
    """A backoff for each categorical column, exp(theta) times the chosen one."""

    def __init__(self, held: Held, temperature: float, backoff: float) -> None:
        super().__init__(held, temperature)
        self.backoff = backoff

    def _shape(self) -> tuple[int, ...]:
        return (self.held.rows.codes.shape[1],)

    def _logs(self, asked: Asked) -> Any:
        a = self.backoff * np.exp(self.theta)
        terms = self.held.categories(asked.counts, asked.shares, a)
        return asked.size + asked.numbers.sum(axis=1) + terms.sum(axis=1)

    def _gradient(self, asked: Asked, scores: Any, error: Any, parts: Any) -> Any:
        a, n = self.backoff * np.exp(self.theta), self.held.n[: len(asked.label), None]
        slope = a * (asked.shares / (asked.counts + a * asked.shares) - 1 / (n + a))
        return self._of_boxes(asked, error, parts) @ slope


class Boxes(Plain):
    """What a box says, times exp(theta)."""

    def _shape(self) -> tuple[int, ...]:
        return (len(self.held.n),)

    def _logs(self, asked: Asked) -> Any:
        return super()._logs(asked) + self.theta[: len(asked.label)]

    def _gradient(self, asked: Asked, scores: Any, error: Any, parts: Any) -> Any:
        step = np.zeros_like(self.theta)
        step[: len(asked.label)] = self._of_boxes(asked, error, parts)
        return step


class Classes(Plain):
    """An offset and a temperature, the first row and the second, for each class."""

    def _shape(self) -> tuple[int, ...]:
        return (2, self.k)

    def _logits(self, scores: Any, asked: Asked) -> Any:
        return (scores - scores.max()) / self.t * np.exp(self.theta[1]) + self.theta[0]

    def _gradient(self, asked: Asked, scores: Any, error: Any, parts: Any) -> Any:
        known = np.where(scores > -np.inf, scores - scores.max(), 0.0)
        return np.stack([error, error * known / self.t * np.exp(self.theta[1])])


class Linear(Plain):
    """A linear model of the row, one weight for each number or value and class, is added."""

    def _shape(self) -> tuple[int, ...]:
        self.features = features(self.held.rows)
        return (self.k, self.features.shape[1])

    def _logits(self, scores: Any, asked: Asked) -> Any:
        return scores / self.t + self.theta @ self.features[asked.row]

    def _gradient(self, asked: Asked, scores: Any, error: Any, parts: Any) -> Any:
        return np.outer(error, self.features[asked.row])


def features(rows: Rows) -> Any:
    """Return the numbers, a one, and a one for each value that a row has."""
    values = [np.eye(n)[codes] for n, codes in zip(rows.n_values, rows.codes.T, strict=True)]
    return np.hstack([rows.numbers, np.ones((len(rows.y), 1)), *values])


def added_to(before: Any, after: Any, rows: Rows, train: Any, test: Any) -> tuple[Any, Any]:
    """Return what linear models of several rates say, added to the engine's log-probabilities.

    `before` is what the engine said of each row of training before it was learned, `after` what it
    says of the rows to predict. Plain gradient descent, one pass; with the losses of each rate.
    """
    x, k = features(rows), len(rows.classes)
    theta = np.zeros((len(RATES), k, x.shape[1]))
    losses = np.zeros(len(RATES))
    tests = 0
    for i, p in zip(train, before, strict=True):
        if p[rows.y[i]] > 0:  # a class that is known
            error = softmax(np.log(np.maximum(p, FLOOR)) + theta @ x[i])
            error[:, rows.y[i]] -= 1
            losses = losses * min(MEMORY, tests / (tests + 2)) + (error * error).sum(axis=1)
            theta -= np.array(RATES)[:, None, None] * error[:, :, None] * x[i]
            tests += 1
    return softmax(
        np.log(np.maximum(after, FLOOR)) + np.einsum("rkf,nf->rnk", theta, x[test])
    ), losses


KINDS = {
    "weights of columns": Columns,
    "weights of numbers and categories": Kinds,
    "weights of boxes": Boxes,
    "offsets and temperatures of classes": Classes,
    "a linear model added": Linear,
}


def learners(held: Held, temperature: float, backoff: float) -> dict[str, Plain]:
    """Return one of each, by what it learns."""
    made: dict[str, Plain] = {name: kind(held, temperature) for name, kind in KINDS.items()}
    made["backoffs of columns"] = Backoffs(held, temperature, backoff)
    return made
