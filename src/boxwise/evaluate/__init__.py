"""How good a model is."""

from boxwise.evaluate.cba import Confusion, class_balanced_accuracy

__all__ = ["Confusion", "class_balanced_accuracy"]
