"""A set of boxes that decide together, in plain Python: the expert of `boxwise.reference.evidence`.

**Density.** A box of n rows, from V to W on scales from 0 to 1, has the density

    e(x) = product over numeric columns of      exp(-d / h) / (W - V + 2 h)
         * product over categorical columns of  (count + a p) / (n + a)

where d is how far x lies outside the interval, h the bandwidth and a the backoff, each times the
multiplier of the column, and p the share of the value in the class, smoothed so that a new value is
possible. A number that x lacks is left out; where the box has none yet, it is as wide as the scale.

**Classes.** A box counts with its rows, less with age: n / (1 + age / decay)^2, where the age is
the share of all rows between its last and the last of its class. The likelihood of a class is the
sum over its boxes plus a background, as wide as the scales, with a tenth of its rows. Probabilities
are the softmax of the log-likelihoods over a temperature.

**Relevance.** Multipliers, decay and temperature follow the gradient of the log-loss, one step a
labelled row (one in four after 500), with step sizes by RMSProp in the logarithm.

**Learning rule.** A row goes to the box with the largest density, faded with age, among those that
may take it: of its class or of none, no side longer than theta * sqrt(multiplier), and the changes
of entropy, weighted by 1 / (1 + multiplier), at most delta on average. Otherwise it becomes a box.

**Merging.** Of several experts in one, boxes of a class that are alike become one while there are
too many: the middle of one lies in the other wherever both together would be too long, and neither
becomes less certain of its values by more than delta. Boxes of two parts of a stream that cover the
same rows would otherwise take the places of others.

**Eviction.** The box with the least faded weight makes room for a new one, of a class that can
spare it: half of an even share of the boxes is spared for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from math import exp, inf, log, log2, sqrt
from typing import TypeAlias, TypeVar

from boxwise.reference.hyperbox import NO_WIDTH, Numbers, Values
from boxwise.reference.quantiles import QuantileScale

BANDWIDTH, BACKOFF, BACKGROUND = 0.3, 8.0, 0.1
MOST_VALUES = 255  # of a column that are told apart; all later ones count as one:
OTHER_VALUES = "(other values)"
FARTHEST = 100.0  # from the scale
TOLERANCE = 1e-9  # numbers this close are equal where they are compared
LEAST_PART = 1e-3  # of the likelihood of a class: boxes below give no gradient
RATE, SQUARES_DISCOUNT, FIRST_SQUARES = 0.2, 0.99, 0.03  # RMSProp, whose first steps are small
MOST_LOG, MOST_LOG_TEMPERATURE = 5.0, 1.5
STEP_ALWAYS, STEP_EVERY = 500, 4
NO_BOX = -1  # in place of an id: the background

Key = TypeVar("Key")
Parameter: TypeAlias = tuple[str, int]
DECAY, TEMPERATURE = ("decay", 0), ("temperature", 0)


@dataclass
class Box:
    """A hyperbox, in the units of the input; from inf to -inf while there is no number."""

    id: int
    V: list[float]
    W: list[float]
    D: list[dict[Hashable, float]]
    label: Hashable | None
    n: float = 0.0
    last: float = 0.0  # the clock when it took its last row


@dataclass
class Query:
    """A row as the boxes see it."""

    lower: Numbers
    upper: Numbers
    numbers: dict[int, tuple[float, float]]  # positions on the scales of the columns
    values: list[Hashable]
    apart: dict[int, tuple[float, float]] = field(default_factory=dict)  # those boxes do not see


@dataclass
class Evaluation:
    """The likelihood of a row in an expert."""

    densities: dict[int, float] = field(default_factory=dict)  # by box: log(e(x)), faded with age
    parts: dict[int, float] = field(default_factory=dict)  # by box: of the likelihood of its class
    slopes: dict[int, dict[Parameter, float]] = field(default_factory=dict)  # of log(e(x))
    background: dict[Hashable, float] = field(default_factory=dict)  # by class: its part
    scores: dict[Hashable, float] = field(default_factory=dict)  # by class: log-likelihood
    p: dict[Hashable, float] = field(default_factory=dict)  # by class


class RangeScale:
    """Positions within the range of the values so far, or within a fixed one."""

    def __init__(self, low: float = inf, high: float = -inf, growing: bool = True) -> None:
        self.low, self.high, self.growing = low, high, growing

    def meet(self, low: float, high: float) -> None:
        """Take note of a value, or of both ends of an interval."""
        if self.growing:
            self.low, self.high = min(self.low, low), max(self.high, high)

    @property
    def is_ready(self) -> bool:
        """Whether there are two values."""
        return self.high - self.low > NO_WIDTH

    def __call__(self, x: float) -> float:
        """Return the position of a value."""
        return (x - self.low) / (self.high - self.low)

    def standardised(self, x: float) -> float:
        """Return the distance to the middle, from -2 to 2 at the ends."""
        return min(max(4 * self(x) - 2, -2.0), 2.0)


class Columns:
    """The scales of the numeric columns and the values of the categorical ones."""

    def __init__(
        self, scale: Callable[[], RangeScale | QuantileScale], apart: Collection[int] = ()
    ) -> None:
        self.apart = apart  # numeric columns that are missing to boxes
        self.scales: dict[int, RangeScale | QuantileScale] = defaultdict(scale)
        self.known: dict[int, dict[Hashable, None]] = defaultdict(dict)  # in order

    def read(self, lower: Numbers, upper: Numbers, values: Values) -> Query:
        """Return a row as the boxes see it."""
        given = [j for j, low in enumerate(lower) if low <= upper[j]]
        numbers = {j: (self.position(j, lower[j]), self.position(j, upper[j])) for j in given}
        apart = {j: numbers.pop(j) for j in given if j in self.apart}
        merged = [self.merged(j, v) for j, v in enumerate(values)]
        return Query(lower, upper, numbers, merged, apart)

    def position(self, j: int, x: float) -> float:
        """Return the position on the scale of a column."""
        scale = self.scales[j]
        return min(max(scale(x), -FARTHEST), FARTHEST) if scale.is_ready else 0.0

    def interval(self, j: int, box: Box) -> tuple[float, float]:
        """Return the interval of a box on the scale of a column."""
        if box.V[j] > box.W[j]:
            return 0.0, 1.0
        return self.position(j, box.V[j]), self.position(j, box.W[j])

    def merged(self, j: int, value: Hashable) -> Hashable:
        """Return what a value counts as: itself, unless there were too many before."""
        known = self.known[j]
        return value if value in known or len(known) < MOST_VALUES else OTHER_VALUES

    def share(self, j: int, value: Hashable, boxes: Sequence[Box]) -> float:
        """Return the smoothed share of a value in boxes."""
        count = sum(box.D[j].get(value, 0.0) for box in boxes)
        return (count + 1 / (len(self.known[j]) + 1)) / (rows_of(boxes) + 1)


class Expert:
    """A set of boxes with the relevance of the columns, a clock and a discounted loss."""

    def __init__(self, columns: Columns, role: str, since: int) -> None:
        self.columns, self.role, self.since = columns, role, since
        self.boxes: list[Box] = []  # in order of creation
        self.logs: dict[Parameter, float] = {DECAY: 1.0}  # 0 unless there is another
        self.squares: dict[Parameter, float] = {}  # of the gradients, discounted
        self.steps = self.rows = 0
        self.clock = self.loss = 0.0

    def multiplier(self, parameter: Parameter) -> float:
        """Return the value of a parameter."""
        return exp(self.logs.get(parameter, 0.0))

    def by_class(self) -> dict[Hashable, list[Box]]:
        """Return the boxes of each class, and under None those without."""
        boxes = defaultdict(list)
        for box in self.boxes:
            boxes[box.label].append(box)
        return boxes

    def age(self, box: Box) -> float:
        """Return the share of all rows between the last of a box and the last of its class."""
        newest = max(other.last for other in self.boxes if other.label == box.label)
        return (newest - box.last) / max(self.clock, 1.0)

    def weight(self, box: Box) -> float:
        """Return the rows of a box, faded with age."""
        return box.n / (1 + self.age(box) / self.multiplier(DECAY)) ** 2

    def evaluate(self, x: Query) -> Evaluation:
        """Return the likelihoods of a row."""
        at = Evaluation()
        for label, boxes in self.by_class().items():
            shares = [self.columns.share(j, value, boxes) for j, value in enumerate(x.values)]
            logs = {NO_BOX: log(BACKGROUND * rows_of(boxes)) + self._background(x, shares)}
            for box in boxes:
                density, at.slopes[box.id] = self._density(box, x, shares)
                at.densities[box.id] = density + log(self.weight(box) / box.n)
                logs[box.id] = density + log(self.weight(box))
            parts, at.scores[label] = normalised(logs)
            at.background[label] = parts.pop(NO_BOX)
            at.parts.update(parts)
        at.scores.pop(None, None)
        t = self.multiplier(TEMPERATURE)
        at.p, _ = normalised({label: score / t for label, score in at.scores.items()})
        return at

    def _density(
        self, box: Box, x: Query, shares: Sequence[float]
    ) -> tuple[float, dict[Parameter, float]]:
        """Return log(e(x)) and its slope by the logarithm of each parameter."""
        total, slopes = 0.0, {}
        for j, (low, high) in x.numbers.items():
            h = BANDWIDTH * self.multiplier(("numeric", j))
            v, w = self.columns.interval(j, box)
            d = max(v - low, high - w, 0.0)
            total -= d / h + log(w - v + 2 * h)
            slopes["numeric", j] = d / h - 2 * h / (w - v + 2 * h)
        for j, (value, share) in enumerate(zip(x.values, shares, strict=True)):
            a, count = BACKOFF * self.multiplier(("categorical", j)), box.D[j].get(value, 0.0)
            total += log((count + a * share) / (box.n + a))
            slopes["categorical", j] = a * share / (count + a * share) - a / (box.n + a)
        slopes[DECAY] = 2 * self.age(box) / (self.multiplier(DECAY) + self.age(box))
        return total, slopes

    def _background(self, x: Query, shares: Sequence[float]) -> float:
        """Return the log-density of the background."""
        sides = [1 + 2 * BANDWIDTH * self.multiplier(("numeric", j)) for j in x.numbers]
        return sum(map(log, shares)) - sum(map(log, sides))

    def step(self, x: Query, label: Hashable, at: Evaluation) -> None:
        """Take a step down the gradient of the log-loss."""
        row, self.rows = self.rows, self.rows + 1
        if label not in at.p or (row >= STEP_ALWAYS and row % STEP_EVERY):
            return
        gradient: dict[Parameter, float] = defaultdict(float)
        for known, boxes in self.by_class().items():
            if known is None:
                continue
            error = (at.p[known] - (known == label)) / self.multiplier(TEMPERATURE)
            for box in boxes:
                if at.parts[box.id] >= LEAST_PART:
                    for parameter, slope in at.slopes[box.id].items():
                        gradient[parameter] += error * at.parts[box.id] * slope
            for j in x.numbers:
                h = BANDWIDTH * self.multiplier(("numeric", j))
                gradient["numeric", j] -= error * at.background[known] * 2 * h / (1 + 2 * h)
            gradient[TEMPERATURE] -= error * (at.scores[known] - at.scores[label])
        kept = min(SQUARES_DISCOUNT, self.steps / (self.steps + 2))
        self.steps += 1
        for parameter in {**self.squares, **gradient}:
            g, most = gradient[parameter], MOST_LOG
            if parameter == TEMPERATURE:
                most = MOST_LOG_TEMPERATURE
            self.squares[parameter] = self.squares.get(parameter, 0.0) * kept + g * g
            step = RATE * g / sqrt(FIRST_SQUARES + self.squares[parameter])
            self.logs[parameter] = min(max(self.logs.get(parameter, 0.0) - step, -most), most)

    def find(
        self, x: Query, label: Hashable | None, at: Evaluation, theta: float, delta: float
    ) -> Box | None:
        """Return the box that takes the row, if there is one; the oldest of several as good."""
        fit = [
            box
            for box in self.boxes
            if (label is None or box.label in (None, label))
            and self._is_short(box, x, theta)
            and self._entropy_change(box, x) <= delta + TOLERANCE
        ]
        best = max((at.densities[box.id] for box in fit), default=0.0)
        return next((box for box in fit if at.densities[box.id] >= best - TOLERANCE), None)

    def _is_short(self, box: Box, x: Query, theta: float) -> bool:
        """Whether the box may be as long as it has to be."""
        for j, (low, high) in x.numbers.items():
            limit = theta * sqrt(self.multiplier(("numeric", j)))
            if limit >= 1 or box.V[j] > box.W[j]:
                continue
            v, w = self.columns.interval(j, box)
            if max(w, high) - min(v, low) > limit + TOLERANCE:
                return False
        return True

    def _entropy_change(self, box: Box, x: Query) -> float:
        """Return the mean change of entropy that one more row causes."""
        change = 0.0
        for j, (counts, value) in enumerate(zip(box.D, x.values, strict=True)):
            grown = {**counts, value: counts.get(value, 0.0) + 1}
            relevance = 1 / (1 + self.multiplier(("categorical", j)))
            change += abs(entropy(grown.values()) - entropy(counts.values())) * relevance
        return change / max(len(x.values), 1)

    def evict(self, unlabelled_only: bool) -> bool:
        """Remove the box with the least weight of a class that can spare one, if there is one."""
        groups = self.by_class()
        spared = len(self.boxes) // (2 * max(len(groups), 1))
        light = [box for box in self.boxes if len(groups[box.label]) > spared]
        if unlabelled_only:
            light = groups[None]
        if not light:
            return False
        least = min(map(self.weight, light)) * (1 + TOLERANCE)
        self.boxes.remove(next(box for box in light if self.weight(box) <= least))
        return True

    def reduce(self, boxes: int) -> None:
        """Keep so many boxes: half of an even share for each class, then the heaviest of all."""
        spared = boxes // (2 * max(len(self.by_class()), 1))
        heaviest = sorted(self.boxes, key=self.weight, reverse=True)
        own: dict[Hashable, int] = defaultdict(int)
        first: list[Box] = []
        rest: list[Box] = []
        for box in heaviest:
            own[box.label] += 1
            (first if own[box.label] <= spared else rest).append(box)
        self.boxes = sorted((first + rest)[:boxes], key=lambda box: box.id)

    def merge_alike(self, most: int | None, theta: float, delta: float) -> None:
        """Unite boxes that are alike while there are too many, and give up the lightest beyond.

        The heaviest box comes first. Each later one goes whole into the box of its class with the
        largest density, at its intervals and most frequent values, of those that are alike.
        """
        heaviest, merged = sorted(self.boxes, key=self.weight, reverse=True), copy(self)
        merged.boxes = []
        for position, box in enumerate(heaviest):
            alike = None
            if most is None or len(merged.boxes) + len(heaviest) - position > most:
                alike = merged.find_alike(box, theta, delta)
            if alike is None:
                merged.boxes = sorted([*merged.boxes, box], key=lambda other: other.id)
                if most is not None and len(merged.boxes) > most:
                    merged.evict(unlabelled_only=False)
            else:
                united = merged._united(alike, box, theta) or []
                alike.V, alike.W = [low for low, _ in united], [high for _, high in united]
                for counts, more in zip(alike.D, box.D, strict=True):
                    for value, times in more.items():
                        counts[value] = counts.get(value, 0.0) + times
                alike.n, alike.last = alike.n + box.n, max(alike.last, box.last)
        self.boxes = merged.boxes

    def find_alike(self, box: Box, theta: float, delta: float) -> Box | None:
        """Return the box that may take another one; the oldest of several as good."""
        own = self.by_class()[box.label]
        modes = [self._mode(j, counts) for j, counts in enumerate(box.D)]
        x = self.columns.read(box.V, box.W, modes)
        shares = [self.columns.share(j, value, own) for j, value in enumerate(modes)]
        densities = {
            other.id: self._density(other, x, shares)[0] + log(self.weight(other) / other.n)
            for other in own
            if self._united(other, box, theta) is not None and self._are_alike(other, box, delta)
        }
        best = max(densities.values(), default=0.0)
        return next((o for o in own if densities.get(o.id, -inf) >= best - TOLERANCE), None)

    def _mode(self, j: int, counts: Mapping[Hashable, float]) -> Hashable:
        """Return the most frequent value; of several the one known first."""
        most = max(counts.values())
        return next(v for v in [*self.columns.known[j], *counts] if counts.get(v) == most)

    def _united(self, box: Box, other: Box, theta: float) -> list[tuple[float, float]] | None:
        """Return the intervals of a box that has taken another one; None if it may not.

        Where both together would be too long it keeps its own, if the middle of the other is in it.
        """
        united = []
        for j in range(len(box.V)):
            limit = theta * sqrt(self.multiplier(("numeric", j)))
            (v, w), (low, high) = (self.columns.interval(j, b) for b in (box, other))
            ends = min(box.V[j], other.V[j]), max(box.W[j], other.W[j])
            both_seen = box.V[j] <= box.W[j] and other.V[j] <= other.W[j]
            if both_seen and limit < 1 and max(w, high) - min(v, low) > limit + TOLERANCE:
                ends = box.V[j], box.W[j]
                if not v - TOLERANCE <= (low + high) / 2 <= w + TOLERANCE:
                    return None
            united.append(ends)
        return united

    def _are_alike(self, box: Box, other: Box, delta: float) -> bool:
        """Whether neither of two boxes becomes less certain of its values than delta allows.

        A few rows are purer than those they were drawn from: by about (k - 1) / (2 n log 2) bits
        where there are k values (Miller and Madow), which is no difference.
        """
        change = lost = 0.0
        for j, (counts, more) in enumerate(zip(box.D, other.D, strict=True)):
            both = {v: counts.get(v, 0.0) + more.get(v, 0.0) for v in {**counts, **more}}
            after, relevance = entropy(both.values()), 1 / (1 + self.multiplier(("categorical", j)))
            by_chance = (len(both) - 1) / (2 * other.n * log(2))
            change += abs(after - entropy(counts.values())) * relevance
            lost += max(after - entropy(more.values()) - by_chance, 0.0) * relevance
        return max(change, lost) <= len(box.D) * (delta + TOLERANCE)


def rows_of(boxes: Iterable[Box]) -> float:
    """Return the rows in boxes."""
    return sum(box.n for box in boxes)


def normalised(logs: Mapping[Key, float]) -> tuple[dict[Key, float], float]:
    """Return exponentials that sum to 1, and the logarithm of their sum before."""
    if not logs:
        return {}, -inf
    most = max(logs.values())
    total = sum(exp(one - most) for one in logs.values())
    return {key: exp(one - most) / total for key, one in logs.items()}, most + log(total)


def entropy(counts: Iterable[float]) -> float:
    """Return the entropy of a distribution, in bits."""
    counts = [*counts]
    return -sum(count / sum(counts) * log2(count / sum(counts)) for count in counts)
