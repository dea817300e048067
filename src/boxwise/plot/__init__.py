"""Pictures of a model: where it decides what, its boxes side by side, and one box at a time."""

from boxwise.plot.box_profile import plot_box
from boxwise.plot.parallel import plot_parallel
from boxwise.plot.regions import plot_regions

__all__ = ["plot_box", "plot_parallel", "plot_regions"]
