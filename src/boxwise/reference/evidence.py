"""EIOL-GFMM decided by evidence, in plain Python: all boxes of a class speak, not the best alone.

It learns as EIOL-GFMM does. For a box of n samples, from V to W,

    e(x) = product over the numbers of    exp(-d / h) / (w - v + 2 h)
         * product over the categories of (count + a p) / (n + a)

where d is how far x sticks out of the box, ranges are scaled to 1, h is the bandwidth and a the
backoff; p is the share of the value in the class, smoothed so that a new value is possible. The
score of a class is log(sum of n e(x)) over its boxes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import exp, inf, log, prod
from typing import Any

from boxwise.reference.eiol import EIOL, counts
from boxwise.reference.hyperbox import Box, Numbers, Values

FACTORS = 8  # so many are multiplied before the logarithm is taken
NEGLIGIBLE = -30  # a box that says e^30 times less than another adds nothing
GRAINS = 2.0**42  # sums are counted in grains: in whole numbers, and so in any order the same
ALL_OF, ONE_IN = 500, 8  # the rows on which the choices are tested: fewer, if there are
MANY = 2048  # boxes
MEMORY = 0.999  # what a loss still counts, at most, when the next row is tested
RATE = 0.4  # how fast the say of a choice falls with its losses
VOICES, LEAST_VOICES = 40, 4  # choices that have a say: fewer, the more boxes there are
EFFORT = 4096  # boxes to ask, all voices together

Choice = tuple[float, float, float]  # bandwidth, backoff, temperature


class Evidence(EIOL):
    """The learner; each choice of the three has a say by how well it predicted so far."""

    def __init__(
        self,
        *settings: Any,
        bandwidths: Sequence[float],
        backoffs: Sequence[float],
        temperatures: Sequence[float] = (1.0,),
        powers: Sequence[float] = (0.0,),
        **more: Any,
    ) -> None:
        super().__init__(*settings, **more)
        self.bandwidths, self.backoffs, self.temperatures = bandwidths, backoffs, temperatures
        self.powers = powers
        # By power and class: rows of it, rows predicted as it, rows that are both.
        self.tallies: dict[float, dict[Hashable, list[float]]] = {power: {} for power in powers}
        self.losses: dict[Choice, float] = {
            (h, a, t): 0.0 for h in bandwidths for a in backoffs for t in temperatures
        }
        self.rows = 0  # with a label, so far
        self.tests = 0

    @property
    def chosen(self) -> Choice:
        """The choice that has predicted best so far; the first of several."""
        return min(self.losses, key=lambda choice: self.losses[choice])

    def learn(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable = None) -> None:
        """Test the choices on the sample, if it is its turn; then learn it."""
        if label is not None:
            known = any(box.label == label for box in self.boxes)
            choices = len(self.losses) > 1 or len(self.powers) > 1
            one_in = ONE_IN * (1 + len(self.boxes) // MANY)
            if known and choices and (self.rows < ALL_OF or self.rows % one_in == 0):
                self._test(lower, upper, values, label)
            self.rows += 1
        super().learn(lower, upper, values, label)

    def _test(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable) -> None:
        # The ranges are those of learning: the sample itself is already within them.
        self.meet(lower, upper, label)
        # The first boxes were few: what was best then fades as the number of tests grows.
        memory = min(MEMORY, self.tests / (self.tests + 2))
        self.tests += 1
        if len(self.powers) > 1:
            self._test_powers(lower, upper, values, label, memory)
        for h in self.bandwidths:
            for a in self.backoffs:
                scores = self.scores(lower, upper, values, h, a)
                for t in self.temperatures:
                    loss = 0.0  # the Brier score
                    for known, p_k in zip(self.classes, softmax(scores, t), strict=True):
                        loss += (p_k - 1) * (p_k - 1) if known == label else p_k * p_k
                    self.losses[h, a, t] = self.losses[h, a, t] * memory + loss

    def _test_powers(
        self, lower: Numbers, upper: Numbers, values: Values, label: Hashable, memory: float
    ) -> None:
        for power in self.powers:
            tallies = self.tallies[power]
            for tally in tallies.values():
                tally[:] = [number * memory for number in tally]
            p = self.probabilities(lower, upper, values, power)
            won = self.classes[p.index(max(p))]
            tallies.setdefault(label, [0.0] * 3)[0] += 1
            tallies.setdefault(won, [0.0] * 3)[1] += 1
            tallies[label][2] += won == label

    @property
    def power(self) -> float:
        """The power with the best class balanced accuracy so far; the first of several."""
        accuracy = {}
        for power, tallies in self.tallies.items():
            total = 0.0
            for label in self.classes:
                if label in tallies:
                    rows, predicted, right = tallies[label]
                    total += right / max(rows, predicted)
            accuracy[power] = total / len(tallies) if tallies else 0.0
        return max(accuracy, key=lambda power: accuracy[power])

    def predict(self, lower: Numbers, upper: Numbers, values: Values) -> Hashable:
        """Return the most probable class; the first seen of several."""
        p = self.probabilities(lower, upper, values)
        return self.classes[p.index(max(p))]

    def probabilities(
        self, lower: Numbers, upper: Numbers, values: Values, power: float | None = None
    ) -> list[float]:
        """Return what the choices say of each class, by their weights."""
        power = self.power if power is None else power
        p, weights = [0.0] * len(self.classes), 0.0
        for (h, a, t), weight in self.say().items():
            said = softmax(self.balanced(self.scores(lower, upper, values, h, a), power), t)
            p = [p_k + weight * said_k for p_k, said_k in zip(p, said, strict=True)]
            weights += weight
        return [p_k / weights for p_k in p]

    def balanced(self, scores: Sequence[float], power: float) -> list[float]:
        """Return the scores with the sizes of the classes taken out, to a power."""
        n = [sum(box.n for box in self.boxes if box.label == label) for label in self.classes]
        return [s - power * log(max(n_k, 1)) for s, n_k in zip(scores, n, strict=True)]

    def responsibilities(self, lower: Numbers, upper: Numbers, values: Values) -> list[float]:
        """Return how much of the probability of its class each box carries; 0 without a class."""
        carried, weights = [0.0] * len(self.boxes), 0.0
        for (h, a, t), weight in self.say().items():
            said = softmax(self.balanced(self.scores(lower, upper, values, h, a), self.power), t)
            for label, said_k in zip(self.classes, said, strict=True):
                places = [i for i, box in enumerate(self.boxes) if box.label == label]
                parts = grains(self.logs(label, lower, upper, values, h, a))
                for i, part in zip(places, parts, strict=True):
                    carried[i] += weight * (said_k * (part / float(sum(parts))))
            weights += weight
        return [part / weights for part in carried]

    def say(self) -> dict[Choice, float]:
        """Return who has a say, and how much: less with every loss."""
        voices = min(VOICES, max(LEAST_VOICES, EFFORT // (len(self.boxes) + 1)))
        best = sorted(self.losses, key=lambda choice: self.losses[choice])[:voices]
        least = self.losses[best[0]]
        return {choice: exp(RATE * (least - self.losses[choice])) for choice in best}

    def scores(
        self, lower: Numbers, upper: Numbers, values: Values, h: float, a: float
    ) -> list[float]:
        """Return the score of each class; a class without a box has none."""
        of_classes = (self.logs(label, lower, upper, values, h, a) for label in self.classes)
        return [log_sum(logs) if logs else -inf for logs in of_classes]

    def logs(
        self, label: Hashable, lower: Numbers, upper: Numbers, values: Values, h: float, a: float
    ) -> list[float]:
        """Return log(n e(x)) for each box of a class."""
        boxes = [box for box in self.boxes if box.label == label]
        shares = self.shares(boxes, values)
        return [self.log_evidence(box, lower, upper, values, shares, h, a) for box in boxes]

    def shares(self, boxes: Sequence[Box], values: Values) -> list[float]:
        """Return the shares of the values in a class; a new value has a part of one sample's."""
        n = sum(box.n for box in boxes)
        shares = []
        for j, value in enumerate(values):
            known = {known for box in self.boxes for known in box.D[j]}
            seen = sum(box.D[j].get(value, 0) for box in boxes)
            shares.append((seen + 1 / (len(known) + 1)) / (n + 1))
        return shares

    def log_evidence(
        self,
        box: Box,
        lower: Numbers,
        upper: Numbers,
        values: Values,
        shares: Sequence[float],
        h: float,
        a: float,
    ) -> float:
        """Return log(n e(x)); a number that is missing or never seen in the box does not count."""
        away, extents = 0.0, []
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            v, w, width = box.V[j], box.W[j], self.width(j)
            if xl > xu or v > w or width == 0:
                extents.append(1.0)
                continue
            away += max(xu - w, v - xl, 0.0) * (1 / width)
            extents.append((w - v) * (1 / width) + 2 * h)
        factors = [
            (count + a * share) * (1 / (box.n + a))
            for count, share in zip(counts(box, values), shares, strict=True)
        ]
        return log(box.n) + log_product(factors) - log_product(extents) - away / h


def log_product(factors: Sequence[float]) -> float:
    """Return the logarithm of a product of numbers above 0, of however many."""
    total = 0.0
    for begin in range(0, len(factors), FACTORS):
        some = factors[begin : begin + FACTORS]
        if 0 < prod(some) < inf:
            total += log(prod(some))
        else:
            for factor in some:
                total += log(factor)
    return total


def softmax(scores: Sequence[float], temperature: float) -> list[float]:
    """Return the probabilities that belong to the scores."""
    parts = [exp((score - max(scores)) / temperature) for score in scores]
    total = 0.0
    for part in parts:
        total += part
    return [part / total for part in parts]


def grains(logs: Sequence[float]) -> list[int]:
    """Return what the logarithms stand for in grains, of which the largest has 2**42."""
    most = max(logs, default=0.0)
    return [int(exp(one - most) * GRAINS) if one - most > NEGLIGIBLE else 0 for one in logs]


def log_sum(logs: Sequence[float]) -> float:
    """Return the logarithm of the sum, what is negligible beside the largest left out."""
    return max(logs) + log(sum(grains(logs)) / GRAINS)
