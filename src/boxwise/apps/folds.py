"""Cross-validation of classifiers, fold by fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from statistics import fmean, stdev
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from boxwise.evaluate import Assessment, Confusion, Scores, assess
from boxwise.evaluate.prequential_table import score_text
from boxwise.evaluate.quality.assessment import scores_of

HEADS = ("accuracy", "CBA", "kappa", "balanced")
SHOWN = ("accuracy", "cba", "kappa", "balanced_accuracy")


@dataclass(frozen=True)
class Predicted:
    """The predictions of the rows of one fold.

    Attributes
    ----------
    rows : sequence of int
        The rows, by their places.
    truth, labels : list
        Their classes, and those predicted for them.
    p : array
        Their probabilities.
    classes : list
        What the columns of `p` are.
    """

    rows: Sequence[int]
    truth: list[Any]
    labels: list[Any]
    p: Any
    classes: list[Any]


@dataclass(frozen=True)
class Fold:
    """The result of one learner in one fold."""

    learner: str
    number: int
    learned: int
    scores: Scores
    boxes: int | None
    seconds: float
    predicted: Predicted

    def to_row(self) -> dict[str, object]:
        """Return it as one flat row of a table."""
        return {
            "learner": self.learner,
            "fold": self.number,
            **asdict(self.scores),
            "learned": self.learned,
            "predicted": len(self.predicted.rows),
            "boxes": self.boxes,
            "seconds": self.seconds,
        }


def cross_validated(
    models: Mapping[str, Any], rows: Sequence[Any], labels: Sequence[Any], n_folds: int, seed: int
) -> Iterator[list[Fold]]:
    """Learn all folds but one and predict that one, for each in turn and with each model.

    Each fold has its share of every class, drawn by the seed; its rows stay in their order.
    """
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts = [*folds.split(labels, labels)]
    for number, (train, test) in enumerate(parts, start=1):
        yield [
            _fold(name, model, rows, labels, number, train.tolist(), test.tolist())
            for name, model in models.items()
        ]


def _fold(
    name: str,
    model: Any,
    rows: Sequence[Any],
    labels: Sequence[Any],
    number: int,
    train: list[int],
    test: list[int],
) -> Fold:
    start = perf_counter()
    try:
        fresh = clone(model).fit([rows[i] for i in train], [labels[i] for i in train])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    tested = [rows[i] for i in test]
    predicted = fresh.predict(tested).tolist()
    seconds = perf_counter() - start
    p, classes = fresh.predict_proba(tested), fresh.classes_.tolist()
    found = Predicted(test, [labels[i] for i in test], predicted, p, classes)
    boxes = getattr(fresh, "n_boxes_", None)
    return Fold(name, number, len(train), _scores(found), boxes, seconds, found)


def _scores(found: Predicted) -> Scores:
    confusion = Confusion()
    confusion.update(found.truth, found.labels)
    values = scores_of(found.truth, found.labels, found.p, found.classes)
    of_p = {name: values[name] for name in ("auc", "log_loss", "brier")}
    return replace(Scores.of(confusion), **of_p)


def assess_folds(
    folds: Sequence[Fold], groups: Mapping[str, Sequence[Any]], **plan: Any
) -> Assessment:
    """Return the assessment of one learner over the folds that are done.

    Parameters
    ----------
    folds : sequence of Fold
        Those of the learner, at least one.
    groups : mapping of str to sequence
        The group of each of all rows, by column.
    **plan
        `cost` and `positive`, as in `assess`.
    """
    classes = [*dict.fromkeys(label for fold in folds for label in fold.predicted.classes)]
    place = {label: k for k, label in enumerate(classes)}
    p = [np.zeros((len(fold.predicted.rows), len(classes))) for fold in folds]
    for shares, fold in zip(p, folds, strict=True):
        shares[:, [place[label] for label in fold.predicted.classes]] = fold.predicted.p
    numbers = np.repeat(np.arange(len(folds)), [len(shares) for shares in p])
    done = [i for fold in folds for i in fold.predicted.rows]
    return assess(
        [label for fold in folds for label in fold.predicted.truth],
        np.concatenate(p),
        classes,
        y_pred=[label for fold in folds for label in fold.predicted.labels],
        groups={name: [values[i] for i in done] for name, values in groups.items()},
        folds=numbers if len(folds) > 1 else None,
        **plan,
    )


def fold_table(folds: Mapping[str, Sequence[Fold]], n_rows: int) -> str:
    """Return the mean and the standard deviation of the scores over the folds, as text."""
    width = max(28, *(len(name) for name in folds))
    n_folds = len(next(iter(folds.values())))
    lines = [_line(f"{n_rows:,} rows, {n_folds} folds", [*HEADS, "boxes"], width)]
    for name, its in folds.items():
        every = [[getattr(fold.scores, score) for score in SHOWN] for fold in its]
        cells = [score_text(fmean(scores)) for scores in zip(*every, strict=True)]
        spread = [f"±{score_text(_spread(scores))}" for scores in zip(*every, strict=True)]
        lines += [_line(name, [*cells, _boxes(its)], width), _line("", spread, width)]
    return "\n".join(lines)


def _boxes(folds: Sequence[Fold]) -> str:
    boxes = [fold.boxes for fold in folds if fold.boxes is not None]
    return f"{fmean(boxes):,.0f}" if boxes else "-"


def _spread(scores: Sequence[float]) -> float:
    # One class alone has a kappa of nan, with which `stdev` fails.
    return stdev(scores) if len(scores) > 1 and not any(map(isnan, scores)) else float("nan")


def _line(name: str, cells: Sequence[str], width: int) -> str:
    return (f"{name:<{width}}" + "".join(f"{cell:>10}" for cell in cells)).rstrip()
