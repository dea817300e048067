"""The other implementation does with one row what the specification does, but for what is named.

It does not run with today's NumPy: names that NumPy no longer has are lent to it here. It refuses
features with one value, or whose values all have the same class frequencies. Where values have the
same class frequencies as others, or boxes tie, the two may differ, so such scenes are left out.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from boxwise.reference.castillo import Bound, BoundBox, Castillo

hbbrain = pytest.importorskip(
    "hbbrain.mixed_data.freq_cat_onln_gfmm", reason="needs hyperbox-brain"
)
UNSET = 100_000  # its code for a bound that is not set


class AsPublished(Castillo):
    """The specification, but for a difference: a category that is a bound already moves one too.

    The other implementation sets an F that is not set to the value even if E has it, and E to the
    value if F has it, so that the box forgets E. Ours leaves both bounds as they are.
    """

    def take(self, box: Any, lower: Any, upper: Any, values: Any) -> None:
        F = [*box.F]
        super().take(box, lower, upper, values)
        for j, value in enumerate(values):
            if F[j] is Bound.UNSET:
                box.F[j] = value
            elif F[j] == value:
                box.E[j] = value


def scene(random: Random, n_values: list[int], n_boxes: int) -> tuple[Any, Any, Any]:
    """A few boxes, a row for them to learn, and rows far away that only set the distances."""
    odds = [[[random.random() ** 2 for _ in range(3)] for _ in range(v)] for v in n_values]
    away = []
    for i in range(20 * max(n_values)):
        values = [random.randrange(v) for v in n_values]
        weights = [np.prod([odds[j][v][k] for j, v in enumerate(values)]) for k in range(3)]
        point = [5.0 * (i + 1)] * 2
        away.append((point, point, values, random.choices(range(3), weights)[0]))
    boxes = []
    for _ in range(n_boxes):
        low = [random.random(), random.random()]
        high = [min(x + random.random() / 2, 1.0) for x in low]
        E, F = ([random.randrange(v) for v in n_values] for _ in range(2))
        boxes.append((low, high, E, F, random.randrange(2)))
    point = [random.random(), random.random()]
    row = (point, point, [random.randrange(v) for v in n_values], random.randrange(2))
    return boxes, row, away


def has_ties(ours: Castillo, row: Any) -> bool:
    """Whether two values are about as far from a third, or two boxes from the row."""
    for d in ours.d:
        near = sorted(d(a, b) for a in d.P for b in d.P if a < b)
        if min(np.diff(near), default=1) < 1e-9:
            return True
    degrees = sorted(ours.membership(b, *row[:3]) for b in ours.boxes if b.label == row[3])
    return bool(min(np.diff(degrees), default=1) < 1e-9)


def theirs(boxes: Any, rows: Any, theta: float, eta: float) -> list[tuple[Any, ...]]:
    X = np.array([[*lower, *values] for lower, _, values, _ in rows], dtype=object)
    V, W, E, F, C = zip(*boxes, strict=True)
    clf = hbbrain.FreqCatOnlineGFMM(
        theta=theta,
        eta=eta,
        V=np.array(V),
        W=np.array(W),
        E=np.array(E, dtype=object),
        F=np.array(F, dtype=object),
        C=np.array(C),
    )
    clf.fit(X, np.array([row[3] for row in rows]), categorical_features=[*range(2, X.shape[1])])
    found = zip(clf.V, clf.W, clf.E, clf.F, clf.C, strict=True)
    return [
        (v.tolist(), w.tolist(), *([int(x) for x in pair] for pair in (e, f)), int(c))
        for v, w, e, f, c in found
    ]


@pytest.mark.parametrize(
    ("n_values", "n_boxes"),
    [([3], 5), ([4], 8), ([6], 5), ([3, 3], 5), ([5, 6], 5), ([3, 3, 3], 6)],
)
@pytest.mark.parametrize(("theta", "eta"), [(0.6, 0.8), (1.0, 1.0)])
@pytest.mark.parametrize("seed", range(4))
def test_one_row_has_the_same_effect(n_values, n_boxes, theta, eta, seed, monkeypatch):
    for name, alias in (("object", object), ("int", int), ("float", float)):
        monkeypatch.setitem(vars(np), name, alias)
    random = Random(seed)
    compared = 0
    for _ in range(8):
        boxes, row, away = scene(random, n_values, n_boxes)
        ours = AsPublished(theta, eta, [1.0, 1.0], [(0.0, 1.0)] * 2, growing=False)
        ours.prepare([row, *away])
        ours.boxes = [
            BoundBox(low, high, [{} for _ in E], 1, c, E, F) for low, high, E, F, c in boxes
        ]
        if [len(d.P) for d in ours.d] != n_values or has_ties(ours, row):
            continue
        expected = theirs(boxes, [row, *away], theta, eta)
        ours.learn(*row)
        found = [
            (b.V, b.W, b.E, [UNSET if f is Bound.UNSET else f for f in b.F], b.label)
            for b in ours.boxes
        ]
        assert found == expected[: len(found)]
        compared += 1
    assert compared > 0
