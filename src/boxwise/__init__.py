"""Learn from mixed data (numbers and categories) as it arrives, and say why a decision was made."""

from boxwise.learners import HyperboxClassifier, ImprovedOnlineGFMM, load

__version__ = "0.1.0"
__all__ = ["HyperboxClassifier", "ImprovedOnlineGFMM", "load"]
