"""A model: what the columns and classes are called, and the engine that holds the boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise._native import RowReader
from boxwise.core.boxes import Boxes
from boxwise.core.pacing import Pace
from boxwise.core.settings import (
    Range,
    Settings,
    each_scale,
    scale_arrays,
    settings_from_dict,
)
from boxwise.inputs import Batch
from boxwise.schema import Column, Kind, Schema, Vocabulary

Arrays = dict[str, NDArray[Any]]

# The most rows handed to the engine at a time: Python looks after signals (Ctrl-C) in between.
CHUNK = 4096

_FORMS: dict[str, tuple[type[np.generic], int]] = {
    "V": (np.float64, 2),
    "W": (np.float64, 2),
    "n": (np.uint32, 1),
    "label": (np.int32, 1),
    "id": (np.uint64, 1),
    "first": (np.uint64, 1),
    "code": (np.int32, 1),
    "times": (np.uint32, 1),
    "low": (np.float64, 1),
    "high": (np.float64, 1),
    "growing": (np.uint8, 1),
}
_SCALES = {"scales": (np.float64, 1)}  # of models whose columns are measured by rank
_OF_RANGES = ("low", "high", "growing", "scales")


class Model:
    """Boxes that learn from batches, with the names of the columns and of the classes.

    One thread may learn while others predict.

    Parameters
    ----------
    schema : Schema
        The columns; its vocabularies grow with what is learned.
    settings : Settings
        The parameters, used until `configure` is called.
    ranges : sequence of Range
        One per numeric column.
    """

    def __init__(self, schema: Schema, settings: Settings, ranges: Sequence[Range]) -> None:
        self.schema = schema
        for vocabulary in schema.vocabularies:
            vocabulary.limit = settings.most_values
        self.labels = Vocabulary()  # in order of first appearance
        self.settings = settings
        self.by_rank = bool(ranges) and ranges[0].scale is not None  # how all numbers are measured
        self.engine = settings.new_engine(len(schema.categorical), ranges, schema.numeric_names)
        self._learning, self._predicting = Pace(), Pace()

    def configure(self, settings: Settings) -> None:
        """Use other settings from now on; the boxes stay."""
        if settings != self.settings:
            self._configure_engine(settings)
            self.settings = settings

    def _configure_engine(self, settings: Settings) -> None:
        known = self.schema.numeric_names, self.labels.values
        self.engine.configure(**settings.for_engine(*known))

    def add_labels(self, labels: Sequence[object]) -> None:
        """Name classes that the next rows have."""
        for label in labels:
            self.labels.append(label)
        if labels and self.settings.apart:  # each names a class
            self._configure_engine(self.settings)

    def drop_unlearned_labels(self) -> None:
        """Forget classes whose rows were not learned after all."""
        self.labels.truncate(self.engine.n_classes)
        if self.settings.apart:
            self._configure_engine(self.settings)

    def learn(
        self,
        batch: Batch,
        labels: NDArray[np.int32],
        new_labels: Sequence[object],
        threads: int = 1,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        """Learn the rows one after the other; label -1 is none."""
        learn = self.engine.learn
        if self.settings.learns_in_threads:
            learn = partial(learn, threads=threads)
        self._learn(learn, batch, labels, new_labels, weights)

    def test_then_train(
        self,
        batch: Batch,
        labels: NDArray[np.int32],
        new_labels: Sequence[object],
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int32]:
        """Predict each row, then learn it; return what `predict` does, -1 where nothing could."""
        learn = self.engine.test_then_train
        return np.concatenate(self._learn(learn, batch, labels, new_labels, weights))

    def test_then_train_proba(
        self,
        batch: Batch,
        labels: NDArray[np.int32],
        new_labels: Sequence[object],
        weights: NDArray[np.float64] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Predict each row, also its probabilities (rows × labels), then learn it."""
        n_classes = len(self.labels) + len(new_labels)
        learn = partial(self.engine.test_then_train, n_classes=n_classes)
        codes, shares = zip(*self._learn(learn, batch, labels, new_labels, weights), strict=True)
        return np.concatenate(codes), np.concatenate(shares)

    def _learn(
        self,
        learn: Callable[..., Any],
        batch: Batch,
        labels: NDArray[np.int32],
        new_labels: Sequence[object],
        weights: NDArray[np.float64] | None = None,
    ) -> list[Any]:
        self.schema.absorb(batch.additions)
        self.add_labels(new_labels)
        try:
            whole = [slice(None)]
            chunks = self._learning.chunks(batch.n_rows, CHUNK)
            return [
                learn(
                    batch.lower[rows],
                    batch.upper[rows],
                    batch.codes[rows],
                    labels[rows],
                    *(() if weights is None else (weights[rows],)),
                )
                for rows in (whole if self.settings.needs_all_rows else chunks)
            ]
        except BaseException:  # Ctrl-C, say: the rows so far stay learned, classes to come do not
            self.drop_unlearned_labels()
            raise

    def remove(self, boxes: Sequence[int]) -> None:
        """Take out boxes, by their positions in order of creation; what they learned goes too."""
        ids = self.engine.snapshot()["id"]
        for i in ids[[*boxes]].tolist():
            self.engine.remove(i)

    def set_index(self, mode: str, leaf: int = 64) -> None:
        """Find boxes by an index: "auto" once it pays, "on" from the first box on, or not at all.

        Without it, "small" leaves boxes out as models too small for an index do, and "off" is brute
        force, with which tests and benchmarks compare. It changes no result. The engines of other
        algorithms have none. `leaf` is the number of boxes in a leaf: few, so that tests split
        leaves soon.
        """
        self.engine.set_index(mode, leaf)

    @property
    def classes(self) -> list[object]:
        """The classes learned so far, in order of first appearance."""
        return self.labels.values[: self.engine.n_classes]

    @property
    def n_boxes(self) -> int:
        """The number of boxes."""
        return int(self.engine.n_boxes)

    @property
    def n_bytes(self) -> int:
        """The memory that the boxes take."""
        return int(self.engine.bytes)

    def predict(self, batch: Batch, threads: int = 1) -> NDArray[np.int32]:
        """Return the position, in `labels`, of the class of each row."""
        parts: list[NDArray[np.int32]] = [
            self.engine.predict(batch.lower[rows], batch.upper[rows], batch.codes[rows], threads)
            for rows in self._predicting.chunks(batch.n_rows, CHUNK * threads)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def probabilities(self, batch: Batch, threads: int = 1) -> NDArray[np.float64]:
        """Return rows × classes, in the order of `labels`."""
        n_classes = self.engine.n_classes
        parts: list[NDArray[np.float64]] = [
            self.engine.probabilities(
                batch.lower[rows], batch.upper[rows], batch.codes[rows], n_classes, threads
            )
            for rows in self._predicting.chunks(batch.n_rows, CHUNK * threads)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def memberships(self, batch: Batch, threads: int = 1) -> NDArray[np.float64]:
        """Return rows × boxes, in order of creation."""
        degrees: NDArray[np.float64] = self.engine.memberships(
            batch.lower, batch.upper, batch.codes, threads
        )
        return degrees

    def responsibilities(self, batch: Batch, threads: int = 1) -> NDArray[np.float64]:
        """Return rows × boxes, in order of creation; of a model that decides by evidence."""
        carried: NDArray[np.float64] = self.engine.responsibilities(
            batch.lower, batch.upper, batch.codes, threads
        )
        return carried

    def supports(self, batch: Batch, threads: int = 1) -> NDArray[np.float64]:
        """Return how many learned rows speak for each row; of a model that decides by evidence."""
        rows: NDArray[np.float64] = self.engine.supports(
            batch.lower, batch.upper, batch.codes, threads
        )
        return rows

    def boxes(self, unlabelled: object = None) -> Boxes:
        """Return the boxes as they are now; those without a class have the mark `unlabelled`."""
        state, apart = self.engine.snapshot(), self.settings.apart
        return Boxes(state, self.schema, self.labels.values, unlabelled, apart)

    def described_schema(self) -> Schema:
        """Return a copy of the schema with the ranges of the numeric columns filled in."""
        state = self.engine.snapshot()
        ranges = zip(state["low"].tolist(), state["high"].tolist(), strict=True)
        return Schema(
            [
                c.with_values(Vocabulary(c.vocabulary.values))
                if c.vocabulary is not None
                else c.with_values(range=next(ranges))
                if c.kind == "numeric"
                else c
                for c in self.schema.columns
            ],
            self.schema.named,
        )

    def row_reader(self, keys: dict[Any, str]) -> RowReader:
        """Return what takes rows that are dicts straight to the engine.

        Parameters
        ----------
        keys : dict
            The keys under which rows have the columns, in the order of the schema. It must stay
            as it is.
        """
        return RowReader(
            self.engine, keys, self.schema.numeric, self.schema.vocabularies, self.labels
        )

    def widened(
        self, columns: Sequence[Column], settings: Settings, ranges: Sequence[Range]
    ) -> Model:
        """Return a model with more columns, as if they had been missing in all rows so far.

        Parameters
        ----------
        columns : sequence of Column
            The new columns. Where boxes exist, a categorical one must have None as its only value.
        settings : Settings
            For all columns, the new ones included.
        ranges : sequence of Range
            One per new numeric column.
        """
        schema = Schema([*self.schema.columns, *columns], self.schema.named)
        return self._with_schema(schema, settings, ranges)

    def with_kinds(
        self, kinds: Mapping[int, Kind], settings: Settings, ranges: Sequence[Range]
    ) -> Model:
        """Return a model in which columns of unknown kind have one, missing in all rows so far.

        Parameters
        ----------
        kinds : mapping of int to Kind
            The kinds, by the position of the column.
        settings : Settings
            For all columns that then have a kind.
        ranges : sequence of Range
            One per new numeric column.
        """
        return self._with_schema(self.schema.with_kinds(kinds), settings, ranges)

    def without_unknown(self) -> Model:
        """Return a copy without the columns of unknown kind, which take no part in it."""
        header, arrays = self.to_state()
        known = [self.schema.columns[j] for j in self.schema.known]
        return Model.from_state(
            header | {"schema": Schema(known, self.schema.named).to_dict()}, arrays
        )

    def _with_schema(self, schema: Schema, settings: Settings, ranges: Sequence[Range]) -> Model:
        """Return a model with more numeric and categorical columns, wherever they stand."""
        header, arrays = self.to_state()
        header |= {"schema": schema.to_dict(), "settings": settings.to_dict()}
        numeric = _places(schema.numeric, self.schema.numeric)
        categorical = _places(schema.categorical, self.schema.categorical)
        wider = _wider(arrays, len(self.schema.categorical), categorical, numeric, ranges)
        return Model.from_state(header, arrays | wider)

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return all there is to the model: a description that JSON can hold, and arrays."""
        state = self.engine.snapshot()
        labels = Vocabulary(self.labels.values[: state["n_classes"]])
        header = {
            "schema": self.schema.to_dict(),
            "labels": Schema([Column("label", "categorical", labels)], named=True).to_dict(),
            "settings": self.settings.to_dict(),
            "next_id": state["next_id"],
        }
        names = (*_FORMS, *(_SCALES if "scales" in state else ()), *self.settings.arrays)
        return header, {name: state[name] for name in names}

    @classmethod
    def from_state(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Model:
        """Rebuild a model from what `to_state` returned.

        Nothing in it is trusted: whatever does not fit raises ValueError, TypeError or KeyError.
        """
        settings = settings_from_dict(header["settings"])
        forms = {**_FORMS, **(_SCALES if "scales" in arrays else {}), **settings.arrays}
        for name, (dtype, ndim) in forms.items():
            if arrays[name].dtype != dtype or arrays[name].ndim != ndim:
                raise ValueError(f"the array {name!r} has another form than expected")
        schema = Schema.from_dict(header["schema"])
        (labels,) = Schema.from_dict(header["labels"]).vocabularies
        ranges = ranges_of(arrays)
        if len(ranges) != len(schema.numeric) or None in labels.codes:
            raise ValueError("the schema and the arrays do not fit together")
        model = cls(schema, settings, ranges)
        model.add_labels(labels.values)
        sizes = np.array([len(v) for v in schema.vocabularies], dtype=np.int64)
        boxes = {name: arrays[name] for name in forms if name not in _OF_RANGES}
        model.engine.restore(**boxes, n_classes=len(labels), next_id=header["next_id"])
        feature = np.repeat(
            np.tile(np.arange(len(sizes)), len(boxes["n"])), np.diff(boxes["first"]).astype(int)
        )
        if np.any(boxes["code"] >= sizes[feature]):
            raise ValueError("a box holds a category that the schema does not have")
        if np.any(boxes.get("n_values", sizes) > sizes):
            raise ValueError("there are bounds for categories that the schema does not have")
        if np.any(boxes.get("values_known", sizes) > sizes):
            raise ValueError("more categories are known than the schema has")
        if "recent_codes" in boxes and np.any(boxes["recent_codes"] >= sizes):
            raise ValueError("a recent row has a category that the schema does not have")
        return model

    def copy(self) -> Model:
        """Return a model with the same boxes, which does not learn when this one does."""
        return Model.from_state(*self.to_state())

    def __getstate__(self) -> tuple[dict[str, Any], Arrays]:
        return self.to_state()

    def __setstate__(self, state: tuple[dict[str, Any], Arrays]) -> None:
        self.__dict__ = Model.from_state(*state).__dict__


def ranges_of(arrays: Mapping[str, NDArray[Any]]) -> list[Range]:
    """Return the ranges in the arrays of a snapshot."""
    ends = [arrays[name].tolist() for name in ("low", "high", "growing")]
    scales = each_scale(arrays["scales"]) if "scales" in arrays else [None] * len(ends[0])
    return [
        Range(low, high, bool(growing), scale)
        for low, high, growing, scale in zip(*ends, scales, strict=True)
    ]


def _places(new: Sequence[int], old: Sequence[int]) -> list[int]:
    """Return before which of the old columns, by its number among them, each new one comes."""
    return [sum(k < j for k in old) for j in new if j not in old]


def _wider(
    arrays: Arrays,
    n_categorical: int,
    categorical: list[int],
    numeric: list[int],
    ranges: Sequence[Range],
) -> Arrays:
    """Return the arrays that change when columns without a value come in.

    `categorical` and `numeric` say before which of the columns of their kind; so far there are
    `n_categorical`.
    """
    n = arrays["n"]
    begins = arrays["first"].astype(np.int64)
    sets = np.diff(begins).reshape(len(n), n_categorical)  # how many values each has
    # Positions of the new sets: each begins where the set that follows it began.
    at = np.add.outer(np.arange(len(n)) * n_categorical, categorical).astype(np.int64)
    ends = begins[at].ravel()
    every = [*ranges_of(arrays)]
    for k, (place, new) in enumerate(zip(numeric, ranges, strict=True)):
        every.insert(place + k, new)
    return {
        "V": np.insert(arrays["V"], numeric, np.nan, axis=1),
        "W": np.insert(arrays["W"], numeric, np.nan, axis=1),
        "first": np.concatenate(
            [[0], np.insert(sets, categorical, 1, axis=1).ravel().cumsum()]
        ).astype(np.uint64),
        "code": np.insert(arrays["code"], ends, 0),
        "times": np.insert(arrays["times"], ends, np.repeat(n, len(categorical))),
        "low": np.array([r.low for r in every], np.float64),
        "high": np.array([r.high for r in every], np.float64),
        "growing": np.array([r.growing for r in every], np.uint8),
        **_wider_evidence(arrays, categorical, numeric),
        **scale_arrays(every),
    }


def _wider_evidence(arrays: Arrays, categorical: list[int], numeric: list[int]) -> Arrays:
    """Return what a model by evidence keeps of its columns beside the boxes.

    A model without boxes, in which no value is known, has no recent rows either.
    """
    if "relevance" not in arrays:
        return {}
    known = float(len(arrays["n"]) > 0)  # that the value is missing
    rows = slice(None if known else 0)
    n = arrays["V"].shape[1]
    new = [*numeric, *(n + place for place in categorical)]
    logs, squares = np.split(arrays["relevance"], 2, axis=1)
    columns, places = arrays["layer_slots"].T
    moved = np.flatnonzero(np.insert(np.zeros(n + arrays["recent_codes"].shape[1]), new, 1) == 0)
    of_change = arrays["changes"].shape[1] - n - arrays["recent_codes"].shape[1]
    return {
        "relevance": np.hstack([np.insert(part, new, 0.0, axis=1) for part in (logs, squares)]),
        "changes": np.insert(arrays["changes"], [of_change + place for place in new], 0.0, axis=1),
        "recent_lower": np.insert(arrays["recent_lower"][rows], numeric, np.nan, axis=1),
        "recent_upper": np.insert(arrays["recent_upper"][rows], numeric, np.nan, axis=1),
        "recent_codes": np.insert(arrays["recent_codes"][rows], categorical, 0, axis=1),
        "recent": arrays["recent"][rows],
        "values_known": np.insert(arrays["values_known"], categorical, known),
        "layer_slots": np.column_stack([moved[columns], places]).astype(np.int32),
    }
