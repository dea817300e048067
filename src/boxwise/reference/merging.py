"""The merging of models in plain Python: the specification the engine is tested against.

The first model goes on learning, from the boxes of another one instead of rows. It is slow on
purpose.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from copy import deepcopy

from boxwise.reference.agglomerative import Agglomerative, union
from boxwise.reference.hyperbox import Box

FEW = 256  # rows; a larger box is never taken apart
MARGIN = 1.25  # fewer boxes than that cost accuracy (see benchmarks/results/merging.md)

Row = tuple[list[float], list[float], list[Hashable]]


class Merged(Agglomerative):
    """The model to be: `start` takes the boxes of the first model, `join` those of another."""

    def start(self, boxes: Sequence[Box]) -> None:
        """Begin with the boxes of a model."""
        self.boxes = deepcopy([*boxes])
        self.created = [*self.boxes]  # also those that will be taken apart

    def join(self, boxes: Sequence[Box]) -> None:
        """Let every box be taken by another one or stay; then reduce what stays beyond measure.

        How many boxes the rows of the other model would have made is estimated as Good and Turing
        did: the share of rows that are alone in a box is how often a row makes a new one. Of what
        is more than that, the smallest boxes are taken apart into rows or else merged.
        """
        alone, rows = sum(b.n == 1 for b in self.boxes), sum(b.n for b in self.boxes)
        more = sum(b.n for b in boxes)
        expected = MARGIN * more * alone / rows if rows else more
        stayed = [box for box in deepcopy([*boxes]) if not self._is_taken(box)]
        surplus = len(stayed) - expected
        for box in sorted(stayed, key=lambda b: b.n):  # equal sizes: the oldest first
            if surplus <= 0:
                break
            if any(b is box for b in self.boxes) and (
                self._is_taken_apart(box) or self._is_merged(box)
            ):
                surplus -= 1

    def _is_taken(self, box: Box) -> bool:
        """By a box that contains it; if it is a single row, by the online rule."""
        if all(len(d) == 1 for d in box.D):
            values = [next(iter(d)) for d in box.D]
            for taker in self.boxes:
                if self._may_take(taker, box) and self.contains(taker, box.V, box.W, values):
                    _replace(taker, union(taker, box), taker.V, taker.W)
                    return True
            if box.n == 1 and self._is_learned((box.V, box.W, values), box.label):
                return True
        self.boxes.append(box)
        self.created.append(box)
        return False

    def _may_take(self, taker: Box, box: Box) -> bool:
        return box.label is None or taker.label in (box.label, None)

    def _is_learned(self, row: Row, label: Hashable) -> bool:
        """Learn a row as online, unless it would make a new box."""
        size = len(self.boxes)
        self.learn(*row, label)
        if len(self.boxes) > size:
            del self.boxes[-1]
            return False
        return True

    def _is_taken_apart(self, box: Box) -> bool:
        """Give the rows of a box to others, if all of them find one that takes them."""
        if box.n > FEW:
            return False
        before = self.boxes
        self.boxes = [b for b in before if b is not box]
        saved = deepcopy(self.boxes)
        for row in self._rows(box):
            if not self._is_learned(row, box.label):
                for b, was in zip(self.boxes, saved, strict=True):
                    _replace(b, was, was.V, was.W)
                self.boxes = before
                return False
        return True

    def _is_merged(self, box: Box) -> bool:
        """Merge a box with the most similar one it may merge with."""
        others = [b for b in self.boxes if b is not box]
        for other in sorted(others, key=lambda b: self.similarity(b, box), reverse=True):
            if self.may_merge(other, box):
                older, younger = (b for b in self.boxes if b is box or b is other)
                both = union(older, younger)
                _replace(older, both, both.V, both.W)
                self.boxes = [b for b in self.boxes if b is not younger]
                return True
        return False

    def _rows(self, box: Box) -> Iterator[Row]:
        """Make up the rows of a box, of which each feature is known by itself only.

        They are taken to be spread evenly, and which values go together is drawn.
        """
        if box.n == 1:
            yield box.V, box.W, [next(iter(d)) for d in box.D]
            return
        number = next(i for i, b in enumerate(self.created) if b is box)
        dealt = deal(len(box.V) + len(box.D), box.n, seed=number)
        n = len(box.V)
        for i in range(box.n):
            numbers = [_spread(box, j, dealt[j][i]) for j in range(n)]
            values = [_listed(d)[dealt[n + j][i]] for j, d in enumerate(box.D)]
            unset = [v > w for v, w in zip(box.V, box.W, strict=True)]
            lower = [box.V[j] if unset[j] else x for j, x in enumerate(numbers)]
            upper = [box.W[j] if unset[j] else x for j, x in enumerate(numbers)]
            yield lower, upper, values


def _replace(box: Box, new: Box, V: list[float], W: list[float]) -> None:
    box.V, box.W, box.D, box.n, box.label = [*V], [*W], new.D, new.n, new.label


def _listed(d: dict[Hashable, int]) -> list[Hashable]:
    return [value for value in sorted(d) for _ in range(d[value])]  # type: ignore[type-var]


def _spread(box: Box, j: int, position: int) -> float:
    v, w = box.V[j], box.W[j]
    return w if position == box.n - 1 else min(v + position / (box.n - 1) * (w - v), w)


def deal(n_features: int, n_rows: int, seed: int) -> list[list[int]]:
    """Return for each feature an order of the rows, drawn with splitmix64: always the same."""
    orders = []
    for _ in range(n_features):
        order = [*range(n_rows)]
        for left in range(n_rows, 1, -1):
            seed = (seed + 0x9E3779B97F4A7C15) % 2**64
            z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
            drawn = (z ^ (z >> 31)) % left
            order[left - 1], order[drawn] = order[drawn], order[left - 1]
        orders.append(order)
    return orders
