"""A stream is learned batch by batch, each batch once, whatever is killed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: make spark")

import boxwise
from boxwise import HyperboxClassifier, dumps
from boxwise.spark import SparkHyperboxClassifier, StreamLearner, stream
from tests.spark.conftest import SETTINGS
from tests.spark.loan_frames import COLUMNS, DECISIONS, FEATURES, LABEL, estimator

TYPES = (
    "salary double, commission double, age int, education string, car string, zip_code string, "
    "house_value double, years int, loan double"
)
PER_BATCH = 50


def plain_rows(first, last):
    """Return some rows, and their labels."""
    rows = [{name: COLUMNS[name][i].item() for name in FEATURES} for i in range(first, last)]
    return rows, DECISIONS[first:last].tolist()


def batch_of(spark, number):
    """Return a batch of rows in one partition."""
    rows, labels = plain_rows(number * PER_BATCH, (number + 1) * PER_BATCH)
    table = [(*row.values(), label) for row, label in zip(rows, labels, strict=True)]
    return spark.createDataFrame(table, f"{TYPES}, {LABEL} string").coalesce(1)


def learned(*batches):
    """Return a classifier that has learned these batches in one go each."""
    clf = HyperboxClassifier(max_boxes=60)
    for number in batches:
        clf.partial_fit(*plain_rows(number * PER_BATCH, (number + 1) * PER_BATCH))
    return clf


def same(path, expected):
    """Whether a model file holds this classifier."""
    return dumps(boxwise.load(path)) == dumps(expected)


def test_stream_learner_learns_batches_as_partial_fit_does(spark, tmp_path):
    path = tmp_path / "a model.box"
    learner = StreamLearner(path, estimator())
    learner.learn(batch_of(spark, 0), 0)
    learner.learn(batch_of(spark, 1), 1)
    assert same(path, learned(0, 1))
    assert dumps(learner.classifier) == dumps(learned(0, 1))


def test_stream_learner_skips_a_batch_that_is_repeated(spark, tmp_path):
    path = tmp_path / "model.box"
    learner = StreamLearner(path, estimator())
    learner.learn(batch_of(spark, 0), 0)
    learner.learn(batch_of(spark, 1), 1)
    before = path.read_bytes()
    learner.learn(batch_of(spark, 1), 1)
    learner.learn(batch_of(spark, 0), 0)
    # A new process knows the batch from the file.
    StreamLearner(path, estimator()).learn(batch_of(spark, 1), 1)
    assert path.read_bytes() == before
    StreamLearner(path, estimator()).learn(batch_of(spark, 2), 2)
    assert same(path, learned(0, 1, 2))


def test_stream_learner_forgets_what_it_could_not_write(spark, tmp_path, monkeypatch):
    path = tmp_path / "model.box"
    learner = StreamLearner(path, estimator())
    learner.learn(batch_of(spark, 0), 0)
    with monkeypatch.context() as patch:
        patch.setattr(stream, "write", full_disk)
        with pytest.raises(OSError, match="no space"):
            learner.learn(batch_of(spark, 1), 1)
    assert same(path, learned(0))
    learner.learn(batch_of(spark, 1), 1)  # Spark repeats it
    assert same(path, learned(0, 1))


def full_disk(path, content, arrays):
    raise OSError("no space")


def test_batches_of_another_query_are_counted_by_themselves(spark, tmp_path):
    path = tmp_path / "model.box"
    learner = StreamLearner(path, estimator())
    context = spark.sparkContext
    for query, number, batch in [("a", 0, 0), ("b", 0, 1), ("a", 0, 2), ("b", 0, 2), ("a", 1, 2)]:
        context.setLocalProperty("sql.streaming.queryId", query)
        learner.learn(batch_of(spark, batch), number)
    context.setLocalProperty("sql.streaming.queryId", None)
    assert same(path, learned(0, 1, 2))


def test_rows_of_a_batch_are_sorted_by_a_column_and_ties_by_content(spark, tmp_path):
    rows = [(float(i % 7), float(i // 7), "no" if i % 2 else "yes") for i in range(70)]
    files = []
    for order in (rows, rows[::-1]):
        path = tmp_path / f"{len(files)}.box"
        columns = SparkHyperboxClassifier(featuresCols=["x"])
        batch = spark.createDataFrame(order, "x double, time double, label string").repartition(3)
        StreamLearner(path, columns, orderBy="time").learn(batch, 0)
        files.append(path.read_bytes())
    assert files[0] == files[1]
    one = [(x, -time, label) for x, time, label in rows if x == 0.0]  # no ties
    path = tmp_path / "one.box"
    batch = spark.createDataFrame(one, "x double, time double, label string")
    StreamLearner(path, SparkHyperboxClassifier(featuresCols=["x"]), orderBy=["time"]).learn(
        batch, 0
    )
    in_time = sorted(one, key=lambda row: row[1])
    expected = HyperboxClassifier().partial_fit(
        [{"x": x} for x, _, _ in in_time], [label for *_, label in in_time]
    )
    assert same(path, expected)


def test_stream_goes_on_with_a_fitted_model(spark, tmp_path):
    model = estimator().fit(batch_of(spark, 0))
    path = tmp_path / "model.box"
    StreamLearner(path, model).learn(batch_of(spark, 1), 0)
    expected = model.toLocal()
    expected.partial_fit(*plain_rows(PER_BATCH, 2 * PER_BATCH))
    assert same(path, expected)


def test_errors_of_a_batch_leave_the_model_as_it_was(spark, tmp_path):
    path = tmp_path / "model.box"
    learner = StreamLearner(path, SparkHyperboxClassifier(featuresCols=["x"]))
    rows = spark.createDataFrame([(1.0, "a"), (2.0, "b")], "x double, label string")
    learner.learn(rows, 0)
    before = path.read_bytes()
    wrong = spark.createDataFrame([(float("inf"), "a")], "x double, label string")
    with pytest.raises(ValueError, match="batch 1: column 'x': inf is not finite; use None"):
        learner.learn(wrong, 1)
    assert path.read_bytes() == before
    learner.learn(rows.where("false"), 1)
    assert path.read_bytes() == before


# Killed when the model file of batch 2 is there, before Spark has noted that the batch is done.
SCRIPT = """
import os, signal, sys
from pathlib import Path
from pyspark.sql import SparkSession
from boxwise.spark import SparkHyperboxClassifier, StreamLearner

folder, settings, columns, types, kill = eval(sys.stdin.read())
builder = SparkSession.builder.master("local[2]")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
estimator = SparkHyperboxClassifier(featuresCols=columns, labelCol="decision", maxBoxes=60)
learner = StreamLearner(Path(folder, "model.box"), estimator)

def learn(batch, number):
    learner.learn(batch, number)
    if number == kill:
        os.kill(os.getpid(), signal.SIGKILL)

rows = spark.readStream.schema(types).option("maxFilesPerTrigger", 1).csv(f"{folder}/rows")
query = rows.writeStream.foreachBatch(learn).option("checkpointLocation", f"{folder}/checkpoint")
query.trigger(availableNow=True).start().awaitTermination()
"""


def test_query_that_was_killed_goes_on_and_learns_each_batch_once(spark, tmp_path):
    folder = tmp_path / "a folder with spaces"
    (folder / "rows").mkdir(parents=True)
    for number in range(4):
        rows, labels = plain_rows(number * PER_BATCH, (number + 1) * PER_BATCH)
        lines = [
            ",".join(map(str, (*row.values(), label)))
            for row, label in zip(rows, labels, strict=True)
        ]
        path = folder / "rows" / f"{number}.csv"
        path.write_text("\n".join(lines), encoding="utf-8")
        os.utime(path, (1_700_000_000 + number,) * 2)  # by which the source orders files
    types = f"{TYPES}, {LABEL} string"
    settings = {**SETTINGS, "spark.sql.warehouse.dir": f"{folder}/warehouse"}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=repr((str(folder), settings, FEATURES, types, 2)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == -9, run.stderr[-2000:]
    assert same(folder / "model.box", learned(0, 1, 2))
    assert not (folder / "checkpoint" / "commits" / "2").exists()  # Spark will repeat the batch
    seen = []
    learner = StreamLearner(folder / "model.box", estimator())

    def learn(batch, number):
        seen.append(number)
        learner.learn(batch, number)

    stream = spark.readStream.schema(types).option("maxFilesPerTrigger", 1)
    query = stream.csv(f"{folder}/rows").writeStream.foreachBatch(learn)
    query = query.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True)
    query.start().awaitTermination()
    assert seen == [2, 3]
    assert same(folder / "model.box", learned(0, 1, 2, 3))
