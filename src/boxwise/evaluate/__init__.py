"""Scores of a model, and tests of whether one model is better than another."""

from boxwise.evaluate.calibration import (
    Reliability,
    expected_calibration_error,
    reliability,
)
from boxwise.evaluate.cba import cba_scorer, class_balanced_accuracy
from boxwise.evaluate.confusion import Confusion
from boxwise.evaluate.prequential_run import Prequential, prequential
from boxwise.evaluate.prequential_scores import Point, Scores
from boxwise.evaluate.quality.assessment import Assessment, assess
from boxwise.evaluate.quality.groups import Difference, Group, GroupComparison
from boxwise.evaluate.quality.resampling import Figure
from boxwise.evaluate.quality.thresholds import CostReport, Costs, Decision, best_threshold
from boxwise.evaluate.reliability_plot import plot_reliability
from boxwise.evaluate.runner import LearnerError
from boxwise.evaluate.statistics.cd_diagram import plot_cd_diagram
from boxwise.evaluate.statistics.friedman import FriedmanTest, friedman_test
from boxwise.evaluate.statistics.nemenyi import NemenyiTest, critical_difference, nemenyi_test
from boxwise.evaluate.statistics.ranks import AverageRanks, average_ranks, rank

__all__ = [
    "Assessment",
    "AverageRanks",
    "Confusion",
    "CostReport",
    "Costs",
    "Decision",
    "Difference",
    "Figure",
    "FriedmanTest",
    "Group",
    "GroupComparison",
    "LearnerError",
    "NemenyiTest",
    "Point",
    "Prequential",
    "Reliability",
    "Scores",
    "assess",
    "average_ranks",
    "best_threshold",
    "cba_scorer",
    "class_balanced_accuracy",
    "critical_difference",
    "expected_calibration_error",
    "friedman_test",
    "nemenyi_test",
    "plot_cd_diagram",
    "plot_reliability",
    "prequential",
    "rank",
    "reliability",
]
