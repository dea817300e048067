"""Learning by partitions on local Spark, against one pass without it.

    python -m benchmarks.spark [ROWS]

Needs the extra `spark` and Java. Prints Markdown and writes it to benchmarks/results/spark.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from sklearn.metrics import log_loss

from benchmarks.report import Report
from boxwise import HyperboxClassifier, dumps
from boxwise.datasets import LoanStream
from boxwise.evaluate import class_balanced_accuracy
from boxwise.spark import SparkHyperboxClassifier, SparkHyperboxModel

TESTED = 20_000
PARTS = 8
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "OFF",
}


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call and the seconds it took."""
    start = perf_counter()
    result = call()
    return result, perf_counter() - start


def session() -> SparkSession:
    """Return Spark with two cores."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def table(columns: dict[str, np.ndarray], labels: np.ndarray) -> pa.Table:
    """Return rows as an Arrow table."""
    return pa.table({**{name: pa.array(v) for name, v in columns.items()}, "label": labels})


def scores(clf: HyperboxClassifier, rows: pa.Table) -> tuple[float, float]:
    """Return class balanced accuracy and log-loss."""
    labels = rows["label"].to_pylist()
    features = rows.drop_columns("label")
    cba = class_balanced_accuracy(labels, clf.predict(features))
    return cba, log_loss(labels, clf.predict_proba(features))


def part_bytes(data: Any, estimator: SparkHyperboxClassifier) -> list[int]:
    """Return the size of the model of each partition."""
    parts = [data.where(f"spark_partition_id() = {part}").coalesce(1) for part in range(PARTS)]
    return [len(dumps(estimator.fit(part).toLocal())) for part in parts]


def measure(function: int, n_rows: int, report: Report) -> None:
    """Add a row for one pass and one for Spark."""
    stream = LoanStream(n_rows + TESTED, function=function, noise=0.05, seed=1)
    columns, labels = stream.table()
    rows = table(columns, labels)
    learned, tested = rows.slice(0, n_rows), rows.slice(n_rows)
    features = learned.drop_columns("label")
    runs = [timed(lambda: HyperboxClassifier().fit(features, learned["label"])) for _ in range(3)]
    one, local_time = runs[0][0], min(seconds for _, seconds in runs)
    _, local_predicts = timed(lambda: one.predict_proba(features))

    data = session().createDataFrame(learned).repartition(PARTS, "loan").cache()
    data.count()
    estimator = SparkHyperboxClassifier(featuresCols=[*columns])
    runs = [timed(lambda: estimator.fit(data)) for _ in range(3)]
    model = runs[0][0]
    assert len({dumps(found.toLocal()) for found, _ in runs}) == 1
    predicted = SparkHyperboxModel.fromLocal(one).transform(data)
    # It predicts all rows and collects none.
    nowhere = predicted.write.format("noop").mode("overwrite")
    spark_predicts = min(timed(nowhere.save)[1] for _ in range(3))
    sizes = part_bytes(data, estimator)
    first, again = runs[0][1], min(seconds for _, seconds in runs)
    for name, clf, fit, predicts in (
        ("one pass", one, f"{local_time:.1f} s", local_predicts),
        ("Spark", model.toLocal(), f"{again:.1f} s, the first time {first:.1f} s", spark_predicts),
    ):
        cba, loss = scores(clf, tested)
        size = f"{len(dumps(clf)):,}"
        if clf is not one:
            size += f"; of a part {min(sizes):,} to {max(sizes):,}"
        report.say(
            f"| {function} | {name} | {fit} | {predicts:.1f} s | {cba:.3f} | {loss:.3f} | {size} |"
        )


def main() -> None:
    """Measure two functions of the loans."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    report = Report("Learning on Spark", "python -m benchmarks.spark")
    _, start = timed(session)
    report.say(
        f"Loans, {n_rows:,} rows to learn in {PARTS} partitions, {TESTED:,} others to test. "
        f"`local[2]`: {os.cpu_count()} cores, {start:.0f} s to start Spark. The least time of "
        "three runs; the partitions are cached. One pass uses one thread.\n"
    )
    report.say("| function | | fit | predict all | CBA | log-loss | bytes of the model |")
    report.say("|--:|---|--:|--:|--:|--:|--:|")
    for function in (5, 7):
        measure(function, n_rows, report)
    report.write("spark.md")


if __name__ == "__main__":
    main()
