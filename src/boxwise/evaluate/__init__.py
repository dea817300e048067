"""How good a model is, and whether one is better than another."""

from boxwise.evaluate.cba import cba_scorer, class_balanced_accuracy
from boxwise.evaluate.cd_diagram import plot_cd_diagram
from boxwise.evaluate.confusion import Confusion
from boxwise.evaluate.friedman import FriedmanTest, friedman_test
from boxwise.evaluate.nemenyi import NemenyiTest, critical_difference, nemenyi_test
from boxwise.evaluate.points import Point, Scores
from boxwise.evaluate.prequential_run import Prequential, prequential
from boxwise.evaluate.ranks import AverageRanks, average_ranks, rank
from boxwise.evaluate.runner import LearnerError

__all__ = [
    "AverageRanks",
    "Confusion",
    "FriedmanTest",
    "LearnerError",
    "NemenyiTest",
    "Point",
    "Prequential",
    "Scores",
    "average_ranks",
    "cba_scorer",
    "class_balanced_accuracy",
    "critical_difference",
    "friedman_test",
    "nemenyi_test",
    "plot_cd_diagram",
    "prequential",
    "rank",
]
