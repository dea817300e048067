"""The inputs of the graph: positions of the numbers on their scales, codes of the categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from boxwise.onnx.graph import ML, Graph
from boxwise.onnx.state import Scale
from boxwise.reference.expert import FARTHEST
from boxwise.schema import Schema, Vocabulary, show

Type: TypeAlias = Literal["double", "int64", "bool", "string"]
MATRIX = "X"  # the input of a table of numbers without names
MOST_WHOLE = 2**63


@dataclass(frozen=True)
class Number:
    """A numeric column: where it is not missing (1 or 0), its position, its standardised value."""

    present: str
    position: str
    standardised: str


@dataclass(frozen=True)
class Inputs:
    """The columns of a row: numbers, and codes (the number of values for those not learned)."""

    numbers: list[Number]
    codes: list[str]


def add_inputs(graph: Graph, schema: Schema, scales: Sequence[Scale]) -> Inputs:
    """Add an input for each column, or one for a table of numbers without names."""
    if is_matrix(schema):
        matrix = graph.input(MATRIX, "double", schema.n_features)
        values = graph.columns(matrix, [1] * schema.n_features)
    else:
        values = [graph.input(schema.names[j], "double", 1) for j in schema.numeric]
    numbers = [_number(graph, *pair) for pair in zip(values, scales, strict=True)]
    pairs = zip(schema.categorical_names, schema.vocabularies, strict=True)
    return Inputs(numbers, [_codes(graph, name, vocabulary) for name, vocabulary in pairs])


def is_matrix(schema: Schema) -> bool:
    """Whether all columns are one input: numbers without names."""
    return not schema.named and len(schema.numeric) == schema.n_features


def type_of(name: str, vocabulary: Vocabulary) -> Type:
    """Return the type in which categories are given, or raise ValueError if there is none."""
    values = [value for value in vocabulary.values if value is not None]
    has_missing = len(values) < len(vocabulary)
    if vocabulary.is_full:
        values = values[:-1]  # the name of all others
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) == len(values):
        if has_missing and "" in values:
            raise ValueError(
                f"column {name!r}: an ONNX input cannot tell the empty text from a missing value, "
                "and the model has learned both; replace one of them and learn again"
            )
        return "string"
    if texts:
        number = next(value for value in values if not isinstance(value, str))
        raise ValueError(
            f"column {name!r}: an ONNX input has text or numbers, and the model has learned both "
            f"{show(texts[0])} and {show(number)}; convert the column to text and learn again"
        )
    if not has_missing and all(isinstance(value, bool) for value in values):
        return "bool"
    whole = [value for value in values if isinstance(value, int) and abs(value) < MOST_WHOLE]
    return "int64" if len(whole) == len(vocabulary) else "double"


def _number(graph: Graph, value: str, scale: Scale) -> Number:
    missing = graph.op("IsNaN", value)
    present = graph.cast(graph.op("Not", missing), "double")
    if not scale:
        zero = graph.op("Mul", present, np.zeros((1, 1)))
        return Number(present, zero, zero)
    value = graph.op("Where", missing, scale.x[:1], value)
    standardised = graph.op("Mul", graph.op("Sub", value, scale.middle), 2 / scale.spread)
    return Number(present, _position(graph, value, scale), _clipped(graph, standardised, -2.0, 2.0))


def _position(graph: Graph, value: str, scale: Scale) -> str:
    above = graph.op("GreaterOrEqual", value, scale.x[None])
    piece = graph.row_sum(graph.cast(above, "int64"))
    x, y, slope = (graph.op("Gather", part, piece) for part in scale.pieces)
    risen = graph.op("Mul", graph.op("Sub", value, x), slope)
    return _clipped(graph, graph.op("Add", y, risen), -FARTHEST, FARTHEST)


def _clipped(graph: Graph, value: str, least: float, most: float) -> str:
    return graph.op("Min", graph.op("Max", value, np.float64(least)), np.float64(most))


def _codes(graph: Graph, name: str, vocabulary: Vocabulary) -> str:
    """Return the codes of a column, one a row."""
    kind = type_of(name, vocabulary)
    value = graph.op("Reshape", graph.input(name, kind, 1), np.array([-1], np.int64))
    others = vocabulary.code_of_others
    default = len(vocabulary) if others < 0 else others
    known = {v: code for code, v in enumerate(vocabulary.values) if code != others}
    if not known:
        value = graph.op("Shape", value)
        return graph.op("Expand", np.array([default], np.int64), value)
    if kind == "string":
        return graph.op(
            "LabelEncoder",
            value,
            domain=ML,
            keys_strings=["" if v is None else str(v) for v in known],
            values_int64s=[*known.values()],
            default_int64=default,
        )
    missing = known.pop(None, None)
    codes = _codes_of_numbers(graph, value, kind, known, default)
    if missing is None:
        return codes
    return graph.op("Where", graph.op("IsNaN", value), np.int64(missing), codes)


def _codes_of_numbers(
    graph: Graph, value: str, kind: Type, known: dict[object, int], default: int
) -> str:
    if not known:
        return graph.op("Expand", np.array([default], np.int64), graph.op("Shape", value))
    if kind == "bool":
        value, kind = graph.cast(value, "int64"), "int64"
    keys = np.array([*known], np.int64 if kind == "int64" else np.float64)
    equal = graph.op("Equal", graph.op("Unsqueeze", value, np.array([1], np.int64)), keys[None])
    above = np.array([*known.values()], np.int64) - default
    found = graph.op("Mul", graph.cast(equal, "int64"), above[None])
    sums = graph.op("ReduceSum", found, np.array([1], np.int64), keepdims=0)
    return graph.op("Add", sums, np.int64(default))
