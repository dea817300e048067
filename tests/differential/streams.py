"""Streams to compare learners on: every kind of column, ties, grids, gaps, intervals, no labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.reference import EIOL

UNLABELLED = -1


@dataclass
class Stream:
    """Settings of a learner and the rows it is to learn."""

    theta: float
    delta: float
    alpha: float
    gamma: list[float]
    condition: str
    fixed_range: bool
    lower: list[list[float]]  # NaN where missing
    upper: list[list[float]]
    values: list[list[Any]]
    labels: list[int] = field(repr=False)
    max_boxes: int | None = None

    @property
    def n(self) -> int:
        return len(self.gamma)

    def classifier(self) -> EIOLGFMM:
        """The paper's learner."""
        return EIOLGFMM(
            self.theta,
            self.delta,
            version=2 if self.condition == "mean" else 1,
            alpha=self.alpha,
            gamma=self.gamma,
            **self.reading(),
        )

    def by_evidence(self, **parameters: Any) -> HyperboxClassifier:
        """Our learner."""
        return HyperboxClassifier(self.theta, self.delta, **{**self.reading(), **parameters})

    def reading(self) -> dict[str, Any]:
        """The parameters that both learners have, but for the size of boxes."""
        return {
            "categorical_features": list(range(self.n, self.n + len(self.values[0]))),
            "feature_range": (0, 1) if self.fixed_range else "data",
            "unlabelled": UNLABELLED,
            "max_boxes": self.max_boxes,
        }

    def table(self) -> tuple[np.ndarray, np.ndarray | None]:
        """X (lower bounds, then categories) and the upper bounds, if there are numbers."""
        X = np.empty((len(self.lower), self.n + len(self.values[0])), dtype=object)
        for i, (low, values) in enumerate(zip(self.lower, self.values, strict=True)):
            X[i, :] = [*low, *values]
        return X, np.array(self.upper, dtype=float) if self.n else None

    def samples(self) -> list[tuple[list[float], list[float], list[Any]]]:
        """The rows as the reference takes them."""
        return [
            (
                [math.inf if math.isnan(x) else x for x in low],
                [-math.inf if math.isnan(x) else x for x in high],
                values,
            )
            for low, high, values in zip(self.lower, self.upper, self.values, strict=True)
        ]

    def ranges(self, known: bool = False) -> list[tuple[float, float] | None] | None:
        """The ranges a reference starts with: fixed, known from the rows as in fit, or none."""
        if self.fixed_range:
            return [(0.0, 1.0)] * self.n
        if not known:
            return None
        columns = [[s for s in self.samples() if s[0][j] <= s[1][j]] for j in range(self.n)]
        return [
            (min(s[0][j] for s in rows), max(s[1][j] for s in rows)) if rows else None
            for j, rows in enumerate(columns)
        ]

    def teach(self, learner: Any) -> Any:
        """Let a reference learn the rows."""
        for (low, high, values), label in zip(self.samples(), self.labels, strict=True):
            learner.learn(low, high, values, None if label == UNLABELLED else label)
        return learner

    def reference(self, known_ranges: bool = False) -> EIOL:
        """The specification, having learned the stream."""
        learner = EIOL(
            self.theta,
            self.delta,
            self.alpha,
            self.gamma,
            self.condition,
            self.ranges(known_ranges),
            growing=not self.fixed_range,
            max_boxes=self.max_boxes,
        )
        return self.teach(learner)


@st.composite
def streams(
    draw: Any, max_rows: int = 120, max_numeric: int = 4, max_categorical: int = 3
) -> Stream:
    """Draw settings with Hypothesis and rows from a seed: long streams that still shrink."""
    n = draw(st.integers(0 if max_categorical else 1, max_numeric))
    r = draw(st.integers(0 if n else 1, max_categorical))
    random = Random(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(1, max_rows))
    grid = draw(st.sampled_from([None, 2, 4, 10]))
    vocabulary = draw(st.sampled_from([1, 2, 3, 8, 90]))
    missing = draw(st.sampled_from([0, 0, 0.1, 0.5]))
    intervals = draw(st.sampled_from([0, 0, 0.3]))
    unlabelled = draw(st.sampled_from([0, 0, 0.2, 1]))
    classes = draw(st.integers(1, 4))
    duplicates = draw(st.sampled_from([0, 0, 0.3]))
    stream = Stream(
        theta=draw(st.sampled_from([0, 0.05, 0.1, 0.3, 0.5, 1])),
        delta=draw(st.sampled_from([0, 0.1, 0.3, 0.5, 0.7, 0.9, 1])),
        alpha=draw(st.sampled_from([0, 1e-9, 0.1, 0.5, 1 - 1e-5, 1 - 1e-15, 1, n / (n + r)])),
        gamma=[random.choice([1.0, 0.5, 4.0]) for _ in range(n)],
        condition=draw(st.sampled_from(["each", "mean"])),
        fixed_range=draw(st.booleans()),
        lower=[],
        upper=[],
        values=[],
        labels=[],
        max_boxes=draw(st.sampled_from([None, None, None, 1, 4, 12])),
    )
    for _ in range(n_rows):
        if stream.lower and random.random() < duplicates:
            again = random.randrange(len(stream.lower))
            for column in (stream.lower, stream.upper, stream.values):
                column.append(column[again])
        else:
            low, high = _numbers(random, n, grid, missing, intervals)
            stream.lower.append(low)
            stream.upper.append(high)
            stream.values.append([_category(random, vocabulary, missing) for _ in range(r)])
        label = UNLABELLED if random.random() < unlabelled else random.randrange(classes)
        stream.labels.append(label)
    return stream


def _numbers(
    random: Random, n: int, grid: int | None, missing: float, intervals: float
) -> tuple[list[float], list[float]]:
    low, high = [], []
    for _ in range(n):
        x = random.random() if grid is None else random.randrange(grid + 1) / grid
        extent = random.random() / 5 if grid is None else random.randrange(2) / grid
        if random.random() < missing:
            x = math.nan
        low.append(x)
        high.append(x + extent if random.random() < intervals else x)
    return low, high


def _category(random: Random, vocabulary: int, missing: float) -> Any:
    # The lesser of two, so that some values are frequent and new ones keep coming.
    value = min(random.randrange(vocabulary), random.randrange(vocabulary))
    return None if random.random() < missing / 2 else f"v{value}"
