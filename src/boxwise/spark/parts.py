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

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from boxwise.learners import HyperboxClassifier, dumps, loads
from boxwise.learners import parts as scheme
from boxwise.spark.rows import PART, Counts, TrainingColumns

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
    n_parts : int
        How many partitions have rows.
    tune_rows : int
        How many rows all of them withhold at most.
    """

    columns: TrainingColumns
    classifier: HyperboxClassifier
    n_parts: int
    tune_rows: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one row with the number of the partition, its model and its withheld rows."""
        filled = [batch for batch in batches if batch.num_rows]
        if not filled:
            return
        rows = pa.Table.from_batches(filled)
        context = TaskContext.get()
        part = context.partitionId() if context is not None else 0
        most = scheme.quota(part, self.n_parts, self.tune_rows)
        places = scheme.withheld_places(rows.num_rows, part, most)
        others = np.delete(np.arange(rows.num_rows), places)
        features, labels, weights = self.columns.read(rows.take(others))
        with errors_without_rows(f"partition {part}"):
            self.classifier.fit(features, labels, sample_weight=weights)
        yield _result(part, dumps(self.classifier), rows.take(places))


def merge_group(rows: pa.Table) -> pa.Table:
    """Merge the models of one group of parts; called by applyInArrow."""
    rows = rows.sort_by(PART)
    model = scheme.merged_parts([loads(data) for data in rows["model"].to_pylist()])
    withheld = pa.concat_tables(_unpack(data) for data in rows["withheld"].to_pylist())
    result = _result(rows[_GROUP][0].as_py(), dumps(model), withheld)
    return pa.Table.from_batches([result])


def learn(
    rows: DataFrame,
    columns: TrainingColumns,
    classifier: HyperboxClassifier,
    *,
    counts: Counts,
    tune_rows: int,
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
        How many partitions there are.
    tune_rows : int
        How many rows all partitions withhold at most, for the merged model to learn.
    """
    learner = PartLearner(columns, classifier, counts.n_filled, tune_rows)
    parts = rows.mapInArrow(learner, _SCHEMA)
    n_parts = counts.n_parts
    while n_parts > scheme.FAN_IN:
        n_parts = -(-n_parts // scheme.FAN_IN)
        groups = parts.withColumn(_GROUP, F.floor(F.col(PART) / scheme.FAN_IN))
        # A given number of partitions, or Spark would put such small ones together into one.
        groups = groups.repartition(n_parts, _GROUP)
        parts = groups.groupBy(_GROUP).applyInArrow(merge_group, _SCHEMA)
    found = sorted(parts.collect(), key=lambda row: int(row[PART]))
    models: list[HyperboxClassifier] = [loads(bytes(row["model"])) for row in found]
    withheld = pa.concat_tables(_unpack(bytes(row["withheld"])) for row in found)
    tune = None
    with errors_without_rows("all partitions, merged"):
        if withheld.num_rows:
            tune = columns.read(withheld.take(scheme.tuning_order(withheld.num_rows)))
        return scheme.merged_parts(models, tune)


@contextmanager
def errors_without_rows(where: str) -> Iterator[None]:
    """Replace the number of a row in an error, which says nothing in Spark, by where it is."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        text = re.sub(r" \(row \d+\)| of row \d+", "", str(error))
        raise kind(f"{where}: {text}") from None


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
