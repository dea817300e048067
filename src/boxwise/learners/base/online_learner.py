"""The base class of estimators that learn row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model, Settings
from boxwise.dates import checked_dates
from boxwise.inputs import infer_schema
from boxwise.inputs.labels import declared_labels
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.learners.base.settings import engine_ranges
from boxwise.learners.weights import LearnedRows
from boxwise.schema import Kind, Schema, show


class OnlineLearner(HyperboxLearner):
    """An estimator that learns row by row: all rows in one call or one row a call, the same."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, upper: Any = None) -> Self:
        """Go on learning, row by row in the order of the table.

        Parameters
        ----------
        X, y, upper
            As in `fit`. The columns must be those of the first table; named columns may come in
            any order.
        classes : array-like, optional
            Classes to announce, which then have a column in `predict_proba` before their first row.
            Not needed: classes may appear at any time.

        Returns
        -------
        self
        """
        return self._go_on(X, y, classes, upper)

    def _go_on(self, X: Any, y: Any, classes: Any, upper: Any, sample_weight: Any = None) -> Self:
        announced = () if classes is None else declared_labels(classes)
        model, every = self._read_to_learn(X, y, upper, sample_weight, announced)
        rows = every.without_absent(model.schema, len(model.labels))
        if rows.batch.n_rows:
            model.learn(rows.batch, rows.labels, rows.names, weights=rows.weights)
            self._model = model
        self._announced = tuple(dict.fromkeys((*self._announced, *announced)))
        return self

    def test_then_train(self, X: Any, y: Any, upper: Any = None) -> NDArray[Any]:
        """Predict each row, then go on learning with it: `predict` and `partial_fit` row by row.

        Parameters
        ----------
        X, y, upper
            As in `partial_fit`.

        Returns
        -------
        array of shape (rows,), of objects
            What the model predicted for each row just before learning it; None while it had
            learned no label.

        Examples
        --------
        >>> from boxwise import HyperboxClassifier
        >>> clf = HyperboxClassifier()
        >>> clf.test_then_train([{"age": 23}, {"age": 25}, {"age": 47}], ["no", "no", "yes"])
        array([None, 'no', 'no'], dtype=object)
        """
        model, rows = self._read_to_learn(X, y, upper)
        rows = rows.with_absent_unlabelled(model.schema, len(model.labels))
        codes = model.test_then_train(rows.batch, rows.labels, rows.names, rows.weights)
        self._model = model
        return np.array([*model.labels.values, None], dtype=object)[codes]

    def test_then_train_proba(
        self, X: Any, y: Any, upper: Any = None
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Predict each row with its probabilities, then go on learning with it.

        Parameters
        ----------
        X, y, upper
            As in `partial_fit`.

        Returns
        -------
        predicted : array of shape (rows,), of objects
            As `test_then_train` returns it; the model learns the same.
        probabilities : array of shape (rows, classes)
            What `predict_proba` says of each row just before it is learned, in the order that
            ``classes_`` has afterwards. A class has probability 0 before its first row; a row
            before the first label has NaN.

        Examples
        --------
        >>> from boxwise import HyperboxClassifier
        >>> clf = HyperboxClassifier()
        >>> rows = [{"age": 23}, {"age": 25}, {"age": 47}]
        >>> predicted, p = clf.test_then_train_proba(rows, ["no", "no", "yes"])
        >>> predicted, clf.classes_
        (array([None, 'no', 'no'], dtype=object), array(['no', 'yes'], dtype='<U3'))
        >>> p
        array([[nan, nan],
               [ 1.,  0.],
               [ 1.,  0.]])
        """
        model, rows = self._read_to_learn(X, y, upper)
        rows = rows.with_absent_unlabelled(model.schema, len(model.labels))
        codes, shares = model.test_then_train_proba(
            rows.batch, rows.labels, rows.names, rows.weights
        )
        self._model = model
        predicted = np.array([*model.labels.values, None], dtype=object)[codes]
        order = {label: k for k, label in enumerate(model.labels.values)}
        probabilities = np.zeros((len(shares), len(self.classes_)))
        for j, label in enumerate(self.classes_.tolist()):
            if label in order:
                probabilities[:, j] = shares[:, order[label]]
        probabilities[codes < 0] = np.nan
        return predicted, probabilities

    def _empty_model(self, schema: Schema) -> Model:
        ranges = engine_ranges(self.feature_range, self.scale, schema, None)
        return Model(schema, self._settings(schema), ranges)

    def _begin(self, schema: Schema) -> None:
        """Start to learn with these columns, whatever `categorical_features` says of them."""
        absent = {*checked_dates(self.dates)} - {*schema.dates}
        if absent:
            raise ValueError(
                f"column {min(absent)!r} is one of dates, which are not read here; leave out "
                "dates, and give columns of its parts"
            )
        self._model = self._empty_model(schema)

    def _assign_kinds(self, kinds: Mapping[int, Kind]) -> None:
        """Give columns that had no value yet a kind, by their positions."""
        self._model = self._with_kinds(self._model, kinds)

    def _read_to_learn(
        self,
        X: Any,
        y: Any,
        upper: Any,
        sample_weight: Any = None,
        announced: Sequence[object] = (),
    ) -> tuple[Model, LearnedRows]:
        """Return the model, new if there is none yet, and what it is to learn."""
        if self.__sklearn_is_fitted__():
            model = self._model
            self._check_unchanged(model)
            batch = self._encode(X, model.schema, upper, assign_kinds=True)
            if batch.kinds:
                model = self._with_kinds(model, batch.kinds)
            settings = self._settings(model.schema)
        else:
            schema = infer_schema(X, self.categorical_features, upper, self.dates)
            settings = self._settings(schema)
            batch = self._encode(X, schema, upper)
            model = self._empty_model(schema)
        labels, new = self._encode_labels(y, model.labels, batch)
        names = [*model.labels.values, *new]
        weights = self._weights(sample_weight, labels, names, whole_table=False)
        classes = [*self._announced, *announced, *names]
        model.configure(self._for_classes(settings, model.schema, classes))
        return model, LearnedRows(batch, labels, new, weights)

    def _for_classes(
        self, settings: Settings, schema: Schema, classes: Sequence[object]
    ) -> Settings:
        """Return the settings for rows of these classes, which may be new."""
        return settings

    def _configure_to_go_on(self, model: Model) -> None:
        """Give a model that has learned the parameters as they are now."""
        self._check_unchanged(model)
        model.configure(self._settings(model.schema))

    def _check_unchanged(self, model: Model) -> None:
        """Raise ValueError if the model has learned with another scale than that of now."""
        if model.by_rank != (self.scale == "quantile") and model.schema.numeric:
            was = "quantile" if model.by_rank else "range"
            raise ValueError(
                f"scale is {show(self.scale)} now, but the model has learned with {was!r}, and "
                "its boxes cannot be measured otherwise; set it back, or call fit"
            )
