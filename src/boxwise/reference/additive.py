"""The additive layer over the boxes, in plain Python: the specification the engine follows.

Each class has a logit: a weighted sum of the log-probability that the boxes give it (less the mean
of the classes that have boxes) and of functions of single columns, which make the curves. A numeric
column has a linear input, five hat functions over its scale, and one that is 1 where the value is
missing; a categorical column has one for each of its first twelve values, and one for all others,
those among them that were never seen. The weight of the boxes starts at 1 and all others at 0, so
that an untrained layer says what the boxes say.

**Learning.** Each row is an observation of an extended Kalman filter whose weights drift: after
x, of class k with probability p, the weights move by ``P x (y - p) / (1 + c x'Px)``, where
``c = p (1 - p)``, and their covariance P loses ``P x x'P / (1 / c + x'Px)``. Then `drift` times the
first variance is added to each variance below that, of the columns of the row if columns are taken
as uncorrelated. A row with an error below 0.03 changes nothing.
Filters of two rates of drift learn side by side.

**Mixing.** They and the boxes alone are experts, weighted by ``exp(-loss / 2)``, the log-losses
discounted row by row. The filters begin with a loss, so that the boxes alone count most at first.
The logits are averaged with these weights, so that a decision is one sum.
For a row of support s the filters count s / (s + 0.1) of that, and the boxes alone the rest: where
no learned row speaks for a row, no curve does.

**Constraints.** A column may be monotone: the probability of a named class never falls (sign 1) or
never rises (sign -1) as the number rises. After each update the weights of the column are projected
onto curves that rise in the filter of that class and fall in those of all others, or the reverse. A
linear weight against the direction becomes 0. The hats become the mean of two monotone sequences,
the running maximum from the left and the running minimum from the right, which is the isotonic fit
with the least maximum distance. A class that has had no row yet constrains nothing.

**Bounded cost.** When one covariance for each class gets too large, weights of different columns
are taken as uncorrelated from then on (the decoupled filter).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import exp, log, sqrt
from typing import TypeAlias

from boxwise.reference.expert import Columns, Query

HATS, OWN_VALUES = 5, 12
DRIFTS = (1e-5, 3e-3)
FIRST_VARIANCE, FIRST_OF_HAT, FIRST_OF_BOXES = 0.5, 0.15, 0.15
DISCOUNT, LEARNING_RATE, MOST_LOSS = 0.995, 0.5, 9.0  # of the experts
FIRST_LOSSES = (0.0, 5.0, 5.0)
LEAST_CURVATURE = 1e-4
LEAST_ERROR = 0.03  # rows that were predicted better teach nothing
MOST_COUPLED = 32_768  # numbers in the covariances of one rate

Input: TypeAlias = tuple[str, int, int | str]  # kind of the column, its number, the input
BIAS, BOXES = ("all", -1, "bias"), ("all", -1, "boxes")
Row: TypeAlias = dict[Input, float]
Constraint: TypeAlias = tuple[Hashable, int]  # a class and a sign, 1 or -1


def inputs_of(x: Query, columns: Columns, *, learned: bool) -> Row:
    """Return the inputs of a row that are not 0; none of columns without two values yet.

    `learned`: the row is about to be learned, so that a new value has its place among the first.
    """
    row: Row = {}
    for j in range(len(x.lower)):
        scale = columns.scales[j]
        if not scale.is_ready:
            continue
        at = x.numbers.get(j, x.apart.get(j))
        if at is None:
            row["numeric", j, "missing"] = 1.0
            continue
        ends = [(x.lower[j], at[0]), (x.upper[j], at[1])]
        ends = ends[:1] if x.lower[j] == x.upper[j] else ends
        for raw, position in ends:
            place = min(max(position, 0.0), 1.0) * (HATS - 1)
            left = min(int(place), HATS - 2)
            inputs: dict[int | str, float] = {
                "linear": scale.standardised(raw),
                left: 1 - (place - left),
                left + 1: place - left,
            }
            for which, value in inputs.items():
                key: Input = ("numeric", j, which)
                row[key] = row.get(key, 0.0) + value / len(ends)
    for j, category in enumerate(x.values):
        known = [*columns.known[j]]
        code = min(known.index(category) if category in known else len(known), OWN_VALUES)
        if len(known) >= 2 and (category in known or learned or code == OWN_VALUES):
            row["categorical", j, code] = 1.0
    return {key: value for key, value in row.items() if value != 0}


class Filter:
    """The weights of one logit and their covariance."""

    def __init__(self, drift: float) -> None:
        self.drift = drift
        self.weights: Row = {}
        self.first: Row = {}  # variances
        self.covariance: dict[Input, Row] = {}

    def meet(self, inputs: Sequence[Input]) -> None:
        """Take in inputs that are new."""
        for key in inputs:
            if key in self.weights:
                continue
            variance = FIRST_OF_HAT if isinstance(key[2], int) else FIRST_VARIANCE
            if key[0] == "categorical":
                variance = FIRST_VARIANCE
            self.first[key] = FIRST_OF_BOXES if key == BOXES else variance
            self.weights[key] = 1.0 if key == BOXES else 0.0
            self.covariance[key] = dict.fromkeys(self.weights, 0.0)
            for other in self.weights:
                self.covariance[other][key] = 0.0
            self.covariance[key][key] = self.first[key]

    def decouple(self) -> None:
        """Take weights of different columns as uncorrelated."""
        for a, of_a in self.covariance.items():
            self.covariance[a] = {b: v for b, v in of_a.items() if a[:2] == b[:2]}

    def logit(self, x: Row) -> float:
        """Return the weighted sum of a row; inputs that were never met add nothing."""
        return sum(value * self.weights.get(key, 0.0) for key, value in x.items())

    def update(self, x: Row, error: float, curvature: float) -> None:
        """Learn a row, of which the logit has the derivative `error`, and that curvature."""
        gain: Row = {}
        for key, value in x.items():
            for other, covariance in self.covariance[key].items():
                gain[other] = gain.get(other, 0.0) + value * covariance
        variance = max(sum(value * gain[key] for key, value in x.items()), 0.0)
        step = error / (1 + curvature * variance)
        scale = sqrt(curvature / (1 + curvature * variance))
        for a, of_a in gain.items():
            self.weights[a] += step * of_a
            for b in self.covariance[a]:
                self.covariance[a][b] -= scale * of_a * (scale * gain[b])
        for a in gain:
            if self.covariance[a][a] < self.first[a]:
                self.covariance[a][a] += self.drift * self.first[a]

    def project(self, j: int, direction: int) -> None:
        """Make the curve of a numeric column rise (direction 1) or fall (-1)."""
        linear: Input = ("numeric", j, "linear")
        if linear not in self.weights:
            return
        self.weights[linear] = direction * max(0.0, direction * self.weights[linear])
        hats: list[Input] = [("numeric", j, k) for k in range(HATS)]
        rising = [direction * self.weights[key] for key in hats]
        for k, key in enumerate(hats):
            self.weights[key] = direction * (max(rising[: k + 1]) + min(rising[k:])) / 2

    def mirrored(self) -> Filter:
        """Return the filter of the other of two classes."""
        other = Filter(self.drift)
        sign = {key: 1 if key == BOXES else -1 for key in self.weights}
        other.first = dict(self.first)
        other.weights = {key: sign[key] * value for key, value in self.weights.items()}
        other.covariance = {
            a: {b: sign[a] * sign[b] * value for b, value in of_a.items()}
            for a, of_a in self.covariance.items()
        }
        return other


class Layer:
    """The layer: `logits` of a row, by expert and class; `mixed` probabilities; `learn` a row."""

    def __init__(self, monotone: Mapping[int, Constraint] | None = None) -> None:
        self.monotone = monotone or {}  # by numeric column
        self.classes: list[Hashable] = []
        self.met: dict[Input, None] = dict.fromkeys((BIAS, BOXES))  # in order
        self.is_decoupled = False
        # By rate and class; of two classes only the second has one.
        self.filters: list[dict[Hashable, Filter]] = [{} for _ in DRIFTS]
        self.losses = [*FIRST_LOSSES]

    def logits(self, row: Row, by_boxes: Mapping[Hashable, float]) -> list[dict[Hashable, float]]:
        """Return the logits by the boxes alone, then by the filters of each rate."""
        boxes = centred(by_boxes)
        if list(boxes) != self.classes or len(boxes) < 2:
            return [boxes]
        every = [boxes]
        for filters in self.filters:
            by_class = {k: f.logit(_with(row, boxes[k])) for k, f in filters.items()}
            if len(self.classes) == 2:
                first, second = self.classes
                by_class = {first: -by_class[second], second: by_class[second]}
            every.append(by_class)
        return every

    def mixed(
        self, row: Row, by_boxes: Mapping[Hashable, float], trust: float
    ) -> dict[Hashable, float]:
        """Return the probabilities of the classes, the logits averaged over the experts."""
        logits = self.logits(row, by_boxes)
        if len(logits) == 1:
            return dict(by_boxes)
        weights = softmax({e: -LEARNING_RATE * loss for e, loss in enumerate(self.losses)})
        weights = {e: trust * weight for e, weight in weights.items()}
        weights[0] += 1 - trust
        return possible(
            {k: sum(weights[e] * its[k] for e, its in enumerate(logits)) for k in self.classes},
            by_boxes,
        )

    def learn(
        self,
        row: Row,
        by_boxes: Mapping[Hashable, float] | None,
        label: Hashable,
        classes: Sequence[Hashable],
        weight: float,
    ) -> None:
        """Learn a row with the probabilities by the boxes; of a new class, that there is one.

        `classes` are all there are now; `by_boxes` is None where the boxes say nothing.
        """
        if by_boxes is None or len(classes) < 2 or not list(by_boxes) == self.classes == [*classes]:
            self._grow(classes)
            return
        logits = self.logits(row, by_boxes)
        numbers = {key[1] for key in row if key[0] == "numeric" and key[2] != "missing"}
        for j in sorted(numbers):  # the inputs of a number are met together
            self.met |= dict.fromkeys(("numeric", j, which) for which in ("linear", *range(HATS)))
        self.met |= dict.fromkeys(row)
        self._keep_bounded()
        boxes = logits[0]
        for e, its in enumerate(logits):
            p = possible(its, by_boxes)
            self.losses[e] = self.losses[e] * DISCOUNT + min(-log(max(p[label], 1e-300)), MOST_LOSS)
            for k, one in self.filters[e - 1].items() if e else ():
                error = (k == label) - p[k]
                if abs(error) < LEAST_ERROR:
                    continue
                # With two classes the logits are s and -s, whose difference grows twice as fast.
                slope = 2 if len(self.classes) == 2 else 1
                curvature = max(p[k] * (1 - p[k]), LEAST_CURVATURE)
                x = _with(row, boxes[k])
                one.update(x, weight * slope * error, weight * slope**2 * curvature)
                self._project(k, one)

    def _grow(self, classes: Sequence[Hashable]) -> None:
        if len(classes) <= len(self.classes):
            return
        for drift, filters in zip(DRIFTS, self.filters, strict=True):
            if len(self.classes) == 2:
                first, second = self.classes
                filters[first] = filters[second].mirrored()
            for k in classes[1:] if len(classes) == 2 else classes if len(classes) > 2 else ():
                filters.setdefault(k, Filter(drift))
        self.classes = [*classes]
        self._keep_bounded()
        for filters in self.filters:
            for k, one in filters.items():
                self._project(k, one)

    def _project(self, k: Hashable, one: Filter) -> None:
        for j, (label, sign) in self.monotone.items():
            if label in self.classes:
                one.project(j, sign if k == label else -sign)

    def _keep_bounded(self) -> None:
        filters = [one for of_rate in self.filters for one in of_rate.values()]
        for one in filters:
            one.meet([*self.met])
        if len(self.filters[0]) * len(self.met) ** 2 > MOST_COUPLED:
            self.is_decoupled = True
        if self.is_decoupled:
            for one in filters:
                one.decouple()


def _with(row: Row, boxes: float) -> Row:
    return {BIAS: 1.0, BOXES: boxes, **row}


def possible(
    logits: Mapping[Hashable, float], by_boxes: Mapping[Hashable, float]
) -> dict[Hashable, float]:
    """Return the probabilities of the classes; none of a class without boxes."""
    p = softmax({k: value for k, value in logits.items() if by_boxes[k] > 0})
    return {k: p.get(k, 0.0) for k in logits}


def centred(p: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """Return log-probabilities less their mean; 0 of classes without boxes."""
    logs = {k: log(value) for k, value in p.items() if value > 0}
    mean = sum(logs.values()) / len(logs)
    return {k: logs[k] - mean if k in logs else 0.0 for k in p}


def softmax(logits: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """Return the probabilities that have these logits."""
    most = max(logits.values())
    shares = {k: exp(max(value - most, -700)) for k, value in logits.items()}
    total = sum(shares.values())
    return {k: share / total for k, share in shares.items()}
