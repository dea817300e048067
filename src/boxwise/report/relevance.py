"""The relevance of each column: to the predictions, and to the boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.evaluate import class_balanced_accuracy
from boxwise.inputs import Batch
from boxwise.plot.view import View
from boxwise.report.rows import SEED, LabelledRows

SHUFFLES = 5
WORK = 2_000_000_000  # rows × boxes × columns: some ten seconds
FEWEST, MOST = 200, 5_000  # rows


@dataclass(frozen=True)
class Drop:
    """The loss when the values of one column are permuted (permutation importance).

    Attributes
    ----------
    cba, spread : float
        By how much class balanced accuracy falls: the mean and the standard deviation of several
        shuffles. Below 0 it rises.
    loss : float
        By how much log-loss rises, in the mean.
    """

    cba: float
    spread: float
    loss: float


@dataclass(frozen=True)
class Shuffled:
    """The drops of all columns, by position, and on how many rows they were measured."""

    drops: dict[int, Drop]
    rows: int


def shuffled(rows: LabelledRows, tell: Callable[[int], object]) -> Shuffled:
    """Shuffle one column after the other, and see what it costs."""
    model = rows.model
    random = np.random.default_rng(SEED)
    chosen = np.arange(len(rows))
    most = rows_to_shuffle(model)
    if len(rows) > most:
        chosen = np.sort(random.choice(len(rows), most, replace=False))
    batch, truth = rows.known.part(chosen), rows.codes[chosen]
    cba, loss = _scores(model, batch, truth)
    drops = {}
    for done, j in enumerate(model.schema.known, start=1):
        found = []
        for _ in range(SHUFFLES):
            order = random.permutation(len(chosen))
            found.append(_scores(model, _dealt_anew(model, batch, j, order), truth))
        scores = np.array(found)
        fall = cba - scores[:, 0]
        drops[j] = Drop(float(fall.mean()), float(fall.std()), float(scores[:, 1].mean() - loss))
        tell(done)
    return Shuffled(drops, len(chosen))


def rows_to_shuffle(model: Model) -> int:
    """Return how many rows can be shuffled in good time."""
    columns = len(model.schema.known)
    work = model.n_boxes * columns * columns * SHUFFLES
    return min(max(WORK // max(1, work), FEWEST), MOST)


def _dealt_anew(model: Model, batch: Batch, j: int, order: NDArray[np.intp]) -> Batch:
    schema = model.schema
    if j in schema.categorical:
        k = schema.categorical.index(j)
        codes = batch.codes.copy()
        codes[:, k] = codes[order, k]
        return Batch(batch.lower, batch.upper, codes, batch.additions)
    k = schema.numeric.index(j)
    lower, upper = batch.lower.copy(), batch.upper.copy()
    lower[:, k], upper[:, k] = lower[order, k], upper[order, k]
    return Batch(lower, upper, batch.codes, batch.additions)


def _scores(model: Model, batch: Batch, truth: NDArray[np.int32]) -> tuple[float, float]:
    p = model.probabilities(batch)
    cba = class_balanced_accuracy(truth.tolist(), p.argmax(axis=1).tolist())
    return cba, log_loss(truth, p)


def log_loss(truth: NDArray[np.int32], probabilities: NDArray[np.float64]) -> float:
    """Return the mean of -log p of the true classes, over rows of classes that the model knows.

    A probability of 0 counts as 1e-15, as one wrong certainty would otherwise be all there is.
    """
    known = np.flatnonzero(truth < probabilities.shape[1])
    if not len(known):
        return float("nan")
    p = probabilities[known, truth[known]]
    return float(-np.log(np.clip(p, 1e-15, 1.0)).mean())


def excluded(view: View, j: int) -> float:
    """Return how much of a column the boxes rule out, from 0 to 1: their mean, weighted by rows.

    Of numbers it is the share of the range outside the interval, of categories the share of the
    values that the box does not hold. A box with only missing numbers rules out nothing.
    """
    rows = view.boxes.n_samples
    if not view.is_number(j):
        k, n = view.schema.categorical.index(j), len(view.vocabulary(j))
        held = np.array([len(counts[k]) for counts in view.boxes.counts])
        out = 1 - held / n if n > 1 else np.zeros(len(held))
        return float(np.average(out, weights=rows))
    low, high = view.schema.columns[j].range or (np.nan, np.nan)
    if not high > low:
        return 0.0
    lower, upper = view.interval(j)
    out = np.nan_to_num(1 - (upper - lower) / (high - low), nan=0.0)
    return float(np.average(np.clip(out, 0.0, 1.0), weights=rows))
