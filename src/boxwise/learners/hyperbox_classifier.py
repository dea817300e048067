"""The classifier of the library: EIOL-GFMM behind scikit-learn's interface."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from boxwise.core import Boxes, Model, Settings, label_array
from boxwise.inputs import Batch, encode, infer_schema
from boxwise.inputs.labels import declared_labels, encode_labels
from boxwise.learners.parameters import parameters_from_json, parameters_to_json
from boxwise.learners.settings import engine_ranges, engine_settings
from boxwise.schema import Schema
from boxwise.store import write


class HyperboxClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Online classifier for tables of numbers and categories, explained by boxes.

    The model is a set of hyperboxes: intervals over the continuous columns, counted sets of values
    over the categorical ones, a class. Each row is taken by a box that contains it, or by the
    closest box of its class that may grow (it stays within `theta`, its categories stay
    homogeneous within `delta`, it overlaps no box of another class), or becomes a new box. A row's
    class is that of the box in which it has the largest membership.

    Categories need no encoding, missing values no imputation. New categories and new classes may
    appear at any time. Learning all rows in one call or one row a call gives the same model.

    Parameters
    ----------
    theta : float, default=0.2
        The longest side of a box, as a share of the column's range.
    delta : float from 0 to 1, default=0.5
        The largest change of entropy that a row may cause in the categories of a box. With 0 a box
        holds one value per column; with 1 the categories never keep a row out.
    alpha : "auto" or float from 0 to 1, default="auto"
        The weight of the continuous columns in the membership. "auto" is their share among the
        columns.
    gamma : float or sequence of float, default=1.0
        How fast the membership falls with the distance from a box, for all continuous columns or
        one number for each.
    condition : {"each", "mean"}, default="each"
        Whether `delta` bounds the entropy change of each categorical column (EIOL-GFMM-v1) or the
        mean of them (EIOL-GFMM-v2).
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask. With "from_dtype", columns of text,
        objects, categories, enumerations and truth values are categorical.
    feature_range : "data", pair or mapping, default="data"
        What the continuous columns are scaled by. "data": `fit` takes the range of the whole table
        and `partial_fit` lets ranges grow, deciding each row as if all had been rescaled. A pair
        ``(low, high)`` for all columns, or a mapping from column to pair, fixes it.
    unlabelled : object, default=None
        The mark of rows without a label, for example -1 (NaN for missing labels), from which
        to learn too. By default a missing label is an error.

    Attributes
    ----------
    boxes_ : Boxes
        The boxes, in order of creation.
    classes_ : array
        The classes seen so far (and those announced to `partial_fit`), sorted.
    schema_ : Schema
        The columns with their kinds, ranges and category values.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    boxwise.load : Read a model file.

    Notes
    -----
    Memberships, sizes and ranges are computed as in the paper; where it leaves something open or
    contradicts itself, see :mod:`boxwise.reference`, the same algorithm in plain Python.

    References
    ----------
    T. T. Khuat and B. Gabrys, "An Online Learning Algorithm for a Neuro-Fuzzy Classifier with
    Mixed-Attribute Data", 2020, arXiv:2009.14670.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = [
    ...     {"age": 23, "job": "student"},
    ...     {"age": 25, "job": "student"},
    ...     {"age": 47, "job": "engineer"},
    ... ]
    >>> clf = HyperboxClassifier()
    >>> clf = clf.fit(rows, ["declined", "declined", "approved"])
    >>> clf.predict([{"age": 44, "job": "engineer"}])
    array(['approved'], dtype='<U8')
    >>> clf.boxes_.describe(0)
    'declined, 2 rows: age 23 to 25; job is student'

    New categories and classes may come at any time:

    >>> clf = clf.partial_fit([{"age": 81, "job": "retired"}], ["referred"])
    >>> clf.classes_
    array(['approved', 'declined', 'referred'], dtype='<U8')
    """

    def __init__(
        self,
        theta: float = 0.2,
        delta: float = 0.5,
        alpha: float | str = "auto",
        gamma: Any = 1.0,
        condition: str = "each",
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        unlabelled: Any = None,
    ) -> None:
        self.theta = theta
        self.delta = delta
        self.alpha = alpha
        self.gamma = gamma
        self.condition = condition
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.unlabelled = unlabelled

    def fit(self, X: Any, y: Any, upper: Any = None) -> Self:
        """Learn from a table, forgetting what was learned before.

        Parameters
        ----------
        X : table
            A pandas, polars or Arrow table, a NumPy array (also of objects), a list of dicts or a
            list of lists. Intervals: a pandas Interval column, or `upper`.
        y : array-like
            The labels: text, whole numbers or truth values.
        upper : table, optional
            The upper bounds of the continuous columns; X then holds the lower ones.

        Returns
        -------
        self
        """
        schema = infer_schema(X, self.categorical_features, upper)
        batch = encode(X, schema, learn=True, upper=upper)
        model = Model(
            schema, self._settings(schema), engine_ranges(self.feature_range, schema, batch)
        )
        self._learn(model, batch, y)
        self._model = model
        self._announced: tuple[object, ...] = ()
        return self

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
        announced = () if classes is None else declared_labels(classes)
        if self.__sklearn_is_fitted__():
            model = self._model
            settings = self._settings(model.schema)
            batch = encode(X, model.schema, learn=True, upper=upper)
        else:
            schema = infer_schema(X, self.categorical_features, upper)
            settings = self._settings(schema)
            batch = encode(X, schema, learn=True, upper=upper)
            model = Model(schema, settings, engine_ranges(self.feature_range, schema, None))
        self._learn(model, batch, y, settings)
        self._announced = tuple(dict.fromkeys((*getattr(self, "_announced", ()), *announced)))
        self._model = model
        return self

    def _learn(self, model: Model, batch: Batch, y: Any, settings: Settings | None = None) -> None:
        labels, new = encode_labels(
            y, model.labels, n_rows=batch.n_rows, unlabelled=self.unlabelled
        )
        if settings is not None:
            model.configure(settings)
        model.learn(batch, labels, new)

    def predict(self, X: Any, upper: Any = None) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X, upper
            As in `fit`.

        Returns
        -------
        array of shape (rows,)
        """
        model, batch = self._read(X, upper)
        codes = model.predict(batch)  # first: a class may be new by then
        return label_array(model.labels.values)[codes]

    def predict_proba(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return how the memberships of a row share out among the classes.

        Each class counts with its best membership; classes that tie for the first place share
        theirs by the number of rows in their boxes. The largest is always that of `predict`.

        Parameters
        ----------
        X, upper
            As in `fit`.

        Returns
        -------
        array of shape (rows, classes)
            In the order of `classes_`; each row sums to one.
        """
        model, batch = self._read(X, upper)
        scores = model.probabilities(batch)
        order = self._class_order(model.labels.values[: scores.shape[1]])
        padded = np.hstack([scores, np.zeros((len(scores), 1))])
        return padded[:, [code if code < scores.shape[1] else -1 for code in order.values()]]

    def membership(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return the membership of each row in each box.

        Parameters
        ----------
        X, upper
            As in `fit`.

        Returns
        -------
        array of shape (rows, boxes)
            Boxes in the order of `boxes_`.
        """
        model, batch = self._read(X, upper)
        return model.memberships(batch)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `boxwise.load` reads.

        Parameters
        ----------
        path : path
            The file; an existing one is replaced, at once or not at all.
        """
        model = self._fitted()
        self._settings(model.schema)  # what is saved must be what can be loaded
        content, arrays = model.to_state()
        content |= {
            "learner": type(self).__name__,
            "parameters": parameters_to_json(self.get_params()),
            "announced": declared_labels(self._announced),
        }
        write(path, content, arrays)

    @classmethod
    def _from_saved(cls, content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        clf = cls(**parameters_from_json(content["parameters"]))
        clf._model = Model.from_state(content, arrays)
        clf._settings(clf._model.schema)
        clf._announced = tuple(declared_labels([*content["announced"]]))
        return clf

    @property
    def boxes_(self) -> Boxes:
        """The boxes as they are now."""
        return self._fitted().boxes(self.unlabelled)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes seen so far, sorted."""
        return label_array([*self._class_order(self._fitted().classes)])

    @property
    def schema_(self) -> Schema:
        """The columns with their kinds, ranges and category values."""
        return self._fitted().described_schema()

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        return self._fitted().schema.n_features

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns."""
        schema = self._fitted().schema
        if not schema.named:
            raise AttributeError("the columns have no names")
        return np.array(schema.names, dtype=object)

    def _class_order(self, labels: list[object]) -> dict[object, int]:
        """Return class to code, sorted by class; codes past the labels are not learned yet."""
        codes: dict[Any, int] = {label: code for code, label in enumerate(labels)}
        for label in self._announced:
            codes.setdefault(label, len(labels))
        try:
            return dict(sorted(codes.items()))
        except TypeError:  # labels of several types: as they came
            return codes

    def _settings(self, schema: Schema) -> Settings:
        return engine_settings(
            self.theta, self.delta, self.alpha, self.gamma, self.condition, schema
        )

    def _read(self, X: Any, upper: Any) -> tuple[Model, Batch]:
        model = self._fitted()
        return model, encode(X, model.schema, learn=False, upper=upper)

    def _fitted(self) -> Model:
        try:
            return self._model
        except AttributeError:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. "
                "Call 'fit' or 'partial_fit' with some rows first."
            ) from None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
