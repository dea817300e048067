"""Why a decision was made: boxes, columns, rivals, and what would have changed it."""

from boxwise.explain.explaining import explain
from boxwise.explain.explanation import (
    BoxSupport,
    Change,
    Comparison,
    Counterfactual,
    Explanation,
    FeatureReason,
    Rival,
    Tie,
    TiedClass,
)
from boxwise.explain.winning import by_evidence, winning_boxes

__all__ = [
    "BoxSupport",
    "Change",
    "Comparison",
    "Counterfactual",
    "Explanation",
    "FeatureReason",
    "Rival",
    "Tie",
    "TiedClass",
    "by_evidence",
    "explain",
    "winning_boxes",
]
