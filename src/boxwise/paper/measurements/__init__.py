"""Small measurements behind claims that the scores of the experiments cannot decide."""

from __future__ import annotations

from boxwise.paper.measurements.data import Data
from boxwise.paper.measurements.encodings import Encodings
from boxwise.paper.measurements.homogeneity import Homogeneity
from boxwise.paper.measurements.measurement import Measure, Measurement
from boxwise.paper.measurements.new_values import NewValues
from boxwise.paper.measurements.times import Times

__all__ = ["MEASUREMENTS", "Measure", "Measurement"]

MEASUREMENTS: dict[str, Measurement] = {
    measurement.name: measurement
    for measurement in (Data(), Homogeneity(), NewValues(), Encodings(), Times())
}
