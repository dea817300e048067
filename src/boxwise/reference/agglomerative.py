"""AGGLO-2 and AGGLO-SM in plain Python: the specification the engine is tested against.

Gabrys, "Agglomerative learning algorithms for general fuzzy min-max neural network" (2002), for
numbers; the categorical part follows EIOL-GFMM, whose equations the numbers in brackets are.
Every sample starts as a box, and boxes of a class are merged, the most similar first. It is slow
on purpose: after every merge everything is looked at anew.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations

from boxwise.reference.eiol import EIOL, ROUNDING, entropy, overlap
from boxwise.reference.hyperbox import Box, Numbers, Values, ramp, same_class

Sample = tuple[Numbers, Numbers, Values, Hashable]


class Agglomerative(EIOL):
    """The learner: `fit` takes all samples at once; predicting is that of EIOL-GFMM."""

    def __init__(
        self,
        theta: float,
        delta: float,
        alpha: float,
        gamma: Sequence[float],
        condition: str = "each",
        ranges: Sequence[tuple[float, float] | None] | None = None,
        growing: bool = True,
        method: str = "agglo2",
        similarity: str = "mid",
        min_similarity: float = 0.0,
    ) -> None:
        super().__init__(theta, delta, alpha, gamma, condition, ranges, growing)
        self.method, self.kind, self.min_similarity = method, similarity, min_similarity

    def fit(self, samples: Iterable[Sample]) -> None:
        """Make a box of every sample, then merge."""
        for lower, upper, values, label in samples:
            self.meet(lower, upper, label)
            self.boxes.append(Box([*lower], [*upper], [{value: 1} for value in values], 1, label))
        if self.method == "agglosm":
            self._merge_most_similar_pairs()
        else:
            self._merge_box_by_box()

    def _merge_most_similar_pairs(self) -> None:
        """AGGLO-SM: of all pairs that may merge, the most similar; again, until there is none."""
        while pair := next(self._mergeable(combinations(self.boxes, 2)), None):
            self._merge(*pair)

    def _merge_box_by_box(self) -> None:
        """AGGLO-2: each box in turn with its most similar partner, until a pass merges nothing.

        A box merges once in its turn, and the next box is looked at then; one that has been merged
        into an older box has no turn any more.
        """
        merged = True
        while merged:
            merged = False
            for box in [*self.boxes]:
                if all(b is not box for b in self.boxes):
                    continue
                pairs = [(a, b) for a, b in combinations(self.boxes, 2) if a is box or b is box]
                for pair in self._mergeable(pairs):
                    self._merge(*pair)
                    merged = True
                    break

    def _mergeable(self, pairs: Iterable[tuple[Box, Box]]) -> Iterator[tuple[Box, Box]]:
        """Yield the pairs that may merge, by similarity; equally similar ones, the oldest first."""
        for a, b in sorted(pairs, key=lambda pair: self.similarity(*pair), reverse=True):
            if self.similarity(a, b) >= self.min_similarity and self.may_merge(a, b):
                yield a, b

    def may_merge(self, a: Box, b: Box) -> bool:
        """Whether the classes agree, the size and entropy tests pass and no overlap results."""
        if a.label != b.label and a.label is not None and b.label is not None:
            return False
        both = union(a, b)
        others = (c for c in self.boxes if c is not a and c is not b and not same_class(c, both))
        return (
            self.fits(both, both.V, both.W)
            and self.merges_purely(a, b)
            and not any(overlap(both, other) for other in others)
        )

    def merges_purely(self, a: Box, b: Box) -> bool:
        """(11) or (12), with the entropy change of a merge in place of (10)."""
        Z = [entropy_change(d_a, d_b) for d_a, d_b in zip(a.D, b.D, strict=True)]
        if self.condition == "mean":
            return not Z or sum(Z) / len(Z) <= self.delta + ROUNDING
        return all(z <= self.delta + ROUNDING for z in Z)

    def similarity(self, a: Box, b: Box) -> float:
        """How alike two boxes are; for a single sample and `short`, it is the membership (7).

        Gabrys' threshold 1 - max(gamma) theta is not tested: where the size test passes, none of
        the three distances is longer than theta.
        """
        s_num, s_cat = self.s_num(a, b), 1.0
        if a.D:  # one division, so that equal shares are equal numbers
            s_cat = sum(shared(a, b)) / (a.n * b.n * len(a.D))
        if not a.D or not a.V:
            return s_cat if a.D else s_num
        return self.alpha * s_num + (1 - self.alpha) * s_cat

    def s_num(self, a: Box, b: Box) -> float:
        """One of Gabrys' three similarities; a feature one of the boxes never saw does not count.

        `mid` differs by which of the two boxes is first; the larger of the two values counts.
        """
        s_ab, s_ba = 1.0, 1.0
        for j in range(len(a.V)):
            v_a, w_a, v_b, w_b = a.V[j], a.W[j], b.V[j], b.W[j]
            if v_a > w_a or v_b > w_b:
                continue
            slope = self.gamma[j] / self.width(j) if self.width(j) else 0.0
            if self.kind == "short":  # the gap between them
                ab = ba = max(v_b - w_a, v_a - w_b)
            elif self.kind == "long":  # from the far side of one to the far side of the other
                ab = ba = max(w_b - v_a, w_a - v_b)
            else:  # how far a corner of b would have to move for b to lie around a; the reverse
                ab, ba = max(v_b - v_a, w_a - w_b), max(v_a - v_b, w_b - w_a)
            s_ab, s_ba = min(s_ab, 1 - ramp(ab, slope)), min(s_ba, 1 - ramp(ba, slope))
        return max(s_ab, s_ba)

    def _merge(self, older: Box, younger: Box) -> None:
        """Let the older box stand for both, in its place."""
        both = union(older, younger)
        older.V, older.W, older.D, older.n, older.label = both.V, both.W, both.D, both.n, both.label
        self.boxes = [b for b in self.boxes if b is not younger]


def union(a: Box, b: Box) -> Box:
    """Return the smallest box around both, with all their samples; a label goes before none."""
    return Box(
        [min(v_a, v_b) for v_a, v_b in zip(a.V, b.V, strict=True)],
        [max(w_a, w_b) for w_a, w_b in zip(a.W, b.W, strict=True)],
        [add(d_a, d_b) for d_a, d_b in zip(a.D, b.D, strict=True)],
        a.n + b.n,
        b.label if a.label is None else a.label,
    )


def add(d_a: dict[Hashable, int], d_b: dict[Hashable, int]) -> dict[Hashable, int]:
    """Return the counts of both sets together."""
    return {value: d_a.get(value, 0) + d_b.get(value, 0) for value in [*d_a, *d_b]}


def shared(a: Box, b: Box) -> list[int]:
    """Return what of their relative frequencies the boxes share in each feature, times n_a n_b.

    With a single sample in b it is the count of its value in a: the numerator of (8).
    """
    return [
        sum(min(d_a[value] * b.n, d_b[value] * a.n) for value in d_a if value in d_b)
        for d_a, d_b in zip(a.D, b.D, strict=True)
    ]


def entropy_change(d_a: dict[Hashable, int], d_b: dict[Hashable, int]) -> float:
    """Z_j of a merge: the entropy of all samples, less the mean entropy in the boxes they are in.

    With a single sample in one of the sets it is (10).
    """
    n_a, n_b = sum(d_a.values()), sum(d_b.values())
    within = (n_a * entropy(d_a) + n_b * entropy(d_b)) / (n_a + n_b)
    return entropy(add(d_a, d_b)) - within
