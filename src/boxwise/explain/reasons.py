"""Column by column: what speaks for a box, and for a class rather than another."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.explain.box_arrays import BoxArrays, Floats
from boxwise.explain.explanation import BoxSupport, ClassSum, Comparison, FeatureReason
from boxwise.explain.row import Row
from boxwise.explain.terms import EvidenceTerms, MembershipTerms
from boxwise.explain.winning import by_evidence


class Reasons:
    """Takes the decisions of a model apart."""

    def __init__(self, model: Model, arrays: BoxArrays) -> None:
        self._model, self._arrays = model, arrays
        self._membership = MembershipTerms(arrays)
        self._by_evidence = by_evidence(model)
        self._labels: list[Any] = model.classes
        self._evidence: tuple[Row, EvidenceTerms] | None = None
        # Columns come in two kinds, one after the other; equal ones are in the input's order.
        self._order = np.argsort([*model.schema.numeric, *model.schema.categorical]).tolist()

    @property
    def settings(self) -> dict[str, float]:
        """The settings that the numbers of an explanation belong to."""
        if self._by_evidence:
            return {"temperature": self._model.engine.multipliers[-1]}
        return {"alpha": self._arrays.alpha}

    def _evidence_of(self, row: Row) -> EvidenceTerms:
        if self._evidence is None or self._evidence[0] is not row:  # once a row
            evidence = EvidenceTerms.of(self._model, row.lower, row.upper, row.codes)
            self._evidence = row, evidence
        return self._evidence[1]

    def memberships(self, row: Row, boxes: list[int]) -> list[float]:
        """Return the membership of a row in some boxes, in units."""
        near = self._model.engine.memberships(row.lower[None], row.upper[None], row.codes[None])
        return [float(near[0, box]) for box in boxes]

    def in_full(self, support: BoxSupport, row: Row) -> BoxSupport:
        """Return a box with the contribution of each column of a row."""
        box = np.array([support.box])
        terms = self._membership.terms(row.lower, row.upper, row.codes, box)
        counts = self._membership.counts(row.codes, box)[0]
        if not self._by_evidence:
            contributions = self._membership.contributions(terms)[0]
        else:
            evidence = self._evidence_of(row)
            contributions = evidence.terms[support.box]
            log_weight = float(evidence.log_weights[support.box])
            log_evidence = log_weight + float(contributions.sum())
            support = replace(support, weight=exp(log_weight), log_evidence=log_evidence)
        by_column = zip(terms[0].tolist(), contributions.tolist(), strict=True)
        features = [
            self._number(row, support.box, j, term, part)
            if j < self._arrays.n_numbers
            else self._category(row, j, counts[j - self._arrays.n_numbers].item(), term, part)
            for j, (term, part) in enumerate(by_column)
        ]
        return replace(support, features=tuple(features[j] for j in self._ranked(contributions)))

    def _ranked(self, parts: Floats) -> list[int]:
        """Return the columns, those with the largest parts first."""
        return sorted(self._order, key=lambda j: -abs(float(parts[j])))

    def _number(self, row: Row, box: int, j: int, term: float, part: float) -> FeatureReason:
        low, high = float(row.lower[j]), float(row.upper[j])
        v, w = float(self._arrays.V[box, j]), float(self._arrays.W[box, j])
        outside = max(high - w, v - low, 0.0)
        comparable = not np.isnan(low) and not np.isnan(v)
        return FeatureReason(
            column=self._arrays.names[j],
            kind="numeric",
            value=row.values[j],
            lower=None if np.isnan(v) else v,
            upper=None if np.isnan(w) else w,
            count=None,
            inside=outside == 0 if comparable else None,
            outside=outside if comparable else 0.0,
            term=term,
            contribution=part,
        )

    def _category(self, row: Row, j: int, count: float, term: float, part: float) -> FeatureReason:
        return FeatureReason(
            column=self._arrays.names[j],
            kind="categorical",
            value=row.values[j],
            lower=None,
            upper=None,
            count=count,
            inside=count > 0,
            outside=0.0,
            term=term,
            contribution=part,
        )

    def against(self, row: Row, won: tuple[int, int], other: tuple[int, int]) -> Comparison:
        """Compare a class with another; each is given with its best box."""
        if not self._by_evidence:
            boxes = np.array([won[1], other[1]])
            terms = self._membership.terms(row.lower, row.upper, row.codes, boxes)
            parts = self._membership.contributions(terms)
            return self._compared(other[0], parts[0] - parts[1], 0.0)
        evidence = self._evidence_of(row)
        ours, our_rest = self._class_terms(evidence, won[0])
        theirs, their_rest = self._class_terms(evidence, other[0])
        heat = evidence.temperature
        return self._compared(other[0], (ours - theirs) / heat, (our_rest - their_rest) / heat)

    def sum_of(self, row: Row, label: int) -> ClassSum:
        """Return what the logit of a class adds up from."""
        evidence = self._evidence_of(row)
        *curves, constant, boxes = evidence.parts[label].tolist()
        prior = -float(evidence.log_classes[label])
        has_curves = bool(self._model.settings.additive)  # type: ignore[attr-defined]
        return ClassSum(
            label=self._labels[label],
            curves=tuple((self._arrays.names[j], curves[j]) for j in self._order)
            if has_curves
            else (),
            constant=constant,
            boxes=boxes,
            class_prior=prior,
            logit=sum(curves) + constant + boxes + prior,
            by_boxes=float(evidence.by_boxes[label]),
        )

    def _compared(self, label: int, differences: NDArray[np.float64], rest: float) -> Comparison:
        names, parts = self._arrays.names, differences.tolist()
        columns = tuple((names[j], parts[j]) for j in self._ranked(differences))
        return Comparison(self._labels[label], columns, rest, sum(parts) + rest)

    def _class_terms(self, evidence: EvidenceTerms, label: int) -> tuple[Floats, float]:
        """Return what each column says of a class, and what is left: they add up to its score.

        A column says what it says in each box, by the box's share r in the class. For
        log(sum of e^l) = sum of r l - sum of r log r, whatever the l are, what is left is the mean
        of log weight - log r, and what is taken off for the size of the class.
        """
        boxes = self._arrays.members[label]
        boxes = boxes[np.isfinite(evidence.log_weights[boxes])]
        terms = np.vstack([evidence.terms[boxes], evidence.background[label]])
        weights = np.append(evidence.log_weights[boxes], evidence.log_background_weights[label])
        logs = weights + terms.sum(axis=1)
        most = logs.max()
        score = most + np.log(np.exp(logs - most).sum())
        means = np.exp(logs - score) @ terms
        rest = score - means.sum() - evidence.temperature * evidence.log_classes[label]
        return means, float(rest)
