"""The classifier of the library: few boxes that decide together by their likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings, Model, Settings
from boxwise.explain import Attributions, Curve, attributions_of, curves_of
from boxwise.learners.base.explained_learner import ExplainedLearner
from boxwise.learners.base.hyperbox_learner import TrainingTable
from boxwise.learners.base.monotone import (
    check_unchanged,
    constraints_of,
    warn_of_absent_classes,
)
from boxwise.learners.base.settings import evidence_settings
from boxwise.learners.changes import Change, changes_of
from boxwise.learners.weights import LearnedRows, check_class_weight, row_weights
from boxwise.schema import Schema


class HyperboxClassifier(ExplainedLearner):
    """Online classifier for numeric and categorical columns, explained by boxes and curves.

    The model has at most `max_boxes` hyperboxes: an interval for each numeric column, counted
    values for each categorical one, and a class. A row is added to the box of its class with the
    largest likelihood that may grow to cover it, or becomes a new box. Boxes are long in columns
    that do not matter and short in those that do. Every box votes with its likelihood, and an
    additive layer adds a curve for each column to the log-odds; you can inspect both. When errors
    rise, a new set of boxes is trained beside the old one and replaces it if it predicts better.

    Categories need no encoding, missing values no imputation. New categories and new classes may
    appear at any time. One call of `partial_fit` with all rows, or one call per row, gives the same
    model.

    Parameters
    ----------
    theta : float, default=0.5
        The maximum side of a box in a column of average relevance, as a share of the column's
        range or of its rows.
    delta : float from 0 to 1, default=0.15
        The maximum change of entropy, averaged over the categorical columns, that a row may cause
        in a box; columns that do not matter count less. With 0 a box has one value per column that
        matters; with 1 no row is rejected because of its categories.
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask. With "from_dtype", columns of text,
        objects, categories, enumerations and Boolean values are categorical.
    feature_range : "data", pair or mapping, default="data"
        The range of the numeric columns. "data": `fit` uses the range of the whole table;
        `partial_fit` extends the range with each row, as if all rows had been rescaled. A pair
        ``(low, high)`` for all columns, or a mapping from column to pair, fixes the range.
    scale : {"quantile", "range"}, default="quantile"
        The unit of distances and sizes in a numeric column: shares of its rows, which is robust to
        outliers, or of its range. `fit` uses the ranks of the whole table; `partial_fit` updates
        them with the rows.
    max_boxes : int or None, default=1000
        The maximum number of boxes; the box with the lowest weight makes room for a new one. None
        is no limit.
    adapt : bool, default=True
        Whether to monitor the errors (ADWIN), train a new set of boxes beside the current one after
        an alarm, and switch to it if it predicts better. `fit` never does, since the rows of a
        table need not be in order of time.
    additive : bool, default=True
        Whether an additive layer, a curve for each column that is learned row by row, decides
        together with the boxes: the logit of a class is the sum of the curves and the weighted
        log-probability by the boxes. Boxes represent joint effects of columns, curves the effect of
        each column by itself.
    class_prior : {"data", "balanced", "auto"}, default="data"
        The prior of the classes: their frequency, uniform, or the exponent between the two that has
        had the best class balanced accuracy recently.
    class_weight : "balanced", mapping or None, default=None
        How often a row of each class counts, as in scikit-learn; "balanced" works with `fit` only.
        A row counts at most 10,000 times: where a class is so rare that "balanced" would go beyond,
        all weights are divided by the same number.
    unlabelled : object, default=None
        The mark of rows without a label that are to be learned, for example -1 (NaN for missing
        labels). By default a missing label is an error.
    n_jobs : int, default=None
        The number of threads for predicting many rows: as in scikit-learn, None is 1 (or the
        setting of joblib), -1 the number of cores. The result does not depend on it.
    immutable : list of str or int, default=None
        The columns, by name or position, that a counterfactual of `explain` never changes: what a
        person cannot change, such as the age. The model file keeps them.
    dates : mapping of str to list of str, default=None
        The columns of dates, and what matters about each: "year", "month", "day", "weekday", "hour"
        and "minute", of the local time that a value shows. A column stands for each of these, such
        as "weekday of opened"; weekdays are categories, the others numbers.
    monotonic_cst : mapping or sequence, default=None
        Numeric columns in which the probability of a class only rises (1) or only falls (-1), all
        else being equal: ``{"income": {"approved": 1}}``. ``{"income": 1}`` and a sequence of 1, 0
        and -1 over the columns, as in scikit-learn, are about the second of two classes. These
        columns have curves, and no part in boxes.

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
    relevance_ : array
        The relevance of each column: 1 at the start, more where boxes are narrow. NaN for a column
        without a value yet, and for one of `monotonic_cst`, which boxes do not have.
    possible_codes_ : list of str
        Numeric columns that may hold codes, such as a machine's number.
    changes_ : list of Change
        Alarms and their outcomes, the latest 1,000.

    See Also
    --------
    EIOLGFMM : The paper's algorithm, in which the best box decides alone.
    boxwise.load : Read a model file.

    Notes
    -----
    :mod:`boxwise.reference.evidence` is the specification in plain Python.

    References
    ----------
    T. T. Khuat and B. Gabrys, "An Online Learning Algorithm for a Neuro-Fuzzy Classifier with
    Mixed-Attribute Data", 2020, arXiv:2009.14670.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = [
    ...     {"age": 47, "job": "engineer"},
    ...     {"age": 23, "job": "student"},
    ...     {"age": 25, "job": "student"},
    ... ]
    >>> clf = HyperboxClassifier()
    >>> clf = clf.fit(rows, ["approved", "declined", "declined"])
    >>> clf.predict([{"age": 44, "job": "engineer"}])
    array(['approved'], dtype='<U8')
    >>> clf.boxes_.describe(0)
    'declined, 2 rows: age 23 to 25; job is student'

    New categories and classes may appear at any time:

    >>> clf = clf.partial_fit([{"age": 81, "job": "retired"}], ["referred"])
    >>> clf.classes_
    array(['approved', 'declined', 'referred'], dtype='<U8')
    """

    _most_values = EvidenceSettings.most_values

    def __init__(
        self,
        theta: float = 0.5,
        delta: float = 0.15,
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        scale: str = "quantile",
        max_boxes: int | None = 1000,
        adapt: bool = True,
        additive: bool = True,
        class_prior: str = "data",
        class_weight: Any = None,
        unlabelled: Any = None,
        n_jobs: int | None = None,
        immutable: Any = None,
        dates: Any = None,
        monotonic_cst: Any = None,
    ) -> None:
        self.theta = theta
        self.delta = delta
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.scale = scale
        self.max_boxes = max_boxes
        self.adapt = adapt
        self.additive = additive
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs
        self.immutable = immutable
        self.dates = dates
        self.monotonic_cst = monotonic_cst

    def fit(self, X: Any, y: Any, upper: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table, forgetting what was learned before.

        The rows are learned in an order that is drawn once and for all, so that a table that is
        sorted does no harm.

        Parameters
        ----------
        X : table
            A pandas, polars or Arrow table, a NumPy array (also of objects), a list of dicts or a
            list of lists. Intervals: a pandas Interval column, or `upper`.
        y : array-like
            The labels: text, whole numbers or truth values.
        upper : table, optional
            The upper bounds of the numeric columns; X then holds the lower ones.
        sample_weight : array-like, optional
            How often each row counts. A whole weight does what so many equal rows in a row do when
            they are learned; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        self._learn_table(self._read_training(X, y, upper, sample_weight))
        self._model.configure(self._settings(self._model.schema))
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, upper: Any = None, sample_weight: Any = None
    ) -> Self:
        """Go on learning, row by row in the order of the table.

        Parameters
        ----------
        X, y, upper, sample_weight
            As in `fit`. The columns must be those of the first table; named columns may come in
            any order.
        classes : array-like, optional
            Classes to announce, which then have a column in `predict_proba` before their first row.
            Not needed: classes may appear at any time.

        Returns
        -------
        self
        """
        return self._go_on(X, y, classes, upper, sample_weight)

    def _weights(
        self,
        sample_weight: Any,
        labels: NDArray[np.int32],
        names: list[object],
        *,
        whole_table: bool,
    ) -> NDArray[np.float64] | None:
        return row_weights(sample_weight, self.class_weight, labels, names, whole_table=whole_table)

    @property
    def relevance_(self) -> NDArray[np.float64]:
        """How much each column matters to boxes; 1 on average."""
        model = self._fitted()
        columns = [*model.schema.numeric, *model.schema.categorical]
        by_column = np.full(model.schema.n_features, np.nan)
        by_column[columns] = 1 / np.array(model.engine.multipliers[: len(columns)])
        by_column[[model.schema.names.index(name) for name in model.settings.apart]] = np.nan
        return by_column

    @property
    def changes_(self) -> list[Change]:
        """What happened to the model: alarms and what became of them, the latest 1,000."""
        return changes_of(self._fitted())

    def support(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return how many learned rows speak for each row: how much is known of such rows.

        The rows of a box count fully for a row inside it that has its most frequent values, and
        the less, the farther it is outside and the rarer its values are. Probabilities by boxes are
        no surer than the support allows, and curves count the less, the less support there is.

        Parameters
        ----------
        X, upper
            As in `fit`.

        Returns
        -------
        array of shape (rows,)
        """
        model, batch = self._read(X, upper)
        return model.supports(batch, self._threads())

    def responsibilities(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return how much of each decision each box carries.

        Parameters
        ----------
        X, upper
            As in `fit`.

        Returns
        -------
        array of shape (rows, boxes)
            Boxes in the order of `boxes_`. With what the class as a whole carries, its background,
            those of a class sum to its probability in `predict_proba`. A box without a class has 0.
        """
        model, batch = self._read(X, upper)
        return model.responsibilities(batch, self._threads())

    def curves(self) -> list[Curve]:
        """Return the curve of each column: what it adds to the log-odds of the classes.

        With ``additive=True``, the default, the logit of a class is the sum of the curves, a
        constant and what the boxes say; `explain` shows the last two, row by row.

        Returns
        -------
        list of boxwise.explain.Curve
            In the order of the columns, without those that have not had a value. They are 0 until
            two classes have been learned.

        Examples
        --------
        >>> from boxwise import HyperboxClassifier
        >>> rows = [{"age": age, "job": "cook"} for age in range(20, 80)]
        >>> clf = HyperboxClassifier().fit(rows, ["no"] * 30 + ["yes"] * 30)
        >>> age, job = clf.curves()
        >>> age.column, age.classes
        ('age', ('no', 'yes'))
        >>> yes = age.contributions[:, 1]
        >>> bool(yes[0] < 0 < yes[-1])
        True
        """
        model = self._fitted().copy()  # another thread may go on learning
        codes = self._class_order(model.classes).values()
        return curves_of(model, [code for code in codes if code < len(model.classes)])

    def attributions(
        self,
        X: Any,
        upper: Any = None,
        *,
        background: Any = None,
        exact_columns: int = 10,
        permutations: int = 4,
    ) -> Attributions:
        """Return what each column adds to the log-odds of each row (interventional Shapley values).

        The value of a column is its mean effect on the log-odds when values of a background row are
        replaced by those of the row, over all orders of the columns and over the background rows.
        The values and the base value sum to the log-odds of `predict_proba`.

        Parameters
        ----------
        X, upper
            As in `fit`.
        background : table, optional
            The rows to compare with; some dozens of typical rows are usual. By default, 50 rows
            drawn from the boxes, always the same ones.
        exact_columns : int from 0 to 16, default=10
            Values are exact where a row and a background row differ in at most so many columns;
            this takes 2 ** columns predictions.
        permutations : int, default=4
            Where they differ in more columns: so many orders are drawn for each background row,
            with a fixed seed, and each is used forwards and backwards.

        Returns
        -------
        boxwise.explain.Attributions
            Its arrays are those of a ``shap.Explanation``, and `to_shap` returns one.
        """
        model = self._fitted().copy()  # another thread may go on learning
        return attributions_of(
            model,
            self._encode(X, model.schema, upper, learn=True),
            None
            if background is None
            else self._encode(background, model.schema, None, learn=True),
            [*self._class_order(model.classes).items()],
            exact_columns=exact_columns,
            permutations=permutations,
            threads=self._threads(),
        )

    def to_onnx(self) -> Any:
        """Return the model as it is now as an ONNX graph (needs the extra ``onnx``).

        It computes what `predict` and `predict_proba` do, in double precision. Each column is an
        input of shape (rows, 1): numbers as double, NaN where missing; text, the empty text where
        missing. Columns of numbers without names are one input, ``X``.

        Returns
        -------
        onnx.ModelProto
            With the outputs ``label`` and ``probabilities``, in the order of ``classes_``.

        Raises
        ------
        ValueError
            If ONNX has no type for the labels or the categories of a column.
        """
        from boxwise.onnx import to_onnx

        model = self._fitted().copy()  # another thread may go on learning
        return to_onnx(model, [*self._class_order(model.classes).items()])

    def _in_learning_order(self, rows: LearnedRows, schema: Schema) -> LearnedRows:
        # A table may be sorted, by class too, which misleads what is learned by gradient.
        # RandomState draws the same order with every version of NumPy.
        order = np.random.RandomState(0).permutation(rows.batch.n_rows)
        return rows.taken(order, schema, 0)

    def _settings_for(self, table: TrainingTable) -> EvidenceSettings:
        # The order of a table is not that of time: no change is looked for.
        settings = replace(self._with_classes(table.schema, table.new_labels), adapt=False)
        warn_of_absent_classes(settings.monotone, table.new_labels)
        return settings

    def _settings(self, schema: Schema) -> EvidenceSettings:
        fitted = self.__sklearn_is_fitted__()
        known = [*self._announced, *self._model.labels.values] if fitted else []
        return self._with_classes(schema, known)

    def _with_classes(self, schema: Schema, classes: Sequence[object]) -> EvidenceSettings:
        check_class_weight(self.class_weight)
        return evidence_settings(
            self.theta, self.delta, self.max_boxes, self.adapt, self.class_prior, self.additive,
            constraints_of(self.monotonic_cst, schema, classes),
        )  # fmt: skip

    def _for_classes(
        self, settings: Settings, schema: Schema, classes: Sequence[object]
    ) -> Settings:
        return settings if self.monotonic_cst is None else self._with_classes(schema, classes)

    def _check_unchanged(self, model: Model) -> None:
        super()._check_unchanged(model)
        assert isinstance(model.settings, EvidenceSettings)
        learned = model.settings.monotone
        if (learned or self.monotonic_cst is not None) and model.n_boxes:
            now = self._settings(model.schema).monotone
            check_unchanged(learned, now, self.monotonic_cst)
