"""A model as an ONNX graph: inputs by column, the label and the probabilities of the classes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings, Model
from boxwise.onnx.boxes import add_boxes
from boxwise.onnx.graph import PREFIX, Graph
from boxwise.onnx.inputs import MATRIX, add_inputs, is_matrix, type_of
from boxwise.onnx.layer import add_layer
from boxwise.onnx.state import Decision
from boxwise.reference.expert import TOLERANCE
from boxwise.schema import Schema, show

LABEL, PROBABILITIES = "label", "probabilities"
TEXT = "A boxwise.HyperboxClassifier as it was when it was exported; it does not learn."


def to_onnx(model: Model, classes: Sequence[tuple[Any, int]]) -> Any:
    """Return the ModelProto of a model that decides by evidence.

    Parameters
    ----------
    model : Model
        It must not learn meanwhile.
    classes : sequence of pairs
        The classes and their codes, in the order in which the probabilities are given.
    """
    if not isinstance(model.settings, EvidenceSettings):
        raise TypeError(
            f"a model that learns by {model.settings.algorithm} cannot become ONNX; "
            "only HyperboxClassifier can"
        )
    if not (model.engine.snapshot()["label"] >= 0).any():
        raise ValueError("no row with a label has been learned yet; learn some first")
    _check_names(model.schema)
    labels = _label_array([label for label, _ in classes])
    decision = Decision.of(model)
    graph = Graph()
    inputs = add_inputs(graph, model.schema, decision.scales)
    by_boxes = add_boxes(graph, inputs, decision)
    p = by_boxes.p
    if decision.layer is not None:
        p = add_layer(graph, inputs, decision.scales, decision.layer, by_boxes)
    if (decision.class_factors != 1).any():
        p = graph.shares(graph.op("Mul", p, decision.class_factors[None]))
    codes = [code for _, code in classes]
    _add_label(graph, p, labels, codes, decision.n_classes)
    _add_probabilities(graph, p, codes, decision.n_classes)
    return graph.model(_metadata(model.schema, labels), version("boxwise"), TEXT)


def _check_names(schema: Schema) -> None:
    for name in [] if is_matrix(schema) else [schema.names[j] for j in schema.known]:
        if name in ("", LABEL, PROBABILITIES) or name.startswith(PREFIX):
            raise ValueError(
                f"column {name!r}: no input of an ONNX model can have this name; rename the column"
            )


def _label_array(labels: list[Any]) -> NDArray[Any]:
    kinds = {type(label) for label in labels}
    if kinds == {str}:
        return np.array(labels, dtype=object)
    if kinds in ({int}, {bool}, {float}):
        return np.array(labels)
    first, *others = labels
    other = next(label for label in others if type(label) is not type(first))
    raise ValueError(
        f"the labels of an ONNX model are of one type, and the classes {show(first)} and "
        f"{show(other)} are not; convert the labels to text and learn again"
    )


def _add_label(
    graph: Graph, p: str, labels: NDArray[Any], codes: Sequence[int], n_classes: int
) -> None:
    """Give out the first seen of the most probable classes."""
    least = graph.op("Sub", graph.row_max(p), np.float64(TOLERANCE))
    best = graph.cast(graph.op("Greater", p, least), "int32")
    won = graph.op("ArgMax", best, axis=1, keepdims=0)
    by_code = labels[np.argsort(codes, kind="stable")[:n_classes]]
    kind = {"O": "string", "i": "int64", "b": "bool", "f": "double"}[labels.dtype.kind]
    graph.output(graph.op("Gather", by_code, won), LABEL, kind)


def _add_probabilities(graph: Graph, p: str, codes: Sequence[int], n_classes: int) -> None:
    """Give out the probabilities in the order of the classes; 0 of those never learned."""
    places = np.zeros((n_classes, len(codes)))
    for place, code in enumerate(codes):
        if code < n_classes:
            places[code, place] = 1.0
    graph.output(graph.op("MatMul", p, places), PROBABILITIES, "double", len(codes))


def _metadata(schema: Schema, labels: NDArray[Any]) -> dict[str, str]:
    if is_matrix(schema):
        inputs = {MATRIX: "double"}
    else:
        inputs = {schema.names[j]: "double" for j in schema.numeric}
        pairs = zip(schema.categorical_names, schema.vocabularies, strict=True)
        inputs |= {name: type_of(name, vocabulary) for name, vocabulary in pairs}
    return {"boxwise.classes": json.dumps(labels.tolist()), "boxwise.inputs": json.dumps(inputs)}
