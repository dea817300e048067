"""From a model and rows to explanations."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EntropySettings, EvidenceSettings, Model
from boxwise.explain.box_arrays import BoxArrays
from boxwise.explain.counterfactuals.counterfactual import Search
from boxwise.explain.explanation import BoxSupport, Explanation, Rival
from boxwise.explain.reasons import Reasons
from boxwise.explain.row import Row, known_only
from boxwise.explain.text import MOST_OF_IT
from boxwise.explain.ties import tied_boxes, tied_classes
from boxwise.explain.winning import Decisions, best_boxes, by_evidence, decide
from boxwise.inputs import Batch
from boxwise.schema import show

MOST_BOXES = 12  # of those that carried a decision by evidence
LEAST_SHARE = 0.01  # of a decision, below which a box is not worth a line


def explain(
    model: Model,
    batch: Batch,
    *,
    counterfactual: bool = True,
    counterfactuals: int = 1,
    fixed: Collection[str | int] = (),
    threads: int = 1,
) -> Iterator[Explanation]:
    """Say of each row why the model decides as it does.

    Parameters
    ----------
    model : Model
        One that decides by membership or by evidence. It must not learn meanwhile.
    batch : Batch
        The rows, encoded with ``learn=True``, so that values never learned can be named.
    counterfactual : bool
        Whether to look for the smallest change that changes the prediction.
    counterfactuals : int
        How many such changes to look for, each in other columns.
    fixed : collection of str or int
        The columns, by name or position, that such a change must leave alone.
    threads : int
        To predict with.

    Yields
    ------
    Explanation
    """
    if not isinstance(model.settings, EntropySettings | EvidenceSettings):
        raise TypeError(
            f"decisions of {model.settings.algorithm} cannot be explained column by column; "
            "membership and boxes_.describe show which box decides"
        )
    wanted = _checked_number(counterfactuals) if counterfactual else 0
    search = Search(model, fixed, threads, wanted)
    explainer = Explainer(model, search if wanted else None)
    rows = known_only(batch, model)
    for part in decide(model, rows, threads):
        yield from explainer.explain(part, batch)


def _checked_number(counterfactuals: Any) -> int:
    whole = isinstance(counterfactuals, Integral) and not isinstance(counterfactuals, bool)
    if not whole or counterfactuals < 0:
        raise ValueError(
            f"counterfactuals must be a whole number from 0, not {show(counterfactuals)}"
        )
    return int(counterfactuals)


class Explainer:
    """Explains the decisions of a model."""

    def __init__(self, model: Model, search: Search | None) -> None:
        self._model, self._search = model, search
        self._by_evidence = by_evidence(model)
        self._arrays = BoxArrays(model)
        self._reasons = Reasons(model, self._arrays)
        self._labels: list[Any] = model.classes
        self._describe = lru_cache(maxsize=10_000)(model.boxes().describe)

    def explain(self, part: Decisions, batch: Batch) -> Iterator[Explanation]:
        """Yield an explanation for each of the rows; `batch` has all rows, with all values."""
        members = {code: self._arrays.present_of(code) for code in self._arrays.members}
        best = best_boxes(part.degrees, members)
        probabilities = self._model.probabilities(part.batch)
        supports = self._model.supports(part.batch).tolist() if self._by_evidence else None
        for i in range(part.batch.n_rows):
            row = Row.of(self._model.schema, batch, part.batch, part.begin + i, i)
            yield self._explain(
                row,
                int(part.codes[i]),
                part.degrees[i],
                probabilities[i],
                {code: int(boxes[i]) for code, boxes in best.items()},
                None if supports is None else supports[i],
            )

    def _explain(
        self,
        row: Row,
        won: int,
        degrees: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        best: dict[int, int],
        support: float | None,
    ) -> Explanation:
        scores = (
            probabilities if self._by_evidence else {k: degrees[box] for k, box in best.items()}
        )
        others = sorted((k for k in best if k != won), key=lambda k: -scores[k])
        carried = self._carried(degrees, won, probabilities[won]) if self._by_evidence else []
        named = list(dict.fromkeys([best[won], *carried, *(best[k] for k in others)]))
        supports = dict(zip(named, self._supports(row, named, degrees), strict=True))
        winner = self._reasons.in_full(supports[best[won]], row)
        rivals = tuple(
            Rival(
                self._labels[k],
                float(probabilities[k]),
                float(scores[won] - scores[k]),
                supports[best[k]],
            )
            for k in others
        )
        known = [k for k in (won, *others[:1]) if self._arrays.present[best[k]]]
        compared = (
            self._reasons.against(row, (won, best[won]), (others[0], best[others[0]]))
            if len(known) == 2
            else None
        )
        tie = (
            tied_classes(probabilities, won, self._labels, self._arrays)
            if self._by_evidence
            else tied_boxes(degrees, won, self._labels, self._arrays)
        )
        found, why_not = ((), None) if self._search is None else self._search.find(row, won)
        order = np.argsort(-probabilities, kind="stable").tolist()
        return Explanation(
            row=row.place,
            prediction=self._labels[won],
            probability=float(probabilities[won]),
            probabilities=tuple((self._labels[k], float(probabilities[k])) for k in order),
            decision="evidence" if self._by_evidence else "membership",
            settings=self._reasons.settings,
            winner=winner,
            carried=tuple(supports[box] for box in carried),
            background=self._background(degrees, won, probabilities[won]),
            n_boxes=len(self._arrays.present_of(won)),
            n_experts=self._arrays.n_experts,
            support=support,
            sums=tuple(self._reasons.sum_of(row, k) for k in order) if self._by_evidence else (),
            rivals=rivals,
            against=compared,
            tie=tie,
            counterfactual=found[0] if found else None,
            no_counterfactual=why_not,
            counterfactuals=found,
        )

    def _carried(self, shares: NDArray[np.float64], won: int, whole: float) -> list[int]:
        """Return the boxes of a class that carried most of its probability, in this order."""
        boxes = self._arrays.members[won]
        found: list[int] = []
        carried = 0.0
        for box in boxes[np.argsort(-shares[boxes], kind="stable")[:MOST_BOXES]].tolist():
            enough = carried >= MOST_OF_IT * whole or shares[box] < LEAST_SHARE * whole
            if shares[box] == 0 or (found and enough):
                break
            found.append(box)
            carried += shares[box]
        return found

    def _background(self, shares: NDArray[np.float64], won: int, whole: float) -> float | None:
        """Return what the background of the class carried: what its boxes left."""
        if not self._by_evidence:
            return None
        return max(float(whole - shares[self._arrays.members[won]].sum()), 0.0)

    def _supports(
        self, row: Row, boxes: list[int], degrees: NDArray[np.float64]
    ) -> Iterator[BoxSupport]:
        """Yield each of the boxes, with what it has to do with a row."""
        for box, membership in zip(boxes, self._reasons.memberships(row, boxes), strict=True):
            yield BoxSupport(
                box=box,
                label=self._labels[self._arrays.label[box]],
                rows=self._arrays.n[box].item(),
                rule=self._describe(box),
                membership=membership,
                share=float(degrees[box]) if self._by_evidence else None,
            )
