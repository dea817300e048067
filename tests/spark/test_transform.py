"""Predictions on Spark are those of the classifier, whatever the types of the columns."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: make spark")

from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import Vectors
from pyspark.sql import functions as F

from boxwise import HyperboxClassifier, dumps
from boxwise.spark import SparkHyperboxClassifier, SparkHyperboxModel
from boxwise.spark.columns import Layout
from boxwise.spark.prediction import Answers, Predictor
from tests.spark.loan_frames import FEATURES, LABEL, estimator, loan_frame

MIXED = [
    # number, decimal, truth value, text, code, label
    (1.5, Decimal("1.25"), True, "a", 7, "no"),
    (None, Decimal("2.50"), None, "b", None, "no"),
    (float("nan"), None, False, None, 8, "yes"),
    (4.0, Decimal("9.75"), False, "a", 9, "yes"),
]
MIXED_TYPES = "num double, `dec.imal` decimal(8,2), flag boolean, word string, code int, y string"
MIXED_NAMES = ["num", "dec.imal", "flag", "word", "code"]


@pytest.fixture(scope="module")
def model(session_of):
    return estimator(maxBoxes=200).fit(loan_frame(session_of("local[2,4]"), 1_000, parts=2))


def test_transform_adds_what_the_classifier_predicts(spark, model):
    rows = loan_frame(spark, 500, parts=3)
    found = model.transform(rows)
    assert found.columns == [*rows.columns, "prediction", "probability"]
    table = found.toPandas()
    local = model.toLocal()
    assert table["prediction"].tolist() == local.predict(table[FEATURES]).tolist()
    probabilities = np.array([vector.toArray() for vector in table["probability"]])
    np.testing.assert_array_equal(probabilities, local.predict_proba(table[FEATURES]))
    assert model.classes == local.classes_.tolist() == ["approved", "declined"]
    assert (model.numClasses, model.numFeatures) == (2, 9)


def test_transform_keeps_rows_columns_and_types(spark, model):
    extra = loan_frame(spark, 100, parts=2).withColumns(
        {"day": F.current_date(), "vector": F.lit(None), "list": F.array(F.lit(1), F.lit(None))}
    )
    found = model.transform(extra)
    assert found.schema.fields[: len(extra.columns)] == extra.schema.fields
    assert found.select(extra.columns).exceptAll(extra).count() == 0
    assert found.count() == 100


def test_transform_explains_on_request(spark, model):
    rows = loan_frame(spark, 5, parts=1)
    model = model.copy().setExplanationCol("why").setProbabilityCol("").setPredictionCol("")
    table = model.transform(rows).toPandas()
    assert table.columns.tolist() == [*FEATURES, LABEL, "why"]
    local = model.toLocal()
    for why, text in zip(
        local.explain(table[FEATURES], counterfactual=False), table["why"], strict=True
    ):
        assert str(why) == f"row {why.row}: {text}"
        assert text.startswith(f"{why.prediction}, probability")
    with_change = model.setCounterfactual(True).transform(rows).head().why
    assert with_change == str(local.explain(table[FEATURES][:1])[0]).removeprefix("row 0: ")


def test_transform_of_no_rows_and_of_no_answers(spark, model):
    rows = loan_frame(spark, 10, parts=3)
    empty = model.transform(rows.where("false"))
    assert empty.count() == 0 and empty.columns[-2:] == ["prediction", "probability"]
    silent = model.copy().setPredictionCol("").setProbabilityCol("")
    assert silent.transform(rows).columns == rows.columns


def test_transform_refuses_to_replace_a_column(spark, model):
    rows = loan_frame(spark, 10).withColumn("prediction", F.lit(1))
    with pytest.raises(ValueError, match="there is a column 'prediction' already; drop it"):
        model.transform(rows)


def test_nulls_decimals_truth_values_and_codes_are_read_as_boxwise_reads_them(spark):
    rows = spark.createDataFrame(MIXED, MIXED_TYPES).coalesce(1)
    settings = {"featuresCols": MIXED_NAMES, "labelCol": "y"}
    categories = ["flag", "word", "code"]
    model = SparkHyperboxClassifier(categoricalFeatures=categories, **settings).fit(rows)
    ordered = rows.sortWithinPartitions(
        F.xxhash64(*[f"`{name}`" for name in rows.columns])
    ).collect()
    plain = [dict(zip(MIXED_NAMES, row[:5], strict=True)) for row in ordered]
    labels = [row[5] for row in ordered]
    local = HyperboxClassifier(categorical_features=categories).fit(plain, labels)
    assert [c.kind for c in model.toLocal().schema_.columns] == [
        *["numeric"] * 2,
        *["categorical"] * 3,
    ]
    assert dumps(model.toLocal()) == dumps(local)
    found = model.transform(rows).select("prediction").collect()
    assert [row[0] for row in found] == local.predict(
        [dict(zip(MIXED_NAMES, row[:5], strict=True)) for row in MIXED]
    ).tolist()


@pytest.mark.parametrize(
    ("sql", "labels"),
    [
        ("string", ["a", "b"]),
        ("boolean", [False, True]),
        ("tinyint", [-1, 1]),
        ("int", [3, 12]),
        ("bigint", [3, 2**40]),
        ("float", [0.0, 1.0]),
        ("double", [0.0, 2.0]),
    ],
)
def test_predictions_have_the_type_of_the_labels(spark, sql, labels):
    rows = spark.createDataFrame([(0.0, labels[0]), (9.0, labels[1])], f"x double, label {sql}")
    found = SparkHyperboxClassifier(featuresCols=["x"]).fit(rows.coalesce(1)).transform(rows)
    assert found.schema["prediction"].dataType == rows.schema["label"].dataType
    assert [row.prediction for row in found.collect()] == labels


def test_features_in_vectors_and_in_arrays_give_the_same_model(spark):
    names = [name for name in FEATURES if name not in ("education", "car", "zip_code")]
    rows = loan_frame(spark, 300, parts=1).select(*names, LABEL)
    vectors = VectorAssembler(inputCols=names, outputCol="features").transform(rows)
    arrays = rows.select(F.array(*names).alias("features"), LABEL)
    plain = SparkHyperboxClassifier(labelCol=LABEL)
    by_vector, by_array = plain.fit(vectors.select("features", LABEL)), plain.fit(arrays)
    assert dumps(by_vector.toLocal()) == dumps(by_array.toLocal())
    found = by_vector.transform(vectors)
    assert found.schema["features"] == vectors.schema["features"]
    expected = by_array.transform(arrays).select("prediction").collect()
    assert found.select("prediction").collect() == expected
    assert found.columns == [*vectors.columns, "prediction", "probability"]


def test_sparse_and_missing_vectors_are_read(spark):
    rows = [(Vectors.sparse(2, [1], [5.0]), "a"), (Vectors.dense([9.0, float("nan")]), "b")]
    table = spark.createDataFrame([*rows, (None, "b")], ["features", "label"]).coalesce(1)
    model = SparkHyperboxClassifier().fit(table)
    assert model.toLocal().boxes_.n_samples.sum() == 2  # a row without a vector teaches nothing
    found = model.transform(table).collect()
    assert [row.prediction for row in found[:2]] == ["a", "b"]
    assert found[2].prediction in ("a", "b")


def test_vectors_of_another_length_are_refused_by_name():
    data = dumps(HyperboxClassifier().fit([[1.0, 2.0], [3.0, 4.0]], ["a", "b"]))
    answers = Answers("prediction", None, None, counterfactual=False)
    predictor = Predictor(data, Layout(("v",), packed=True), (0,), 1, answers, "string", None)
    batch = pa.RecordBatch.from_pydict({"v": [[1.0, 2.0, 3.0]]})
    with pytest.raises(ValueError, match="column 'v': a row has 3 features, others have 2"):
        [*predictor(iter([batch]))]


def test_model_of_a_local_classifier_predicts_the_same(spark):
    rows = [{"age": 23, "job": "cook"}, {"age": 61, "job": "smith"}]
    local = HyperboxClassifier(max_boxes=50, feature_range="data").fit(rows, [4, 7])
    model = SparkHyperboxModel.fromLocal(local)
    assert (model.getFeaturesCols(), model.getOrDefault("maxBoxes")) == (["age", "job"], 50)
    table = spark.createDataFrame([(60, "smith", 1), (20, "cook", 2)], "age int, job string, i int")
    found = model.transform(table)
    assert found.schema["prediction"].dataType.simpleString() == "bigint"
    assert [row.prediction for row in found.collect()] == [7, 4]
    assert dumps(model.toLocal()) == dumps(local)
    with pytest.raises(TypeError, match="are not of one type; give labelType"):
        SparkHyperboxModel.fromLocal(HyperboxClassifier().fit(rows, ["a", 1]))
