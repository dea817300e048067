"""The base class of the classifiers with River's interface: one row a call, any columns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sized
from copy import deepcopy
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

from boxwise.core import Boxes, Model, Settings
from boxwise.dates import checked_dates, dates_in, derived_name
from boxwise.explain import Explanation
from boxwise.inputs import Batch
from boxwise.inputs.kinds import kind_of_values
from boxwise.inputs.missing import is_missing
from boxwise.learners.base.explained_learner import ExplainedLearner
from boxwise.learners.base.monotone import as_parameter, check_classes_named
from boxwise.learners.base.settings import engine_ranges, for_columns
from boxwise.river.dates import by_text, taken_apart
from boxwise.schema import Column, Kind, Schema, Vocabulary, show
from river import base

if TYPE_CHECKING:
    import pandas as pd

    from boxwise._native import RowReader

Row = Mapping[Hashable, Any]
_KINDS: dict[type, Kind] = {  # of values as most rows have them
    float: "numeric",
    int: "numeric",
    str: "categorical",
    bool: "categorical",
}
_OF_FEATURES = ("categorical_features", "immutable", "dates", "monotonic_cst")
_LABELS = (str, int, bool)  # the types of labels as most rows have them


class RiverClassifier(base.MiniBatchClassifier):
    """An online estimator behind River's interface; a subclass says which, and its parameters.

    Every parameter is called as it is there; those in `_OF_FEATURES` name features.
    """

    _estimator: ClassVar[type[ExplainedLearner]]
    _checked: Settings | None = None  # for some columns; unless an older version pickled the model
    categorical_features: Iterable[Hashable] | None
    immutable: Iterable[Hashable] | None
    dates: Mapping[Hashable, Iterable[str]] | None = None
    monotonic_cst: Mapping[Hashable, Mapping[Any, int]] | None = None
    feature_range: Any
    scale: Any

    def _begin(self) -> None:
        """Make the estimator, once the parameters are set."""
        for name in ("categorical_features", "immutable"):
            setattr(self, name, _names_given(name, getattr(self, name)))
        check_classes_named(self.monotonic_cst)
        by_name = checked_dates(by_text(self.dates))
        shared = {name: getattr(self, name) for name in self._shared()}
        self._classifier = self._estimator(**shared, unlabelled=math.nan)
        self._classifier.dates = by_name or None
        self._names: dict[Hashable, str] = {}  # of the features known so far
        self._connect()
        self._check()

    @classmethod
    def _shared(cls) -> list[str]:
        """Return the parameters that both interfaces have, and that name no features."""
        return [name for name in signature(cls).parameters if name not in _OF_FEATURES]

    def _check(self) -> None:
        """Refuse parameters that no row could be learned with: make a model for some row.

        Its settings are right for all rows, but for what depends on the columns.
        """
        gamma = getattr(self, "gamma", 1.0)
        numbers = len(gamma) if isinstance(gamma, Sized) and getattr(gamma, "ndim", 1) > 0 else 1
        row = {object(): value for value in (*[0.0] * numbers, "")}  # as no row of a user has it
        self._checked = self._model_with(self._columns_of_new(row, None), None).settings

    @classmethod
    def from_classifier(cls, classifier: ExplainedLearner) -> Self:
        """Return a model that goes on from a classifier with scikit-learn's interface.

        Parameters
        ----------
        classifier
            One that has learned rows with named columns, for example from `boxwise.load`. It stays
            as it is: the model goes on with a copy, and with the parameters as they are now. Names
            that were no text, such as years, have become text, and rows must have them as text.
        """
        if not isinstance(classifier, cls._estimator):
            raise TypeError(
                f"a {type(classifier).__name__} cannot become a boxwise.river.{cls.__name__}; only "
                f"a boxwise.{cls._estimator.__name__} can"
            )
        if getattr(classifier, "class_weight", None) is not None:
            raise ValueError(
                "a model that learns row by row has no class_weight: set it to None, and give "
                "learn_one the weight of each row as w"
            )
        schema = classifier._fitted().schema
        if not schema.named:
            raise ValueError("the columns of this classifier have no names, which dicts need")
        learned = deepcopy(classifier).set_params(
            **classifier._parameters_to_go_on_with, unlabelled=math.nan
        )
        if schema.unknown:  # here a feature is new when its first value comes
            learned._model = learned._model.without_unknown()
        learned._configure_to_go_on(learned._model)
        parameters = learned.get_params()
        shared = {name: parameters[name] for name in cls._shared()}
        immutable = learned._fixed(learned._model.schema) or None
        of_features = {
            "categorical_features": schema.categorical_names,
            "immutable": immutable,
            "dates": dates_in(schema) or None,
        }
        if learned.get_params().get("monotonic_cst") is not None:
            of_features["monotonic_cst"] = as_parameter(learned._model.settings.monotone)
        model = cls(**shared | of_features)
        model._classifier = learned
        model._names = {name: name for name in learned._model.schema.names}
        model._keep_immutable()
        model._connect()
        return model

    @property
    def classifier(self) -> Any:
        """The classifier with scikit-learn's interface that holds the boxes: to save or look at it.

        To learn with it or to change its parameters, take a copy.
        """
        return self._classifier

    @property
    def boxes(self) -> Boxes:
        """The boxes as they are now; AttributeError before the first row."""
        if self._model is None:
            raise AttributeError("there are no boxes before the first row: call learn_one")
        return self._classifier.boxes_

    @property
    def n_boxes_(self) -> int:
        """The number of boxes."""
        return self._classifier.n_boxes_ if self._names else 0

    @property
    def n_bytes_(self) -> int:
        """The memory that the boxes take, in bytes."""
        return self._classifier.n_bytes_ if self._names else 0

    @property
    def unlabelled(self) -> float:
        """The mark of rows without a label, as the other interface has it; None is one too."""
        return math.nan

    def learn_one(self, x: Row, y: Any) -> None:
        """Learn a row.

        Parameters
        ----------
        x
            The features. A row without a single value, before any feature is known, teaches
            nothing.
        y
            The label: text, a whole number or a truth value; None if there is none.
        """
        x = self._taken_apart(x)
        if not self._learn_fast(x, y):
            self._learn_any(x, y)

    # Like River's trees, these two take nothing but the row: what is not used is not swallowed.
    def predict_one(self, x: Row) -> Any:  # type: ignore[override]
        """Return the label of a row, None before the first label was learned."""
        x = self._taken_apart(x)
        label = self._predict_fast(x)
        if label is None and self._labels:  # the row is out of the ordinary
            label = self._labels[int(self._model.predict(self._encode(x))[0])]
        return label

    def predict_proba_one(self, x: Row) -> dict[Any, float]:  # type: ignore[override]
        """Return label to probability; no label before the first was learned."""
        if not self._labels:
            return {}
        x = self._taken_apart(x)
        by_label: dict[Any, float] | None = self._reader.probabilities(x)
        if by_label is None:  # the row is out of the ordinary
            shares = self._model.probabilities(self._encode(x))[0].tolist()
            # A label that another thread is about to learn comes last, and has no share yet.
            by_label = dict(zip(self._labels[: len(shares)], shares, strict=True))
        return by_label

    def explain_one(
        self,
        x: Row,
        *,
        counterfactual: bool = True,
        counterfactuals: int = 1,
        fixed: Iterable[Hashable] = (),
    ) -> Explanation | None:
        """Say why a row is predicted as it is; None before the first label was learned.

        Parameters
        ----------
        x
            The features.
        counterfactual
            Whether to look for the smallest change that would change the prediction.
        counterfactuals
            How many such changes to look for, each of other features.
        fixed
            Features that such a change must leave alone, besides those of `immutable`.
        """
        if not self._labels:
            return None
        names: list[str] = []
        for key in fixed:
            known = self._known(key)
            if not known:
                raise ValueError(f"fixed: the model knows no feature {show(key)}")
            names += known
        row = _named(self._taken_apart(x), self._names)
        (why,) = self._classifier.explain(
            [row], counterfactual=counterfactual, counterfactuals=counterfactuals, fixed=names
        )
        return why

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a table, one after the other as `learn_one` does."""
        labels = y.tolist() if hasattr(y, "tolist") else [*y]
        if len(labels) != len(X):
            raise ValueError(f"X has {len(X)} rows, but y has {len(labels)} labels")
        for row, label in zip(_records(X), labels, strict=True):
            self.learn_one(row, label)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Return the label of each row."""
        import pandas as pd

        labels = [self.predict_one(row) for row in _records(X)]
        return pd.Series(labels, index=X.index, name="y_pred", dtype=None if labels else object)

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return a table of probabilities with a column for each label."""
        import pandas as pd

        shares = [self.predict_proba_one(row) for row in _records(X)]
        return pd.DataFrame(shares, index=X.index, columns=list(self._labels))

    def _encode(self, x: Row) -> Batch:
        return self._classifier._read([_named(x, self._names)], None)[1]

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _raw_memory_usage(self) -> int:
        return int(super()._raw_memory_usage) + self.n_bytes_

    def _learn_any(self, x: Row, y: Any, **weight: Any) -> None:
        """Learn any row; `weight` holds the `sample_weight` of `partial_fit`, if there is one."""
        _check_row(x)
        if type(y) not in _LABELS and (isinstance(y, tuple) or not isinstance(y, Hashable)):
            raise ValueError(
                f"the label {show(y)} is a {type(y).__name__}; it must be text, a number or a "
                "truth value"
            )
        before = model = self._model
        columns = self._columns_of_new(x, before)
        names = self._names | {key: column.name for key, column in columns.items()}
        if not names:
            return
        clf = self._classifier
        try:
            if columns:
                model = clf._model = self._model_with(columns, before)
            reader = model.row_reader(names)
            if weight or not _learn_plain(reader, model, x, y):
                clf.partial_fit([_named(x, names)], [y], **weight)
        except BaseException:  # the row is refused, and its new features with it
            clf.__dict__.pop("_model", None)
            if before is not None:
                clf._model = before
            self._constrain(self._names)
            raise
        self._names = names
        clf.categorical_features = model.schema.categorical_names
        if columns:
            self._keep_immutable()
        self._connect(reader)

    def _columns_of_new(self, x: Row, model: Model | None) -> dict[Hashable, Column]:
        """Return a column for each feature of x that is new to the model and has a value."""
        known, given = self._names, self.categorical_features or ()
        taken = {name: key for key, name in known.items()}
        columns: dict[Hashable, Column] = {}
        for key, value in x.items():
            if key in known or is_missing(value):
                continue
            name = str(key)
            if name in taken:
                raise ValueError(
                    f"the features {taken[name]!r} and {key!r} look alike as text; rename one of "
                    "them"
                )
            taken[name] = key
            as_given = "categorical" if key in given else None
            date = self._date_of(name)
            if (as_given or _KINDS.get(type(value)) or kind_of_values([value])) == "numeric":
                columns[key] = Column(name, "numeric", date=date)
                continue
            # In the rows learned before, the value was missing, and that is a category.
            before = (None,) if model is not None and model.n_boxes > 0 else ()
            columns[key] = Column(name, "categorical", Vocabulary(before), date=date)
        return columns

    def _date_of(self, name: str) -> tuple[str, str] | None:
        """Return the date and the part that a column holds, if it holds one."""
        part, _, source = name.partition(" of ")
        dates = self._classifier.dates or {}
        return (source, part) if part in dates.get(source, ()) else None

    def _keep_immutable(self) -> None:
        """Let the classifier know those of the immutable features that have had a value."""
        immutable = getattr(self, "immutable", None) or ()
        known = [name for key in immutable for name in self._known(key)]
        self._classifier.immutable = known or None

    def _known(self, key: Hashable) -> list[str]:
        """Return the names of the columns of a feature; of a date, of all its parts."""
        parts = (self.dates or {}).get(key, ())
        keys = [derived_name(str(key), part) for part in parts] if parts else [key]
        return [self._names[one] for one in keys if one in self._names]

    def _taken_apart(self, x: Row) -> Row:
        """Return a row with the parts of its dates in place of the dates."""
        if not self.dates or not isinstance(x, Mapping):
            return x
        return taken_apart(x, self.dates, self._classifier.dates)

    def _model_with(self, columns: dict[Hashable, Column], old: Model | None) -> Model:
        """Return a model with the columns of these features, after those of another if given."""
        clf, new = self._classifier, [*columns.values()]
        schema = Schema([*old.schema.columns, *new] if old else new, named=True)
        ranges = engine_ranges(self._ranges_with(columns), self.scale, schema, None)
        if self._checked is None:
            settings: Settings = clf._settings(schema)
        else:
            alpha, gamma = getattr(clf, "alpha", "auto"), getattr(clf, "gamma", 1.0)
            settings = for_columns(self._checked, alpha, gamma, schema)
        if self.monotonic_cst is not None:
            self._constrain(self._names | {key: c.name for key, c in columns.items()})
            settings = clf._settings(schema)
        if old is None:
            return Model(schema, settings, ranges)
        return old.widened(new, settings, ranges[len(old.schema.numeric) :])

    def _ranges_with(self, columns: dict[Hashable, Column]) -> Any:
        """Return the ranges of the features that are known, these included."""
        given = self.feature_range
        if isinstance(given, str) or not isinstance(given, Mapping):
            return given
        names = self._names | {key: column.name for key, column in columns.items()}
        return {names[key]: pair for key, pair in given.items() if key in names}

    def _constrain(self, names: Mapping[Hashable, str]) -> None:
        """Let the classifier know the constraints on these features."""
        if self.monotonic_cst is not None:
            known = {names[key]: c for key, c in self.monotonic_cst.items() if key in names}
            self._classifier.monotonic_cst = known or None

    @property
    def _model(self) -> Any:
        return getattr(self._classifier, "_model", None)

    def _connect(self, reader: RowReader | None = None) -> None:
        """Get hold of what every row needs."""
        model = self._model
        if model is None:
            self._reader: Any = None
            self._learn_fast: Any = _no_model
            self._predict_fast: Any = _no_model
            self._labels: list[Any] = []
            return
        self._reader = reader or model.row_reader(self._names)
        self._learn_fast, self._predict_fast = self._reader.learn, self._reader.predict
        self._labels = model.labels.values

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_reader", "_learn_fast", "_predict_fast", "_labels")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()


def _learn_plain(reader: RowReader, model: Model, x: Row, y: Any) -> bool:
    """Learn a row that is plain but for a new feature or a new label.

    Streams begin with such rows, and reading them as a table would take several times as long.
    """
    if type(y) not in _LABELS:
        return False
    if y not in model.labels.codes:
        model.add_labels([y])
    learned = False
    try:
        learned = reader.learn(x, y)
    finally:
        if not learned:  # the label goes again
            model.drop_unlearned_labels()
    return learned


def _no_model(x: Row, y: Any = None) -> None:
    """Leave every row to the general path, while there is no model."""


def _check_row(x: object) -> None:
    if type(x) is not dict and not isinstance(x, Mapping):
        raise TypeError(f"a row must be a dict from feature to value, not {type(x).__name__}")


def _named(x: Row, names: Mapping[Hashable, str]) -> dict[str, Any]:
    """Return a row with all columns, by their names; features that it lacks are missing."""
    _check_row(x)
    return {name: x.get(key) for key, name in names.items()}


def _records(X: pd.DataFrame) -> list[dict[Hashable, Any]]:
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"the feature {twice!r} occurs more than once; rename the columns")
    records: list[dict[Hashable, Any]] = X.to_dict("records")
    return records


def _names_given(name: str, features: Iterable[Hashable] | None) -> tuple[Hashable, ...] | None:
    if isinstance(features, str):
        raise ValueError(f"{name} is one text, {features!r}; give a list of names")
    return None if features is None else tuple(features)
