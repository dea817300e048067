"""Loan applications as Spark DataFrames."""

from __future__ import annotations

from typing import Any

from boxwise.datasets import LoanStream

N_ROWS = 3_000
COLUMNS, DECISIONS = LoanStream(N_ROWS, function=7, noise=0.05, seed=3).table()
FEATURES = [*COLUMNS]
LABEL = "decision"


def loan_frame(spark: Any, n_rows: int = N_ROWS, parts: int = 5) -> Any:
    """Return rows in so many partitions; a hash cuts them alike in every session."""
    import pyarrow as pa

    columns = {name: pa.array(values[:n_rows]) for name, values in COLUMNS.items()}
    table = pa.table({**columns, LABEL: pa.array(DECISIONS[:n_rows])})
    return spark.createDataFrame(table).repartition(parts, "loan")


def estimator(**parameters: Any) -> Any:
    """Return an estimator for these columns with few boxes."""
    from boxwise.spark import SparkHyperboxClassifier

    settings = {"featuresCols": FEATURES, "labelCol": LABEL, "maxBoxes": 60, **parameters}
    return SparkHyperboxClassifier(**settings)
