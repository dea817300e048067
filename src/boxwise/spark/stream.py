"""Learning in Structured Streaming, each batch once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from boxwise.learners import HyperboxClassifier, load
from boxwise.spark.columns import column
from boxwise.spark.estimator import SparkHyperboxClassifier
from boxwise.spark.model import SparkHyperboxModel
from boxwise.spark.parts import errors_without_rows
from boxwise.spark.rows import TrainingColumns
from boxwise.store import read, write

_QUERY_ID = "sql.streaming.queryId"
_BATCHES = "spark_batches"  # in the model file: the last batch learned of each query


class StreamLearner:
    r"""Learns the batches of a streaming query; `learn` is for ``foreachBatch``.

    The driver learns the rows of a batch, one by one, with `HyperboxClassifier.partial_fit`. Then
    the model file is replaced atomically. It holds the model and the number of the batch, so that a
    batch that Spark repeats after a failure is not learned twice. `boxwise.load` reads the file.

    Parameters
    ----------
    path : path
        The model file, on a file system of the driver. If it is there, the stream goes on with it.
    start : SparkHyperboxClassifier or SparkHyperboxModel
        The columns; and, if there is no file yet, the parameters of a new model or the model to go
        on with.
    orderBy : str or list of str, optional
        Columns by which to sort a batch, the time of events for example; rows that tie are sorted
        by their content. By default the rows are learned by partition, each in the order in which
        the source gives it.

    Notes
    -----
    Batches are numbered by query, and a query is known by its checkpoint location. With another
    checkpoint location, Spark counts from 0 again, and what it repeats is learned again. One query
    at a time may learn into one file.

    Examples
    --------
    >>> import os, sys, tempfile
    >>> from pathlib import Path
    >>> import boxwise
    >>> from boxwise.spark import SparkHyperboxClassifier, StreamLearner
    >>> from pyspark.sql import SparkSession
    >>> os.environ["PYSPARK_PYTHON"] = sys.executable  # of the tasks
    >>> spark = (
    ...     SparkSession.builder.master("local[2]")
    ...     .config("spark.ui.enabled", "false")
    ...     .config("spark.driver.host", "127.0.0.1")
    ...     .config("spark.driver.bindAddress", "127.0.0.1")
    ...     .getOrCreate()
    ... )
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "rows.csv").write_text("23,no\n61,yes\n")
    >>> columns = SparkHyperboxClassifier(featuresCols=["age"], labelCol="bought")
    >>> learner = StreamLearner(folder / "model.box", columns)
    >>> stream = spark.readStream.schema("age int, bought string").csv(f"{folder}/*.csv")
    >>> query = (
    ...     stream.writeStream.foreachBatch(learner.learn)
    ...     .option("checkpointLocation", f"{folder}/checkpoint")
    ...     .trigger(availableNow=True)
    ...     .start()
    ... )
    >>> query.awaitTermination()
    >>> boxwise.load(folder / "model.box").predict([{"age": 60}])
    array(['yes'], dtype='<U3')
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        start: SparkHyperboxClassifier | SparkHyperboxModel,
        *,
        orderBy: str | list[str] | None = None,
    ) -> None:
        self._path = Path(path)
        self._start = start
        self._order_by = [orderBy] if isinstance(orderBy, str) else [*(orderBy or ())]
        self._classifier: HyperboxClassifier | None = None
        self._batches: dict[str, int] = {}
        self._resume()

    @property
    def classifier(self) -> HyperboxClassifier:
        """The classifier as it is now."""
        return self._resume()

    def learn(self, batch: DataFrame, batchId: int) -> None:
        """Learn a batch, unless the model has learned it already."""
        query = batch.sparkSession.sparkContext.getLocalProperty(_QUERY_ID) or ""
        classifier = self._resume()
        if batchId <= self._batches.get(query, -1):
            return
        rows, columns = self._ordered(batch)
        if not rows.num_rows:
            return
        self._classifier = None  # until the file is written: after an error it counts, not this
        features, labels, weights = columns.read(rows)
        with errors_without_rows(f"batch {batchId}"):
            classifier.partial_fit(features, labels, sample_weight=weights)
        batches = {**self._batches, query: batchId}
        content, arrays = classifier._to_saved()
        write(self._path, {**content, _BATCHES: batches}, arrays)
        self._classifier, self._batches = classifier, batches

    def _resume(self) -> HyperboxClassifier:
        """Return the classifier of the file, or that to start with."""
        if self._classifier is None:
            self._batches = {}
            if self._path.exists():
                self._batches = _batches_of(self._path)
                self._classifier = load(self._path)
            elif isinstance(self._start, SparkHyperboxModel):
                self._classifier = self._start.toLocal()
            else:
                self._classifier = self._start._classifier()
        return self._classifier

    def _ordered(self, batch: DataFrame) -> tuple[pa.Table, TrainingColumns]:
        start = self._start
        columns = TrainingColumns.of(
            batch,
            start._feature_columns(),
            start.getLabelCol(),
            start._column(start.weightCol),
        )
        keys = {f"key{j}": column(name) for j, name in enumerate(self._order_by)}
        if keys:
            rows = columns.select(batch, keys)
            content = [F.col(name) for name in rows.columns if name not in keys]
            rows = rows.sort(*keys, F.xxhash64(*content), *content)
            return rows.drop(*keys).toArrow(), columns
        return columns.select(batch).toArrow(), columns


def _batches_of(path: Path) -> dict[str, int]:
    content: dict[str, Any] = read(path)[0]
    return dict(content.get(_BATCHES, {}))
