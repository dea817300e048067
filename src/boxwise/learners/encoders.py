"""IOL-GFMM with encoders: categories made numbers by category_encoders, then scaled, then learned.

This is the one file that imports category_encoders (and pandas, which comes with it), and only when
an encoder is asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from boxwise.inputs import Batch, encode, infer_schema
from boxwise.inputs.labels import encode_labels
from boxwise.learners.improved_online_gfmm import ImprovedOnlineGFMM
from boxwise.schema import Schema, Vocabulary, show

_CLASSES = {
    "catboost": "CatBoostEncoder",
    "one-hot": "OneHotEncoder",
    "leave-one-out": "LeaveOneOutEncoder",
    "ordinal": "OrdinalEncoder",
    "target": "TargetEncoder",
    "james-stein": "JamesSteinEncoder",
    "helmert": "HelmertEncoder",
    "sum": "SumEncoder",
}

ENCODERS: tuple[str, ...] = tuple(_CLASSES)
"""The names of the encoders that `iol_pipeline` takes."""

_WITH_LABELS = ("catboost", "leave-one-out", "target", "james-stein")

_MISSING = 0  # the code of a missing category in every column, whether or not one was seen


def iol_pipeline(
    encoder: str,
    theta: float = 0.2,
    gamma: Any = 1.0,
    categorical_features: Any = "from_dtype",
    unlabelled: Any = None,
) -> Pipeline:
    """Make the pipeline that encodes categories as numbers, scales them and learns with IOL-GFMM.

    Its steps are "encode" (`CategoryEncoder`), "scale" (every column to 0 .. 1 by the training
    rows; other rows are clipped) and "iol" (`ImprovedOnlineGFMM`). Parameters of the steps are
    those of a scikit-learn pipeline: ``iol__theta``, ``encode__encoder``. category_encoders is
    needed: ``pip install "boxwise[encoders]"``.

    Parameters
    ----------
    encoder : str
        One of `ENCODERS`: "catboost", "one-hot", "leave-one-out", "ordinal", "target",
        "james-stein", "helmert" or "sum".
    theta : float, default=0.2
        The longest side of a box, as a share of the column's range.
    gamma : float or sequence of float, default=1.0
        How fast the membership falls with the distance from a box, for all encoded columns or one
        number for each.
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask. With "from_dtype", columns of text,
        objects, categories, enumerations and truth values are categorical.
    unlabelled : object, default=None
        The mark of rows without a label, from which to learn too; encoders that use labels are
        fitted to the others.

    Returns
    -------
    sklearn.pipeline.Pipeline
        It takes the tables that `HyperboxClassifier` takes, but for intervals. It learns from all
        rows at once: the encoder needs them.

    See Also
    --------
    HyperboxClassifier : Takes categories as they are.

    References
    ----------
    T. T. Khuat and B. Gabrys, "An in-depth comparison of methods handling mixed-attribute data for
    general fuzzy min-max neural network", Neurocomputing, 2021, arXiv:2009.00237.

    Examples
    --------
    >>> from boxwise import iol_pipeline
    >>> rows = [
    ...     {"age": 23, "job": "student"},
    ...     {"age": 25, "job": "student"},
    ...     {"age": 47, "job": "engineer"},
    ... ]
    >>> clf = iol_pipeline("one-hot").fit(rows, ["declined", "declined", "approved"])
    >>> clf.predict([{"age": 44, "job": "engineer"}])
    array(['approved'], dtype='<U8')
    >>> clf["iol"].boxes_.describe(0)
    'declined, 2 rows: age 0 to 0.08333; job=student 1; job=engineer 0'
    """
    encoder_class(encoder)  # a wrong name and a missing library are told here, not at the first fit
    pipeline = Pipeline(
        [
            ("encode", CategoryEncoder(encoder, categorical_features, unlabelled)),
            ("scale", UnitScaler(clip=True)),
            ("iol", ImprovedOnlineGFMM(theta, gamma, (0, 1), unlabelled)),
        ]
    )
    return pipeline.set_output(transform="pandas")  # so that the boxes know the columns' names


class CategoryEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns a table of numbers and categories into numbers: first the numbers, then the encoded.

    The encoders are those of category_encoders with their defaults, none of which is random. Those
    that use labels are given the number of each row's class in the sorted order of the classes.
    Leave-one-out and CatBoost encode a row with regard to its own label when they learn from it, so
    `fit_transform` gives other numbers than `transform` of the same rows.

    Parameters
    ----------
    encoder : str
        One of `ENCODERS`.
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask.
    unlabelled : object, default=None
        The mark of rows without a label. Encoders that use labels are fitted to the others.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    Examples
    --------
    >>> from boxwise.learners.encoders import CategoryEncoder
    >>> encoder = CategoryEncoder("leave-one-out")
    >>> encoder.fit_transform([["a"], ["a"], ["a"], ["b"]], ["no", "yes", "yes", "no"]).tolist()
    [[1.0], [0.5], [0.5], [0.5]]
    >>> encoder.transform([["a"], ["new"]]).round(3).tolist()
    [[0.667], [0.5]]
    """

    def __init__(
        self, encoder: str, categorical_features: Any = "from_dtype", unlabelled: Any = None
    ) -> None:
        self.encoder = encoder
        self.categorical_features = categorical_features
        self.unlabelled = unlabelled

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the encoding of the categories.

        Parameters
        ----------
        X : table
            As in `HyperboxClassifier.fit`, without intervals.
        y : array-like
            The labels; only "catboost", "leave-one-out", "target" and "james-stein" look at them.

        Returns
        -------
        self
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Learn the encoding and return the encoded training rows.

        Parameters
        ----------
        X, y
            As in `fit`.

        Returns
        -------
        array of shape (rows, encoded columns)
        """
        return self._encoded(*self._learn(X, y))

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return other rows encoded.

        Parameters
        ----------
        X : table
            As in `fit`.

        Returns
        -------
        array of shape (rows, encoded columns)
        """
        return self._encoded(self._read(X, self._fitted(), learn=False))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the encoded columns.

        Parameters
        ----------
        input_features : ignored
            Here because scikit-learn asks for it.

        Returns
        -------
        array of str
            The names of the numeric columns, then of the encoded ones: "job" for one column,
            "job=cook" for that of one value, "job_0", "job_1", ... for contrasts.
        """
        self._fitted()
        return np.array(self._names_out, dtype=object)

    def _learn(self, X: Any, y: Any) -> tuple[Batch, NDArray[np.integer[Any]] | None]:
        """Fit, and return what was read: the rows, and the class numbers if they are used."""
        library_class = encoder_class(self.encoder)
        schema = infer_schema(X, self.categorical_features)
        for vocabulary in schema.vocabularies:
            vocabulary.append(None)  # first, and so of the code _MISSING
        batch = self._read(X, schema, learn=True)
        numbers = None
        if self.encoder in _WITH_LABELS:
            numbers = _class_numbers(y, batch.n_rows, self.unlabelled)
        schema.absorb(batch.additions)
        names, encoder = [*schema.continuous_names], None
        if schema.categorical:
            frame = _frame(batch)
            encoder = library_class(cols=[*frame.columns])
            with _quiet():
                if numbers is None:
                    encoder.fit(frame)
                else:
                    encoder.fit(frame[numbers >= 0], numbers[numbers >= 0])
            names += self._encoded_names(schema, encoder.get_feature_names_out())
            if not names:
                raise ValueError(
                    f"the {self.encoder!r} encoder makes no column of a category with a single "
                    "value, and X has no others; use another encoder, or drop the column"
                )
        self._schema, self._library_encoder, self._names_out = schema, encoder, _distinct(names)
        self.n_features_in_ = schema.n_features
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        return batch, numbers

    def _read(self, X: Any, schema: Schema, *, learn: bool) -> Batch:
        batch = encode(X, schema, learn=learn, reader=type(self).__name__)
        if batch.upper is not batch.lower:
            raise ValueError(
                "X holds intervals, which cannot be encoded and scaled; use HyperboxClassifier, "
                "which takes them, or hand over numbers"
            )
        return batch

    def _encoded(
        self, batch: Batch, numbers: NDArray[np.integer[Any]] | None = None
    ) -> NDArray[np.float64]:
        """Encode rows; with their class numbers if they are the rows that are learned from."""
        encoder = self._library_encoder
        if encoder is None:
            return batch.lower.copy()
        frame = _frame(batch)
        with _quiet():
            encoded = np.array(encoder.transform(frame), dtype=np.float64)
            if numbers is not None:
                known = numbers >= 0
                encoded[known] = encoder.transform(frame[known], numbers[known])
        return np.hstack([batch.lower, encoded])

    def _encoded_names(self, schema: Schema, names: Iterable[str]) -> Iterator[str]:
        for encoded in names:
            position, _, part = encoded.partition("_")  # a column of _frame, and what came of it
            name = schema.categorical_names[int(position)]
            if self.encoder == "one-hot":
                # The library numbers values as the vocabulary does, but missing ones come last.
                values = [*schema.vocabularies[int(position)].values[1:], "missing"]
                yield f"{name}={values[int(part) - 1]}"
            else:
                yield f"{name}_{part}" if part else name

    def _fitted(self) -> Schema:
        try:
            return self._schema
        except AttributeError:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first."
            ) from None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_schema")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = self.encoder in _WITH_LABELS
        return tags


class UnitScaler(MinMaxScaler):  # type: ignore[misc]
    """scikit-learn's MinMaxScaler, silent about a column that has no value in the training rows.

    Such a column stays missing in all rows, which IOL-GFMM takes.

    Examples
    --------
    >>> from boxwise.learners.encoders import UnitScaler
    >>> scaler = UnitScaler(clip=True).fit([[2.0, None], [4.0, None]])
    >>> scaler.transform([[3.0, 1.0], [9.0, 1.0]]).tolist()
    [[0.5, nan], [1.0, nan]]
    """

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn the ranges of the columns; `fit` comes here too.

        Parameters
        ----------
        X : table of numbers
            The training rows.
        y : ignored

        Returns
        -------
        self
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "All-NaN (slice|axis)", RuntimeWarning)
            return super().partial_fit(X, y)  # type: ignore[no-any-return]


def encoder_class(encoder: Any) -> Any:
    """Return the class of category_encoders that goes by this name."""
    if not isinstance(encoder, str) or encoder not in _CLASSES:
        raise ValueError(f"encoder must be one of {', '.join(ENCODERS)}, not {show(encoder)}")
    try:
        import category_encoders
    except ImportError as error:
        raise ImportError(
            'the encoders need category_encoders: pip install "boxwise[encoders]"'
        ) from error
    return getattr(category_encoders, _CLASSES[encoder])


def _class_numbers(y: Any, n_rows: int, unlabelled: Any) -> NDArray[np.integer[Any]]:
    """Return the place of each row's class among the sorted classes: 0, 1, ...; -1 without one."""
    codes, labels = encode_labels(y, Vocabulary(), n_rows=n_rows, unlabelled=unlabelled)
    if not labels:
        raise ValueError("no row has a label, and this encoder uses labels")
    try:
        order = sorted(range(len(labels)), key=labels.__getitem__)  # type: ignore[arg-type]
    except TypeError:  # labels of several types: as they came, as in classes_
        return codes
    return np.append(np.argsort(order), -1)[codes]


def _frame(batch: Batch) -> Any:
    """Return the categories as the library takes them: a number for each value, NaN for missing."""
    import pandas as pd

    # Numbers instead of the values: the library tells texts apart that look alike ("1" and 1) in
    # some places only, and names made from these columns cannot be those of other columns.
    codes = batch.codes.astype(np.float64)
    codes[batch.codes == _MISSING] = np.nan
    return pd.DataFrame(codes, columns=[str(k) for k in range(codes.shape[1])])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep to ourselves what the library and pandas have to tell each other of their futures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _distinct(names: Iterable[str]) -> list[str]:
    taken: dict[str, None] = {}
    for name in names:
        while name in taken:
            name += "'"
        taken[name] = None
    return [*taken]
