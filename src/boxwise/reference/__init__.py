"""The algorithms in plain Python, one per file: the specifications the engine is tested against."""

from boxwise.reference.eiol import EIOL
from boxwise.reference.hyperbox import Box

__all__ = ["EIOL", "Box"]
