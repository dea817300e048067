"""The rows to learn: selected, checked, and in an order that depends on their content only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from boxwise.learners.weights import MOST, UNIT
from boxwise.spark.columns import Layout, check_weight, column, label_type

LABEL, WEIGHT, PART = "label", "weight", "part"
_BELOW_LIMIT = 1 - 2.0**-40  # the product with a weight must not be rounded to above the limit


@dataclass(frozen=True)
class TrainingColumns:
    """The columns of a DataFrame that training needs.

    Attributes
    ----------
    layout : Layout
        The features.
    label : str
        The labels.
    weight : str or None
        How often each row counts; None: once.
    label_type : str
        The type of the labels in SQL.
    """

    layout: Layout
    label: str
    weight: str | None
    label_type: str

    @classmethod
    def of(
        cls, data: DataFrame, features: str | list[str], label: str, weight: str | None
    ) -> TrainingColumns:
        """Return the columns of a DataFrame, checked."""
        layout = Layout.of(data, features)
        if label in layout.names:
            raise ValueError(f"column {label!r} is both the label and a feature")
        if weight is not None:
            check_weight(data, weight)
        return cls(layout, label, weight, label_type(data, label))

    def select(self, data: DataFrame, others: Mapping[str, Column] | None = None) -> DataFrame:
        """Return these columns, and others, under names of their own.

        Rows of weight 0 are left out, and where one column holds all features, rows without it.
        """
        features = self.layout.expressions(data)
        selected = [expression.alias(f"x{j}") for j, expression in enumerate(features)]
        selected.append(column(self.label).alias(LABEL))
        selected += [expression.alias(name) for name, expression in (others or {}).items()]
        if self.layout.packed:
            data = data.where(column(self.layout.names[0]).isNotNull())
        if self.weight is None:
            return data.select(*selected)
        weight = F.col(WEIGHT)
        rows = data.select(*selected, column(self.weight).cast("double").alias(WEIGHT))
        return rows.where(weight.isNull() | (weight != 0))  # a missing one is an error later

    def read(self, rows: pa.Table) -> tuple[Any, Any, Any]:
        """Return features, labels and weights of what `select` selected."""
        features = self.layout.table([rows[name] for name in rows.column_names if name[0] == "x"])
        weights = None
        if self.weight is not None:
            weights = rows[WEIGHT].to_numpy(zero_copy_only=False)
        return features, rows[LABEL].to_pylist(), weights


def by_content(rows: DataFrame) -> DataFrame:
    """Sort the rows of each partition by a hash of their content.

    After a shuffle the rows of a partition come in any order. Sorted like this, a partition is the
    same however its rows came: rows that tie are equal. A hash is an order as good as random, so
    classes and times are mixed.
    """
    columns = [F.col(name) for name in rows.columns]
    return rows.sortWithinPartitions(F.xxhash64(*columns), *columns)


@dataclass(frozen=True)
class Counts:
    """How many rows there are, in how many partitions, and what the classes weigh."""

    n_rows: int
    n_parts: int  # the last partition with rows, plus one
    n_filled: int  # partitions with rows
    of_class: Mapping[object, tuple[int, float]]  # label to units of weight and largest weight


def count(rows: DataFrame, *, by_class: bool) -> Counts:
    """Count the rows of what `TrainingColumns.select` selected."""
    keys = [F.spark_partition_id().alias(PART)]
    if by_class:
        keys.append(F.col(LABEL))
    weight: Column = F.col(WEIGHT) if WEIGHT in rows.columns else F.lit(1.0)
    units = F.sum(F.round(weight / UNIT).cast("bigint"))  # whole ones: no sum depends on an order
    grouped = rows.groupBy(*keys).agg(F.count("*"), units, F.max(weight)).collect()
    parts = {row[0] for row in grouped}
    of_class: dict[object, tuple[int, float]] = {}
    for row in grouped if by_class else []:
        _, label, _, total, most = row
        before, most_before = of_class.get(label, (0, 0.0))
        of_class[label] = before + (total or 0), max(most_before, most or 0.0)
    n_rows = sum(row[-3] for row in grouped)
    return Counts(n_rows, max(parts, default=-1) + 1, len(parts), of_class)


def balanced_weights(counts: Counts, unlabelled: object) -> dict[object, float]:
    """Return the weights with which all classes weigh the same, as "balanced" has them."""
    labelled = {
        label: (total, most)
        for label, (total, most) in counts.of_class.items()
        if label is not None and label == label and label != unlabelled and total > 0
    }
    everything = sum(total for total, _ in labelled.values())
    weights = {
        label: everything / len(labelled) / total
        for label, (total, _) in sorted(labelled.items(), key=lambda item: str(item[0]))
    }
    most = max((weights[label] * labelled[label][1] for label in weights), default=0.0)
    scale = MOST / most * _BELOW_LIMIT if most > MOST else 1.0
    return {label: weight * scale for label, weight in weights.items()}


def withheld_places(n_rows: int, share: float, part: int) -> np.ndarray[Any, Any]:
    """Return the places of rows that a partition withholds: evenly spaced, at least one is left.

    The expected number is the share of the rows. What it has after the decimal point is drawn from
    a seed of the partition.
    """
    drawn = np.random.RandomState(part).random_sample()
    n_held = min(int(np.floor(n_rows * share + drawn)), n_rows - 1) if share > 0 else 0
    return ((np.arange(n_held) + 0.5) * n_rows / max(n_held, 1)).astype(np.intp)
