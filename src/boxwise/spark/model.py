"""The model of pyspark.ml: predicts, is saved and loaded."""

from __future__ import annotations

from typing import Any, Self

from pyspark.ml.base import Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from boxwise.learners import HyperboxClassifier, dumps, loads
from boxwise.schema import show
from boxwise.spark.columns import LABEL_TYPES, Layout
from boxwise.spark.params import HyperboxParams, values_of
from boxwise.spark.prediction import Answers, Predictor, place_names

_SQL_TYPES = {str: "string", bool: "boolean", int: "bigint", float: "double"}


class SparkHyperboxModel(Model, HyperboxParams, MLReadable["SparkHyperboxModel"], MLWritable):
    """Model of pyspark.ml: predicts the rows of a DataFrame, in parallel.

    `SparkHyperboxClassifier.fit` returns one, `fromLocal` makes one of a classifier that was
    learned elsewhere. `transform` adds the columns `predictionCol`, `probabilityCol` and, if it is
    set, `explanationCol`. Rows keep their order and their partitions.

    Parameters
    ----------
    data : bytes
        The model file, as `boxwise.dumps` returns it.
    labelType : str
        The type of predictions in SQL.

    Examples
    --------
    >>> import os, sys
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.spark import SparkHyperboxModel
    >>> from pyspark.sql import SparkSession
    >>> os.environ["PYSPARK_PYTHON"] = sys.executable  # of the tasks
    >>> spark = (
    ...     SparkSession.builder.master("local[2]")
    ...     .config("spark.ui.enabled", "false")
    ...     .config("spark.driver.host", "127.0.0.1")
    ...     .config("spark.driver.bindAddress", "127.0.0.1")
    ...     .getOrCreate()
    ... )
    >>> clf = HyperboxClassifier().fit([{"age": 23}, {"age": 61}], ["no", "yes"])
    >>> model = SparkHyperboxModel.fromLocal(clf)
    >>> model.transform(spark.createDataFrame([(60,)], "age int")).head().prediction
    'yes'
    """

    def __init__(self, data: bytes, labelType: str) -> None:
        super().__init__()
        if labelType not in LABEL_TYPES:
            raise ValueError(f"labelType must be one of {[*LABEL_TYPES]}, not {show(labelType)}")
        self._data = bytes(data)
        self._label_type = labelType

    @classmethod
    def fromLocal(cls, classifier: HyperboxClassifier, labelType: str | None = None) -> Self:
        """Return a model that predicts what a fitted classifier predicts.

        Parameters
        ----------
        classifier : HyperboxClassifier
            A fitted one. If its columns have names, they are `featuresCols`.
        labelType : str, optional
            The type of predictions in SQL; by default that of the labels, "bigint" for integers.
        """
        if not isinstance(classifier, HyperboxClassifier):
            raise TypeError(f"only a HyperboxClassifier predicts on Spark, not {show(classifier)}")
        if labelType is None:
            kinds = {type(label) for label in classifier.classes_.tolist()}
            kind = kinds.pop() if len(kinds) == 1 else None
            if kind not in _SQL_TYPES:
                raise TypeError(
                    f"the classes {show(classifier.classes_.tolist())} are not of one type; give "
                    "labelType"
                )
            labelType = _SQL_TYPES[kind]
        model = cls(dumps(classifier), labelType)
        schema = classifier.schema_
        names = {"featuresCols": list(schema.names)} if schema.named else {}
        model._set(**names, **values_of(classifier))
        return model

    def toLocal(self) -> HyperboxClassifier:
        """Return the classifier, to explain, inspect, save or go on learning without Spark."""
        classifier: HyperboxClassifier = loads(self._data)
        return classifier

    @property
    def classes(self) -> list[Any]:
        """The classes, in the order of the probabilities."""
        found: list[Any] = self.toLocal().classes_.tolist()
        return found

    @property
    def numClasses(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def numFeatures(self) -> int:
        """The number of features."""
        return self.toLocal().n_features_in_

    def write(self) -> MLWriter:
        """Return what writes the model: ``model.write().overwrite().save(path)``."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader[SparkHyperboxModel]:
        """Return what reads a model: ``SparkHyperboxModel.read().load(path)``."""
        return _ModelReader()

    def _transform(self, dataset: DataFrame) -> DataFrame:
        layout = Layout.of(dataset, self._feature_columns())
        answers = Answers(
            self._column(self.predictionCol),
            self._column(self.probabilityCol),
            self._column(self.explanationCol),
            self.getOrDefault(self.counterfactual),
        )
        for name in answers.names:
            if name in dataset.columns:
                raise ValueError(
                    f"there is a column {name!r} already; drop it, or choose another name with "
                    "predictionCol, probabilityCol or explanationCol"
                )
        if not answers.names:
            return dataset
        return self._predict(dataset, layout, answers)

    def _predict(self, dataset: DataFrame, layout: Layout, answers: Answers) -> DataFrame:
        rows, places = layout.located(dataset)
        n_kept, label_type = len(dataset.columns), self._label_type
        n_jobs = self.getOrDefault(self.nJobs)
        predictor = Predictor(self._data, layout, places, n_kept, answers, label_type, n_jobs)
        # mapInArrow takes no names with dots, and no name twice.
        numbered = rows.toDF(*place_names(len(rows.columns)))
        fields = [*numbered.schema.fields[:n_kept], *answers.fields(label_type, n_kept)]
        names = [*dataset.columns, *answers.names]
        predicted = numbered.mapInArrow(predictor, T.StructType(fields))
        if answers.probability is not None:
            place = place_names(len(names))[names.index(answers.probability)]
            predicted = predicted.withColumn(place, array_to_vector(place))
        return predicted.toDF(*names)


class _ModelWriter(MLWriter):
    """Writes the parameters as pyspark.ml does, and the model file as a row of Parquet."""

    def __init__(self, model: SparkHyperboxModel) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        """Write into a folder, on any file system that Spark knows."""
        extra = {"labelType": self._model._label_type}
        session = self.sparkSession
        DefaultParamsWriter.saveMetadata(self._model, path, session, extraMetadata=extra)
        rows = session.createDataFrame([(bytearray(self._model._data),)], "model binary")
        rows.coalesce(1).write.parquet(f"{path}/data")


class _ModelReader(MLReader["SparkHyperboxModel"]):
    """Reads what `_ModelWriter` has written."""

    def load(self, path: str) -> SparkHyperboxModel:
        """Read a model from a folder."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        row = self.sparkSession.read.parquet(f"{path}/data").head()
        model = SparkHyperboxModel(bytes(row["model"]), str(metadata["labelType"]))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
