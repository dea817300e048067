"""The labelled rows of a report: as the model takes them, and what it says of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.evaluate import Assessment, Confusion, assess
from boxwise.explain.row import known_only
from boxwise.inputs import Batch, encode
from boxwise.inputs.labels import encode_labels
from boxwise.schema import Vocabulary

SEED = 0  # the same rows and the same model give the same page


class LabelledRows:
    """Rows with labels, a sample of them if there are many.

    Attributes
    ----------
    given, unlabelled : int
        How many rows there were, and how many of them had no label.
    batch : Batch
        The rows that are used, with values that the model has never learned.
    labels : list
        Their classes.
    places : array of int
        Where they are in the table.
    """

    def __init__(
        self, model: Model, X: Any, y: Any, upper: Any, unlabelled: object, most: int
    ) -> None:
        self.model = model
        batch = encode(X, model.schema, learn=True, upper=upper, reader="the report")
        mark = float("nan") if unlabelled is None else unlabelled
        known = Vocabulary(model.classes)
        codes, new = encode_labels(y, known, n_rows=batch.n_rows, unlabelled=mark)
        places = np.flatnonzero(codes >= 0)
        if not len(places):
            raise ValueError("no row has a label; a report needs labelled rows, or none at all")
        self.given, self.unlabelled = batch.n_rows, batch.n_rows - len(places)
        if len(places) > most:
            random = np.random.default_rng(SEED)
            places = np.sort(random.choice(places, most, replace=False))
        self.places: NDArray[np.intp] = places
        self.batch: Batch = batch.part(places)
        self.codes: NDArray[np.int32] = codes[places]
        classes = [*known.values, *new]
        self.labels: list[Any] = [classes[code] for code in self.codes.tolist()]
        self.new_classes: list[Any] = [label for label in new if label in set(self.labels)]

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def known(self) -> Batch:
        """The rows as the model takes them."""
        return known_only(self.batch, self.model)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Rows × classes, in the order of ``model.classes``."""
        return self.model.probabilities(self.known)

    @cached_property
    def predicted(self) -> NDArray[np.int32]:
        """The position, in ``model.classes``, of the class of each row."""
        return self.model.predict(self.known)

    @cached_property
    def confusion(self) -> Confusion:
        """What was taken for what."""
        classes: list[Any] = self.model.classes
        found = Confusion()
        found.update(self.labels, [classes[code] for code in self.predicted.tolist()])
        return found

    def assess(self, groups: Mapping[str, Any] | None, cost: Any, positive: Any) -> Assessment:
        """Return the quality of the predictions; of `groups`, values of all rows given."""
        classes: list[Any] = self.model.classes
        return assess(
            self.labels,
            self.probabilities,
            classes,
            y_pred=[classes[code] for code in self.predicted.tolist()],
            groups={name: self._chosen(name, values) for name, values in (groups or {}).items()},
            cost=cost,
            positive=positive,
        )

    def _chosen(self, name: str, values: Any) -> list[Any]:
        """Return the values of the rows that are used."""
        column = values.tolist() if hasattr(values, "tolist") else [*values]
        if len(column) != self.given:
            raise ValueError(
                f"the group column {name!r} has {len(column)} rows, the table has {self.given}"
            )
        return [column[place] for place in self.places.tolist()]

    @property
    def has_intervals(self) -> bool:
        """Whether any number is an interval."""
        lower, upper = self.batch.lower, self.batch.upper
        return upper is not lower and bool((lower < upper).any())

    def table(self) -> dict[str, Any]:
        """Return the rows as columns by name; of intervals the lower bounds."""
        schema, batch = self.model.schema, self.batch
        columns: dict[str, Any] = {
            name: batch.lower[:, k] for k, name in enumerate(schema.numeric_names)
        }
        for k, name in enumerate(schema.categorical_names):
            values = [*schema.vocabularies[k].values, *batch.additions[k]]
            columns[name] = [values[code] for code in batch.codes[:, k].tolist()]
        columns |= {schema.names[j]: [None] * len(self) for j in schema.unknown}
        return {name: columns[name] for name in schema.names}

    def upper(self) -> dict[str, Any] | None:
        """Return the upper bounds of the numbers, if there are intervals."""
        if not self.has_intervals:
            return None
        names = self.model.schema.numeric_names
        return {name: self.batch.upper[:, k] for k, name in enumerate(names)}

    def missing(self, j: int) -> float:
        """Return the share of the rows in which column `j` is missing."""
        schema = self.model.schema
        if j in schema.numeric:
            return float(np.isnan(self.batch.lower[:, schema.numeric.index(j)]).mean())
        k = schema.categorical.index(j)
        values = [*schema.vocabularies[k].values, *self.batch.additions[k]]
        if None not in values:
            return 0.0
        return float((self.batch.codes[:, k] == values.index(None)).mean())
