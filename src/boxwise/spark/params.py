"""The parameters that the estimator and its model share, as pyspark.ml names and converts them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Self

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasWeightCol,
)

from boxwise.inputs.categories import plain_category
from boxwise.inputs.missing import is_missing
from boxwise.learners import HyperboxClassifier

Converter = Callable[[Any], Any]


def _or_none(convert: Converter) -> Converter:
    return lambda value: None if value is None else convert(value)


def _to_columns(value: Any) -> Any:
    """Return "from_dtype", or columns as a list of names, positions or truth values."""
    if isinstance(value, str):
        if value != "from_dtype":
            raise TypeError(f"give a list of columns, [{value!r}]")
        return value
    return _to_list(value)


def _to_list(value: Any) -> list[Any]:
    return [plain_category(item) for item in TypeConverters.toList(value)]


def _to_pairs(value: Any) -> Any:
    """Return a mapping as a list of pairs, which JSON keeps: it has no keys but text."""
    if value is None or isinstance(value, str):
        return value
    pairs = value.items() if isinstance(value, Mapping) else value
    return [[_to_plain(a), _to_plain(b)] for a, b in pairs]


def _to_constraints(value: Any) -> Any:
    """Return signs as a list, or a mapping from column to sign or class as a list of pairs."""
    if not isinstance(value, Mapping):
        return None if value is None else _to_list(value)
    return [
        [_to_plain(column), _to_pairs(sign) if isinstance(sign, Mapping) else _to_plain(sign)]
        for column, sign in value.items()
    ]


def _from_constraints(value: Any) -> Any:
    """Return what `_to_constraints` was given."""
    if not value or not isinstance(value[0], list):
        return value
    return {column: dict(sign) if isinstance(sign, list) else sign for column, sign in value}


def _to_range(value: Any) -> Any:
    """Return "data", a pair of numbers, or a mapping from column to pair as a list of pairs."""
    if isinstance(value, str | Mapping):
        return _to_pairs(value)
    items = TypeConverters.toList(value)
    pairs = items and isinstance(items[0], list | tuple)
    return _to_pairs(items) if pairs else TypeConverters.toListFloat(items)


def _to_plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_to_plain(item) for item in value]
    if value is not None and is_missing(value):
        return math.nan
    return plain_category(value)


def _to_mapping(pairs: Any) -> Any:
    """Return what `_to_pairs` made of a mapping as the mapping again."""
    if isinstance(pairs, list) and (not pairs or isinstance(pairs[0], list)):
        return {key: tuple(value) if isinstance(value, list) else value for key, value in pairs}
    return tuple(pairs) if isinstance(pairs, list) else pairs


def _param(name: str, doc: str, convert: Converter) -> Any:
    return Param(Params._dummy(), name, doc, typeConverter=convert)


class HyperboxParams(
    HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol, HasWeightCol
):
    """Columns, and the parameters of :class:`boxwise.HyperboxClassifier` under the same names."""

    featuresCols = _param(
        "featuresCols", "columns of the features, by name", TypeConverters.toListString
    )
    explanationCol = _param(
        "explanationCol", "column to add with an explanation", TypeConverters.toString
    )
    counterfactual = _param(
        "counterfactual", "whether explanations name a change", TypeConverters.toBoolean
    )
    theta = _param("theta", "maximum side of a box", TypeConverters.toFloat)
    delta = _param("delta", "maximum change of entropy", TypeConverters.toFloat)
    categoricalFeatures = _param("categoricalFeatures", "categorical columns", _to_columns)
    featureRange = _param("featureRange", "range of the numeric columns", _to_range)
    scale = _param("scale", "unit of distances", TypeConverters.toString)
    maxBoxes = _param("maxBoxes", "maximum number of boxes", _or_none(TypeConverters.toInt))
    adapt = _param("adapt", "whether to adapt to changes", TypeConverters.toBoolean)
    additive = _param("additive", "whether to learn curves", TypeConverters.toBoolean)
    classPrior = _param("classPrior", "prior of the classes", TypeConverters.toString)
    classWeight = _param("classWeight", "how often rows of a class count", _to_pairs)
    unlabelled = _param("unlabelled", "mark of rows without a label", _to_plain)
    nJobs = _param("nJobs", "threads to predict with, in a task", _or_none(TypeConverters.toInt))
    immutable = _param("immutable", "columns that no counterfactual changes", _or_none(_to_list))
    monotonicCst = _param("monotonicCst", "columns with monotone curves", _to_constraints)

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(counterfactual=False, **_DEFAULTS)

    def setFeaturesCol(self, value: str) -> Self:
        """Set the column of vectors or arrays of numbers that holds the features."""
        return self._changed(featuresCol=value)

    def setFeaturesCols(self, value: list[str]) -> Self:
        """Set the columns that hold the features, one each."""
        return self._changed(featuresCols=value)

    def getFeaturesCols(self) -> list[str]:
        """Return the columns that hold the features, one each."""
        return list(self.getOrDefault(self.featuresCols))

    def setPredictionCol(self, value: str) -> Self:
        """Set the column to add with the predicted class; "" adds none."""
        return self._changed(predictionCol=value)

    def setProbabilityCol(self, value: str) -> Self:
        """Set the column to add with the probabilities; "" adds none."""
        return self._changed(probabilityCol=value)

    def setExplanationCol(self, value: str) -> Self:
        """Set the column to add with an explanation in text."""
        return self._changed(explanationCol=value)

    def getExplanationCol(self) -> str:
        """Return the column to add with an explanation in text."""
        return str(self.getOrDefault(self.explanationCol))

    def setCounterfactual(self, value: bool) -> Self:
        """Set whether explanations name a change of a row that would change its prediction."""
        return self._changed(counterfactual=value)

    def setNJobs(self, value: int | None) -> Self:
        """Set the number of threads with which a task predicts."""
        return self._changed(nJobs=value)

    def _changed(self, **values: Any) -> Self:
        self._set(**values)
        return self

    def _feature_columns(self) -> str | list[str]:
        """Return the name of the column that holds all features, or those of single columns."""
        if not self.isDefined(self.featuresCols):
            return str(self.getFeaturesCol())
        if self.isSet(self.featuresCol):
            raise ValueError(
                "both featuresCol and featuresCols are set; give one of them: a column of vectors, "
                "or the names of single columns"
            )
        return self.getFeaturesCols()

    def _column(self, param: Any) -> str | None:
        """Return the name of an optional column; None if there is to be none."""
        return str(self.getOrDefault(param)) or None if self.isDefined(param) else None

    def _classifier(self) -> HyperboxClassifier:
        """Return an estimator with these parameters that has learned nothing."""
        values = {_snake_case(name): self.getOrDefault(name) for name in _DEFAULTS}
        for name in ("feature_range", "class_weight"):
            values[name] = _to_mapping(values[name])
        values["monotonic_cst"] = _from_constraints(values["monotonic_cst"])
        return HyperboxClassifier(**values)


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda match: f"_{match[1].lower()}", name)


def _camel_case(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def values_of(classifier: HyperboxClassifier) -> dict[str, Any]:
    """Return the parameters of a classifier under the names of this module.

    Raises
    ------
    ValueError
        If it reads dates, which columns of Spark cannot be yet.
    """
    values = classifier.get_params()
    if values.pop("dates"):
        raise ValueError(
            "a classifier with dates cannot learn or predict on Spark; give it the parts of a date "
            "as columns, by year(), month(), dayofweek() or hour() of pyspark.sql.functions"
        )
    return {_camel_case(name): value for name, value in values.items()}


_DEFAULTS = values_of(HyperboxClassifier())
