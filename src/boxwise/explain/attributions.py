"""Additive attributions: how much each column moves the log-odds of a class (Shapley values)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boxwise.card import bar, card, long_table, note, short
from boxwise.core import Model
from boxwise.core.words import counted
from boxwise.explain.background import rows_of_boxes
from boxwise.explain.row import Row, known_only
from boxwise.explain.shapley import Exact, Sampled, exact, sampled
from boxwise.inputs import Batch
from boxwise.schema import show

Floats = NDArray[np.float64]
Score: TypeAlias = Callable[[Batch], Floats]  # rows × outputs
Plan: TypeAlias = Exact | Sampled

LEAST = 1e-300  # a smaller probability counts as this, so that log-odds are finite
CELLS = 2**20  # of hybrids that are evaluated at a time, unless one background row needs more
BACKGROUND_ROWS = 50  # drawn from the boxes where none are given
MOST_EXACT = 16  # columns, with 65,536 hybrids for each background row
MOST_PERMUTATIONS = 10_000


@dataclass(frozen=True)
class Attributions:
    """What each column adds to the log-odds of each class, row by row.

    ``values.sum(axis=1) + base_values`` are the log-odds that the model gives the rows, to rounding
    errors. The arrays have the names and shapes that the `shap` package uses.

    Attributes
    ----------
    values : array of shape (rows, columns) or (rows, columns, classes)
        With two classes the log-odds of the second class of ``classes_`` against the first; with
        more, of each class against all others.
    base_values : array of shape (rows,) or (rows, classes)
        The mean log-odds of the background rows; the same for every row.
    data : array of shape (rows, columns)
        The values of the rows: floats if all columns are numeric, else objects, None where missing.
    feature_names : list of str
        The columns.
    output_names : list
        The class, or the classes, that the log-odds are of.
    exact : bool
        Whether all values are exact; otherwise some are means over sampled orders of the columns.
    n_background : int
        The number of background rows.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = [{"age": age, "job": "cook"} for age in range(20, 80)]
    >>> clf = HyperboxClassifier().fit(rows, ["no"] * 30 + ["yes"] * 30)
    >>> found = clf.attributions([{"age": 70, "job": "cook"}])
    >>> found.feature_names, found.output_names, found.values.shape
    (['age', 'job'], ['yes'], (1, 2))
    >>> bool(found.values[0, 0] > 3), float(found.values[0, 1])
    (True, 0.0)
    """

    values: Floats
    base_values: Floats
    data: NDArray[Any]
    feature_names: list[str]
    output_names: list[Any]
    exact: bool
    n_background: int

    def to_shap(self) -> Any:
        """Return a ``shap.Explanation``, for ``shap.plots`` (needs the extra ``shap``)."""
        try:
            import shap
        except ImportError as error:
            raise ImportError(
                'shap is needed for its Explanation: pip install "boxwise[shap]"'
            ) from error
        names = [str(name) for name in self.output_names]
        return shap.Explanation(
            self.values,
            self.base_values,
            self.data,
            feature_names=self.feature_names,
            output_names=names if self.values.ndim == 3 else None,
        )

    def __repr__(self) -> str:
        shape = " × ".join(map(str, self.values.shape))
        kind = "exact" if self.exact else "sampled"
        return f"Attributions({shape}, {kind}, {self.n_background} background rows)"

    def _repr_html_(self) -> str:
        every = np.abs(self.values).mean(axis=(0, *range(2, self.values.ndim)))
        order = np.argsort(-every, kind="stable").tolist()
        rows = [
            [short(self.feature_names[j]), bar(every[j], every.max()), f"{every[j]:.3f}"]
            for j in order
        ]
        head = ("column", "mean absolute value", "")
        kind = "exact" if self.exact else "sampled"
        return card(
            f"attributions of {counted(len(self.values), 'row', 'rows')} in log-odds",
            note(
                f"of {', '.join(map(str, self.output_names))}; {kind}, against "
                f"{self.n_background} background rows"
            ),
            long_table(rows, head),
        )


@dataclass(frozen=True)
class Effort:
    """How many hybrids are evaluated: all up to so many columns, then pairs of sampled orders."""

    exact_columns: int
    permutations: int

    @classmethod
    def checked(cls, exact_columns: Any, permutations: Any) -> Effort:
        """Return it, or raise ValueError with the limits."""
        for name, value, least, most in (
            ("exact_columns", exact_columns, 0, MOST_EXACT),
            ("permutations", permutations, 1, MOST_PERMUTATIONS),
        ):
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not (whole and least <= value <= most):
                raise ValueError(
                    f"{name} must be a whole number from {least} to {most:,}, not {show(value)}"
                )
        return cls(int(exact_columns), int(permutations))

    def plan(self, s: int, seed: int) -> Plan:
        """Return the hybrids of a row and a background row that differ in `s` columns."""
        if s <= self.exact_columns:
            return exact(s)
        return sampled(s, self.permutations, seed)


def attributions_of(
    model: Model,
    batch: Batch,
    background: Batch | None,
    classes: Sequence[tuple[Any, int]],
    *,
    exact_columns: int,
    permutations: int,
    threads: int = 1,
) -> Attributions:
    """Return the Shapley values of the log-odds, against background rows.

    Parameters
    ----------
    model : Model
        One that decides by evidence. It must not learn meanwhile.
    batch, background : Batch
        The rows, encoded with ``learn=True``, so that values never learned can be named. None:
        rows drawn from the boxes.
    classes : sequence of pairs
        The classes and their codes, in the order of the outputs.
    """
    effort = Effort.checked(exact_columns, permutations)
    labels = [label for label, _ in classes]
    if len(labels) < 2:
        raise ValueError(
            f"the model knows one class only, {show(labels[0])}, and so has no log-odds; "
            "learn rows of another class first"
        )
    if background is None:
        background = rows_of_boxes(model, BACKGROUND_ROWS)
    if background.n_rows == 0:
        raise ValueError("background has no rows; give some typical ones, or None")
    known = known_only(batch, model)
    codes = [code if code < len(model.classes) else -1 for _, code in classes]
    values, base, all_exact = _attribute(
        model, known, known_only(background, model), codes, effort, threads
    )
    binary = len(labels) == 2
    bases = np.tile(base, (batch.n_rows, 1))
    return Attributions(
        values=values[:, :, 0] if binary else values,
        base_values=bases[:, 0] if binary else bases,
        data=data_of(model, batch, known),
        feature_names=list(model.schema.names),
        output_names=labels[1:] if binary else labels,
        exact=all_exact,
        n_background=background.n_rows,
    )


def _attribute(
    model: Model, batch: Batch, background: Batch, order: list[int], effort: Effort, threads: int
) -> tuple[Floats, Floats, bool]:
    """Return rows × columns × outputs, the base values of the outputs, and whether all are exact.

    `order` has the classes by their codes; -1 is one that is not learned.
    """

    def score(rows: Batch) -> Floats:
        return log_odds(model.probabilities(rows, threads), order)

    columns = [*model.schema.numeric, *model.schema.categorical]
    base = score(background).mean(axis=0)
    values = np.zeros((batch.n_rows, model.schema.n_features, len(base)))
    all_exact = True
    for i in range(batch.n_rows):
        of_row = np.zeros((len(columns), len(base)))
        for group in _groups(batch, i, background, effort):
            all_exact &= all(isinstance(plan, Exact) for _, _, plan in group)
            of_row += _values_of(score, batch, i, background, group)
        values[i, columns] = of_row / background.n_rows
    return values, base, all_exact


def log_odds(p: Floats, order: list[int]) -> Floats:
    """Return rows × outputs: of the second of two classes, or of each against all others."""
    padded = np.hstack([p, np.zeros((len(p), 1))])[:, order]
    rivals = padded @ (1.0 - np.eye(len(order)))  # 1 - p would lose small probabilities
    odds: Floats = np.log(np.maximum(padded, LEAST)) - np.log(np.maximum(rivals, LEAST))
    return odds[:, 1:] if len(order) == 2 else odds


Group: TypeAlias = list[tuple[int, NDArray[np.intp], Plan]]  # background row, columns that differ


def _groups(batch: Batch, i: int, background: Batch, effort: Effort) -> Iterator[Group]:
    """Yield the background rows with their plans, as many as are evaluated at a time."""
    differs = np.hstack(
        [
            ~_equal(batch.lower[i], background.lower) | ~_equal(batch.upper[i], background.upper),
            batch.codes[i] != background.codes,
        ]
    )
    group: Group = []
    cells = 0
    for b, row in enumerate(differs):
        columns = np.flatnonzero(row)
        if not len(columns):
            continue
        plan = effort.plan(len(columns), b)
        cells += len(plan.masks) * len(row)
        if group and cells > CELLS:
            yield group
            group, cells = [], len(plan.masks) * len(row)
        group.append((b, columns, plan))
    if group:
        yield group


def _equal(a: Floats, b: Floats) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (a == b) | (np.isnan(a) & np.isnan(b))
    return same


def _values_of(score: Score, batch: Batch, i: int, background: Batch, group: Group) -> Floats:
    """Return columns × outputs, summed over the background rows of a group."""
    n = batch.lower.shape[1]
    masks = np.zeros((sum(len(plan.masks) for *_, plan in group), n + batch.codes.shape[1]), bool)
    at, ends = 0, []
    for _, columns, plan in group:
        masks[at : at + len(plan.masks), columns] = plan.masks
        ends.append(at := at + len(plan.masks))
    rows = np.repeat([b for b, *_ in group], np.diff(ends, prepend=0))
    numbers, values = masks[:, :n], masks[:, n:]
    lower = np.where(numbers, batch.lower[i], background.lower[rows])
    points = batch.upper is batch.lower and background.upper is background.lower
    upper = lower if points else np.where(numbers, batch.upper[i], background.upper[rows])
    codes = np.where(values, batch.codes[i], background.codes[rows]).astype(np.int32)
    scores = score(Batch(lower, upper, codes, batch.additions))
    total = np.zeros((masks.shape[1], scores.shape[1]))
    for (_, columns, plan), part in zip(group, np.split(scores, ends[:-1]), strict=True):
        total[columns] += plan.values(part)
    return total


def data_of(model: Model, batch: Batch, known: Batch) -> NDArray[Any]:
    """Return rows × columns: the values as a person reads them."""
    schema = model.schema
    columns = [*schema.numeric, *schema.categorical]
    if columns == [*range(schema.n_features)] == [*schema.numeric] and batch.upper is batch.lower:
        return batch.lower.copy()
    data = np.full((batch.n_rows, schema.n_features), None, dtype=object)
    for i in range(batch.n_rows):
        for j, value in zip(columns, Row.of(schema, batch, known, i, i).values, strict=True):
            data[i, j] = value
    return data
