"""Onln-GFMM-M1: the engine makes the boxes and gives the answers of the reference, bit for bit."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import CastilloGFMM
from boxwise.reference.castillo import Castillo
from boxwise.reference.hyperbox import in_units

from .agreement import assert_same_answers
from .agreement import assert_same_boxes as assert_agreeing_boxes
from .streams import UNLABELLED, Stream, streams

thorough = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
etas = st.sampled_from([0, 0.1, 0.3, 0.5, 0.7, 1])


def classifier(stream: Stream, eta: float) -> CastilloGFMM:
    r = len(stream.values[0])
    return CastilloGFMM(
        stream.theta,
        eta,
        gamma=stream.gamma,
        categorical_features=list(range(stream.n, stream.n + r)),
        feature_range=(0, 1) if stream.fixed_range else "data",
        unlabelled=UNLABELLED,
    )


def fitted(stream: Stream, eta: float) -> CastilloGFMM:
    X, upper = stream.table()
    return classifier(stream, eta).fit(X, stream.labels, upper=upper)


def taught(stream: Stream, eta: float, kind: type[Castillo] = Castillo) -> Castillo:
    learner = kind(
        stream.theta, eta, stream.gamma, stream.ranges(known=True), growing=not stream.fixed_range
    )
    labels = [None if label == UNLABELLED else label for label in stream.labels]
    samples = zip(stream.samples(), labels, strict=True)
    learner.prepare([(*sample, label) for sample, label in samples])
    return stream.teach(learner)


def assert_same_boxes(clf: CastilloGFMM, reference: Castillo) -> None:
    assert_agreeing_boxes(clf, reference)
    assert clf.boxes_.bounds == [
        [tuple(dict.fromkeys(box.bounds(j))) for j in range(len(box.E))] for box in reference.boxes
    ]


def unseen(stream: Stream) -> Stream:
    """The same rows with their values changed about, and some that were in none of them."""
    random = Random(len(stream.labels))
    values = [
        [random.choice([row[j], other[j], "new"]) for j in range(len(row))]
        for row, other in zip(stream.values, reversed(stream.values), strict=True)
    ]
    return Stream(**{**vars(stream), "values": values})


@thorough
@given(streams(), etas)
def test_fit_learns_the_boxes_of_the_reference(stream, eta):
    clf, reference = fitted(stream, eta), taught(stream, eta)
    assert_same_boxes(clf, reference)
    assert_same_answers(clf, reference, stream)
    assert_same_answers(clf, reference, unseen(stream))


@settings(max_examples=25, deadline=None)
@given(streams(max_rows=500), etas)
def test_longer_streams_reach_full_blocks_of_boxes(stream, eta):
    assert_same_boxes(fitted(stream, eta), taught(stream, eta))


def crowded(seed: int, n_values: tuple[int, ...], n_classes: int, n: int = 2) -> Stream:
    """Classes that lie in the same places and have the same values, in other frequencies."""
    random = Random(seed)
    weights = [
        [[random.random() ** 2 for _ in range(n_classes)] for _ in range(v)] for v in n_values
    ]
    values, labels, points = [], [], []
    for _ in range(250):
        row = [random.randrange(v) for v in n_values]
        odds = [1.0] * n_classes
        for j, value in enumerate(row):
            odds = [a * b for a, b in zip(odds, weights[j][value], strict=True)]
        values.append([f"v{value}" for value in row])
        labels.append(random.choices(range(n_classes), odds)[0])
        points.append([random.random() for _ in range(n)])
    return Stream(
        theta=0.4,
        delta=1,
        alpha=0.5,
        gamma=[1.0] * n,
        condition="each",
        fixed_range=True,
        lower=points,
        upper=points,
        values=values,
        labels=labels,
    )


class Watcher(Castillo):
    """The specification, counting what it does with boxes that overlap."""

    replaced = both = cut = blocked = 0

    def resolve(self, box: Any, other: Any) -> None:
        E, F, V, W = [*box.E], [*box.F], [*box.V, *other.V], [*box.W, *other.W]
        super().resolve(box, other)
        changed = [a != b for a, b in zip([*E, *F], [*box.E, *box.F], strict=True)]
        self.replaced += any(changed)
        self.both += sum(changed) == 2
        self.cut += [*box.V, *other.V] != V or [*box.W, *other.W] != W

    def replacement(self, box: Any, other: Any, j: int) -> Any:
        found = super().replacement(box, other, j)
        kept, self.kept_apart = self.kept_apart, []
        self.blocked += found != super().replacement(box, other, j)
        self.kept_apart = kept
        return found


@pytest.mark.parametrize("n", [0, 2])
def test_streams_with_many_replacements_and_contractions(n):
    done = dict.fromkeys(["replaced", "both", "cut", "blocked"], 0)
    for seed, (n_values, n_classes) in enumerate(
        [((4,), 2), ((6,), 3), ((3, 3), 2), ((5, 4), 3), ((3, 2, 2), 4), ((9, 9), 5)]
    ):
        stream = crowded(seed, n_values, n_classes, n)
        for eta in (0.4, 1):
            clf, reference = fitted(stream, eta), taught(stream, eta, Watcher)
            assert_same_boxes(clf, reference)
            assert_same_answers(clf, reference, stream)
            for what in done:
                done[what] += getattr(reference, what)
    assert min(done["replaced"], done["both"], done["blocked"]) > 10
    assert done["cut"] > 10 or n == 0


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_a_column_of_many_values_has_the_distances_of_the_reference(n_classes):
    """More kinds of values than the engine keeps a table for; the largest distance is found."""
    random = Random(n_classes)
    odds = [[random.random() for _ in range(n_classes)] for _ in range(400)]
    values = [value for value in range(400) for _ in range(13 + value % 5)]
    labels = [random.choices(range(n_classes), odds[value])[0] for value in values]
    stream = Stream(
        theta=1,
        delta=1,
        alpha=0.5,
        gamma=[],
        condition="each",
        fixed_range=True,
        lower=[[]] * len(values),
        upper=[[]] * len(values),
        values=[[value] for value in values],
        labels=labels,
    )
    X, _ = stream.table()
    clf = classifier(stream, 0).fit(X, labels)
    reference = Castillo(1, 0, [])
    reference.prepare([(*s, label) for s, label in zip(stream.samples(), labels, strict=True)])
    firsts = [box[0][0] for box in clf.boxes_.bounds]
    lone = [i for i, bounds in enumerate(clf.boxes_.bounds) if len(bounds[0]) == 1]
    assert len(lone) > 100
    rows = [[value] for value in range(0, 400, 7)]
    membership = clf.membership(np.array(rows, dtype=object))
    for (value,), row in zip(rows, membership.tolist(), strict=True):
        assert [row[i] for i in lone] == [
            in_units(1 - reference.d[0](firsts[i], value)) for i in lone
        ]
