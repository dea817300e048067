"""Test-then-train: every row of a stream is predicted first and learned then."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

from boxwise.evaluate.pairs import pairs_of
from boxwise.evaluate.prequential_scores import Point
from boxwise.evaluate.prequential_table import point_table
from boxwise.evaluate.quality.assessment import Assessment, Plan
from boxwise.evaluate.quality.prediction_log import MOST_ROWS
from boxwise.evaluate.quality.thresholds import Costs
from boxwise.evaluate.result_files import write_rows
from boxwise.evaluate.runner import Assessing, Runner

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLOCK = 1024  # rows handed over at once to a learner that takes many; the results are the same


class Prequential:
    """A prequential run, step by step, and its results so far.

    Iterating runs it: each step reads `every` rows of the stream and gives a point for each
    learner. The results can be read at any time, also after the loop was left early or stopped by
    Ctrl-C: they are those of the last step. `prequential` runs it to the end at once.

    Parameters
    ----------
    learners, source, window, every, limit, classes, probabilities, group, cost, positive, max_rows
        As in `prequential`.

    Attributes
    ----------
    window : int
        The number of rows of the recent scores.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import LoanStream
    >>> from boxwise.evaluate import Prequential
    >>> run = Prequential(HyperboxClassifier(0.3, 1.0), LoanStream(function=7), every=500)
    >>> for (now,) in run:
    ...     print(now.rows, round(now.recent.cba, 2))
    ...     if now.rows == 1000:
    ...         break
    500 0.9
    1000 0.93
    >>> len(run.points["HyperboxClassifier"])
    2
    """

    def __init__(
        self,
        learners: Any,
        source: Any,
        *,
        window: int = 1000,
        every: int | None = None,
        limit: int | None = None,
        classes: Sequence[Hashable] | None = None,
        probabilities: bool = False,
        group: str | Sequence[str] | Mapping[str, Callable[[Any], Any]] = (),
        cost: Any = None,
        positive: Hashable | None = None,
        max_rows: int = MOST_ROWS,
    ) -> None:
        self.window = _at_least_1("window", window)
        self._every = self.window if every is None else _at_least_1("every", every)
        self._limit = None if limit is None else _at_least_1("limit", limit)
        self._groups = _group_readers(group)
        assessing = None
        if probabilities or self._groups or cost is not None or positive is not None:
            plan = Plan(None if cost is None else Costs.read(cost), positive)
            assessing = Assessing(plan, [*self._groups], _at_least_1("max_rows", max_rows))
        self._runners = [
            Runner(name, learner, window, classes, assessing)
            for name, learner in _named(learners).items()
        ]
        self._noted: list[tuple[Point, ...]] = []
        self._steps = self._run(pairs_of(source))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Point, ...]:
        return next(self._steps)

    @property
    def points(self) -> dict[str, list[Point]]:
        """For each learner, what was known of it after every step."""
        return {
            runner.name: [step[i] for step in self._noted] for i, runner in enumerate(self._runners)
        }

    @property
    def changes(self) -> dict[str, list[Any]]:
        """For each learner, what happened to it: as its ``changes_``, by rows of the stream."""
        return {runner.name: runner.changes for runner in self._runners}

    def assessments(self) -> dict[str, Assessment]:
        """Return the quality of the predictions of each learner, up to the last step.

        Returns
        -------
        dict of str to Assessment
            Empty unless `probabilities`, `group`, `cost` or `positive` was given; without learners
            that have predicted nothing yet.
        """
        found = {runner.name: runner.assessment() for runner in self._runners}
        return {name: its for name, its in found.items() if its is not None}

    @property
    def rows(self) -> int:
        """The rows of the stream up to the last step."""
        return self._noted[-1][0].rows if self._noted else 0

    def summary(self) -> list[dict[str, object]]:
        """Return one row for each learner: what is known of it after the last step.

        Returns
        -------
        list of dict
            With the attributes of `Point` as keys; those of its `recent` scores begin with
            ``recent_``.
        """
        return [point.to_row() for step in self._noted[-1:] for point in step]

    def to_rows(self) -> list[dict[str, object]]:
        """Return one row for each step and learner, with the keys of `summary`."""
        return [point.to_row() for step in self._noted for point in step]

    def write(self, path: str | os.PathLike[str], *, escape_formulas: bool = True) -> None:
        """Write the rows of `to_rows` to a file, whole or not at all.

        Parameters
        ----------
        path : path
            Its ending says the format: ``.csv``, ``.json`` (one list) or ``.jsonl`` (a row a
            line). What is nan or None is left empty in CSV and is null in JSON.
        escape_formulas : bool, default=True
            In CSV, put ``'`` before a learner's name that a spreadsheet would run as a formula.
        """
        write_rows(path, self.to_rows(), escape_formulas=escape_formulas)

    def plot(self, ax: Any = None, *, marks: Mapping[int, str] | Sequence[int] = ()) -> Axes:
        """Draw the recent class balanced accuracy over the rows, and the boxes below it.

        Where a learner raised an alarm, there is a dotted line; where its boxes were replaced, a
        solid one.

        matplotlib is needed: ``pip install "boxwise[plot]"``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw the accuracy, and nothing else; a new figure unless given.
        marks : mapping of int to str, or sequence of int
            Rows at which to draw a line, such as those of a drift, and what to write there.

        Returns
        -------
        matplotlib Axes
            Those of the accuracy; ``ax.figure.savefig("stream.png")`` writes the picture.
        """
        from boxwise.evaluate.prequential_plot import plot_points

        return plot_points(self.points, self.window, ax, marks, self.changes)

    def __repr__(self) -> str:
        return point_table(self._noted[-1] if self._noted else (), self.window)

    def _run(self, pairs: Iterator[tuple[Any, Hashable]]) -> Iterator[tuple[Point, ...]]:
        read = 0
        while block := [*islice(pairs, self._wanted(read))]:
            rows, labels = zip(*block, strict=True)
            if not read:
                _check_group_columns(self._groups, rows)
            groups = [[value(row) for row in rows] for value in self._groups.values()]
            for runner in self._runners:
                runner.take(rows, labels, groups)
            read += len(block)
            if read % self._every == 0:
                yield self._note()
        if read > self.rows or not read:
            yield self._note(last=True)
        else:
            # It was not known of the last points that they are the last.
            self._noted[-1] = self._points(last=True)

    def _wanted(self, read: int) -> int:
        """Return how many rows to read next: a block, but not past a point or the limit."""
        wanted = min(BLOCK, self._every - read % self._every)
        return wanted if self._limit is None else min(wanted, self._limit - read)

    def _note(self, *, last: bool = False) -> tuple[Point, ...]:
        # All learners at once: Ctrl-C finds a step noted for each of them or for none.
        self._noted.append(self._points(last=last))
        return self._noted[-1]

    def _points(self, *, last: bool) -> tuple[Point, ...]:
        return tuple(runner.point(last=last) for runner in self._runners)


def prequential(
    learners: Any,
    source: Any,
    *,
    window: int = 1000,
    every: int | None = None,
    limit: int | None = None,
    classes: Sequence[Hashable] | None = None,
    probabilities: bool = False,
    group: str | Sequence[str] | Mapping[str, Callable[[Any], Any]] = (),
    cost: Any = None,
    positive: Hashable | None = None,
    max_rows: int = MOST_ROWS,
    progress: Callable[[tuple[Point, ...]], object] | None = None,
) -> Prequential:
    """Predict every row of a stream, then learn it, and score the predictions.

    Every prediction is thus one for a row that the learner has not seen. The stream is read once,
    however many learners there are.

    Parameters
    ----------
    learners : learner, or mapping of str to learner
        Those of boxwise (with ``test_then_train``), those of River and its pipelines
        (``predict_one``, ``learn_one``), and the incremental ones of scikit-learn (``predict``,
        ``partial_fit``). They go on from what they have learned before.
    source : iterable of pairs, or pair
        Pairs of a row (a dict, or a list) and its label, for example `LoanStream`, a data set of
        River or a generator; or a table and its labels, ``(X, y)``. A label that is None or NaN is
        missing: the row is not scored, and only learners that have been told a mark for it
        (``unlabelled=``) learn from it.
    window : int, default=1000
        The number of rows of the recent scores.
    every : int, optional
        After how many rows to note the scores; after every window unless given.
    limit : int, optional
        The number of rows after which to stop.
    classes : sequence, optional
        All classes, which most learners of scikit-learn must know before the first row.
    probabilities : bool, default=False
        Also score the probabilities: log-loss and Brier score at each step, and everything of
        `Prequential.assessments` at the end. It takes time: boxwise's learners then learn row by
        row, and those of other libraries are asked twice.
    group : str, sequence of str, or mapping of str to callable
        Columns that divide the rows into groups, for `Prequential.assessments`; a callable takes a
        row and returns the value of its group. Implies `probabilities`.
    cost : mapping, str or Costs, optional
        The costs of errors, such as ``"fn=5,fp=1"``, as in `assess`. Implies `probabilities`.
    positive : hashable, optional
        The positive class, as in `assess`. Implies `probabilities`.
    max_rows : int, default=100000
        Hold so many predictions for AUC, intervals, groups and costs (fewer with more than 40
        classes); of more rows a uniform random sample. Log-loss, Brier score and whatever comes of
        the confusion matrix are of all rows.
    progress : callable, optional
        Called with the points of all learners whenever scores are noted.

    Returns
    -------
    Prequential
        The results: shown as a table; as rows, as a file, as a picture.

    Raises
    ------
    LearnerError
        If a learner fails; it says which one and on which row.

    See Also
    --------
    Prequential : The same, step by step; keeps its results when it is interrupted.

    Notes
    -----
    A row for which a learner has no prediction yet, as before its first row, is not scored; as in
    River. Time is that spent in each learner. boxwise's learners are given blocks of rows (up to
    1,024, ending where scores are noted), which is quicker and changes no prediction. The first
    block tells them which columns are categorical: name these (``categorical_features=``) if the
    first rows have gaps and `every` is small.

    References
    ----------
    A. P. Dawid, "Present position and potential developments: some personal views: statistical
    theory: the prequential approach", Journal of the Royal Statistical Society A 147(2), 1984.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import LoanStream
    >>> from boxwise.evaluate import prequential
    >>> learners = {
    ...     "small boxes": HyperboxClassifier(theta=0.1, delta=1.0),
    ...     "large boxes": HyperboxClassifier(theta=0.3, delta=1.0),
    ... }
    >>> result = prequential(learners, LoanStream(3000, function=7, noise=0.05))
    >>> for row in result.summary():
    ...     print(row["learner"], row["scored"], round(row["cba"], 3), row["boxes"])
    small boxes 2999 0.915 1000
    large boxes 2999 0.916 885

    The probabilities, too:

    >>> stream = LoanStream(3000, function=7, noise=0.05)
    >>> result = prequential(HyperboxClassifier(), stream, probabilities=True)
    >>> auc = result.assessments()["HyperboxClassifier"].figures["auc"]
    >>> print(f"{auc.value:.3f}, between {auc.low:.3f} and {auc.high:.3f}")
    0.950, between 0.938 and 0.960
    """
    run = Prequential(
        learners,
        source,
        window=window,
        every=every,
        limit=limit,
        classes=classes,
        probabilities=probabilities,
        group=group,
        cost=cost,
        positive=positive,
        max_rows=max_rows,
    )
    for points in run:
        if progress is not None:
            progress(points)
    return run


def _named(learners: Any) -> dict[str, Any]:
    if not isinstance(learners, Mapping):
        return {type(learners).__name__: learners}
    if not learners:
        raise ValueError("there is no learner to evaluate")
    names: dict[int, object] = {}
    for name, learner in learners.items():
        if id(learner) in names:
            raise ValueError(
                f"{names[id(learner)]!r} and {name!r} are the same object, which would learn every "
                "row twice; make two of them"
            )
        names[id(learner)] = name
    named = {str(name): learner for name, learner in learners.items()}
    if len(named) < len(learners):
        raise ValueError(f"two learners look alike by name: {', '.join(map(repr, learners))}")
    return named


def _group_readers(group: Any) -> dict[str, Callable[[Any], Any]]:
    """Return for each group column what reads its value from a row."""
    if isinstance(group, Mapping):
        return {str(name): read for name, read in group.items()}
    names = [group] if isinstance(group, str | int) else [*group]
    return {str(name): partial(_value, name) for name in names}


def _value(name: Any, row: Any) -> Any:
    """Return the value of a row in a column; a dict may lack it, as in River."""
    if isinstance(row, Mapping):
        return row.get(name)
    try:
        return row[name]
    except (IndexError, TypeError):
        raise ValueError(f"a row has no column {name!r} to divide rows into groups") from None


def _check_group_columns(groups: Mapping[str, Callable[[Any], Any]], rows: Sequence[Any]) -> None:
    """Raise ValueError for a group column that none of the rows has."""
    if not all(isinstance(row, Mapping) for row in rows):
        return
    there = {name: None for row in rows for name in row}
    for read in groups.values():
        if isinstance(read, partial) and read.func is _value and read.args[0] not in there:
            name, shown = read.args[0], ", ".join(map(repr, [*there][:10]))
            raise ValueError(f"the rows have no column {name!r} for group; they have {shown}")


def _at_least_1(name: str, value: int) -> int:
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be a whole number of rows, at least 1, not {value!r}")
    return int(value)
