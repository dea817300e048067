"""Finding good parameters: a grid at the speed of the engine, and evolution."""

from boxwise.tuning.evolution import Evolution, evolve
from boxwise.tuning.front import Candidate
from boxwise.tuning.grid import Tuning, tune
from boxwise.tuning.pareto import plot_pareto

__all__ = ["Candidate", "Evolution", "Tuning", "evolve", "plot_pareto", "tune"]
