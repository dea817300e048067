"""The estimator and its model behave as those of pyspark.ml: parameters, pipelines, saving."""

from __future__ import annotations

import inspect
import math

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: make spark")

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import functions as F

from boxwise import HyperboxClassifier, dumps
from boxwise.spark import SparkHyperboxClassifier, SparkHyperboxModel
from tests.spark.loan_frames import FEATURES, LABEL, estimator, loan_frame

SETTINGS = {
    "theta": 0.3,
    "delta": 0.2,
    "categoricalFeatures": ["job", "ward"],
    "featureRange": {"age": (0, 120)},
    "scale": "range",
    "maxBoxes": None,
    "adapt": False,
    "additive": False,
    "classPrior": "balanced",
    "classWeight": {0: 1.0, 1: 2.5},
    "unlabelled": -1,
    "nJobs": 2,
    "immutable": ["age"],
    "monotonicCst": {"age": {"yes": 1}, 3: -1},
}
LOCAL = HyperboxClassifier(
    theta=0.3,
    delta=0.2,
    categorical_features=["job", "ward"],
    feature_range={"age": (0, 120)},
    scale="range",
    max_boxes=None,
    adapt=False,
    additive=False,
    class_prior="balanced",
    class_weight={0: 1.0, 1: 2.5},
    unlabelled=-1,
    n_jobs=2,
    immutable=["age"],
    monotonic_cst={"age": {"yes": 1}, 3: -1},
)


def test_every_parameter_of_the_classifier_arrives(spark):
    assert SparkHyperboxClassifier(**SETTINGS)._classifier().get_params() == LOCAL.get_params()
    plain = SparkHyperboxClassifier()._classifier()
    assert plain.get_params() == HyperboxClassifier().get_params()


def test_a_classifier_that_reads_dates_is_refused(spark):
    clf = HyperboxClassifier(dates={"opened": ["month"]})
    clf.fit([{"opened": "2026-11-19"}, {"opened": "2026-12-24"}], ["a", "b"])
    with pytest.raises(ValueError, match=r"dates cannot learn or predict on Spark; .*month\(\)"):
        SparkHyperboxModel.fromLocal(clf)


def test_defaults_in_the_signature_are_those_of_the_parameters(spark):
    made = SparkHyperboxClassifier()
    for name, parameter in inspect.signature(SparkHyperboxClassifier.__init__).parameters.items():
        param = getattr(made, name, None)
        if name != "self" and made.isDefined(param):
            assert made.getOrDefault(param) == parameter.default, name
        elif name != "self":
            assert parameter.default is None, name


def test_values_of_a_wrong_type_are_refused_by_name(spark):
    with pytest.raises(TypeError, match='param "theta"'):
        SparkHyperboxClassifier(theta="wide")
    with pytest.raises(TypeError, match=r"give a list of columns, \['job'\]"):
        SparkHyperboxClassifier(categoricalFeatures="job")


def test_estimator_is_written_and_read_with_all_parameters(spark, tmp_path):
    made = SparkHyperboxClassifier(featuresCols=["age"], tuneRows=7, **SETTINGS)
    folder = f"{tmp_path}/an estimator"
    made.save(folder)
    made.write().overwrite().save(folder)
    read = SparkHyperboxClassifier.load(folder)
    assert read._classifier().get_params() == LOCAL.get_params()
    assert (read.getTuneRows(), read.getFeaturesCols(), read.uid) == (7, ["age"], made.uid)
    nan = SparkHyperboxClassifier(unlabelled=math.nan)
    nan.write().overwrite().save(folder)
    assert math.isnan(SparkHyperboxClassifier.load(folder)._classifier().unlabelled)


def test_model_is_written_and_read_alone_and_in_a_pipeline(spark, tmp_path):
    rows = loan_frame(spark, 200, parts=1)
    numbers = ["salary", "loan", "age"]
    stages = [
        VectorAssembler(inputCols=numbers, outputCol="features"),
        SparkHyperboxClassifier(labelCol=LABEL, explanationCol="why"),
    ]
    fitted = Pipeline(stages=stages).fit(rows)
    fitted.write().overwrite().save(f"{tmp_path}/a pipeline")
    read = PipelineModel.load(f"{tmp_path}/a pipeline")
    assert read.transform(rows).collect() == fitted.transform(rows).collect()
    model = read.stages[1]
    model.save(f"{tmp_path}/model")
    again = SparkHyperboxModel.load(f"{tmp_path}/model")
    assert dumps(again.toLocal()) == dumps(fitted.stages[1].toLocal())
    assert (again.uid, again.getExplanationCol()) == (model.uid, "why")
    Pipeline(stages=stages).save(f"{tmp_path}/unfitted")
    unfitted = Pipeline.load(f"{tmp_path}/unfitted").fit(rows)
    assert dumps(unfitted.stages[1].toLocal()) == dumps(model.toLocal())


def test_saved_model_names_the_public_class(spark, tmp_path):
    model = SparkHyperboxModel.fromLocal(HyperboxClassifier().fit([{"x": 1}], ["a"]))
    model.save(f"{tmp_path}/model")
    (metadata,) = spark.read.json(f"{tmp_path}/model/metadata").collect()
    assert metadata["class"] == "boxwise.spark.SparkHyperboxModel"


def test_fit_with_a_param_map_leaves_the_estimator_alone(spark):
    rows = loan_frame(spark, 200, parts=1)
    made = estimator()
    fewer = made.fit(rows, {made.maxBoxes: 5})
    assert len(fewer.toLocal().boxes_) == 5
    assert (made.getOrDefault("maxBoxes"), fewer.getOrDefault("maxBoxes")) == (60, 5)
    copied = fewer.copy({fewer.predictionCol: "guess"})
    assert copied.transform(rows).columns[-2:] == ["guess", "probability"]
    assert fewer.getPredictionCol() == "prediction"


def test_cross_validation_chooses_a_parameter(spark):
    rows = loan_frame(spark, 400, parts=2)
    numbered = rows.withColumn(LABEL, F.when(F.col(LABEL) == "approved", 1.0).otherwise(0.0))
    made = estimator(maxBoxes=200)
    grid = ParamGridBuilder().addGrid(made.maxBoxes, [2, 200]).build()
    evaluator = MulticlassClassificationEvaluator(labelCol=LABEL, metricName="logLoss")
    chosen = CrossValidator(
        estimator=made, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1
    ).fit(numbered)
    assert chosen.avgMetrics[0] > chosen.avgMetrics[1]
    assert chosen.bestModel.getOrDefault("maxBoxes") == 200
    accuracy = evaluator.evaluate(chosen.transform(numbered), {evaluator.metricName: "accuracy"})
    table = numbered.toPandas()
    local = chosen.bestModel.toLocal()
    assert accuracy == pytest.approx(local.score(table[FEATURES], table[LABEL]))
