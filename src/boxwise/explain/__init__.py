"""Explanations of a decision: boxes, columns, rivals, and the change that would reverse it."""

from boxwise.explain.curves import Curve, CurvePoint, curves_of
from boxwise.explain.experts import carrying, rows_learned
from boxwise.explain.explaining import explain
from boxwise.explain.explanation import (
    BoxSupport,
    Change,
    ClassSum,
    Comparison,
    Counterfactual,
    Explanation,
    FeatureReason,
    Rival,
    Tie,
    TiedClass,
)
from boxwise.explain.support import FEW_ROWS, few_rows_in_words
from boxwise.explain.winning import by_evidence, winning_boxes

__all__ = [
    "FEW_ROWS",
    "BoxSupport",
    "Change",
    "ClassSum",
    "Comparison",
    "Counterfactual",
    "Curve",
    "CurvePoint",
    "Explanation",
    "FeatureReason",
    "Rival",
    "Tie",
    "TiedClass",
    "by_evidence",
    "carrying",
    "curves_of",
    "explain",
    "few_rows_in_words",
    "rows_learned",
    "winning_boxes",
]
