"""Short lists of rules that say what a model says: the first rule that covers a row decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boxwise.rules.candidates import Bits, Candidates
from boxwise.rules.conjunction import Conjunction, best_conjunction

# Correct rows of a rule that outweigh one wrong row, while the first list is made. The best number
# depends on the data, so all are tried.
STRICTNESS = (2.0, 5.0)
MOST_CLASSES = 3  # those that a rule may be of, among many: its own and the most promising


@dataclass(frozen=True)
class Entry:
    """A rule while it is being looked for."""

    label: int
    found: Conjunction


@dataclass(frozen=True)
class RuleList:
    """Rules in their order, the class of all other rows, and what the list is worth."""

    entries: tuple[Entry, ...]
    otherwise: int
    value: float


class ListSearch:
    """Looks for lists that give rows their targets.

    A first list is made by covering: each rule takes rows that no rule before it covers, and must
    be right about nearly all of them. Then rules go, one by one, the one that is needed least
    first. After each, every rule that is left is looked for again, with all the others as they are:
    what it is worth to cover a row is then whether the rule would be right about it, less whether
    the rest of the list would. So no rule is kept because it was once the best.

    Parameters
    ----------
    candidates : Candidates
        What conditions can be made of, on these rows.
    targets : array of int
        The class that each row should get.
    weights : array of float
        What each row counts.
    price : float
        What a condition must gain, as a share of all rows.
    """

    def __init__(
        self,
        candidates: Candidates,
        targets: NDArray[np.int64],
        weights: NDArray[np.float64],
        price: float,
    ) -> None:
        self._candidates = candidates
        self._targets, self._weights = targets, weights
        self._price = price * float(weights.sum())
        self._classes = np.flatnonzero(np.bincount(targets, weights)).tolist()

    def path(self, most: int, report: Callable[[int], object]) -> list[RuleList]:
        """Return a list of each length, from the longest, the better of those that were found."""
        best: dict[int, RuleList] = {0: self._made([])}
        done = 0
        for strictness in STRICTNESS:
            for found in self._shrinking(self._covering(strictness, most)):
                length = len(found.entries)
                if length not in best or found.value > best[length].value:
                    best[length] = found
                done += length
                report(done)
        return [best[length] for length in sorted(best, reverse=True)]

    def _covering(self, strictness: float, most: int) -> list[Entry]:
        entries: list[Entry] = []
        left = np.ones(len(self._targets), bool)
        while len(entries) < most and left.any():
            found = None
            for k in self._classes:
                worth = np.where(self._targets == k, 1.0, -strictness) * self._weights * left
                rule = best_conjunction(self._candidates, worth, self._price)
                if rule is not None and (found is None or rule.value > found.found.value):
                    found = Entry(k, rule)
            if found is None:
                break
            entries.append(found)
            left &= ~found.found.rows
        return entries

    def _shrinking(self, entries: list[Entry]) -> Iterator[RuleList]:
        while entries:
            current = self._polished(entries)
            yield current
            entries = [*current.entries]
            without = [entries[:i] + entries[i + 1 :] for i in range(len(entries))]
            entries = max(without, key=lambda rest: self._made(rest).value)

    def _polished(self, entries: list[Entry]) -> RuleList:
        """Look for each rule again, with all the others as they are."""
        current = self._made(entries)
        for i in range(len(entries)):
            rest = [*current.entries]
            found = self._again(rest, i, current.otherwise)
            if found is not None:
                changed = self._made([*rest[:i], found, *rest[i + 1 :]])
                if changed.value > current.value:
                    current = changed
        return current

    def _again(self, entries: Sequence[Entry], i: int, otherwise: int) -> Entry | None:
        reached = np.ones(len(self._targets), bool)
        for entry in entries[:i]:
            reached &= ~entry.found.rows
        later = self._predict(entries[i + 1 :], otherwise) == self._targets
        best: Entry | None = None
        for k in self._promising(reached & ~later, entries[i].label):
            worth = np.where(reached, (self._targets == k) * 1.0 - later, 0.0) * self._weights
            rule = best_conjunction(self._candidates, worth, self._price)
            if rule is not None and (best is None or rule.value > best.found.value):
                best = Entry(k, rule)
        return best

    def _promising(self, wrong: Bits, own: int) -> list[int]:
        """Return the classes of the rows that the rest of the list gets wrong, most first."""
        counts = np.bincount(self._targets[wrong], self._weights[wrong], minlength=own + 1)
        ranked = [k for k in np.argsort(-counts, kind="stable").tolist() if counts[k] > 0]
        return [*dict.fromkeys([own, *ranked])][:MOST_CLASSES]

    def _made(self, entries: Sequence[Entry]) -> RuleList:
        left = np.ones(len(self._targets), bool)
        for entry in entries:
            left &= ~entry.found.rows
        rows = left if left.any() else ~left
        otherwise = int(np.argmax(np.bincount(self._targets[rows], self._weights[rows])))
        right = self._weights @ (self._predict(entries, otherwise) == self._targets)
        cost = sum(entry.found.cost for entry in entries)
        return RuleList(tuple(entries), otherwise, float(right) - cost)

    def _predict(self, entries: Sequence[Entry], otherwise: int) -> NDArray[np.int64]:
        predicted = np.full(len(self._targets), otherwise)
        for entry in reversed(entries):
            predicted[entry.found.rows] = entry.label
        return predicted
