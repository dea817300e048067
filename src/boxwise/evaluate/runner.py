"""One learner on its way along a stream."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeVar

from boxwise.evaluate.adapters import Forecasts, adapter_for
from boxwise.evaluate.confusion import Confusion
from boxwise.evaluate.prequential_scores import Point, Scores
from boxwise.evaluate.quality.assessment import Assessment, Plan
from boxwise.evaluate.quality.prediction_log import MOST_ROWS, PredictionLog

Change = TypeVar("Change")


class LearnerError(RuntimeError):
    """A learner that failed on a row of the stream.

    Attributes
    ----------
    learner : str
        The name of the learner.
    row : int
        The row of the stream, counted from 0.
    """

    def __init__(self, learner: str, row: int, error: Exception) -> None:
        # Rows are handed over one by one where one fails, so the learner can only say "row 0".
        what = str(error).replace(" (row 0)", "")
        super().__init__(
            f"learner {learner!r}, row {row} of the stream (the first is 0): "
            f"{type(error).__name__}: {what}"
        )
        self.learner, self.row = learner, row


@dataclass(frozen=True)
class Assessing:
    """What to assess on a stream.

    Attributes
    ----------
    plan : Plan
        Costs, the positive class and the share of intervals.
    columns : sequence of str
        The columns that divide rows into groups.
    most_rows : int
        The number of rows to hold for AUC, intervals, groups and costs.
    """

    plan: Plan
    columns: Sequence[str] = ()
    most_rows: int = MOST_ROWS

    def log(self, window: int, has_probabilities: bool) -> PredictionLog:
        """Return an empty log of predictions."""
        return PredictionLog(
            window,
            self.columns,
            has_probabilities=has_probabilities,
            most_rows=self.most_rows,
        )


class Runner:
    """One learner on its way along a stream: it predicts, learns, is scored and is timed."""

    def __init__(
        self,
        name: str,
        learner: Any,
        window: int,
        classes: Sequence[Hashable] | None,
        assessing: Assessing | None = None,
    ) -> None:
        self.name, self.learner = name, learner
        self._adapter = adapter_for(learner, name, classes, shares=assessing is not None)
        self._plan = None if assessing is None else assessing.plan
        self._log = None if assessing is None else assessing.log(window, self._adapter.gives_shares)
        self._overall, self._recent = Confusion(), Confusion(window)
        self._rows = self._learned = self._unlabelled = self._unpredicted = 0
        self._seconds = 0.0
        self._last_change = last_of(_changes(learner))  # and the rows it had learned by then
        self._rows_before = _rows_learned(learner)
        self.changes: list[Any] = []

    def take(
        self,
        rows: Sequence[Any],
        labels: Sequence[Hashable],
        groups: Sequence[Sequence[Any]] = (),
    ) -> None:
        """Predict, learn and score the next rows of the stream, with their values of groups."""
        mark = getattr(self.learner, "unlabelled", None)
        if not _missing(mark):  # what the learner takes for no label is none
            labels = [None if _missing(label) or label == mark else label for label in labels]
        places = self._to_learn(labels)
        truth = [labels[i] for i in places]
        learned = [mark if _missing(label) else label for label in truth]
        forecasts = self._predict_then_learn([rows[i] for i in places], learned, places)
        self._score(truth, forecasts, [[column[i] for i in places] for column in groups])
        self._note_changes(places)
        self._rows += len(rows)
        self._learned += len(places)
        self._unlabelled += sum(map(_missing, labels))

    def point(self, *, last: bool = False) -> Point:
        """Return what is known of it now; `last` also measures what takes long to measure."""
        if self._log is not None:
            self._log.note(self._overall)
        return Point(
            self.name,
            self._rows,
            len(self._overall),
            self._unpredicted,
            self._unlabelled,
            self._scores(self._overall, last=last),
            self._scores(self._recent),
            getattr(self.learner, "n_boxes_", None),
            _memory(self.learner, slow_too=last),
            self._seconds,
            self._learned / self._seconds if self._seconds else float("nan"),
        )

    def assessment(self) -> Assessment | None:
        """Return the quality of the predictions up to the last point; None if there are none."""
        if self._log is None or self._plan is None or not self._log.rows:
            return None
        return self._log.assess(self._plan)

    def _scores(self, confusion: Confusion, *, last: bool = False) -> Scores:
        scores = Scores.of(confusion)
        if self._log is None:
            return scores
        overall = confusion is self._overall
        log_loss, brier = self._log.means() if overall else self._log.recent_means()
        auc = self._log.auc() if last else float("nan")  # takes long
        return replace(scores, auc=auc, log_loss=log_loss, brier=brier)

    def _to_learn(self, labels: Sequence[Hashable]) -> Sequence[int]:
        """Return the places of the rows it can learn: all, if it knows a mark for no label."""
        if getattr(self.learner, "unlabelled", None) is not None:
            return range(len(labels))
        return [i for i, label in enumerate(labels) if not _missing(label)]

    def _note_changes(self, places: Sequence[int]) -> None:
        """Note what happened to the learner, each by its row of the stream, from 1.

        A learner counts the rows that it has learned, in which rows of the stream may be missing;
        if they have weights, the count is another one, and the end of the block has to do.
        """
        now = _changes(self.learner)
        for change in changes_after(self._last_change, now):
            place = change.row - self._rows_before - self._learned - 1
            inside = 0 <= place < len(places)
            row = self._rows + 1 + places[place if inside else -1]
            self.changes.append(replace(change, row=row))
        self._last_change = last_of(now)

    def _predict_then_learn(
        self, rows: list[Any], labels: list[Hashable], places: Sequence[int]
    ) -> Forecasts:
        forecasts = Forecasts()
        if not rows:
            return forecasts
        begun = perf_counter()
        try:
            self._adapter.predict_then_learn(rows, labels, forecasts)
        except Exception as error:
            raise LearnerError(self.name, self._rows + places[len(forecasts)], error) from error
        finally:
            self._seconds += perf_counter() - begun
        return forecasts

    def _score(self, truth: list[Hashable], forecasts: Forecasts, groups: list[list[Any]]) -> None:
        labelled = [i for i, label in enumerate(truth) if not _missing(label)]
        scored = [i for i in labelled if forecasts.labels[i] is not None]
        self._unpredicted += len(labelled) - len(scored)
        if not scored:
            return
        true, predicted = [truth[i] for i in scored], [forecasts.labels[i] for i in scored]
        for confusion in (self._overall, self._recent):
            confusion.update(true, predicted)
        if self._log is not None:
            shares = [forecasts.shares[i] for i in scored] if forecasts.shares else []
            self._log.add(true, predicted, shares, [[g[i] for i in scored] for g in groups])


def _missing(label: Hashable) -> bool:
    try:
        return label is None or bool(label != label)  # NaN is the only value that is not itself
    except TypeError:  # pandas.NA refuses to be a truth value
        return True


def _changes(learner: Any) -> list[Any]:
    """Return what happened to a learner so far; nothing, if it does not tell."""
    own = getattr(learner, "classifier", learner)  # of a learner with River's methods
    if not getattr(own, "adapt", False):
        return []
    return getattr(own, "changes_", [])


def _rows_learned(learner: Any) -> int:
    own = getattr(learner, "classifier", learner)
    if not getattr(own, "adapt", False) or not hasattr(own, "changes_"):
        return 0
    return int(own._fitted().engine.snapshot()["rows"][0])


def _memory(learner: Any, *, slow_too: bool) -> int | None:
    size = getattr(learner, "n_bytes_", None)
    # River walks over all objects of a model, which takes seconds where there are many.
    if size is None and slow_too and hasattr(type(learner), "_raw_memory_usage"):
        size = learner._raw_memory_usage
    return None if size is None else int(size)


def changes_after(last: Change | None, changes: Sequence[Change]) -> Sequence[Change]:
    """Return the changes that came after one; all, if it is not among them any more.

    Examples
    --------
    >>> changes_after("b", ["a", "b", "c"]), changes_after("a", ["b", "c"])
    (['c'], ['b', 'c'])
    """
    return changes[changes.index(last) + 1 :] if last in changes else changes


def last_of(changes: Sequence[Change]) -> Change | None:
    """Return the last change, if there is one."""
    return changes[-1] if changes else None
