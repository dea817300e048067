"""Cross-validation of a classifier, fold by fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from time import perf_counter
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from boxwise.evaluate import Confusion, Scores
from boxwise.evaluate.prequential_table import score_text

HEADS = ("accuracy", "CBA", "kappa", "balanced")


@dataclass(frozen=True)
class Fold:
    """The result of one fold."""

    number: int
    learned: int
    predicted: int
    scores: Scores
    boxes: int
    seconds: float

    def to_row(self) -> dict[str, object]:
        """Return it as one flat row of a table."""
        row = asdict(self)
        return {"fold": row.pop("number"), **row.pop("scores"), **row}


def cross_validated(
    model: Any, rows: Sequence[Any], labels: Sequence[Any], n_folds: int, seed: int
) -> Iterator[Fold]:
    """Learn all folds but one and predict that one, for each in turn.

    Each fold has its share of every class, drawn by the seed; its rows stay in their order.
    """
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts = [*folds.split(labels, labels)]
    for number, (train, test) in enumerate(parts, start=1):
        start = perf_counter()
        fresh = clone(model).fit([rows[i] for i in train], [labels[i] for i in train])
        predicted = fresh.predict([rows[i] for i in test]).tolist()
        seconds = perf_counter() - start
        confusion = Confusion()
        confusion.update([labels[i] for i in test], predicted)
        yield Fold(number, len(train), len(test), Scores.of(confusion), fresh.n_boxes_, seconds)


def fold_table(name: str, folds: Sequence[Fold], n_rows: int) -> str:
    """Return the mean and the standard deviation of the scores over the folds, as text."""
    every = [[*asdict(fold.scores).values()] for fold in folds]
    cells = [score_text(fmean(scores)) for scores in zip(*every, strict=True)]
    spread = [f"±{score_text(_spread(scores))}" for scores in zip(*every, strict=True)]
    boxes = f"{fmean(fold.boxes for fold in folds):,.0f}"
    width = max(28, len(name))
    return "\n".join(
        [
            _line(f"{n_rows:,} rows, {len(folds)} folds", [*HEADS, "boxes"], width),
            _line(name, [*cells, boxes], width),
            _line("", spread, width),
        ]
    )


def _spread(scores: Sequence[float]) -> float:
    return stdev(scores) if len(scores) > 1 else float("nan")


def _line(name: str, cells: Sequence[str], width: int) -> str:
    return (f"{name:<{width}}" + "".join(f"{cell:>10}" for cell in cells)).rstrip()
