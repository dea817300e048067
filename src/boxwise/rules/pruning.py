"""Reduced-error pruning of boxes, for learners in which one box decides a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.core.settings import MembershipSettings
from boxwise.core.words import counted
from boxwise.evaluate import class_balanced_accuracy
from boxwise.inputs import Batch
from boxwise.progress import follow
from boxwise.rules.from_boxes import rules_of_boxes
from boxwise.rules.rule import Rule
from boxwise.schema import show

CELLS = 4_000_000  # rows × boxes at a time
ROUNDS = 5  # when boxes have gone, others decide; they are looked at again, so often at most

Counts = NDArray[np.int64]
NOT_THIS_ONE = (
    "HyperboxClassifier cannot be pruned: all its boxes vote, so a wrong one is outvoted. "
    "max_boxes limits the number of boxes; rules().simplify(X, y) gives a short list of rules"
)
Progress = bool | Callable[[int, int], object] | None


@dataclass(frozen=True)
class RemovedBox:
    """A box that went.

    Attributes
    ----------
    box : int
        Where it stood in ``boxes_``.
    rule : str
        The box as a rule.
    label : object
        Its class.
    rows : int
        How many rows it had learned.
    right, wrong : int
        Of the validation rows that it decided just before it went, how many rightly and wrongly.
    """

    box: int
    rule: str
    label: object
    rows: int
    right: int
    wrong: int

    def __str__(self) -> str:
        learned = counted(self.rows, "row", "rows")
        return f"{self.rule} (from {learned}; {self.right:,} right, {self.wrong:,} wrong)"


@dataclass(frozen=True)
class PruneReport:
    """The boxes that were removed, and the effect.

    Attributes
    ----------
    removed : tuple of RemovedBox
        The boxes that went, in their order.
    boxes_before, boxes_after : int
        How many boxes there were, and are.
    cba_before, cba_after : float
        The class balanced accuracy on the validation rows.
    rows : int
        How many validation rows there were.
    dry_run : bool
        Whether the model was left as it was.
    """

    removed: tuple[RemovedBox, ...]
    boxes_before: int
    boxes_after: int
    cba_before: float
    cba_after: float
    rows: int
    dry_run: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return asdict(self)

    def __str__(self) -> str:
        verb = "would go" if self.dry_run else "removed"
        head = (
            f"{len(self.removed):,} of {self.boxes_before:,} boxes {verb}; on {self.rows:,} "
            f"validation rows CBA {self.cba_before:.3f} before, {self.cba_after:.3f} after"
        )
        return "\n".join([head, *(f"  {box}" for box in self.removed)])


def prune(
    model: Model,
    batch: Batch,
    labels: NDArray[np.int32],
    *,
    margin: int = 2,
    unused: bool = False,
    whole_classes: bool = False,
    dry_run: bool = False,
    threads: int = 1,
    progress: Progress = None,
) -> PruneReport:
    """Take boxes out of a model; see ``EIOLGFMM.prune``."""
    if not isinstance(model.settings, MembershipSettings):
        raise TypeError(NOT_THIS_ONE)
    if margin < 1:
        raise ValueError(f"margin must be at least 1, not {show(margin)}")
    known = np.flatnonzero(labels >= 0)
    if not len(known):
        raise ValueError("prune needs rows with labels; y_val has none")
    rows = batch.part(known)
    before_it = model.copy()  # another thread may go on learning
    rules = rules_of_boxes(before_it, before_it.described_schema())
    prunable = [rule.boxes[0] for rule in rules]
    trial = _Trial(before_it, rows, labels[known], prunable, whole_classes, threads, progress)
    before = trial.cba
    for _ in range(ROUNDS):
        n = len(trial.gone)
        trial.remove_harmful(margin)
        if len(trial.gone) == n:
            break
    if unused:
        trial.remove_unused()
    report = PruneReport(
        tuple(_described(rules, trial.gone)),
        before_it.n_boxes,
        before_it.n_boxes - len(trial.gone),
        before,
        trial.cba,
        len(known),
        dry_run,
    )
    if not dry_run:
        model.remove(sorted(trial.gone))
    return report


class _Trial:
    """A copy of the model, from which boxes go as long as that costs nothing.

    Only the boxes in `prunable` go: those that have a class.
    """

    def __init__(
        self,
        model: Model,
        rows: Batch,
        labels: NDArray[np.int32],
        prunable: list[int],
        whole_classes: bool,
        threads: int,
        progress: Progress,
    ) -> None:
        self._original = model
        self._threads, self._progress = threads, progress
        self._rows, self._labels = rows, labels
        self._whole_classes = whole_classes
        self._classes = model.engine.snapshot()["label"]
        self._prunable = np.isin(np.arange(model.n_boxes), prunable)
        self.gone: dict[int, tuple[int, int]] = {}  # by position: right, wrong
        self._kept = np.arange(model.n_boxes)
        self._model = self._without(set())
        self._predicted, self.cba = self._scored(self._model)

    def remove_harmful(self, margin: int) -> None:
        right, wrong = self._decisions()
        harm = np.flatnonzero((wrong >= right + margin) & self._prunable[self._kept])
        order = harm[np.argsort(right[harm] - wrong[harm], kind="stable")]
        self._remove(self._kept[order].tolist(), right, wrong)

    def remove_unused(self) -> None:
        right, wrong = self._decisions()
        idle = (right + wrong == 0) & self._prunable[self._kept]
        self._remove(self._kept[idle].tolist(), right, wrong)

    def _remove(self, boxes: list[int], right: Counts, wrong: Counts) -> None:
        """Take out all, or, if that costs, those of each half that cost nothing."""
        place = {box: i for i, box in enumerate(self._kept.tolist())}
        groups, open_ = [boxes], len(boxes)
        with follow(self._progress, len(boxes), "pruning", "boxes") as report:
            while groups:
                given = groups.pop()
                group = self._allowed(given)
                open_ -= len(given) - len(group)
                if group and self._does_no_harm(group):
                    counts = {b: (int(right[place[b]]), int(wrong[place[b]])) for b in group}
                    self.gone |= counts
                    open_ -= len(group)
                elif len(group) > 1:
                    middle = len(group) // 2
                    groups += [group[middle:], group[:middle]]
                else:
                    open_ -= len(group)
                report(len(boxes) - open_)
        self._kept = np.array([i for i in self._kept.tolist() if i not in self.gone], int)

    def _does_no_harm(self, group: list[int]) -> bool:
        """Return whether CBA does not fall without these as well; if so, go on without them."""
        model = self._without({*self.gone, *group})
        predicted, cba = self._scored(model)
        if cba < self.cba:
            return False
        self._model, self._predicted, self.cba = model, predicted, cba
        return True

    def _allowed(self, group: list[int]) -> list[int]:
        """Return the boxes that may go: of every class one must stay, or of all classes."""
        if self._whole_classes:
            n_prunable = np.count_nonzero(self._prunable)
            return group if len({*group, *self.gone}) < n_prunable else group[:-1]
        staying = [i for i in np.flatnonzero(self._prunable).tolist() if i not in self.gone]
        left = np.bincount(self._classes[staying])
        allowed = []
        for box in group:
            k = self._classes[box]
            if left[k] > 1:
                left[k] -= 1
                allowed.append(box)
        return allowed

    def _without(self, gone: set[int]) -> Model:
        model = self._original.copy()
        model.remove(sorted(gone))
        return model

    def _scored(self, model: Model) -> tuple[NDArray[np.int32], float]:
        predicted = model.predict(self._rows, self._threads)
        return predicted, class_balanced_accuracy(self._labels.tolist(), predicted.tolist())

    def _decisions(self) -> tuple[Counts, Counts]:
        """Return how many rows each box that is left decided rightly, and wrongly."""
        n = len(self._kept)
        right, wrong = np.zeros((2, n), np.int64)
        for rows, boxes in self._deciding():
            good = self._predicted[rows] == self._labels[rows]
            right += np.bincount(boxes[good], minlength=n)
            wrong += np.bincount(boxes[~good], minlength=n)
        return right, wrong

    def _deciding(self) -> Iterator[tuple[slice, NDArray[np.intp]]]:
        """Yield rows, and for each the box of the predicted class with the largest part."""
        classes = self._classes[self._kept]
        size = max(1, CELLS // len(classes))
        for begin in range(0, self._rows.n_rows, size):
            rows = slice(begin, begin + size)
            part = self._model.memberships(self._rows.part(rows), self._threads)
            own = classes == self._predicted[rows][:, None]
            yield rows, np.where(own, part, -1.0).argmax(axis=1)


def _described(rules: list[Rule], gone: dict[int, tuple[int, int]]) -> Iterator[RemovedBox]:
    rule_of = {rule.boxes[0]: rule for rule in rules}
    for box in sorted(gone):
        rule = rule_of[box]
        yield RemovedBox(box, rule.text(), rule.label, rule.rows, *gone[box])
