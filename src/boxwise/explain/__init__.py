"""Explanations of a decision: boxes, columns, rivals, and the change that would reverse it."""

from boxwise.explain.attributions import Attributions, attributions_of
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
from boxwise.explain.support import FEW_ROWS, few_rows_text
from boxwise.explain.winning import by_evidence, winning_boxes

few_rows_in_words = few_rows_text  # the name of version 0.1

__all__ = [
    "FEW_ROWS",
    "Attributions",
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
    "attributions_of",
    "by_evidence",
    "carrying",
    "curves_of",
    "explain",
    "few_rows_in_words",
    "few_rows_text",
    "rows_learned",
    "winning_boxes",
]
