"""EIOL-GFMM decided by evidence, in plain Python: all boxes of a class speak, not the best alone.

It learns as EIOL-GFMM does. For a box of n samples, from V to W,

    e(x) = product over the numbers of    exp(-d / h) / (w - v + 2 h)
         * product over the categories of (count + a p) / (n + a)

where d is how far x sticks out of the box, ranges are scaled to 1, h is the bandwidth and a the
backoff, each times the reach of the column; p is the share of the value in the class, smoothed so
that a new value is possible. The score of a class of N samples is

    log(N sum(s e(x)) / sum(s)),    s = n / (1 + age / memory)^2

over its boxes, where the age of a box is the share of all rows that came from the last row that it
took to the last of its class. The reaches and the memory follow the slope of the loss, a step at a
time.

What a row tells of the choices and the reaches is asked of all boxes, as they are before it is
learned. So that no row has to wait for that, it takes effect some rows later, the more boxes the
later: an engine may ask a portion of them with each row. Sums are those of portions, added up.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import exp, inf, isfinite, isnan, log, sqrt
from typing import Any, NamedTuple

from boxwise.reference.eiol import EIOL, counts
from boxwise.reference.hyperbox import Box, Numbers, Values
from boxwise.reference.sums import (
    GRAINS,
    grains,
    log_product,
    log_sum,
    log_total,
    portions,
    softmax,
)

CRUMBS = 2.0**24  # what age has left of the samples of a class is counted in such parts of one
ALL_OF, ONE_IN = 500, 16  # the rows on which the choices are tested: fewer, if there are
MANY = 2048  # boxes
STEP_IN, VERY_MANY = 4, 8192  # and those from which the reaches are learned
TEST_PORTION, STEP_PORTION = 256, 2048  # boxes that are asked with a row
MEMORY = 0.999  # what a loss still counts, at most, when the next row is tested
VOICES, AT_FIRST = 40, 1000  # choices that have a say at first, and for how many rows
MOST_LOSS = 2.0  # of a choice that was sure, and wrong
RATE = 0.4  # how fast the say of a choice falls with its losses
STEP = 0.2  # the first step of a reach, in its logarithm
LEAST_STEEPNESS = 1e-8  # so that a step is not made of rounding errors
SLOPE_MEMORY = 0.99  # what a slope still counts, at most, at the next step
FARTHEST = 5.0  # no logarithm of a reach is beyond
FAINTEST = 2**22  # grains; boxes that say less do not tell where to step

Choice = tuple[float, float, float]  # bandwidth, backoff, temperature
Column = tuple[str, int]  # "number" or "category", and which of them
AGE = ("age", 0)


class Test(NamedTuple):
    """What a row, whose class is known, tells of the choices."""

    due: int  # takes effect after so many rows
    label: Hashable
    scores: dict[tuple[float, float], list[float]]  # by bandwidth and backoff, of the classes
    sizes: list[int]  # of the classes


class Step(NamedTuple):
    """Where to a row, whose class is known, would have the reaches go."""

    due: int
    slopes: dict[Column, float]  # of the loss, -log p


class Evidence(EIOL):
    """The learner; each choice of the three has a say by how well it predicted so far."""

    test_portion, step_portion = TEST_PORTION, STEP_PORTION

    def __init__(
        self,
        *settings: Any,
        bandwidths: Sequence[float],
        backoffs: Sequence[float],
        temperatures: Sequence[float] = (1.0,),
        powers: Sequence[float] = (0.0,),
        forget: bool = False,
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
        self.tests = self.steps = 0
        self.test: Test | None = None  # what takes effect later
        self.step: Step | None = None
        self.forget = forget
        self.clock = 0  # rows, with a label or not
        self.last: dict[int, int] = {}  # by box: the row that it took last
        self.newest: dict[Hashable, int] = {}  # by class: the last of these
        # The logarithm of what multiplies the bandwidth or the backoff of a column, or of the
        # memory, and how steep the way there was.
        self.reaches: dict[Column, float] = {AGE: 1.0}
        self.steepness: dict[Column, float] = {}

    @property
    def chosen(self) -> Choice:
        """The choice that has predicted best so far; the first of several."""
        return min(self.losses, key=lambda choice: self.losses[choice])

    def learn(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable = None) -> None:
        """Test the choices on the sample, if it is its turn; then learn it."""
        if label is not None:
            self._choose()
            self._move()
            if any(box.label == label for box in self.boxes):
                choices = len(self.losses) > 1 or len(self.powers) > 1
                if choices and not self.test and self._due(ONE_IN, MANY):
                    self.test = self._test(lower, upper, values, label)
                    self._choose()
                if not self.step and self._due(STEP_IN, VERY_MANY):
                    self.step = self._step(lower, upper, values, label)
                    self._move()
            self.rows += 1
        self.clock += 1
        before = {id(box): box.n for box in self.boxes}
        super().learn(lower, upper, values, label)
        for box in self.boxes:
            if before.get(id(box)) != box.n:
                self.last[id(box)] = self.newest[box.label] = self.clock

    def _due(self, one_in: int, many: int) -> bool:
        one_in *= 1 + len(self.boxes) // many
        return self.rows < ALL_OF or self.rows % one_in == 0

    def _test(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable) -> Test:
        # The ranges are those of learning: the sample itself is already within them.
        self.meet(lower, upper, label)
        scores = {
            (h, a): self.scores(lower, upper, values, h, a, self.test_portion)
            for h in self.bandwidths
            for a in self.backoffs
        }
        due = self.rows + len(self.boxes) // self.test_portion
        return Test(due, label, scores, self.sizes())

    def _choose(self) -> None:
        """Let the test have its effect, if it is time."""
        if not self.test or self.test.due > self.rows:
            return
        test, self.test = self.test, None
        memory = fading(self.tests, MEMORY)
        self.tests += 1
        if len(self.powers) > 1:
            self._test_powers(test, memory)
        for h, a, t in self.losses:
            loss = 0.0  # the Brier score
            for known, p_k in zip(self.classes, softmax(test.scores[h, a], t), strict=False):
                loss += (p_k - 1) * (p_k - 1) if known == test.label else p_k * p_k
            if isnan(loss):  # no class is possible
                loss = MOST_LOSS
            self.losses[h, a, t] = self.losses[h, a, t] * memory + loss

    def _step(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable) -> Step | None:
        """Return where to the reaches go if the sample, whose class is known, is to be likelier."""
        columns = self._may_reach(len(lower), len(values))
        if not columns:
            return None
        self.meet(lower, upper, label)
        h, a, t = self.chosen
        if not lower:  # without numbers all bandwidths say the same
            h = self.bandwidths[0]
        if not values:
            a = self.backoffs[0]
        p = softmax(self.scores(lower, upper, values, h, a, self.step_portion), t)
        p[self.classes.index(label)] -= 1
        of_classes = [self.slopes(known, lower, upper, values, h, a) for known in self.classes]
        slopes = {}
        for column in columns:
            slopes[column] = 0.0
            for p_k, of_class in zip(p, of_classes, strict=True):
                slopes[column] += p_k * of_class.get(column, 0.0)
        return Step(self.rows + len(self.boxes) // self.step_portion, slopes)

    def _move(self) -> None:
        """Let the step have its effect, if it is time."""
        if not self.step or self.step.due > self.rows:
            return
        step, self.step = self.step, None
        memory = fading(self.steps, SLOPE_MEMORY)
        self.steps += 1
        for column, slope in step.slopes.items():
            if not isfinite(slope):
                continue
            steepness = self.steepness.get(column, 0.0) * memory + slope * slope
            reach = self.reaches.get(column, 0.0)
            reach -= STEP * (slope / sqrt(LEAST_STEEPNESS + steepness))
            self.steepness[column] = steepness
            self.reaches[column] = min(max(reach, -FARTHEST), FARTHEST)

    def _may_reach(self, n: int, r: int) -> list[Column]:
        columns: list[Column] = [("number", j) for j in range(n) if len(self.bandwidths) > 1]
        columns += [("category", j) for j in range(r) if len(self.backoffs) > 1]
        return [*columns, AGE] if self.forget else columns

    def reach(self, column: Column) -> float:
        """Return what multiplies the bandwidth or backoff of a column; of the age, the memory."""
        return exp(self.reaches.get(column, 0.0))

    def _test_powers(self, test: Test, memory: float) -> None:
        for power in self.powers:
            tallies = self.tallies[power]
            for tally in tallies.values():
                tally[:] = [number * memory for number in tally]
            p = self.mixed(test.scores, test.sizes, power)
            won = self.classes[p.index(max(p))]
            tallies.setdefault(test.label, [0.0] * 3)[0] += 1
            tallies.setdefault(won, [0.0] * 3)[1] += 1
            tallies[test.label][2] += won == test.label

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

    def probabilities(self, lower: Numbers, upper: Numbers, values: Values) -> list[float]:
        """Return what the choices say of each class, by their weights."""
        pairs = {(h, a) for h, a, _ in self.say()}
        scores = {(h, a): self.scores(lower, upper, values, h, a) for h, a in pairs}
        return self.mixed(scores, self.sizes(), self.power)

    def mixed(
        self, scores: dict[tuple[float, float], list[float]], sizes: Sequence[int], power: float
    ) -> list[float]:
        """Return the probabilities of the classes that have such scores and sizes."""
        p, weights = [0.0] * len(sizes), 0.0
        for (h, a, t), weight in self.say().items():
            said = softmax(balanced(scores[h, a], sizes, power), t)
            p = [p_k + weight * said_k for p_k, said_k in zip(p, said, strict=True)]
            weights += weight
        return [p_k / weights for p_k in p]

    def sizes(self) -> list[int]:
        """Return the samples of the classes."""
        return [sum(box.n for box in self.boxes if box.label == label) for label in self.classes]

    def responsibilities(self, lower: Numbers, upper: Numbers, values: Values) -> list[float]:
        """Return how much of the probability of its class each box carries; 0 without a class."""
        carried, weights = [0.0] * len(self.boxes), 0.0
        for (h, a, t), weight in self.say().items():
            scores = self.scores(lower, upper, values, h, a)
            said = softmax(balanced(scores, self.sizes(), self.power), t)
            for label, said_k in zip(self.classes, said, strict=True):
                places = [i for i, box in enumerate(self.boxes) if box.label == label]
                parts = grains(self.logs(label, lower, upper, values, h, a))
                for i, part in zip(places, parts, strict=True):
                    carried[i] += weight * (said_k * (part / float(sum(parts))))
            weights += weight
        return [part / weights for part in carried]

    def say(self) -> dict[Choice, float]:
        """Return who has a say, and how much: less with every loss."""
        best = sorted(self.losses, key=lambda choice: self.losses[choice])[:VOICES]
        least = self.losses[best[0]]
        if self.rows >= AT_FIRST:  # the best pair of bandwidth and backoff, at whatever temperature
            best = [choice for choice in best if choice[:2] == best[0][:2]]
        return {choice: exp(RATE * (least - self.losses[choice])) for choice in best}

    def scores(
        self,
        lower: Numbers,
        upper: Numbers,
        values: Values,
        h: float,
        a: float,
        portion: int | None = None,
    ) -> list[float]:
        """Return the score of each class, by all boxes together or portion by portion.

        A class without a box has none.
        """
        scores = []
        for label in self.classes:
            logs = self.logs(label, lower, upper, values, h, a)
            sums = [log_sum(some) for some in portions(logs, portion or len(self.boxes))]
            scores.append(log_total(sums) + self.level(label) if logs else -inf)
        return scores

    def level(self, label: Hashable) -> float:
        """Return what makes up for age: a class as a whole counts with all its samples."""
        if not self.forget:
            return 0.0
        boxes = [box for box in self.boxes if box.label == label]
        left = sum(int(self.weight(box) * CRUMBS) for box in boxes)
        return log(sum(box.n for box in boxes) * CRUMBS / left)

    def weight(self, box: Box) -> float:
        """Return the samples of a box, less with age."""
        if not self.forget:
            return float(box.n)
        faded = 1.0 + self.age(box) / self.reach(AGE)
        return box.n / (faded * faded)

    def age(self, box: Box) -> float:
        """Return the share of all rows between the last of the box and the last of its class."""
        return (self.newest[box.label] - self.last[id(box)]) / max(self.clock, 1)

    def logs(
        self, label: Hashable, lower: Numbers, upper: Numbers, values: Values, h: float, a: float
    ) -> list[float]:
        """Return log(s e(x)) for each box of a class."""
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
        """Return log(s e(x)); a number that is missing or never seen in the box does not count."""
        away, extents = 0.0, []
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            v, w, width = box.V[j], box.W[j], self.width(j)
            if xl > xu or v > w or width == 0:
                extents.append(1.0)
                continue
            reach = self.reach(("number", j))
            away += max(xu - w, v - xl, 0.0) * (1 / width / reach)
            extents.append((w - v) * (1 / width) + 2 * (h * reach))
        factors = []
        for j, (count, share) in enumerate(zip(counts(box, values), shares, strict=True)):
            a_j = a * self.reach(("category", j))
            factors.append((count + a_j * share) / (box.n + a_j))
        return log(self.weight(box)) + log_product(factors) - log_product(extents) - away / h

    def slopes(
        self, label: Hashable, lower: Numbers, upper: Numbers, values: Values, h: float, a: float
    ) -> dict[Column, float]:
        """Return how the score of a class grows with the logarithm of each reach."""
        boxes = [box for box in self.boxes if box.label == label]
        if not boxes:
            return {}
        logs = self.logs(label, lower, upper, values, h, a)
        shares = self.shares(boxes, values)
        total: dict[Column, float] = {}
        weights, most = 0.0, max(logs)
        if most == -inf:
            return {}
        for some in portions([*zip(boxes, logs, strict=True)], self.step_portion):
            slopes: dict[Column, float] = {}  # weighted by what the boxes of the portion say
            said, loudest = 0.0, max(one for _, one in some)
            for (box, _), part in zip(some, grains([one for _, one in some]), strict=True):
                if part < FAINTEST:
                    continue
                weight = part / GRAINS
                own = self.slopes_of(box, lower, upper, values, shares, h, a)
                for column, slope in own.items():
                    slopes[column] = slopes.get(column, 0.0) + weight * slope
                said += weight
            weight = exp(loudest - most)
            for column, slope in slopes.items():
                total[column] = total.get(column, 0.0) + weight * slope
            weights += weight * said
        slopes = {column: slope / weights for column, slope in total.items()}
        if self.forget:  # and how its level does
            left = sum(int(self.weight(box) * CRUMBS) for box in boxes)
            lost = sum(int(self.weight(box) * self.slope_of_age(box) * CRUMBS) for box in boxes)
            slopes[AGE] -= lost / left
        return slopes

    def slopes_of(
        self,
        box: Box,
        lower: Numbers,
        upper: Numbers,
        values: Values,
        shares: Sequence[float],
        h: float,
        a: float,
    ) -> dict[Column, float]:
        """Return how log(s e(x)) grows with the logarithm of each reach."""
        slopes: dict[Column, float] = {AGE: self.slope_of_age(box)}
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            v, w, width = box.V[j], box.W[j], self.width(j)
            if xl > xu or v > w or width == 0:
                continue
            h_j = h * self.reach(("number", j))
            away = max(xu - w, v - xl, 0.0) * (1 / width)
            slopes["number", j] = away / h_j - 2 * h_j / ((w - v) * (1 / width) + 2 * h_j)
        for j, (count, share) in enumerate(zip(counts(box, values), shares, strict=True)):
            a_j = a * self.reach(("category", j))
            own = a_j * share
            slopes["category", j] = own / (count + own) - a_j / (box.n + a_j)
        return slopes

    def slope_of_age(self, box: Box) -> float:
        """Return how log(s) grows with the logarithm of the memory."""
        return 2 * self.age(box) / (self.reach(AGE) + self.age(box)) if self.forget else 0.0


def fading(turns: int, at_most: float) -> float:
    """Return what still counts of what was found after so many turns.

    The first boxes were few, and what was best then fades.
    """
    return min(at_most, turns / (turns + 2))


def balanced(scores: Sequence[float], sizes: Sequence[int], power: float) -> list[float]:
    """Return the scores with the sizes of the classes taken out, to a power."""
    return [s - power * log(max(n, 1)) for s, n in zip(scores, sizes, strict=True)]
