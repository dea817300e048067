"""Which box takes each row: as the engine learns, or the one with the most evidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.evidence_terms import Held, Rows
from boxwise import HyperboxClassifier
from boxwise.reference.eiol import EIOL
from boxwise.reference.hyperbox import Box

Taken = list[tuple[int, int]]  # row, box


def who_took(X: Any, y: Any, categorical: list[int], rows: Rows, train: Any) -> tuple[Taken, Any]:
    """Return each row of training and the box that took it, and what was said before it was."""
    ranges = {j: r for j, r in rows.ranges.items() if r[0] < r[1]}
    clf = HyperboxClassifier(categorical_features=categorical, feature_range=ranges)
    taken: Taken = []
    sizes, said = np.zeros(0, int), np.zeros((len(train), len(rows.classes)))
    for k, i in enumerate(train):
        if k:
            known = np.searchsorted(rows.classes, clf.classes_)
            said[k, known] = clf.predict_proba(X[i : i + 1])[0]
        clf.partial_fit(X[i : i + 1], y[i : i + 1])
        if clf.n_boxes_ > len(sizes):
            box, sizes = len(sizes), np.append(sizes, 1)
        else:
            now = clf.boxes_.n_samples
            box, sizes = int(np.argmax(now - sizes)), now
        taken.append((int(i), box))
    return taken, said


class ByEvidence(EIOL):
    """EIOL-GFMM in which the box with the most evidence is asked first, whether it takes a row."""

    def __init__(self, rows: Rows, n_rows: int, h: float, a: float, *, by_size: bool) -> None:
        p, q = rows.numbers.shape[1], rows.codes.shape[1]
        alpha = p / (p + q)
        super().__init__(0.3, 0.3, alpha, [1.0] * p, "mean", [(0.0, 1.0)] * p, growing=False)
        self.held, self.h, self.a, self.by_size = Held(rows, n_rows), h, a, by_size
        self.evidence: dict[int, float] = {}

    def learn_row(self, i: int) -> tuple[int, int]:
        """Learn one row; return it and the box that took it."""
        asked = self.held.ask(i, self.h, self.a)
        logs = asked.numbers.sum(axis=1) + asked.categories.sum(axis=1)
        logs += asked.size if self.by_size else 0.0
        self.evidence = {id(box): log for box, log in zip(self.boxes, logs, strict=True)}
        sizes = [box.n for box in self.boxes]
        x, values = self.held.rows.numbers[i].tolist(), self.held.rows.codes[i].tolist()
        self.learn(x, x, values, int(self.held.rows.y[i]))
        grown = [k for k, (box, n) in enumerate(zip(self.boxes, sizes, strict=False)) if box.n > n]
        box = grown[0] if grown else len(sizes)
        self.held.take(i, box)
        return i, box

    def membership(self, box: Box, *sample: Any) -> float:
        """Return what candidates are sorted by."""
        return self.evidence[id(box)]
