"""The boxes of a model, as a person reads them: input units, original values, order of creation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, cast, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from boxwise.card import MOST_FOLDED, MOST_ROWS, bar, card, long_table, text
from boxwise.core.words import count_text, counted, number_text, value_text
from boxwise.schema import Schema

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


class Boxes:
    """A read-only view of the boxes of a model, taken at one moment.

    Attributes
    ----------
    lower, upper : array of shape (boxes, numeric columns)
        The interval of each box in each numeric column, in the units of the input; NaN where the
        box has only missing values.
    counts : list of lists of dicts
        For each box and each categorical column, how often each value was seen: ``{value: count}``.
    n_samples : array of int
        How many rows each box has taken; of float where rows had weights that were not whole.
    labels : array
        The class of each box.
    apart : frozenset of str
        Columns that only curves see, those of ``monotonic_cst``.
    bounds : list of lists of tuples
        Of `CastilloGFMM` only: for each box and each categorical column, the one or two values that
        bound it.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = [{"age": 70, "job": "cook"}, {"age": 31, "job": "cook"}, {"age": 33, "job": "cook"}]
    >>> boxes = HyperboxClassifier().fit(rows, ["no", "yes", "yes"]).boxes_
    >>> len(boxes)
    2
    >>> boxes.lower[0], boxes.upper[0], boxes.counts[0]
    (array([31.]), array([33.]), [{'cook': 2}])
    >>> boxes.describe(0)
    'yes, 2 rows: age 31 to 33; job is cook'
    """

    def __init__(
        self,
        state: Mapping[str, NDArray[Any]],
        schema: Schema,
        labels: Sequence[object],
        unlabelled: object = None,
        apart: Collection[str] = (),
    ) -> None:
        self.lower: NDArray[np.float64] = _frozen(state["V"])
        self.upper: NDArray[np.float64] = _frozen(state["W"])
        self.n_samples: NDArray[Any] = _frozen(whole_counts(state["n"]))
        self.labels: NDArray[Any] = _frozen(
            label_array([labels[k] if k >= 0 else unlabelled for k in state["label"].tolist()])
        )
        self._classes: list[int] = state["label"].tolist()
        self._schema = schema
        self.apart = frozenset(apart)
        self._first = state["first"].tolist()
        self._code = state["code"].tolist()
        self._times = whole_counts(state["times"]).tolist()
        self._bounds = state["bounds"].tolist() if "bounds" in state else None

    def __len__(self) -> int:
        return len(self.n_samples)

    def __repr__(self) -> str:
        parts = (
            counted(len(self), "box", "boxes"),
            counted(len({*self._classes} - {-1}), "class", "classes"),
            counted(self.n_samples.sum().item(), "row", "rows"),
        )
        return f"Boxes({', '.join(parts)})"

    def _repr_html_(self) -> str:
        most = float(self.n_samples.max(initial=0))
        order = np.argsort(-self.n_samples, kind="stable").tolist()
        rows = [
            [
                str(i),
                bar(float(self.n_samples[i]), most),
                count_text(self.n_samples[i].item()),
                text("no class" if self._classes[i] < 0 else self.labels[i]),
                text(self._content_of(i)),
            ]
            for i in order[: MOST_ROWS + MOST_FOLDED]
        ]
        title = f"{counted(len(self), 'box', 'boxes')}, those with the most rows first"
        return card(title, long_table(rows, ("box", "rows", "", "class", "content"), len(self)))

    @cached_property
    def counts(self) -> list[list[dict[object, int]]]:
        """For each box a list of ``{value: count}``, one per categorical column."""
        return [self._counts_of(i) for i in range(len(self))]

    def _counts_of(self, i: int) -> list[dict[object, int]]:
        vocabularies = self._schema.vocabularies
        sets = []
        for j, vocabulary in enumerate(vocabularies, start=i * len(vocabularies)):
            held = slice(self._first[j], self._first[j + 1])
            values = [vocabulary.values[code] for code in self._code[held]]
            sets.append(dict(zip(values, self._times[held], strict=True)))
        return sets

    @property
    def bounds(self) -> list[list[tuple[object, ...]]]:
        """For each box a list of tuples of one or two values, one per categorical column."""
        if self._bounds is None:
            raise AttributeError("these boxes have no bounds among categories, only counts")
        vocabularies = self._schema.vocabularies
        return [
            [
                tuple(vocabulary.values[code] for code in dict.fromkeys(pair) if code >= 0)
                for vocabulary, pair in zip(
                    vocabularies, zip(row[::2], row[1::2], strict=True), strict=True
                )
            ]
            for row in self._bounds
        ]

    def describe(self, i: int) -> str:
        """Say in words what box `i` covers.

        Values that a box has seen rarely are summed up at the end of the list of values.
        """
        if not -len(self) <= i < len(self):
            raise IndexError(f"there is no box {i}; there are {len(self):,}, the first is 0")
        i = range(len(self))[i]
        label = "no class" if self._classes[i] < 0 else self.labels[i]
        rows = counted(self.n_samples[i].item(), "row", "rows")
        return f"{label}, {rows}: {self._content_of(i)}"

    def _content_of(self, i: int) -> str:
        parts = [
            _interval_text(name, low, high)
            for name, low, high in zip(
                self._schema.numeric_names, self.lower[i], self.upper[i], strict=True
            )
            if name not in self.apart
        ]
        parts += [
            f"{name} is {_values_text(counts)}"
            for name, counts in zip(self._schema.categorical_names, self._counts_of(i), strict=True)
        ]
        return "; ".join(parts) or "any row"

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the boxes as a table, one row each, for reading and for writing to a file.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library that makes the table; the first of these that is installed by default.

        Returns
        -------
        table
            Columns ``label`` (as text if labels are of several types) and ``n_samples``;
            ``<name>.lower`` and ``<name>.upper`` for each numeric column; for each categorical
            column its values and counts as text, the most frequent first. A name that is taken
            already gets an underscore. For counts as numbers see `counts`.
        """
        labels = self.labels.tolist()
        if self.labels.dtype == object:  # of several types, which not every library can hold
            labels = [None if label is None else str(label) for label in labels]
        data: dict[str, Any] = {"label": labels, "n_samples": self.n_samples}
        for j, name in enumerate(self._schema.numeric_names):
            data[_unused(f"{name}.lower", data)] = self.lower[:, j]
            data[_unused(f"{name}.upper", data)] = self.upper[:, j]
        for j, name in enumerate(self._schema.categorical_names):
            data[_unused(name, data)] = [_counts_as_text(box[j]) for box in self.counts]
        return nw.from_dict(data, backend=backend or installed_backend()).to_native()


def whole_counts(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts as whole numbers, unless some rows had weights that were not."""
    whole = counts.astype(np.int64)
    return whole if (whole == counts).all() else counts


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def label_array(labels: Sequence[object]) -> NDArray[Any]:
    """Return labels as an array of their own type; of objects where no type holds them all."""
    if len({type(label) for label in labels}) == 1:
        array = np.array(labels)
        if array.tolist() == labels:  # not so for huge numbers, and text with a zero at its end
            return array
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _unused(name: str, taken: Mapping[str, object]) -> str:
    while name in taken:
        name += "_"
    return name


def _interval_text(name: str, low: float, high: float) -> str:
    if np.isnan(low):
        return f"{name} is missing"
    if low == high:
        return f"{name} {number_text(low)}"
    return f"{name} {number_text(low)} to {number_text(high)}"


def _by_count(counts: Mapping[object, int]) -> list[tuple[object, int]]:
    return sorted(counts.items(), key=lambda item: -item[1])


def _values_text(counts: Mapping[object, int], most: int = 4) -> str:
    n = sum(counts.values())
    ranked = [(value_text(value), count) for value, count in _by_count(counts)]
    if len(ranked) == 1:
        return ranked[0][0]
    shown = ranked if len(ranked) <= most + 1 else ranked[:most]
    words = [f"{value} ({count / n:.0%})" for value, count in shown]
    if len(shown) < len(ranked):
        words.append(f"{len(ranked) - len(shown)} others")
    return ", ".join(words)


def _counts_as_text(counts: Mapping[object, int]) -> str:
    return ", ".join(f"{value_text(value)}: {count}" for value, count in _by_count(counts))


def installed_backend() -> Backend:
    """Return the first library for tables that is there."""
    for name in get_args(Backend):
        if find_spec(name) is not None:
            return cast(Backend, name)
    raise ImportError("to_frame needs pandas, polars or pyarrow: pip install pandas")
