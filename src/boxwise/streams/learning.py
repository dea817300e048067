"""Learning from a stream, each row exactly once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal

from sklearn.base import clone

from boxwise.database import Store, open_store
from boxwise.learners import HyperboxClassifier
from boxwise.learners.late_columns import schema_of
from boxwise.schema import Kind
from boxwise.streams.addresses import open_sink, open_source
from boxwise.streams.consumer import Consumer, NoWatch, Plan, Watch
from boxwise.streams.errors import StreamError
from boxwise.streams.iterables import IterableSource, Rows
from boxwise.streams.message import Sink, Source
from boxwise.streams.retrying import Patience
from boxwise.streams.rows import RowOptions

RETRY_SECONDS = 60.0  # how long a server may be away


def learn(
    source: str | Source | Rows,
    store: str | os.PathLike[str] | Store,
    *,
    model: str = "default",
    label: str = "label",
    every: int = 10_000,
    seconds: float = 5.0,
    estimator: Any = None,
    weight: str | None = None,
    output: str | Sink | None = None,
    proba: bool = False,
    keep: Sequence[str] = (),
    dead_letter: str | Sink | None = None,
    on_error: Literal["stop", "skip"] | None = None,
    numeric: Sequence[str] = (),
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    missing: Sequence[str] = (),
    until_idle: float | None = None,
    retry_for: float = RETRY_SECONDS,
    skip_lost: bool = False,
    stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[str], object] = lambda text: None,
    watch: Watch | None = None,
) -> Any:
    """Learn a stream and keep the model in a store; go on where the last call stopped.

    The model and the position in the stream are written in one transaction. After a kill at any
    moment the next call reads the stream again from that position, so that every row is in the
    model exactly once.

    Parameters
    ----------
    source : str, Source or iterable
        ``csv:FILE``, ``csv:-``, ``redis://...``, ``kafka://...`` or ``nats://...``; an object with
        the methods of `Source`; an iterable of ``(position, row, label)``; or a function that takes
        the position to go on after (None at first) and returns such an iterable.
    store : str, path or Store
        As `boxwise.database.open_store` takes it.
    model : str, default="default"
        The name of the model in the store.
    label : str, default="label"
        The column of the labels. A row without a label is predicted only, or learned as unlabelled
        if the model has ``unlabelled=float("nan")``.
    every, seconds : int, float
        After how many rows, or how much time, the model is saved.
    estimator : estimator, optional
        The model to begin with if the store has none: one that has learned already, or parameters
        for a new one. ``HyperboxClassifier()`` by default.
    weight : str, optional
        The column that says how often a row counts.
    output, dead_letter : str or Sink, optional
        Where predictions and refused messages go: a path, ``-``, or ``redis://...``,
        ``kafka://...``, ``nats://...``.
    proba : bool, default=False
        Whether predictions have probabilities.
    keep : sequence of str
        Columns to copy into the records of predictions.
    on_error : {"stop", "skip"}, optional
        What to do with a row that cannot be used. "skip" by default if there is a `dead_letter`,
        else "stop".
    numeric, categorical, drop, missing : sequence of str
        For a new model: columns whose kind is given, columns to leave out; texts that mark missing
        values, besides the empty one.
    until_idle : float, optional
        Return when no row has come for so many seconds. By default only the end of the source ends
        the learning, and a server has no end.
    retry_for : float, default=60
        For how many seconds a server that is away is tried again.
    skip_lost : bool, default=False
        Whether to go on where rows were removed from the stream before they were read.
    stopped : callable
        Whether to end; asked several times a second.
    tell : callable
        Takes lines of text: lost connections, columns that are not used.
    watch : Watch, optional
        Has ``before(model, rows)`` and ``after(model, progress, taken)``, called around each
        batch.

    Returns
    -------
    estimator
        The model; what it has learned is in the store.

    Raises
    ------
    StreamError
        If the stream cannot be read, a row is refused, or rows were lost.
    StoreError
        If the store cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile, boxwise
    >>> from boxwise.datasets import LoanStream
    >>> from boxwise.streams import learn
    >>> rows = [(i, row, label) for i, (row, label) in enumerate(LoanStream(300, seed=1), start=1)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = pathlib.Path(folder, "models.db")
    ...     learn(rows[:100], store).schema_.n_features
    ...     clf = learn(rows, store)  # skips the first 100, which the model has learned
    ...     same = learn(rows, pathlib.Path(folder, "whole.db"))
    9
    >>> boxwise.dumps(clf) == boxwise.dumps(same)
    True
    """
    choice = on_error or ("stop" if dead_letter is None else "skip")
    if choice not in ("stop", "skip"):
        raise ValueError(f"on_error must be 'stop' or 'skip', not {on_error!r}")
    if every < 1 or seconds <= 0:
        raise ValueError(f"every and seconds must be positive, not {every} and {seconds}")
    wanted = HyperboxClassifier() if estimator is None else estimator
    with ExitStack() as stack:
        kept = store if isinstance(store, Store) else stack.enter_context(open_store(store))
        plan = Plan(
            source=_source(source, label),
            store=kept,
            model=model,
            begin=lambda kinds: begun(wanted, kinds),
            first=wanted if wanted.__sklearn_is_fitted__() else None,
            patience=Patience(retry_for, stopped, tell),
            rows=RowOptions(
                label, weight, numeric, categorical, frozenset(drop), None, tuple(missing)
            ),
            every=every,
            seconds=seconds,
            output=open_sink(output) if isinstance(output, str) else output,
            dead_letter=open_sink(dead_letter) if isinstance(dead_letter, str) else dead_letter,
            proba=proba,
            keep=keep,
            on_error=choice,
            until_idle=until_idle,
            skip_lost=skip_lost,
            stopped=stopped,
            tell=tell,
            watch=watch or NoWatch(),
        )
        consumer = Consumer(plan)
        consumer.run()
    if consumer.model is None:
        raise StreamError(f"{plan.source.name}: there was no row, so there is no model yet")
    return consumer.model


def begun(estimator: Any, kinds: Mapping[str, Kind]) -> Any:
    """Return a new model with columns of these kinds and the parameters of an estimator."""
    model = clone(estimator)
    if "categorical_features" in model.get_params():
        categorical = [name for name, kind in kinds.items() if kind == "categorical"]
        model.set_params(categorical_features=categorical)
    model._begin(schema_of(kinds))
    return model


def _source(source: str | Source | Rows, label: str) -> Source:
    if isinstance(source, str):
        return open_source(source)
    return source if isinstance(source, Source) else IterableSource(source, label)
