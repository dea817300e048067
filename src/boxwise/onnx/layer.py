"""The additive layer as a graph: the curves and the weighted log-probability by the boxes."""

from __future__ import annotations

import numpy as np

from boxwise.onnx.boxes import ByBoxes, exponentials
from boxwise.onnx.graph import Graph
from boxwise.onnx.inputs import Inputs, Number
from boxwise.onnx.state import Floats, Layer, Scale
from boxwise.reference.additive import HATS

IMPOSSIBLE = -1e300  # a logit below all others


def add_layer(graph: Graph, inputs: Inputs, scales: list[Scale], layer: Layer, at: ByBoxes) -> str:
    """Return the probabilities of the classes by boxes and curves."""
    n = len(inputs.numbers)
    terms = [
        _curve(graph, number, weights)
        for number, scale, weights in zip(inputs.numbers, scales, layer.columns[:n], strict=True)
        if scale
    ]
    terms += [
        graph.op("Gather", weights, codes)
        for codes, weights in zip(inputs.codes, layer.columns[n:], strict=True)
    ]
    boxes = _centred(graph, at)
    # The boxes alone have the weight that the filters leave: 1 - trust * layer.trust.
    factor = graph.op("Mul", at.trust, (layer.boxes - layer.trust)[None])
    alone = graph.op("Mul", boxes, graph.op("Add", factor, np.float64(1.0)))
    curves = graph.op("Add", graph.total(terms), layer.bias[None]) if terms else None
    added = graph.op("Mul", at.trust, layer.bias[None] if curves is None else curves)
    logits = graph.op("Add", alone, added)
    some = graph.op("Greater", at.possible, np.float64(0.0))
    logits = graph.op("Where", some, logits, np.float64(IMPOSSIBLE))
    below = graph.op("Sub", logits, graph.row_max(logits))
    return graph.shares(graph.op("Mul", exponentials(graph, below), at.possible))


def _curve(graph: Graph, number: Number, weights: Floats) -> str:
    """Return what a number adds: a line, hat functions over its scale, or the missing value."""
    place = graph.op("Max", graph.op("Min", number.position, np.float64(1.0)), np.float64(0.0))
    steps = graph.op("Mul", place, np.float64(HATS - 1))
    away = graph.op("Abs", graph.op("Sub", steps, np.arange(HATS, dtype=np.float64)[None]))
    hats = graph.op("Max", graph.op("Sub", np.float64(1.0), away), np.float64(0.0))
    known = graph.op("Mul", graph.side_by_side([number.standardised, hats]), number.present)
    missing = graph.op("Sub", np.float64(1.0), number.present)
    return graph.op("MatMul", graph.side_by_side([known, missing]), weights)


def _centred(graph: Graph, at: ByBoxes) -> str:
    """Return the log-probabilities by the boxes less their mean; 0 of classes without boxes."""
    some = graph.op("Greater", at.possible, np.float64(0.0))
    logs = graph.op("Log", graph.op("Where", some, at.p, np.float64(1.0)))
    mean = graph.op("Div", graph.row_sum(logs), graph.row_sum(at.possible))
    return graph.op("Mul", graph.op("Sub", logs, mean), at.possible)
