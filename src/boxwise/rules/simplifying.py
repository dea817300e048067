"""From many rules to a few that one can read."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Boxes, Model
from boxwise.evaluate import class_balanced_accuracy
from boxwise.inputs import Batch, encode
from boxwise.progress import follow
from boxwise.rules.candidates import Candidates
from boxwise.rules.rule import Rule
from boxwise.rules.rule_list import STRICTNESS, Entry, ListSearch, RuleList
from boxwise.rules.simplification import Point, Simplification
from boxwise.rules.synthetic_rows import joined, synthetic_rows
from boxwise.rules.within import boxes_within
from boxwise.schema import Schema, show

if TYPE_CHECKING:
    from boxwise.rules.ruleset import RuleSet

MIN_SEARCH_ROWS, MAX_SEARCH_ROWS = 3_000, 10_000  # fewer are filled up with synthetic rows
LEAST_SHARE, LEAST = 0.02, 20  # of the rows given that a rule must decide, or so many
Progress = bool | Callable[[int, int], object] | None


def simplify(
    rules: RuleSet,
    X: Any,
    y: Any,
    fidelity: float = 0.95,
    *,
    validation: float | tuple[Any, Any] = 0.25,
    max_rules: int = 12,
    price: float = 0.001,
    random_state: int = 0,
    progress: Progress = None,
) -> RuleSet:
    """Return a short list of rules that predicts as the model does.

    The first rule that covers a row decides; the last one, OTHERWISE, covers all. Intervals end
    where boxes do and sets are of values that boxes hold, so a rule stands for many boxes.
    Fidelity is measured against the model's predictions, on the given rows and on synthetic rows.
    A synthetic row is a given one with some columns replaced by those of others, so few rows are
    enough. Some of the rows are held out, and the shortest list is returned that reaches the wanted
    fidelity on these and on synthetic rows made from these.

    Parameters
    ----------
    rules : RuleSet
        Rules with their model, as ``clf.rules()`` gives them.
    X, y : table and labels
        Rows to do it with; those that the model has learned will do.
    fidelity : float from 0 to 1
        Share of held-out rows on which the rules must agree with the model. If no list does, the
        shortest is returned that is about as good as the best, with a warning.
    validation : float, or pair of table and labels
        The share of the rows to hold out, or other rows for it.
    max_rules : int
        The most rules to try, besides the last one, OTHERWISE.
    price : float
        Minimum share of rows a condition must correct; a fifth of that for a set value. A higher
        price gives shorter rules.
    random_state : int
        Seed for the held-out and synthetic rows.
    progress : bool, callable or None
        True shows a bar, False none; None shows one on a terminal; a callable gets
        ``(done, total)``.

    Returns
    -------
    RuleSet
        Measured on X and y. Its `simplification` has the lists of all lengths.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import LoanStream
    >>> X, y = LoanStream(2_000, function=1, seed=1).table()
    >>> rules = HyperboxClassifier().fit(X, y).rules()
    >>> len(rules) > 500
    True
    >>> short = rules.simplify(X, y, fidelity=0.9)
    >>> len(short) < 6
    True
    """
    _check(fidelity, max_rules, price)
    task = _Task(rules, X, y, validation, random_state)
    total = len(STRICTNESS) * max_rules * (max_rules + 1) // 2
    with follow(progress, total, "simplifying", "rules") as report:
        lists = task.search(price).path(max_rules, report)
    points = _one_of_each_length(task.point(found) for found in lists)
    found = Simplification(points, fidelity, task.model_cba(), task.held.n_rows, task.asked.n_rows)
    if not found.reached:
        chosen = found.chosen
        warnings.warn(
            f"no list of up to {max_rules + 1} rules agrees with the model on {fidelity:.1%} of "
            f"held-out rows; this one of {chosen.n_rules} does on {chosen.fidelity:.1%}; ask for "
            "less, or try a lower price and more max_rules",
            UserWarning,
            stacklevel=3,
        )
    return found.chosen.rules.measure(X, y)._with(simplification=found)


def _one_of_each_length(points: Iterator[Point]) -> tuple[Point, ...]:
    best: dict[int, Point] = {}
    for point in points:
        known = best.get(point.n_rules)
        if known is None or point.fidelity > known.fidelity:
            best[point.n_rules] = point
    return tuple(best[n] for n in sorted(best))


class _Task:
    """The rows to search with, those held out, and the predictions of the model for both."""

    def __init__(
        self, rules: RuleSet, X: Any, y: Any, validation: float | tuple[Any, Any], seed: int
    ) -> None:
        self._rules = rules._list_of(())  # with what the model knows by now
        self._model: Model = rules.model
        self._schema: Schema = self._model.described_schema()
        self._boxes: Boxes = self._model.boxes()
        random = np.random.default_rng(seed)
        batch, labels = self._read(X, y)
        if isinstance(validation, tuple):
            given = batch
            self.held, self._labels = self._read(*validation)
        else:
            rest, held = _parted(self._model.predict(batch), validation, random)
            given, self.held, self._labels = _rows(batch, rest), _rows(batch, held), labels[held]
        self._predicted = self._model.predict(self.held)
        if isinstance(validation, tuple):
            self.asked = self.held
        else:  # the model may have learned these rows, and know them too well
            self.asked = joined(self.held, synthetic_rows(self.held, 4 * self.held.n_rows, random))
        self._answers = self._model.predict(self.asked)
        if given.n_rows > MAX_SEARCH_ROWS:
            drawn = random.choice(given.n_rows, MAX_SEARCH_ROWS, replace=False)
            given = _rows(given, np.sort(drawn))
        n = min(max(MIN_SEARCH_ROWS - given.n_rows, given.n_rows), MAX_SEARCH_ROWS - given.n_rows)
        self._n_given = given.n_rows
        self._given = joined(given, synthetic_rows(given, n, random)) if n > 0 else given
        self._candidates = Candidates(self._schema, self._boxes, self._given)

    def _read(self, X: Any, y: Any) -> tuple[Batch, NDArray[np.int32]]:
        batch = encode(X, self._model.schema, learn=False, reader="the rules")
        return batch, self._rules._read_labels(y, batch)

    def search(self, price: float) -> ListSearch:
        targets = self._model.predict(self._given).astype(np.int64)
        return ListSearch(self._candidates, targets, np.ones(len(targets)), price)

    def point(self, found: RuleList) -> Point:
        rules = self._ruleset(found)
        same = float((rules._decide(self.asked) == self._answers).mean())
        predicted = rules._decide(self.held)
        return Point(rules, len(rules), rules.n_conditions, same, self._cba(predicted))

    def model_cba(self) -> float:
        return self._cba(self._predicted)

    def _cba(self, predicted: NDArray[Any]) -> float:
        known = self._labels >= 0
        if not known.any():
            return float("nan")
        return class_balanced_accuracy(self._labels[known].tolist(), predicted[known].tolist())

    def _ruleset(self, found: RuleList) -> RuleSet:
        """Return the list as rules, but for those that decide next to none of the rows given."""
        least = min(LEAST, max(1.0, LEAST_SHARE * self._n_given))
        kept = [entry for entry, n in self._decided(found) if n >= least]
        classes = self._model.classes
        listed = [(self._candidates.conditions(e.found.picks), classes[e.label]) for e in kept]
        listed.append(((), classes[found.otherwise]))
        rules = []
        for rank, (conditions, label) in enumerate(listed):
            boxes = boxes_within(conditions, label, self._boxes, self._schema)
            rows = round(float(self._boxes.n_samples[[*boxes]].sum()))
            rules.append(Rule(conditions, label, rank, rows, boxes))
        return self._rules._list_of(rules)

    def _decided(self, found: RuleList) -> Iterator[tuple[Entry, int]]:
        """Yield each rule with how many of the rows given it decides."""
        left = np.ones(self._n_given, bool)
        for entry in found.entries:
            rows = entry.found.rows[: self._n_given]
            yield entry, int(np.count_nonzero(rows & left))
            left &= ~rows


def _check(fidelity: float, max_rules: int, price: float) -> None:
    if not 0 <= fidelity <= 1:
        raise ValueError(f"fidelity must be from 0 to 1, not {show(fidelity)}")
    if max_rules < 1:
        raise ValueError(f"max_rules must be at least 1, not {show(max_rules)}")
    if price < 0:
        raise ValueError(f"price must not be below 0, not {show(price)}")


def _parted(
    predicted: NDArray[np.int32], share: float, random: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which rows to search with and which to hold out, of each class its share."""
    if not 0 < share < 1:
        raise ValueError(f"validation must be a share between 0 and 1, not {show(share)}")
    order = np.lexsort((random.random(len(predicted)), predicted))
    steps = np.floor((np.arange(len(predicted)) + 0.5) * share).astype(int)
    out = np.diff(steps, prepend=0) > 0
    if out.sum() < 1 or out.all():  # too few rows to hold any out
        return np.arange(len(predicted)), np.arange(len(predicted))
    return np.sort(order[~out]), np.sort(order[out])


def _rows(batch: Batch, rows: NDArray[np.intp]) -> Batch:
    lower = batch.lower[rows]
    upper = lower if batch.upper is batch.lower else batch.upper[rows]
    return Batch(lower, upper, batch.codes[rows], [])
