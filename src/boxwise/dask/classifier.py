"""HyperboxClassifier that learns on the workers of a dask cluster."""

from __future__ import annotations

import os
from collections.abc import Collection
from numbers import Integral
from typing import Any, Self, cast

import numpy as np
from distributed import Client, default_client
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError

from boxwise.core import Boxes, label_array
from boxwise.dask import graphs, tasks
from boxwise.dask.partitions import Header, header_of, partitions_of
from boxwise.inputs.labels import declared_labels
from boxwise.inputs.matching import match_columns
from boxwise.inputs.table import Table
from boxwise.learners.changes import Change
from boxwise.learners.hyperbox_classifier import HyperboxClassifier
from boxwise.learners.parts import MOST_WITHHELD
from boxwise.learners.saved import dumps, loads
from boxwise.schema import Schema, show
from dask import is_dask_collection

_OWN = ("tune_rows", "client")  # the parameters that HyperboxClassifier does not have


class DaskHyperboxClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """HyperboxClassifier for dask data frames and dask arrays.

    The workers learn a model of each partition, and the models are merged in the order of the
    partitions. The bytes of the result do not depend on the number of workers, on where a task ran
    or on how often. With one partition the model is that of :class:`boxwise.HyperboxClassifier`;
    with several it is about as good.

    Parameters
    ----------
    theta, delta, categorical_features, feature_range, scale, max_boxes, adapt, additive
        As in :class:`boxwise.HyperboxClassifier`.
    class_prior, class_weight, unlabelled, n_jobs, immutable, monotonic_cst
        As there. "balanced" weights are those of the classes of all partitions. Name the class in
        `monotonic_cst`: a partition may lack one.
    tune_rows : int, default=5000
        How many rows, spread over the partitions, no part learns, at most. The merged model learns
        them, and with them the state that the parts cannot tell it: the relevance of the columns
        and the weight of the curves. At most a tenth of a partition is withheld, and nothing if
        there is only one. 0 withholds nothing.
    client : distributed.Client or None, default=None
        The client of the cluster that learns; None is the default client at the time of the call.
        It is not part of a pickle or a copy; `sklearn.base.clone` keeps it.

    Attributes
    ----------
    client_ : distributed.Client
        The client in use.
    classes_, n_features_in_, feature_names_in_, schema_
        As in :class:`boxwise.HyperboxClassifier`.
    boxes_, n_boxes_, relevance_, changes_
        As there.

    See Also
    --------
    boxwise.merge : How the models of the partitions become one.

    Notes
    -----
    `predict`, `predict_proba` and `explain` are lazy: they return dask arrays, which any scheduler
    computes. They go by the model as it was when they were called.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from boxwise.dask import DaskHyperboxClassifier
    >>> from boxwise.datasets import loans
    >>> from dask.distributed import Client, LocalCluster
    >>> rows, labels = loans(2_000, function=1)
    >>> table = dd.from_pandas(pd.DataFrame(rows).assign(label=labels), npartitions=4)
    >>> X, y = table.drop(columns="label"), table["label"]
    >>> here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "protocol": "tcp"}
    >>> with LocalCluster(processes=False, **here) as cluster, Client(cluster):
    ...     clf = DaskHyperboxClassifier(max_boxes=200).fit(X, y)
    ...     predicted = clf.predict(X).compute()
    ...     print(clf.score(X, y) > 0.95, predicted.shape)
    True (2000,)
    >>> clf.to_local()
    HyperboxClassifier(max_boxes=200)
    """

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
        monotonic_cst: Any = None,
        tune_rows: int = MOST_WITHHELD,
        client: Any = None,
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
        self.monotonic_cst = monotonic_cst
        self.tune_rows = tune_rows
        self.client = client

    @classmethod
    def from_local(
        cls, classifier: HyperboxClassifier, *, tune_rows: int = MOST_WITHHELD, client: Any = None
    ) -> Self:
        """Return an estimator that goes on from a classifier, for example from `boxwise.load`.

        Parameters
        ----------
        classifier : HyperboxClassifier
            It stays as it is.
        tune_rows, client
            As in the constructor.
        """
        if not isinstance(classifier, HyperboxClassifier):
            raise TypeError(f"only a HyperboxClassifier can be continued, not {show(classifier)}")
        parameters = classifier.get_params()
        if parameters.pop("dates"):
            raise ValueError(
                "a classifier with dates cannot go on with dask; give it the parts of a date as "
                "columns, for example X.assign(month=X.opened.dt.month)"
            )
        model = cls(**parameters, tune_rows=tune_rows, client=client)
        model._local = loads(dumps(classifier))
        return model

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all partitions, forgetting what was learned before.

        Parameters
        ----------
        X : dask.dataframe.DataFrame or dask.array.Array of shape (rows, columns)
            The rows. Partitions may be empty, and each may know other categories.
        y : dask.dataframe.Series or dask.array.Array of shape (rows,)
            The labels, partitioned as X.
        sample_weight : dask.dataframe.Series or dask.array.Array of shape (rows,), optional
            How often each row counts, partitioned as X.

        Returns
        -------
        self
        """
        partitions = partitions_of(X, y, sample_weight)
        self._check(header_of(X))
        self._local = self._computed(graphs.learned(partitions, self._parameters(), self.tune_rows))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning: all rows are taken to come after those learned before.

        A table of one partition is learned as by `partial_fit` of the local classifier: row by row,
        and watched for change. The partitions of a larger table are learned side by side, merged
        as in `fit`, and then merged with the present model as what came after it: its boxes are
        older, fade and are given up first. Among these rows no change is looked for, and a
        challenger on trial is dropped.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. The columns must be those of the first table; named columns may come in
            any order.
        classes : array-like, optional
            Classes to announce, which then have a column in `predict_proba` before their first row.

        Returns
        -------
        self
        """
        announced = () if classes is None else declared_labels(classes)
        partitions = partitions_of(X, y, sample_weight)
        header = header_of(X)
        self._check(header)
        if isinstance(self.class_weight, str):
            raise ValueError(
                "class_weight='balanced' needs the whole table: call fit, or give a mapping from "
                "class to weight, or use class_prior='balanced'"
            )
        present = dumps(self._local) if self.__sklearn_is_fitted__() else None
        if len(partitions) == 1:
            graph = graphs.gone_on(partitions[0], self._parameters(), present)
        else:
            matched = None if present is None else self._matched(header)
            graph = graphs.learned(partitions, self._parameters(), self.tune_rows, present, matched)
        local = self._computed(graph)
        local._announced = tuple(dict.fromkeys((*local._announced, *announced)))
        self._local = local
        return self

    def predict(self, X: Any) -> Any:
        """Return the class of each row, lazily.

        Parameters
        ----------
        X : dask.dataframe.DataFrame or dask.array.Array
            The rows.

        Returns
        -------
        dask.array.Array of shape (rows,)
            With the partitions of X; the chunks of a data frame have unknown sizes.
        """
        model = self._fitted()
        nothing = np.empty(0, label_array(model._fitted().labels.values).dtype)
        return graphs.mapped(tasks.predict_part, X, model, nothing)

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes, lazily.

        Parameters
        ----------
        X
            As in `predict`.

        Returns
        -------
        dask.array.Array of shape (rows, classes)
            In the order of `classes_`; each row sums to one.
        """
        model = self._fitted()
        nothing = np.empty((0, len(model.classes_)))
        return graphs.mapped(tasks.predict_proba_part, X, model, nothing)

    def explain(
        self,
        X: Any,
        *,
        counterfactual: bool = True,
        counterfactuals: int = 1,
        fixed: Collection[str | int] = (),
    ) -> Any:
        """Say of each row why it is predicted as it is, lazily.

        Parameters
        ----------
        X : dask.dataframe.DataFrame, dask.array.Array or table
            The rows. A few local rows, in any form that the local classifier takes, are explained
            at once.
        counterfactual, counterfactuals, fixed
            As in :meth:`boxwise.HyperboxClassifier.explain`.

        Returns
        -------
        dask.array.Array of objects of shape (rows,), or list
            An `Explanation` for each row, numbered within its partition; a list for local rows.
        """
        model = self._fitted()
        how: dict[str, Any] = {
            "counterfactual": counterfactual,
            "counterfactuals": counterfactuals,
            "fixed": tuple(fixed),
        }
        if not is_dask_collection(X):
            return model.explain(X, **how)
        return graphs.mapped(tasks.explain_part, X, model, np.empty(0, object), **how)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, computed on the cluster.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        """
        model = self._fitted()
        graph = graphs.scored(partitions_of(X, y, sample_weight), model)
        return float(self._run(graph))

    def to_local(self) -> HyperboxClassifier:
        """Return the model as an ordinary classifier, which needs no cluster.

        Returns
        -------
        HyperboxClassifier
            A copy, with the parameters as they are now.
        """
        local: HyperboxClassifier = loads(dumps(self._fitted()))
        return local.set_params(**self._parameters())  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `boxwise.load` reads, as an ordinary classifier.

        Parameters
        ----------
        path : path
            The file; an existing one is replaced, at once or not at all.
        """
        self.to_local().save(path)

    @property
    def client_(self) -> Any:
        """The client in use: the one given, else the default client of now."""
        self._fitted()
        return self._client()

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes seen so far, sorted."""
        return self._fitted().classes_

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        return self._fitted().n_features_in_

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the columns."""
        return self._fitted().feature_names_in_

    @property
    def schema_(self) -> Schema:
        """The columns with their kinds, ranges and category values."""
        return self._fitted().schema_

    @property
    def boxes_(self) -> Boxes:
        """The boxes as they are now."""
        return self._fitted().boxes_

    @property
    def n_boxes_(self) -> int:
        """The number of boxes."""
        return self._fitted().n_boxes_

    @property
    def relevance_(self) -> NDArray[np.float64]:
        """How much each column matters; 1 on average."""
        return self._fitted().relevance_

    @property
    def changes_(self) -> list[Change]:
        """Alarms and what became of them; merging starts a new list."""
        return self._fitted().changes_

    def _parameters(self) -> dict[str, Any]:
        parameters = self.get_params(deep=False)
        return {name: value for name, value in parameters.items() if name not in _OWN}

    def _check(self, header: Header) -> None:
        """Check the parameters before a worker reads a row."""
        HyperboxClassifier(**self._parameters())._check_parameters(header.schema())
        whole = isinstance(self.tune_rows, Integral) and not isinstance(self.tune_rows, bool)
        if not whole or self.tune_rows < 0:
            raise ValueError(
                f"tune_rows must be a whole number from 0 up, not {show(self.tune_rows)}"
            )

    def _matched(self, header: Header) -> tasks.Columns:
        """Return where the columns of the model are in a table."""
        schema = self._local._fitted().schema
        positions = match_columns(cast(Table, header), schema, type(self).__name__)
        return tasks.Columns(
            [*positions],
            [*schema.names] if schema.named else None,
            None if schema.unknown else [*schema.categorical],
        )

    def _client(self) -> Any:
        if self.client is None:
            return default_client()
        if not isinstance(self.client, Client):
            raise TypeError(f"client must be a distributed.Client or None, not {show(self.client)}")
        return self.client

    def _run(self, graph: Any) -> Any:
        client = self._client()
        if client.asynchronous:
            raise TypeError(
                "the client is asynchronous, but this estimator waits for the result; give it a "
                "Client(asynchronous=False)"
            )
        return client.compute(graph).result()

    def _computed(self, graph: Any) -> HyperboxClassifier:
        local: HyperboxClassifier = loads(self._run(graph))
        return local

    def _fitted(self) -> HyperboxClassifier:
        try:
            return self._local
        except AttributeError:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. "
                "Call 'fit' or 'partial_fit' with some rows first."
            ) from None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_local")

    def __sklearn_clone__(self) -> Self:
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")  # a connection, which has no copy
        copies = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(**copies, client=client)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
