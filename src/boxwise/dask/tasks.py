"""Tasks that run on the workers: learn a partition, merge parts, learn the withheld rows.

They are pure: their results depend on their arguments only, not on time, worker or attempt. What
travels between them are model files as bytes and the few withheld rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boxwise.inputs.labels import encode_labels
from boxwise.learners.hyperbox_classifier import HyperboxClassifier
from boxwise.learners.merging import check_kinds, merge
from boxwise.learners.parts import merged_parts, tuning_order, withheld_places
from boxwise.learners.saved import dumps, loads
from boxwise.learners.weights import row_weights
from boxwise.schema import Vocabulary

Rows = tuple[Any, Any, Any]  # the rows of a partition, their labels, their weights or None


@dataclass(frozen=True)
class Columns:
    """Where the columns of a model are in a table, and what they are.

    Parameters
    ----------
    positions
        One for each column of the model.
    names
        Their names; None if they have none.
    categorical
        Those that are categorical; None if some column has not had a value yet.
    """

    positions: list[int]
    names: list[str] | None
    categorical: list[int] | None

    def of(self, X: Any) -> Any:
        """Return a partition with the columns as the model has them."""
        if hasattr(X, "iloc"):
            names = range(len(self.positions)) if self.names is None else self.names
            return X.iloc[:, self.positions].set_axis(names, axis=1)
        X = X[:, self.positions]
        return X if self.names is None else pd.DataFrame(X, columns=self.names)


@dataclass(frozen=True)
class Withheld:
    """Rows of a partition that its part has not learned; plain labels and weights."""

    X: Any
    y: list[object]
    sample_weight: list[float] | None


@dataclass(frozen=True)
class Part:
    """A model of the rows of some partitions, and the rows withheld from it.

    Parameters
    ----------
    partition
        The first of the partitions.
    model
        The model file.
    withheld
        One for each partition that withheld rows, in order.
    """

    partition: int
    model: bytes
    withheld: tuple[Withheld, ...] = ()


def learn_part(
    partition: int,
    rows: Rows,
    parameters: Mapping[str, Any],
    class_weight: Any,
    most_withheld: int,
    columns: Columns | None = None,
) -> Part | None:
    """Learn a partition as `fit` does, but for some rows; None if it has no row that counts."""
    X, y, sample_weight = rows
    with _naming(partition):
        weights = _checked_weights(X, y, sample_weight)
        given = {**parameters, "class_weight": class_weight}
        if columns is not None:
            X = columns.of(X)
            if columns.categorical is not None:
                given["categorical_features"] = columns.categorical
        counting = np.arange(len(X)) if weights is None else np.flatnonzero(weights)
        if not len(counting):
            return None
        few = counting[withheld_places(len(counting), partition, most_withheld)]
        clf = HyperboxClassifier(**given)
        if not len(few):
            return Part(partition, dumps(clf.fit(X, y, sample_weight=weights)))
        # Rows that weigh nothing are left out, and errors name the rows as the partition has them.
        learned = np.ones(len(X)) if weights is None else weights.copy()
        learned[few] = 0
        clf.fit(X, y, sample_weight=learned)
        of_few = None if weights is None else weights[few].tolist()
        labels = [*np.array(_plain(y), dtype=object)[few]]
        return Part(partition, dumps(clf), (Withheld(_uncoded(X, few), labels, of_few),))


def merge_parts(parts: Sequence[Part | None]) -> Part | None:
    """Merge parts in the order of their partitions; None if there is none."""
    present = [part for part in parts if part is not None]
    if not present:
        return None
    withheld = tuple(rows for part in present for rows in part.withheld)
    return Part(present[0].partition, dumps(merged_parts(_models(present))), withheld)


def finish(
    parts: Sequence[Part | None],
    n_partitions: int,
    parameters: Mapping[str, Any],
    earlier: bytes | None = None,
) -> bytes:
    """Merge the last parts, learn the withheld rows and return the model file.

    Parameters
    ----------
    parts
        At most `boxwise.learners.parts.FAN_IN`.
    n_partitions
        How many partitions there were.
    parameters
        Those that the model is to have.
    earlier
        The file of a model that has learned earlier rows and goes on with the parts.
    """
    present = [part for part in parts if part is not None]
    if not present:
        where = (
            f"all {n_partitions} partitions are" if n_partitions > 1 else "the only partition is"
        )
        raise ValueError(f"there is no row to learn: {where} empty, or all weights are 0")
    models = _models(present)
    tune = _tuning_rows([rows for part in present for rows in part.withheld])
    if earlier is None:
        clf = merged_parts(models, tune)
    else:
        before = loads(earlier).set_params(**parameters)
        clf = merge([before, merged_parts(models)], in_order=True, tune=tune)
    return dumps(clf.set_params(**parameters))


def go_on(
    partition: int,
    rows: Rows,
    parameters: Mapping[str, Any],
    present: bytes | None,
) -> bytes:
    """Learn a partition as `partial_fit` does, with a model if there is one."""
    X, y, sample_weight = rows
    with _naming(partition):
        weights = _checked_weights(X, y, sample_weight)
        clf = HyperboxClassifier() if present is None else loads(present)
        clf.set_params(**parameters).partial_fit(X, y, sample_weight=weights)
        return dumps(clf)


def count_classes(partition: int, rows: Rows, unlabelled: Any) -> dict[object, tuple[float, float]]:
    """Return the sum of the weights and the largest weight of each class in a partition."""
    X, y, sample_weight = rows
    with _naming(partition):
        weights = _checked_weights(X, y, sample_weight)
        codes, names = encode_labels(y, Vocabulary(), n_rows=len(y), unlabelled=unlabelled)
        weights = np.ones(len(codes)) if weights is None else weights
        return {
            name: (float(weights[codes == code].sum()), float(weights[codes == code].max()))
            for code, name in enumerate(names)
        }


def count_right(partition: int, rows: Rows, model: Any) -> tuple[float, float]:
    """Return the weight of the rows of a partition predicted rightly, and of all."""
    X, y, sample_weight = rows
    with _naming(partition):
        weights = _checked_weights(X, y, sample_weight)
        if not len(X):
            return 0.0, 0.0
        weights = np.ones(len(X)) if weights is None else weights
        predicted = model.predict(X).tolist()
        right = [a == b for a, b in zip(predicted, _plain(y), strict=True)]
        return float(weights[np.array(right, dtype=bool)].sum()), float(weights.sum())


def share_right(counts: Sequence[tuple[float, float]]) -> float:
    """Return the share of the rows that are predicted rightly."""
    right, total = (sum(column) for column in zip(*counts, strict=True))
    if not total:
        raise ValueError("there is no row to score: all partitions are empty, or all weights are 0")
    return float(right / total)


def predict_part(X: Any, model: Any, nothing: NDArray[Any]) -> NDArray[Any]:
    """Return the class of each row of a partition; `nothing` for one without rows."""
    return model.predict(X) if len(X) else nothing


def predict_proba_part(X: Any, model: Any, nothing: NDArray[Any]) -> NDArray[Any]:
    """Return the probabilities for each row of a partition; `nothing` for one without rows."""
    return model.predict_proba(X) if len(X) else nothing


def explain_part(X: Any, model: Any, nothing: NDArray[Any], **how: Any) -> NDArray[Any]:
    """Return the explanation of each row of a partition; `nothing` for one without rows."""
    explanations = nothing if not len(X) else np.empty(len(X), dtype=object)
    if len(X):
        explanations[:] = model.explain(X, **how)
    return explanations


def _checked_weights(X: Any, y: Any, sample_weight: Any) -> NDArray[np.float64] | None:
    """Return the weights as numbers; raise ValueError unless there is a label for each row."""
    given = {"y": y} if sample_weight is None else {"y": y, "sample_weight": sample_weight}
    for name, column in given.items():
        if len(column) != len(X):
            raise ValueError(
                f"X has {len(X)} rows, but {name} has {len(column)}; take both from one table, so "
                "that they are partitioned alike"
            )
        if hasattr(X, "index") and hasattr(column, "index") and not X.index.equals(column.index):
            raise ValueError(
                f"the index of {name} is not that of X, so their rows may be in different orders; "
                "take both from one table, which you persist() if it was shuffled, or give "
                f"{name}.to_dask_array() if rows belong together by position"
            )
    if sample_weight is None:
        return None
    nobody = np.full(len(X), -1, np.int32)
    return row_weights(np.asarray(sample_weight), None, nobody, [], whole_table=False)


def _plain(y: Any) -> list[object]:
    labels: list[object] = y.tolist()
    return labels


def _uncoded(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a partition, which those of other partitions can be appended to."""
    if not hasattr(X, "iloc"):
        return X[rows]
    chosen = X.iloc[rows]
    # Partitions may differ in the categories that they know of.
    coded = [j for j, dtype in enumerate(chosen.dtypes) if str(dtype) == "category"]
    return chosen.astype({chosen.columns[j]: object for j in coded})


def _tuning_rows(withheld: Sequence[Withheld]) -> tuple[Any, ...] | None:
    """Return the withheld rows of all partitions in the order in which they are learned."""
    if not withheld:
        return None
    first = withheld[0]
    labels = np.array([label for rows in withheld for label in rows.y], dtype=object)
    order = tuning_order(len(labels))
    if hasattr(first.X, "iloc"):
        X = pd.concat([rows.X for rows in withheld]).iloc[order]
    else:
        X = np.concatenate([rows.X for rows in withheld])[order]
    if first.sample_weight is None:
        return X, labels[order]
    weights = np.concatenate([rows.sample_weight or [] for rows in withheld])
    return X, labels[order], weights[order]


def _models(parts: Sequence[Part]) -> list[HyperboxClassifier]:
    """Return the models of parts; ValueError unless each column has one kind in all of them."""
    models = [loads(part.model) for part in parts]
    check_kinds(
        models,
        [f"partition {part.partition}" for part in parts],
        "say which columns are categorical with categorical_features, or give the column one type",
    )
    return models


@contextmanager
def _naming(partition: int) -> Iterator[None]:
    """Name the partition in errors about its rows."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"partition {partition}: {error}") from error
