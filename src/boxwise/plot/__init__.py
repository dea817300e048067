"""Pictures of a model: where it decides what, its boxes side by side, one box, its curves."""

from boxwise.plot.box_profile import plot_box
from boxwise.plot.curves import plot_curves
from boxwise.plot.parallel import plot_parallel
from boxwise.plot.regions import plot_regions

__all__ = ["plot_box", "plot_curves", "plot_parallel", "plot_regions"]
