"""Graphs of tasks: which partition is learned and merged where in the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
from numpy.typing import NDArray

from boxwise.dask import tasks
from boxwise.dask.partitions import Partition, check_table
from boxwise.learners import parts as scheme
from boxwise.learners.hyperbox_classifier import HyperboxClassifier
from dask import delayed


def learned(
    partitions: Sequence[Partition],
    parameters: Mapping[str, Any],
    tune_rows: int,
    present: bytes | None = None,
    columns: tasks.Columns | None = None,
) -> Any:
    """Return the delayed file of a model that has learned all partitions, merged in their order.

    Parameters
    ----------
    partitions
        One task learns each.
    parameters
        Those of the model.
    tune_rows
        How many rows all parts withhold at most, to be learned at the end.
    present
        The file of a model that goes on with the partitions.
    columns
        How its columns are found in the partitions.
    """
    n = len(partitions)
    class_weight = parameters["class_weight"]
    if n > 1 and isinstance(class_weight, str):  # balanced over all partitions
        counts = [
            delayed(tasks.count_classes)(part.number, part.rows, parameters["unlabelled"])
            for part in partitions
        ]
        class_weight = delayed(scheme.balanced_weights)(counts)
    parts = []
    for part in partitions:
        most = scheme.quota(part.number, n, tune_rows)
        how = (parameters, class_weight, most, columns)
        parts.append(delayed(tasks.learn_part)(part.number, part.rows, *how))
    while len(parts) > scheme.FAN_IN:
        starts = range(0, len(parts), scheme.FAN_IN)
        parts = [delayed(tasks.merge_parts)(parts[i : i + scheme.FAN_IN]) for i in starts]
    return delayed(tasks.finish)(parts, n, parameters, present)


def gone_on(partition: Partition, parameters: Mapping[str, Any], present: bytes | None) -> Any:
    """Return the delayed file of a model that has gone on with the rows of one partition."""
    return delayed(tasks.go_on)(partition.number, partition.rows, parameters, present)


def scored(partitions: Sequence[Partition], model: HyperboxClassifier) -> Any:
    """Return the delayed share of rows that the model predicts rightly."""
    shared = delayed(model, traverse=False)
    return delayed(tasks.share_right)(
        [delayed(tasks.count_right)(part.number, part.rows, shared) for part in partitions]
    )


def mapped(task: Any, X: Any, model: HyperboxClassifier, nothing: NDArray[Any], **how: Any) -> Any:
    """Return a dask array of what a task says of each row.

    Parameters
    ----------
    task
        Called with a partition, the model, `nothing` and `how`.
    X
        The table.
    model
        It is in the graph once.
    nothing
        The result for a partition without rows; its dtype and columns are those of all results.
    """
    table = check_table(X)
    shared = delayed(model, traverse=False)
    if isinstance(table, dd.DataFrame):
        return table.map_partitions(
            task, shared, nothing=nothing, **how, meta=nothing, align_dataframes=False
        )
    chunks = (table.chunks[0], *((width,) for width in nothing.shape[1:]))
    return da.map_blocks(
        task,
        table,
        shared,
        nothing=nothing,
        **how,
        dtype=nothing.dtype,
        chunks=chunks,
        drop_axis=[] if nothing.ndim == 2 else 1,
        meta=np.empty((0,) * nothing.ndim, nothing.dtype),
    )
