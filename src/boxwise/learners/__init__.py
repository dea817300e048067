"""The public estimators, one per file."""

from boxwise.learners.hyperbox_classifier import HyperboxClassifier
from boxwise.learners.improved_online_gfmm import ImprovedOnlineGFMM
from boxwise.learners.saved import load

__all__ = ["HyperboxClassifier", "ImprovedOnlineGFMM", "load"]
