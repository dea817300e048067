"""Learning by partitions gives one model, whatever happens to the tasks."""

from __future__ import annotations

import os
import signal
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: make spark")

from pyspark import TaskContext
from pyspark.sql import functions as F

from boxwise import HyperboxClassifier, dumps, merge
from boxwise.evaluate import class_balanced_accuracy
from boxwise.learners import parts as scheme
from boxwise.learners.parts import merged_parts, quota, tuning_order, withheld_places
from boxwise.spark import SparkHyperboxClassifier
from boxwise.spark.columns import Layout
from boxwise.spark.parts import PartLearner
from boxwise.spark.rows import TrainingColumns
from tests.spark.loan_frames import COLUMNS, DECISIONS, FEATURES, LABEL, estimator, loan_frame


@pytest.fixture(scope="module")
def undisturbed(session_of):
    """The bytes of the model of five partitions."""
    return dumps(estimator().fit(loan_frame(session_of("local[2,4]"))).toLocal())


@pytest.mark.parametrize(
    "master", ["local[1]", pytest.param("local-cluster[2,1,512]", marks=pytest.mark.long)]
)
def test_fit_gives_the_same_bytes_with_other_executors(session_of, undisturbed, master):
    model = estimator().fit(loan_frame(session_of(master)))
    assert dumps(model.toLocal()) == undisturbed


def test_fit_gives_the_same_bytes_after_the_worker_of_a_task_was_killed(
    spark, undisturbed, monkeypatch, tmp_path
):
    rows = loan_frame(spark)
    plain = type(rows).mapInArrow

    def map_in_arrow(self, function, schema, *others):
        def killed_once(batches):
            results = list(function(batches))
            context = TaskContext.get()
            if context.partitionId() == 2 and context.attemptNumber() == 0:
                (tmp_path / "killed").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield from results

        return plain(self, killed_once, schema, *others)

    monkeypatch.setattr(type(rows), "mapInArrow", map_in_arrow)
    model = estimator().fit(rows)
    assert (tmp_path / "killed").exists()
    assert dumps(model.toLocal()) == undisturbed


def test_fit_does_not_depend_on_the_order_of_rows_in_a_partition(spark, undisturbed):
    rows = loan_frame(spark).sortWithinPartitions(F.desc("loan"))
    assert dumps(estimator().fit(rows).toLocal()) == undisturbed


def test_fit_depends_on_the_order_of_the_partitions(spark, undisturbed):
    rows = loan_frame(spark)
    others = [rows.where(F.spark_partition_id() == part).coalesce(1) for part in (1, 0, 2, 3, 4)]
    swapped = reduce(lambda a, b: a.union(b), others)
    assert dumps(estimator().fit(swapped).toLocal()) != undisturbed


def test_fit_of_one_partition_learns_its_rows_as_the_classifier_does(spark):
    rows = loan_frame(spark, 500, parts=1)
    ordered = rows.sortWithinPartitions(F.xxhash64(*rows.columns)).toArrow()
    local = HyperboxClassifier(max_boxes=60).fit(ordered.select(FEATURES), ordered[LABEL])
    assert dumps(estimator().fit(rows).toLocal()) == dumps(local)


def test_fit_merges_models_of_the_partitions_and_tunes_with_the_rest(spark):
    rows = loan_frame(spark, 1_000, parts=3)
    ordered = rows.sortWithinPartitions(F.xxhash64(*rows.columns))
    tables = [
        ordered.where(F.spark_partition_id() == part).toArrow().to_pylist() for part in range(3)
    ]
    models, withheld = [], []
    for part, table in enumerate(tables):
        places = withheld_places(len(table), part, quota(part, 3)).tolist()
        withheld += [table[i] for i in places]
        learned = [row for i, row in enumerate(table) if i not in places]
        models.append(
            HyperboxClassifier(max_boxes=60).fit(
                [{name: row[name] for name in FEATURES} for row in learned],
                [row[LABEL] for row in learned],
            )
        )
    tune = [withheld[i] for i in tuning_order(len(withheld))]
    assert 95 < len(tune) <= 100
    features = [{name: row[name] for name in FEATURES} for row in tune]
    expected = merged_parts(models, (features, [row[LABEL] for row in tune]))
    assert dumps(estimator().fit(rows).toLocal()) == dumps(expected)


def test_tune_rows_of_zero_withholds_none(spark):
    rows = loan_frame(spark, 1_000, parts=3)
    models = [estimator().fit(part).toLocal() for part in partitions(rows, 3)]
    assert dumps(estimator(tuneRows=0).fit(rows).toLocal()) == dumps(merge(models))


def test_fit_merges_many_parts_in_groups_of_a_tree(spark, monkeypatch):
    monkeypatch.setattr(scheme, "FAN_IN", 3)
    calls = []
    monkeypatch.setattr(
        scheme, "merge", lambda models, **how: calls.append(len(models)) or merge(models, **how)
    )
    rows = loan_frame(spark, 1_000, parts=7)
    tree = estimator(tuneRows=0).fit(rows).toLocal()
    assert calls == [3]  # the driver merges three groups, which tasks have merged
    models = [m.toLocal() for m in (estimator(tuneRows=0).fit(p) for p in partitions(rows, 7))]
    groups = [merge(models[:3]), merge(models[3:6]), models[6]]
    assert dumps(tree) == dumps(merge(groups))


def partitions(rows, n_parts):
    """Return each partition as a DataFrame."""
    return [rows.where(F.spark_partition_id() == part).coalesce(1) for part in range(n_parts)]


def test_fit_goes_on_where_partitions_are_empty_or_lack_categories_and_classes(spark):
    table = [(float(i), "a" if i < 60 else "b", ("no", "yes", "rare")[i // 50]) for i in range(120)]
    rows = spark.createDataFrame(table, "x double, kind string, label string")
    spread = rows.repartition(12, F.floor(F.col("x") / 50))  # most are empty, each has one class
    model = SparkHyperboxClassifier(featuresCols=["x", "kind"]).fit(spread)
    assert model.classes == ["no", "rare", "yes"]
    found = {row.x: row.prediction for row in model.transform(rows).collect()}
    assert [found[5.0], found[80.0], found[110.0]] == ["no", "yes", "rare"]


def test_fit_of_no_rows_says_so(spark):
    with pytest.raises(ValueError, match="there are no rows to learn"):
        estimator().fit(loan_frame(spark).where("false"))


def test_merged_model_is_about_as_good_as_one_pass(spark):
    model = estimator(maxBoxes=1000).fit(loan_frame(spark, 2_000, parts=4)).toLocal()
    train, test = (
        {k: v[part] for k, v in COLUMNS.items()}
        for part in np.split(np.arange(len(DECISIONS)), [2_000])
    )
    one = HyperboxClassifier().fit(train, DECISIONS[:2_000])
    by_parts, in_one = (
        class_balanced_accuracy(DECISIONS[2_000:], clf.predict(test)) for clf in (model, one)
    )
    assert by_parts > in_one - 0.05


def test_weights_count_as_often_as_repeated_rows_and_zero_leaves_out(spark):
    rows = loan_frame(spark, 300, parts=1)
    weighted = rows.withColumn("times", F.when(F.col("age") < 30, 0).otherwise(1))
    model = estimator(weightCol="times").fit(weighted).toLocal()
    expected = estimator(weightCol="times").fit(weighted.where("times = 1")).toLocal()
    assert dumps(model) == dumps(expected)
    twice = weighted.withColumn("times", F.lit(2.0))
    doubled = estimator(weightCol="times", maxBoxes=None).fit(twice).toLocal()
    assert doubled.boxes_.n_samples.sum() == 600


def test_balanced_weights_are_those_of_all_partitions(spark):
    rows = loan_frame(spark, 1_000, parts=3)
    local = estimator(classWeight="balanced").fit(rows).toLocal()
    labels, counts = np.unique(DECISIONS[:1_000], return_counts=True)
    expected = dict(zip(labels.tolist(), 1_000 / 2 / counts, strict=True))
    assert local.class_weight == pytest.approx(expected)


def test_errors_of_a_task_name_column_and_value_but_no_row(spark):
    rows = spark.createDataFrame([(1.0, "a"), (float("inf"), "b")], "x double, label string")
    with pytest.raises(Exception, match=r"column 'x': inf is not finite; use None or NaN"):
        SparkHyperboxClassifier(featuresCols=["x"]).fit(rows.coalesce(1))


def test_a_missing_label_is_an_error_unless_marked(spark):
    rows = spark.createDataFrame([(1.0, "a"), (2.0, None)], "x double, label string").coalesce(1)
    columns = TrainingColumns(Layout(("x",), packed=False), "label", None, "string")
    batches = [pa.RecordBatch.from_pylist([{"x0": 1.0, "label": "a"}, {"x0": 2.0, "label": None}])]
    with pytest.raises(ValueError, match=r"partition 0: Input y .*: the label is missing; drop"):
        [*PartLearner(columns, HyperboxClassifier(), 1, 0)(iter(batches))]
    marked = SparkHyperboxClassifier(featuresCols=["x"], unlabelled=float("nan")).fit(rows)
    assert marked.classes == ["a"]
