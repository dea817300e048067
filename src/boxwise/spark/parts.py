"""Learning a model per partition, and merging the models in the order of the partitions.

All tasks are pure: what they return depends on the rows of their partition only. A task that is
lost is run again and returns the same bytes. Which models are merged with which depends on the
numbers of the partitions only, so the result does not depend on the executors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from boxwise.learners import HyperboxClassifier, dumps, loads, merge
from boxwise.spark.rows import PART, Counts, TrainingColumns, withheld_places

FAN_IN = 64  # models that one task merges
_GROUP = "group"
_SCHEMA = "part int, model binary, withheld binary"
_ARROW = pa.schema([("part", pa.int32()), ("model", pa.binary()), ("withheld", pa.binary())])


@dataclass(frozen=True)
class PartLearner:
    """Learns the rows of one partition, but for some that it withholds.

    Attributes
    ----------
    columns : TrainingColumns
        How to read the rows.
    classifier : HyperboxClassifier
        Has the parameters and has learned nothing.
    withheld : float
        The share of the rows that is not learned, but returned.
    """

    columns: TrainingColumns
    classifier: HyperboxClassifier
    withheld: float

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one row with the number of the partition, its model and its withheld rows."""
        filled = [batch for batch in batches if batch.num_rows]
        if not filled:
            return
        rows = pa.Table.from_batches(filled)
        context = TaskContext.get()
        part = context.partitionId() if context is not None else 0
        places = withheld_places(rows.num_rows, self.withheld, part)
        features, labels, weights = self.columns.read(rows.take(_others(places, rows.num_rows)))
        with errors_without_rows(f"partition {part}"):
            self.classifier.fit(features, labels, sample_weight=weights)
        yield _result(part, dumps(self.classifier), rows.take(places))


def merge_group(rows: pa.Table) -> pa.Table:
    """Merge the models of one group of parts; called by applyInArrow."""
    rows = rows.sort_by(PART)
    model = _merged(rows["model"].to_pylist())
    withheld = pa.concat_tables(_unpack(data) for data in rows["withheld"].to_pylist())
    result = _result(rows[_GROUP][0].as_py(), dumps(model), withheld)
    return pa.Table.from_batches([result])


def learn(
    rows: DataFrame,
    columns: TrainingColumns,
    classifier: HyperboxClassifier,
    *,
    counts: Counts,
    withheld: int,
) -> HyperboxClassifier:
    """Return a model of all rows, learned by partitions.

    Parameters
    ----------
    rows : DataFrame
        The rows to learn, in order.
    columns : TrainingColumns
        How to read them.
    classifier : HyperboxClassifier
        Has the parameters and has learned nothing.
    counts : Counts
        How many rows there are.
    withheld : int
        How many rows to withhold from the parts, for the merged model to learn.
    """
    share = withheld / counts.n_rows
    parts = rows.mapInArrow(PartLearner(columns, classifier, share), _SCHEMA)
    n_parts = counts.n_parts
    while n_parts > FAN_IN:
        n_parts = -(-n_parts // FAN_IN)
        groups = parts.withColumn(_GROUP, F.floor(F.col(PART) / FAN_IN))
        # A given number of partitions, or Spark would put such small ones together into one.
        groups = groups.repartition(n_parts, _GROUP)
        parts = groups.groupBy(_GROUP).applyInArrow(merge_group, _SCHEMA)
    found = sorted(parts.collect(), key=lambda row: int(row[PART]))
    model = _merged([bytes(row["model"]) for row in found])
    tune = pa.concat_tables(_unpack(bytes(row["withheld"])) for row in found)
    if tune.num_rows:
        order = np.random.RandomState(0).permutation(tune.num_rows)
        features, labels, weights = columns.read(tune.take(order))
        with errors_without_rows("rows withheld to tune"):
            model.partial_fit(features, labels, sample_weight=weights)
    return model


@contextmanager
def errors_without_rows(where: str) -> Iterator[None]:
    """Replace the number of a row in an error, which says nothing in Spark, by where it is."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        text = re.sub(r" \(row \d+\)| of row \d+", "", str(error))
        raise kind(f"{where}: {text}") from None


def _merged(models: list[bytes]) -> HyperboxClassifier:
    """Merge models in this order; one alone stays as it is."""
    found: list[HyperboxClassifier] = [loads(data) for data in models]
    return merge(found) if len(found) > 1 else found[0]


def _others(places: np.ndarray[Any, Any], n_rows: int) -> np.ndarray[Any, Any]:
    return np.delete(np.arange(n_rows), places)


def _result(part: int, model: bytes, withheld: pa.Table) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{"part": part, "model": model, "withheld": _pack(withheld)}], schema=_ARROW
    )


def _pack(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows.combine_chunks())
    return bytes(sink.getvalue().to_pybytes())


def _unpack(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()
