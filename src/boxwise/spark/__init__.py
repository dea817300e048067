"""Learning and predicting on Apache Spark: an Estimator and a Model of pyspark.ml, and streams.

Needs the extra `spark`, ``pip install "boxwise[spark]"``, and Java. boxwise must be installed on
the executors too.
"""

try:
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ModuleNotFoundError as missing:
    if missing.name not in ("pandas", "pyarrow", "pyspark"):
        raise
    raise ModuleNotFoundError(
        'boxwise.spark needs PySpark, pandas and Arrow: pip install "boxwise[spark]"',
        name=missing.name,
    ) from None

from boxwise.spark.estimator import SparkHyperboxClassifier
from boxwise.spark.model import SparkHyperboxModel
from boxwise.spark.stream import StreamLearner

__all__ = ["SparkHyperboxClassifier", "SparkHyperboxModel", "StreamLearner"]

# pyspark.ml writes the module of a class into saved pipelines, so it is the public one.
SparkHyperboxClassifier.__module__ = SparkHyperboxModel.__module__ = __name__
