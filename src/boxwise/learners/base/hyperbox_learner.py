"""The base class of all estimators: tables in, classes and boxes out, save and load."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

from boxwise.core import Boxes, Model, Range, Settings, label_array
from boxwise.core.frequent_values import frequent_values
from boxwise.dates import check_date_columns, checked_dates
from boxwise.inputs import Batch, encode, infer_schema
from boxwise.inputs.codes import may_be_codes
from boxwise.inputs.kinds import check_listed
from boxwise.inputs.labels import check_unlabelled, encode_labels
from boxwise.learners.base.estimator_card import estimator_card
from boxwise.learners.base.saved_learner import SavedLearner
from boxwise.learners.base.settings import check_n_jobs, check_ranges, engine_ranges
from boxwise.learners.weights import LearnedRows
from boxwise.rules import PruneReport, RuleSet, prune
from boxwise.schema import Kind, Schema, Vocabulary


@dataclass(frozen=True)
class TrainingTable:
    """A table and its labels, read; the schema has none of its category values yet."""

    schema: Schema
    batch: Batch
    labels: NDArray[np.int32]
    new_labels: list[object]
    ranges: list[Range]
    weights: NDArray[np.float64] | None = None  # how often each row counts; None: once


class HyperboxLearner(ClassifierMixin, SavedLearner):  # type: ignore[misc]
    """An estimator whose model is a set of boxes; a subclass says which algorithm makes them.

    A subclass has the parameters `feature_range`, `unlabelled` and `n_jobs`, and
    `categorical_features` unless it is one of those for `NumericOnly`; it may have `scale` and
    `dates`.
    """

    categorical_features: Any
    feature_range: Any
    scale: Any = "range"
    unlabelled: Any
    n_jobs: Any
    dates: Any = None
    _announced: tuple[object, ...] = ()
    _most_values: int | None = None  # of a categorical column that are told apart

    @abstractmethod
    def _settings(self, schema: Schema) -> Settings:
        """Return the parameters, checked against the columns, as the engine takes them."""

    def _settings_for(self, table: TrainingTable) -> Settings:
        """Return the settings with which to learn this table from the start."""
        return self._settings(table.schema)

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
            The upper bounds of the numeric columns; X then holds the lower ones.

        Returns
        -------
        self
        """
        return self._learn_table(self._read_training(X, y, upper))

    def _learn_table(self, table: TrainingTable) -> Self:
        model = Model(table.schema, self._settings_for(table), table.ranges)
        model.learn(table.batch, table.labels, table.new_labels, self._threads(), table.weights)
        self._model = model
        self._announced = ()
        return self

    def _read_training(
        self, X: Any, y: Any, upper: Any = None, sample_weight: Any = None
    ) -> TrainingTable:
        schema = infer_schema(X, self.categorical_features, upper, self.dates)
        batch = self._encode(X, schema, upper)
        labels, new = self._encode_labels(y, Vocabulary(), batch)
        weights = self._weights(sample_weight, labels, new, whole_table=True)
        rows = LearnedRows(batch, labels, new, weights).without_absent(schema, 0)
        if batch.n_rows > rows.batch.n_rows == 0:
            raise ValueError("the weight of every row is zero, so there is nothing to learn")
        rows = self._in_learning_order(rows, schema)
        ranges = engine_ranges(self.feature_range, self.scale, schema, rows.repeated())
        return TrainingTable(schema, rows.batch, rows.labels, rows.names, ranges, rows.weights)

    def _in_learning_order(self, rows: LearnedRows, schema: Schema) -> LearnedRows:
        """Return the rows of a table in the order in which `fit` learns them: as they are."""
        return rows

    def _weights(
        self,
        sample_weight: Any,
        labels: NDArray[np.int32],
        names: list[object],
        *,
        whole_table: bool,
    ) -> NDArray[np.float64] | None:
        """Return how often each row counts; None: once."""
        return None

    def _encode(
        self, X: Any, schema: Schema, upper: Any, *, learn: bool = True, assign_kinds: bool = False
    ) -> Batch:
        reader = type(self).__name__
        for vocabulary in schema.vocabularies:
            vocabulary.limit = self._most_values
        return encode(X, schema, learn=learn, upper=upper, reader=reader, assign_kinds=assign_kinds)

    def _with_kinds(self, model: Model, kinds: Mapping[int, Kind]) -> Model:
        """Return the model with kinds for columns that had none yet."""
        schema = model.schema.with_kinds(kinds)
        every = engine_ranges(self.feature_range, self.scale, schema, None)
        new = [r for j, r in zip(schema.numeric, every, strict=True) if j in kinds]
        return model.with_kinds(kinds, self._settings(schema), new)

    def _encode_labels(
        self, y: Any, known: Vocabulary, batch: Batch
    ) -> tuple[NDArray[np.int32], list[object]]:
        return encode_labels(y, known, n_rows=batch.n_rows, unlabelled=self.unlabelled)

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
        codes = model.predict(batch, self._threads())  # first: a class may be new by then
        return label_array(model.labels.values)[codes]

    def predict_proba(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return the probabilities of the classes, or how memberships share out among them.

        Where all boxes decide, by evidence, they are probabilities. Otherwise each class counts
        with its best membership; classes that tie for the first place share theirs by the number
        of rows in their boxes, or equally if the algorithm tells them apart by the nearest box.
        The largest is always that of `predict`.

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
        scores = model.probabilities(batch, self._threads())
        order = self._class_order(model.labels.values[: scores.shape[1]])
        padded = np.hstack([scores, np.zeros((len(scores), 1))])
        return padded[:, [code if code < scores.shape[1] else -1 for code in order.values()]]

    def membership(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return the membership of each row in each box, in whole units of 1e-12.

        Memberships are compared after rounding to such units, so that those which are equal on
        paper tie; these are the rounded values.

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
        return model.memberships(batch, self._threads())

    def rules(
        self, X: Any = None, y: Any = None, *, min_share: float = 0.0, full: bool = False
    ) -> RuleSet:
        """Return the model as if-then rules, one for each box that has a class.

        Conditions that do not bind are left out: an interval that spans the range of the column,
        a set of all its values. The conditions that raise the precision of the rule most come
        first; with `HyperboxClassifier` a rule keeps at most five of them.

        Parameters
        ----------
        X, y : table and labels, optional
            Rows on which to count how many each rule covers, and how many of them rightly.
        min_share : float from 0 to 1, default=0
            Values that make up less of the rows of a box are left out of its rule, so that it
            covers a little less than the box; never the most frequent value.
        full : bool, default=False
            Keep all conditions, those that do not bind too: numbers outside all ranges and values
            never seen are then not covered, just as no box contains them.

        Returns
        -------
        RuleSet
            In order of rows learned, most first.
        """
        rules = RuleSet.of_model(
            self._fitted(), min_share=min_share, full=full, unlabelled=self.unlabelled
        )
        if (X is None) != (y is None):
            raise ValueError("rules are measured on rows with labels: give both X and y, or none")
        return rules if X is None else rules.measure(X, y)

    def prune(
        self,
        X_val: Any,
        y_val: Any,
        *,
        margin: int = 2,
        unused: bool = False,
        whole_classes: bool = False,
        dry_run: bool = False,
        progress: Any = None,
    ) -> PruneReport:
        """Remove boxes that do harm on validation rows; the model itself changes.

        A box does harm if it decides more rows wrongly than correctly, by some margin. It
        decides a row if it is of the class predicted and has the largest membership of the boxes
        of that class. Boxes go only if class balanced accuracy on the validation rows does not
        fall: all at once if possible, otherwise in halves, quarters and so on. This is for the
        learners in which one box decides a row; ``HyperboxClassifier``, in which all boxes vote,
        refuses with a TypeError.

        Parameters
        ----------
        X_val, y_val : table and labels
            Rows that the model has not learned.
        margin : int, default=2
            How many more rows a box must have decided wrongly than rightly to be removed. With 1
            many boxes go that were wrong about a single row, which is often chance.
        unused : bool, default=False
            Remove boxes that decide no row as well.
        whole_classes : bool, default=False
            Allow the last box of a class to go.
        dry_run : bool, default=False
            Only say what would go.
        progress : bool, callable or None, default=None
            True shows a bar, False none; None shows one on a terminal; a callable gets
            ``(done, total)``.

        Returns
        -------
        PruneReport
        """
        model, batch = self._read(X_val, None)
        labels, _ = self._encode_labels(y_val, model.labels, batch)
        return prune(
            model,
            batch,
            labels,
            margin=margin,
            unused=unused,
            whole_classes=whole_classes,
            dry_run=dry_run,
            threads=self._threads(),
            progress=progress,
        )

    def _check_parameters(self, schema: Schema) -> None:
        """Check every parameter: a file is not to be found wanting when its model predicts."""
        self._settings(schema)
        check_ranges(self.feature_range, self.scale)
        check_listed(self.categorical_features, schema)
        checked_dates(self.dates)
        check_date_columns(schema)
        check_unlabelled(self.unlabelled)
        check_n_jobs(self.n_jobs)

    @property
    def boxes_(self) -> Boxes:
        """The boxes as they are now."""
        return self._fitted().boxes(self.unlabelled)

    @property
    def n_boxes_(self) -> int:
        """The number of boxes."""
        return self._fitted().n_boxes

    @property
    def n_bytes_(self) -> int:
        """The memory that the boxes take, in bytes."""
        return self._fitted().n_bytes

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes seen so far, sorted."""
        return label_array([*self._class_order(self._fitted().classes)])

    @property
    def schema_(self) -> Schema:
        """The columns with their kinds, ranges and category values."""
        return self._fitted().described_schema()

    @property
    def possible_codes_(self) -> list[str]:
        """Numeric columns that may hold codes rather than quantities, such as a machine's number.

        Their values are whole numbers, at most ten different ones in at least 100 rows, and do not
        look like counts. If they are codes, list all categorical columns in `categorical_features`
        and learn anew. Known with ``scale="quantile"`` only; otherwise the list is empty.
        """
        model = self._fitted()
        return [
            model.schema.names[j]
            for j, rows_of in frequent_values(model).items()
            if may_be_codes(rows_of) and model.schema.columns[j].date is None
        ]

    @property
    def n_features_in_(self) -> int:
        """The number of columns of a table."""
        return len(self._fitted().schema.inputs)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns of a table; of a date, not of its parts."""
        schema = self._fitted().schema
        if not schema.named:
            raise AttributeError("the columns have no names")
        return np.array(schema.inputs, dtype=object)

    def _class_order(self, labels: list[object]) -> dict[object, int]:
        """Return class to code, sorted by class; codes past the labels are not learned yet."""
        codes: dict[Any, int] = {label: code for code, label in enumerate(labels)}
        for label in self._announced:
            codes.setdefault(label, len(labels))
        try:
            return dict(sorted(codes.items()))
        except TypeError:  # labels of several types: as they came
            return codes

    def _read(self, X: Any, upper: Any) -> tuple[Model, Batch]:
        model = self._fitted()
        return model, self._encode(X, model.schema, upper, learn=False)

    def _threads(self) -> int:
        check_n_jobs(self.n_jobs)
        return int(effective_n_jobs(self.n_jobs))

    def _fitted(self) -> Model:
        try:
            return self._model
        except AttributeError:
            partial = " or 'partial_fit'" if hasattr(self, "partial_fit") else ""
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. "
                f"Call 'fit'{partial} with some rows first."
            ) from None

    def _repr_html_inner(self) -> str:
        """Return what a notebook shows: a card once there is a model, else scikit-learn's diagram.

        The diagram of a fitted estimator is that of ``sklearn.utils.estimator_html_repr(clf)``.
        """
        if not hasattr(self, "_model"):
            return str(estimator_html_repr(self))
        model = self._model.copy()  # another thread may go on learning
        return estimator_card(
            type(self).__name__,
            model,
            self.classes_.tolist(),
            getattr(self, "relevance_", None),
            getattr(self, "changes_", ()),
            repr(self),
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
