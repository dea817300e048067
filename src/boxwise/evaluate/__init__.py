"""Scores of a model, and tests of whether one model is better than another."""

from boxwise.evaluate.calibration import (
    Reliability,
    expected_calibration_error,
    reliability,
)
from boxwise.evaluate.cba import cba_scorer, class_balanced_accuracy
from boxwise.evaluate.cd_diagram import plot_cd_diagram
from boxwise.evaluate.confusion import Confusion
from boxwise.evaluate.friedman import FriedmanTest, friedman_test
from boxwise.evaluate.nemenyi import NemenyiTest, critical_difference, nemenyi_test
from boxwise.evaluate.prequential_run import Prequential, prequential
from boxwise.evaluate.prequential_scores import Point, Scores
from boxwise.evaluate.ranks import AverageRanks, average_ranks, rank
from boxwise.evaluate.reliability_plot import plot_reliability
from boxwise.evaluate.runner import LearnerError

__all__ = [
    "AverageRanks",
    "Confusion",
    "FriedmanTest",
    "LearnerError",
    "NemenyiTest",
    "Point",
    "Prequential",
    "Reliability",
    "Scores",
    "average_ranks",
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
