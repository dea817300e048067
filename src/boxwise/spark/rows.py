"""The rows to learn: selected, checked, and in an order that depends on their content only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from boxwise.learners.weights import UNIT
from boxwise.spark.columns import Layout, check_weight, column, label_type

LABEL, WEIGHT, PART = "label", "weight", "part"


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
    """In how many partitions there are rows, and what their classes weigh.

    Attributes
    ----------
    n_parts : int
        How many partitions there are, those without rows after the last one left out.
    n_filled : int
        How many of them have rows.
    of_class : sequence of mappings
        The weights of the rows of each class in all and at most, in parts.
    """

    n_parts: int
    n_filled: int
    of_class: Sequence[Mapping[object, tuple[float, float]]]


def count(rows: DataFrame, *, by_class: bool, unlabelled: object = None) -> Counts:
    """Count the partitions and the classes of what `TrainingColumns.select` selected."""
    part = F.spark_partition_id().alias(PART)
    weight: Column = F.col(WEIGHT) if WEIGHT in rows.columns else F.lit(1.0)
    units = F.sum(F.round(weight / UNIT).cast("bigint"))  # whole ones: no sum depends on an order
    keys = [part, F.col(LABEL)] if by_class else [part]
    grouped = rows.groupBy(*keys).agg(units, F.max(weight)).collect()
    parts = {row[0] for row in grouped}
    of_class = [
        {label: ((total or 0) * UNIT, most or 0.0)}
        for _, label, total, most in (grouped if by_class else ())
        if label is not None and label == label and label != unlabelled
    ]
    return Counts(max(parts, default=-1) + 1, len(parts), of_class)
