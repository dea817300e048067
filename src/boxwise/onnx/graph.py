"""Builds ONNX graphs: names of values, constants, nodes. The only file that imports `onnx`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    raise ImportError('to_onnx needs the package onnx: pip install "boxwise[onnx]"') from error

OPSET, ML_OPSET, IR_VERSION = 18, 3, 8
ML = "ai.onnx.ml"
PREFIX = "boxwise/"  # of all names but those of inputs and outputs
TYPES = {
    "double": TensorProto.DOUBLE,
    "int64": TensorProto.INT64,
    "int32": TensorProto.INT32,
    "bool": TensorProto.BOOL,
    "string": TensorProto.STRING,
}


class Graph:
    """A graph in the making. Values are known by their names."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: dict[tuple[Any, ...], str] = {}
        self._initializers: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._count = 0

    def input(self, name: str, kind: str, columns: int) -> str:
        """Add an input of shape rows × columns."""
        self._inputs.append(helper.make_tensor_value_info(name, TYPES[kind], ["rows", columns]))
        return name

    def output(self, value: str, name: str, kind: str, *columns: int) -> None:
        """Give a value out under a name."""
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        shape = ["rows", *columns]
        self._outputs.append(helper.make_tensor_value_info(name, TYPES[kind], shape))

    def constant(self, value: Any) -> str:
        """Return a constant; equal ones are kept once."""
        array: NDArray[Any] = np.asarray(value)
        if array.dtype.kind == "U":
            array = array.astype(object)
        content = tuple(array.ravel()) if array.dtype == object else array.tobytes()
        key = (array.dtype.str, array.shape, content)
        if key not in self._constants:
            self._constants[key] = name = self._new("constant")
            self._initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return self._constants[key]

    def op(self, kind: str, *inputs: Any, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output and return it; what is not a name becomes a constant."""
        return self.ops(kind, 1, *inputs, domain=domain, **attributes)[0]

    def ops(
        self, kind: str, n: int, *inputs: Any, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a node with `n` outputs and return them."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        outputs = [self._new(kind) for _ in range(n)]
        self._nodes.append(helper.make_node(kind, names, outputs, domain=domain, **attributes))
        return outputs

    def cast(self, value: str, kind: str) -> str:
        """Return a value as another type."""
        return self.op("Cast", value, to=TYPES[kind])

    def total(self, values: Sequence[str]) -> str:
        """Return the sum of one or more values."""
        return self.op("Sum", *values) if len(values) > 1 else values[0]

    def side_by_side(self, values: Sequence[str]) -> str:
        """Return one or more matrices as one, their columns side by side."""
        return self.op("Concat", *values, axis=1) if len(values) > 1 else values[0]

    def columns(self, value: str, sizes: Sequence[int]) -> list[str]:
        """Return a matrix as several, with so many columns each."""
        if len(sizes) == 1:
            return [value]
        return self.ops("Split", len(sizes), value, np.array(sizes, np.int64), axis=1)

    def row_sum(self, value: str) -> str:
        """Return the sum of each row, as one column."""
        return self.op("ReduceSum", value, np.array([1], np.int64), keepdims=1)

    def row_max(self, value: str) -> str:
        """Return the largest number of each row, as one column."""
        return self.op("ReduceMax", value, np.array([1], np.int64), keepdims=1)

    def shares(self, value: str) -> str:
        """Return each row divided by its sum."""
        return self.op("Div", value, self.row_sum(value))

    def model(self, metadata: Mapping[str, str], version: str, text: str) -> Any:
        """Return the ModelProto, checked."""
        graph = helper.make_graph(
            self._nodes, "boxwise", self._inputs, self._outputs, self._initializers
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)]
        model = helper.make_model(
            graph,
            opset_imports=opsets,
            ir_version=IR_VERSION,
            producer_name="boxwise",
            producer_version=version,
            doc_string=text,
        )
        helper.set_model_props(model, dict(metadata))
        onnx.checker.check_model(model)
        return model

    def _new(self, kind: str) -> str:
        self._count += 1
        return f"{PREFIX}{kind}_{self._count}"
