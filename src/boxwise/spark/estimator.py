"""The estimator of pyspark.ml."""

from __future__ import annotations

from typing import Any, Self

from pyspark import keyword_only
from pyspark.ml.base import Estimator
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import DataFrame

from boxwise.learners import dumps
from boxwise.learners.parts import MOST_WITHHELD, balanced_weights
from boxwise.spark.model import SparkHyperboxModel
from boxwise.spark.params import HyperboxParams
from boxwise.spark.parts import learn
from boxwise.spark.rows import TrainingColumns, by_content, count


class SparkHyperboxClassifier(
    Estimator, HyperboxParams, DefaultParamsReadable, DefaultParamsWritable
):
    """Estimator of pyspark.ml: learns a model per partition and merges them.

    Every task learns the rows of its partition with :class:`boxwise.HyperboxClassifier`. The models
    are merged in the order of the partitions, and learn some withheld rows. For the same partitions
    the model is the same, byte for byte, whatever the executors, and also after tasks that failed.

    Parameters
    ----------
    featuresCol : str, default="features"
        A column of vectors or arrays of numbers that holds all features. They have no names; in
        `categoricalFeatures` they are referred to by position.
    featuresCols : list of str, optional
        The columns that hold one feature each: numbers, text or truth values.
    labelCol : str, default="label"
        The labels: text, integers, truth values, or floats that are whole numbers. Predictions have
        their type.
    predictionCol, probabilityCol : str, default="prediction", "probability"
        The columns that the model adds: the class, and the probabilities of all classes as a
        vector, in the order of `SparkHyperboxModel.classes`. "" adds none.
    explanationCol : str, optional
        A column that the model adds with an explanation in text.
    counterfactual : bool, default=False
        Whether explanations name a change of the row that would change its prediction. It takes
        most of the time.
    weightCol : str, optional
        How often each row counts.
    tuneRows : int, default=5000
        How many rows, over all partitions, no part learns at most, so that the merged model can
        learn them. At most a tenth of a partition; none if only one partition has rows.
    theta, delta, categoricalFeatures, featureRange, scale, maxBoxes, adapt, additive
        As in :class:`boxwise.HyperboxClassifier`.
    classPrior, classWeight, unlabelled, nJobs, immutable, monotonicCst
        As there. With ``classWeight="balanced"`` the rows of all partitions are counted. `nJobs` is
        the number of threads of a task that predicts. Name the class in `monotonicCst`: a partition
        may lack one.

    See Also
    --------
    SparkHyperboxModel : What `fit` returns.
    StreamLearner : Learning in Structured Streaming.

    Examples
    --------
    >>> import os, sys
    >>> from boxwise.spark import SparkHyperboxClassifier
    >>> from pyspark.sql import SparkSession
    >>> os.environ["PYSPARK_PYTHON"] = sys.executable  # of the tasks
    >>> spark = (
    ...     SparkSession.builder.master("local[2]")
    ...     .config("spark.ui.enabled", "false")
    ...     .config("spark.driver.host", "127.0.0.1")
    ...     .config("spark.driver.bindAddress", "127.0.0.1")
    ...     .getOrCreate()
    ... )
    >>> rows = spark.createDataFrame(
    ...     [(47, "engineer", "approved"), (23, "student", "declined")],
    ...     "age int, job string, decision string",
    ... )
    >>> estimator = SparkHyperboxClassifier(featuresCols=["age", "job"], labelCol="decision")
    >>> model = estimator.fit(rows.coalesce(1))
    >>> model.transform(rows).select("age", "prediction").collect()
    [Row(age=47, prediction='approved'), Row(age=23, prediction='declined')]
    """

    tuneRows = Param(
        Params._dummy(),
        "tuneRows",
        "rows that no part learns, for the merged model",
        typeConverter=TypeConverters.toInt,
    )

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        featuresCols: list[str] | None = None,
        labelCol: str = "label",
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        explanationCol: str | None = None,
        counterfactual: bool = False,
        weightCol: str | None = None,
        tuneRows: int = MOST_WITHHELD,
        theta: float = 0.5,
        delta: float = 0.15,
        categoricalFeatures: Any = "from_dtype",
        featureRange: Any = "data",
        scale: str = "quantile",
        maxBoxes: int | None = 1000,
        adapt: bool = True,
        additive: bool = True,
        classPrior: str = "data",
        classWeight: Any = None,
        unlabelled: Any = None,
        nJobs: int | None = None,
        immutable: Any = None,
        monotonicCst: Any = None,
    ) -> None:
        super().__init__()
        self._setDefault(tuneRows=MOST_WITHHELD)
        self._set(**self._input_kwargs)

    def setParams(self, **values: Any) -> Self:
        """Set parameters by name."""
        return self._changed(**values)

    def setLabelCol(self, value: str) -> Self:
        """Set the column of the labels."""
        return self._changed(labelCol=value)

    def setWeightCol(self, value: str) -> Self:
        """Set the column that says how often each row counts."""
        return self._changed(weightCol=value)

    def setTuneRows(self, value: int) -> Self:
        """Set how many rows no part learns, so that the merged model can learn them."""
        return self._changed(tuneRows=value)

    def getTuneRows(self) -> int:
        """Return how many rows no part learns, so that the merged model can learn them."""
        return int(self.getOrDefault(self.tuneRows))

    def _fit(self, dataset: DataFrame) -> SparkHyperboxModel:
        columns = self._training_columns(dataset)
        classifier, tune_rows = self._classifier(), self.getTuneRows()
        if tune_rows < 0:
            raise ValueError(f"tuneRows must be a whole number from 0 up, not {tune_rows}")
        balanced = classifier.class_weight == "balanced"
        rows = columns.select(dataset)
        counts = count(rows, by_class=balanced, unlabelled=classifier.unlabelled)
        if not counts.n_filled:
            raise ValueError("there are no rows to learn, or the weight of every row is zero")
        if balanced:
            classifier.class_weight = balanced_weights(counts.of_class)
        model = learn(by_content(rows), columns, classifier, counts=counts, tune_rows=tune_rows)
        fitted = SparkHyperboxModel(dumps(model), columns.label_type)
        self._copyValues(fitted)
        return fitted

    def _training_columns(self, dataset: DataFrame) -> TrainingColumns:
        return TrainingColumns.of(
            dataset, self._feature_columns(), self.getLabelCol(), self._column(self.weightCol)
        )
