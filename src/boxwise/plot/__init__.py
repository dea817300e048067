"""Pictures of a model: decision regions, boxes side by side, one box, curves, columns over time."""

from boxwise.plot.curves import plot_curves
from boxwise.plot.parallel import plot_parallel
from boxwise.plot.profiles.box_profile import plot_box
from boxwise.plot.regions import plot_regions
from boxwise.plot.relevance import plot_relevance

__all__ = ["plot_box", "plot_curves", "plot_parallel", "plot_regions", "plot_relevance"]
