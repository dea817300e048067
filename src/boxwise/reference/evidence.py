"""The learner behind HyperboxClassifier in plain Python: the specification the engine follows.

The model is a set of boxes that decide together by their likelihoods. `boxwise.reference.expert`
has their density, the relevance of the columns and the learning rule. This is what there is above:

**Change.** When ADWIN finds that the errors have risen, a challenger starts from the last 60 rows.
It replaces the current expert if its discounted log-loss becomes lower, or is dropped in the end,
or when parameters change so that there may be no other expert. A replaced expert retires with its
heaviest boxes, learns no more, and returns if clearly better. All experts predict, weighted by
exp(-loss) (Hedge).

**Budget.** All experts together have at most `max_boxes`, a fifth of them for a challenger and a
twentieth for each retired expert.

**Support.** The effective number of rows (Kish) behind a decision, times the share of it that boxes
carry and not the background. A tenth of a row, spread evenly over the classes, is added to them, so
that probabilities are no surer than the support allows; what the layer adds is shrunk alike.

**Layer.** `boxwise.reference.additive` goes on from these probabilities with a curve for each
column.

Where the probability of a class is to be monotone in a numeric column, only the layer sees that
column; to all boxes its value is missing. So nothing but the curve of the column depends on it.

**Class prior.** Probabilities are divided by the rows of the class to an exponent. Of several, the
one with the best class balanced accuracy counts.

Rows are as in `boxwise.reference.hyperbox`. It is slow on purpose: nothing is kept that can be
computed again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log, nextafter

from boxwise.reference.additive import Constraint, Layer, inputs_of
from boxwise.reference.adwin import Adwin
from boxwise.reference.expert import (
    TOLERANCE,
    Box,
    Columns,
    Evaluation,
    Expert,
    Parameter,
    Query,
    RangeScale,
    normalised,
    rows_of,
)
from boxwise.reference.hyperbox import Numbers, Values
from boxwise.reference.quantiles import QuantileScale

WEIGHT_UNITS = 2.0**20  # weights are multiples of 1 / WEIGHT_UNITS, and their sums exact
DISCOUNT, MOST_LOSS, TALLY_DISCOUNT = 0.97, 5.0, 0.999
MEAN = 1 / (1 - DISCOUNT)  # rows that a discounted sum stands for
RECENT, TRIAL, GIVE_UP, FIRST_ALARM = 60, 50, 1500, 300  # rows
RETURN_MARGIN = 0.25  # by which the mean loss of a retired expert must be lower
CHALLENGER_SHARE, RETIRED_SHARE = 0.2, 0.05  # of the budget
MOST_RETIRED, MOST_RETIRED_BOXES, LEAST_BUDGET = 2, 50, 20
MOST_CHANGES = 1000  # the latest, that are kept
PRIOR_ROWS = 0.1


@dataclass
class Change:
    """An event of the experts: at an alarm with error rates, else with mean log-losses."""

    row: int
    event: str
    before: float
    after: float
    boxes: int = 0  # given up
    moved: dict[Parameter, float] = field(default_factory=dict)  # logarithms of multipliers


class Evidence:
    """The learner: `learn` takes one row, `predict` names the class of one.

    `max_boxes` None is no limit; `priors` are the exponents of the class prior to choose from;
    `monotone` gives numeric columns a class and the sign of its change, 1 or -1.
    """

    def __init__(
        self,
        theta: float = 0.5,
        delta: float = 0.15,
        max_boxes: int | None = 1000,
        adapt: bool = True,
        priors: Sequence[float] = (0.0,),
        scale: Callable[[], RangeScale | QuantileScale] = QuantileScale,
        additive: bool = True,
        monotone: Mapping[int, Constraint] | None = None,
    ) -> None:
        self.theta, self.delta, self.max_boxes = theta, delta, max_boxes
        self.adapt, self.priors = adapt, priors
        self.columns = Columns(scale, apart=[*monotone] if monotone else [])
        self.layer = Layer(monotone) if additive else None
        self.experts = [Expert(self.columns, "current", 0)]  # the current one is the first
        self.adwin = Adwin()
        self.classes: list[Hashable] = []  # in order of first appearance
        self.recent: deque[tuple[Numbers, Numbers, Values, Hashable, float]] = deque(maxlen=RECENT)
        # By prior and class: rows of the class, predicted as it, both; discounted.
        self.tallies: dict[float, dict[Hashable, list[float]]] = {prior: {} for prior in priors}
        self.changes: deque[Change] = deque(maxlen=MOST_CHANGES)
        self.rows = self.labelled = self.created = 0

    def configure(self, max_boxes: int | None, *, adapt: bool) -> None:
        """Go on with another budget, and with or without following changes."""
        self.max_boxes, self.adapt = max_boxes, adapt
        if not adapt:
            self.recent.clear()
            self.adwin = Adwin()
        if not adapt or (max_boxes is not None and max_boxes < LEAST_BUDGET):
            for challenger in [e for e in self.experts if e.role == "challenger"]:
                self._drop(challenger)
            del self.experts[1:]
        if max_boxes is None:
            return
        for expert in self.experts[1:]:
            while len(expert.boxes) > self._quota(expert):
                expert.evict(unlabelled_only=False)
        while len(self.boxes) > max_boxes:
            self.experts[0].evict(unlabelled_only=False)

    @property
    def boxes(self) -> list[Box]:
        """The boxes of all experts in order of creation."""
        every = [box for expert in self.experts for box in expert.boxes]
        return sorted(every, key=lambda box: box.id)

    def predict(self, lower: Numbers, upper: Numbers, values: Values) -> Hashable:
        """Return the most probable class."""
        return self._most_probable(self._answer(lower, upper, values))

    def probabilities(self, lower: Numbers, upper: Numbers, values: Values) -> list[float]:
        """Return the probabilities of the classes."""
        p = self._answer(lower, upper, values)
        won = self._most_probable(p)
        rival = max((q for label, q in p.items() if label != won), default=0.0)
        if p[won] <= rival:  # so that the class predicted has the largest probability
            p[won] = nextafter(rival, 2.0)
        return [*p.values()]

    def _answer(self, lower: Numbers, upper: Numbers, values: Values) -> dict[Hashable, float]:
        x = self.columns.read(lower, upper, values)
        at = [expert.evaluate(x) for expert in self.experts]
        return self._balanced(self._decided(x, at), self.prior)

    def _decided(
        self, x: Query, at: Sequence[Evaluation], *, learned: bool = False
    ) -> dict[Hashable, float]:
        """Return the probabilities by boxes and layer, as sure as the support allows."""
        by_boxes = self.by_boxes(at)
        if self.layer is None:
            return by_boxes
        row, n = inputs_of(x, self.columns, learned=learned), self._support(at)
        return self.layer.mixed(row, by_boxes, trust=n / (n + PRIOR_ROWS))

    def by_boxes(self, at: Sequence[Evaluation]) -> dict[Hashable, float]:
        """Return the probabilities by the boxes, as sure as the support allows."""
        mixed, n = self._mixed(at), self._support(at)
        even = PRIOR_ROWS / sum(p > 0 for p in mixed.values())  # over the classes with boxes
        return {k: (n * p + even) / (n + PRIOR_ROWS) if p else 0.0 for k, p in mixed.items()}

    def support(self, lower: Numbers, upper: Numbers, values: Values) -> float:
        """Return the effective number of rows behind the decision, less what backgrounds carry."""
        return self._support(self._evaluate(lower, upper, values))

    def _support(self, at: Sequence[Evaluation]) -> float:
        carried = squares = 0.0
        for expert, its, weight in zip(self.experts, at, self._weights(at), strict=True):
            for box in expert.boxes:
                if box.label is not None:
                    part = weight * its.p[box.label] * its.parts[box.id]
                    carried += part
                    squares += part * part / box.n
        return carried**3 / squares if squares else 0.0

    def responsibilities(self, lower: Numbers, upper: Numbers, values: Values) -> list[float]:
        """Return how much of the probability of its class each box carries."""
        at = self._evaluate(lower, upper, values)
        p = dict(zip(self.classes, self.probabilities(lower, upper, values), strict=True))
        mixed = self._mixed(at)
        carried = dict.fromkeys((box.id for box in self.boxes), 0.0)
        for expert, its, weight in zip(self.experts, at, self._weights(at), strict=True):
            for box in expert.boxes:
                if box.label is not None and mixed[box.label] > 0:
                    share = weight * its.p[box.label] / mixed[box.label]
                    carried[box.id] = p[box.label] * share * its.parts[box.id]
        return [*carried.values()]

    def _evaluate(self, lower: Numbers, upper: Numbers, values: Values) -> list[Evaluation]:
        x = self.columns.read(lower, upper, values)
        return [expert.evaluate(x) for expert in self.experts]

    def _weights(self, at: Sequence[Evaluation]) -> list[float]:
        """Return the weights of the experts (Hedge); none for one without a class."""
        losses = {m: -self.experts[m].loss for m, its in enumerate(at) if its.p}
        weights, _ = normalised(losses)
        return [weights.get(m, 0.0) for m in range(len(at))]

    def _mixed(self, at: Sequence[Evaluation]) -> dict[Hashable, float]:
        """Return the probabilities of the classes by all experts."""
        mixed = dict.fromkeys(self.classes, 0.0)
        for its, weight in zip(at, self._weights(at), strict=True):
            for label, p in its.p.items():
                mixed[label] += weight * p
        return mixed

    def _balanced(self, p: Mapping[Hashable, float], prior: float) -> dict[Hashable, float]:
        """Return the probabilities with the rows of the classes, to an exponent, taken out."""
        sizes = {label: rows_of(boxes) for label, boxes in self.experts[0].by_class().items()}
        shares = {k: q * max(sizes.get(k, 0.0), 1.0) ** -prior for k, q in p.items()}
        total = sum(shares.values())
        return {label: share / total for label, share in shares.items()}

    def _most_probable(self, p: Mapping[Hashable, float]) -> Hashable:
        """Return the first of the most probable classes."""
        most = max(p.values())
        return next(label for label in self.classes if p.get(label, 0.0) > most - TOLERANCE)

    @property
    def prior(self) -> float:
        """The exponent with the best class balanced accuracy so far; the first of several."""
        accuracy = {}
        for prior, tallies in self.tallies.items():
            shares = [both / max(rows, predicted) for rows, predicted, both in tallies.values()]
            accuracy[prior] = sum(shares) / max(len(shares), 1)
        best = max(accuracy.values())
        return next(prior for prior in self.priors if accuracy[prior] >= best - TOLERANCE)

    def learn(
        self,
        lower: Numbers,
        upper: Numbers,
        values: Values,
        label: Hashable | None = None,
        weight: float = 1.0,
    ) -> None:
        """Learn a row; of weight w as floor(w) rows and one with what is left of w."""
        left = max(round(weight * WEIGHT_UNITS), 1) / WEIGHT_UNITS if weight > 0 else 0.0
        while left > 0:
            self._learn(lower, upper, values, label, min(left, 1.0))
            left -= 1

    def _learn(
        self, lower: Numbers, upper: Numbers, values: Values, label: Hashable | None, weight: float
    ) -> None:
        for j, low in enumerate(lower):
            if low <= upper[j]:
                self.columns.scales[j].meet(low, upper[j])
        x = self.columns.read(lower, upper, values)
        at = [expert.evaluate(x) for expert in self.experts]
        by_boxes = self.by_boxes(at) if any(its.p for its in at) else None
        alarm = False
        if label is not None:
            if by_boxes is not None:
                alarm = self._score(at, self._decided(x, at, learned=True), label)
            if label not in self.classes:
                self.classes.append(label)
            if self.layer is not None:
                row = inputs_of(x, self.columns, learned=True)
                self.layer.learn(row, by_boxes, label, self.classes, weight)
        for j, value in enumerate(x.values):
            self.columns.known[j][value] = None
        for expert, its in zip(self.experts, at, strict=True):
            if expert.role != "retired":
                self._insert(expert, its, x, label, weight)
        self.rows += 1
        self.labelled += label is not None
        if self.adapt and label is not None:
            self.recent.append((lower, upper, values, label, weight))
            self._follow_change(alarm)

    def _score(
        self, at: Sequence[Evaluation], p: Mapping[Hashable, float], label: Hashable
    ) -> bool:
        """Count the losses; return whether the errors of the current expert have risen."""
        if len(self.priors) > 1:
            self._tally(p, label)
        for expert, its in zip(self.experts, at, strict=True):
            expert.loss = expert.loss * DISCOUNT + loss(its, label)
        if not self.adapt or not at[0].p:
            return False
        wrong = self._most_probable(at[0].p) != label
        return self.adwin.update(wrong) and self.adwin.newer > self.adwin.older

    def _tally(self, p: Mapping[Hashable, float], label: Hashable) -> None:
        for prior, tallies in self.tallies.items():
            for known in tallies:
                tallies[known] = [number * TALLY_DISCOUNT for number in tallies[known]]
            won = self._most_probable(self._balanced(p, prior))
            tallies.setdefault(label, [0.0] * 3)[0] += 1
            tallies.setdefault(won, [0.0] * 3)[1] += 1
            tallies[label][2] += won == label

    def _insert(
        self, expert: Expert, at: Evaluation, x: Query, label: Hashable | None, weight: float
    ) -> None:
        """Let an expert learn a row: the relevance first, then the boxes."""
        if label is not None:
            expert.step(x, label, at)
        expert.clock += weight
        box = expert.find(x, label, at, self.theta, self.delta)
        if box is None:
            if not self._make_room(expert, label):
                return
            n, r = len(x.lower), len(x.values)
            box = Box(self.created, [inf] * n, [-inf] * n, [{} for _ in range(r)], label)
            self.created += 1
            expert.boxes.append(box)
        for j in x.numbers:
            box.V[j], box.W[j] = min(box.V[j], x.lower[j]), max(box.W[j], x.upper[j])
        for counts, value in zip(box.D, x.values, strict=True):
            counts[value] = counts.get(value, 0.0) + weight
        box.n += weight
        box.last = expert.clock
        box.label = label if box.label is None else box.label

    def _make_room(self, expert: Expert, label: Hashable | None) -> bool:
        """Remove a box of the expert if it has its quota, or else of one that has more.

        A row without a label never pushes out a box with a class: then there is no room.
        """
        if self.max_boxes is None:
            return True
        if len(expert.boxes) < self._quota(expert):
            if len(self.boxes) < self.max_boxes:
                return True
            expert = max(self.experts, key=lambda other: len(other.boxes) - self._quota(other))
        return expert.evict(unlabelled_only=label is None)

    def _quota(self, expert: Expert) -> int:
        """Return how many boxes an expert may have; the current one, what the others leave."""
        budget = self.max_boxes or 0
        quotas = {"challenger": int(CHALLENGER_SHARE * budget), "retired": self._retired_boxes()}
        others = sum(quotas[other.role] for other in self.experts[1:])
        return quotas.get(expert.role, budget - others)

    def _retired_boxes(self) -> int:
        if self.max_boxes is None:
            return MOST_RETIRED_BOXES
        return min(int(RETIRED_SHARE * self.max_boxes), MOST_RETIRED_BOXES)

    def _follow_change(self, alarm: bool) -> None:
        challengers = [expert for expert in self.experts if expert.role == "challenger"]
        if challengers:
            self._compare_challenger(challengers[0])
        else:
            self._compare_retired()
        settled = self.labelled - self.experts[0].since > FIRST_ALARM
        room = self.max_boxes is None or self.max_boxes >= LEAST_BUDGET
        if alarm and settled and room and not any(e.role == "challenger" for e in self.experts):
            self._start_challenger()

    def _start_challenger(self) -> None:
        self.changes.append(Change(self.rows, "alarm", self.adwin.older, self.adwin.newer))
        challenger = Expert(self.columns, "challenger", self.labelled)
        challenger.loss = MEAN * log(max(len(self.classes), 2))  # at first it is taken for a coin
        self.experts.append(challenger)
        for lower, upper, values, label, weight in self.recent:
            x = self.columns.read(lower, upper, values)
            at = challenger.evaluate(x)
            if at.p:
                challenger.loss = challenger.loss * DISCOUNT + loss(at, label)
            self._insert(challenger, at, x, label, weight)

    def _compare_challenger(self, challenger: Expert) -> None:
        current, age = self.experts[0], self.labelled - challenger.since
        if age >= TRIAL and challenger.loss < current.loss - TOLERANCE:
            self._replace_current(challenger, "replaced")
        elif age > GIVE_UP:
            self._drop(challenger)

    def _drop(self, challenger: Expert) -> None:
        losses = self.experts[0].loss / MEAN, challenger.loss / MEAN
        self.changes.append(Change(self.rows, "dropped", *losses, len(challenger.boxes)))
        self.experts.remove(challenger)

    def _compare_retired(self) -> None:
        most = self.experts[0].loss - RETURN_MARGIN * MEAN - TOLERANCE
        for retired in self.experts[1:]:
            if self.labelled - retired.since >= TRIAL and retired.loss < most:
                return self._replace_current(retired, "returned")

    def _replace_current(self, by: Expert, event: str) -> None:
        """Make another expert the current one, which retires with its heaviest boxes."""
        old, place = self.experts[0], self.experts.index(by)
        self.experts[0], self.experts[place] = by, old
        by.role, old.role, by.since, old.since = "current", "retired", self.labelled, self.labelled
        before = len(old.boxes)
        old.reduce(self._retired_boxes())
        moved = {p: by.logs.get(p, 0.0) - old.logs.get(p, 0.0) for p in {**by.logs, **old.logs}}
        losses, given_up = (old.loss / MEAN, by.loss / MEAN), before - len(old.boxes)
        self.changes.append(Change(self.rows, event, *losses, given_up, moved))
        self.adwin = Adwin()
        if not self._retired_boxes():
            self.experts.remove(old)
        while sum(expert.role == "retired" for expert in self.experts) > MOST_RETIRED:
            self.experts.remove(min(self.experts[1:], key=lambda expert: expert.since))


def loss(at: Evaluation, label: Hashable) -> float:
    """Return the log-loss of an expert, which is bounded."""
    return min(-log(max(at.p.get(label, 0.0), 1e-300)), MOST_LOSS)
