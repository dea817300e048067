"""The public estimators, one per file."""

from boxwise.learners.hyperbox_classifier import HyperboxClassifier
from boxwise.learners.saved import load

__all__ = ["HyperboxClassifier", "load"]
