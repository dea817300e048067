"""Open Inference Protocol v2, as KServe, Seldon and Triton speak it; tensors in JSON."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from boxwise import __version__
from boxwise.service.http.bodies import field_of, read_object
from boxwise.service.http.endpoints import Content, Endpoint, answer
from boxwise.service.http.schemas import NAME_PARAMETER, or_null
from boxwise.service.http.wire import to_json
from boxwise.service.live import LiveModel, Predicted, check_rows
from boxwise.service.problems import Problem
from boxwise.service.routes.predict import note, predicted_rows
from boxwise.service.service import Service
from boxwise.service.writer import Writer

FIELDS = ("id", "parameters", "inputs", "outputs")
_DATATYPES = (
    "BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64",
    "FP16", "FP32", "FP64", "BYTES",
)  # fmt: skip
_OUTPUTS = ("label", "probabilities", "support")


async def server_metadata(service: Service, request: Request) -> Response:
    """Return what the server is."""
    return answer({"name": "boxwise", "version": __version__, "extensions": []})


async def server_live(service: Service, request: Request) -> Response:
    """Say that the process answers."""
    return answer({"live": True})


async def server_ready(service: Service, request: Request) -> Response:
    """Say whether the models are loaded."""
    return answer({"ready": service.ready}, 200 if service.ready else 503)


async def model_ready(service: Service, request: Request) -> Response:
    """Say whether a model is loaded."""
    writer = _writer(service, request)
    return answer({"name": writer.served.name, "ready": True})


async def model_metadata(service: Service, request: Request) -> Response:
    """Return the inputs and outputs of a model."""
    served = _writer(service, request).served
    live = served.live
    inputs = [
        {
            "name": column.name,
            "datatype": "FP64" if column.kind == "numeric" else "BYTES",
            "shape": [-1],
        }
        for column in live.model.schema.columns
    ]
    return answer(
        {
            "name": served.name,
            "versions": [str(served.version)],
            "platform": "boxwise",
            "inputs": inputs,
            "outputs": [
                {"name": "label", "datatype": _label_type(live.model.classes), "shape": [-1]},
                {"name": "probabilities", "datatype": "FP64", "shape": [-1, -1]},
                {"name": "support", "datatype": "FP64", "shape": [-1]},
            ],
        }
    )


async def infer(service: Service, request: Request) -> Response:
    """Predict the rows that tensors hold: one a column, or one with all numeric columns."""
    begin = perf_counter()
    writer = _writer(service, request)
    content, body = await read_object(request, service, FIELDS)
    live, version = writer.served.live, writer.served.version
    rows = rows_of_tensors(live, content, service.settings.max_rows)
    predicted = await predicted_rows(service, live, rows)
    answered: dict[str, Any] = {"model_name": writer.served.name, "model_version": str(version)}
    if content.get("id") is not None:
        answered["id"] = field_of(content, "id", "text")
    answered["parameters"] = {"classes": to_json(predicted.classes).decode()}
    answered["outputs"] = _outputs(predicted, content)
    seconds = perf_counter() - begin
    note(service, writer.served, rows, predicted, None, seconds, len(body))
    return answer(answered)


def _writer(service: Service, request: Request) -> Writer:
    writer = service.writer(request.path_params["name"])
    version = request.path_params.get("version")
    if version is not None and version != str(writer.served.version):
        raise Problem(
            404,
            f"version {version[:20]!r} of {writer.served.name!r} is not served, version "
            f"{writer.served.version} is",
        )
    return writer


def rows_of_tensors(live: LiveModel, content: dict[str, Any], most: int) -> list[Any]:
    """Return the rows that the inputs hold."""
    inputs = field_of(content, "inputs", "a list")
    if not inputs:
        raise Problem(422, "'inputs' must be a list of at least one tensor")
    tensors = [_Tensor(one, i) for i, one in enumerate(inputs)]
    names = [tensor.name for tensor in tensors]
    if len({*names}) < len(names):
        raise Problem(422, "two inputs have the same name; each column has its own")
    columns = live.model.schema.names
    if len(tensors) == 1 and len(tensors[0].shape) == 2 and names[0] not in columns:
        tensors[0].check_width(len(columns))
        rows: list[Any] = tensors[0].rows()
        if live.model.schema.named:
            rows = [dict(zip(columns, row, strict=True)) for row in rows]
    else:
        lengths = {tensor.name: tensor.check_column() for tensor in tensors}
        if len({*lengths.values()}) > 1:
            raise Problem(422, f"the inputs have different numbers of rows: {lengths}")
        cells = [tensor.data for tensor in tensors]
        rows = [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]
        if not live.model.schema.named:
            rows = [[row.get(name) for name in columns] for row in rows]
    return check_rows(rows, most)


class _Tensor:
    """An input, checked."""

    def __init__(self, tensor: Any, i: int) -> None:
        if not isinstance(tensor, dict):
            raise Problem(422, f"input {i} must be an object")
        name, datatype = tensor.get("name"), tensor.get("datatype")
        shape, data = tensor.get("shape"), tensor.get("data")
        if not isinstance(name, str) or datatype not in _DATATYPES:
            raise Problem(
                422, f"input {i} must have a 'name' and a 'datatype' of {', '.join(_DATATYPES)}"
            )
        self.name = name
        if not isinstance(shape, list) or not 1 <= len(shape) <= 2 or not all(map(_size, shape)):
            raise Problem(422, f"input {name[:80]!r}: the shape must be [rows] or [rows, columns]")
        self.shape: list[int] = shape
        if not isinstance(data, list):
            raise Problem(
                422, f"input {name[:80]!r} has no 'data'; binary tensors are not supported"
            )
        if data and all(isinstance(one, list) for one in data):
            data = [cell for one in data for cell in one]
        self.data: list[Any] = data
        if len(data) != math.prod(shape):
            raise Problem(422, f"input {name[:80]!r} has {len(data)} values, but the shape {shape}")
        for cell in data:
            _check_cell(cell, datatype, name)

    def check_column(self) -> int:
        """Return how many rows there are, of a tensor that is one column."""
        if len(self.shape) == 2 and self.shape[1] != 1:
            raise Problem(
                422,
                f"input {self.name[:80]!r} has the shape {self.shape}; give one tensor a column, "
                "or a single one with all columns",
            )
        return self.shape[0]

    def check_width(self, n_columns: int) -> None:
        """Refuse a tensor that has not all columns."""
        if self.shape[1] != n_columns:
            raise Problem(
                422,
                f"input {self.name[:80]!r} has {self.shape[1]} columns, but the model has "
                f"{n_columns}",
            )

    def rows(self) -> list[list[Any]]:
        """Return the rows of a tensor with all columns."""
        width = self.shape[1]
        return [self.data[i : i + width] for i in range(0, len(self.data), width)]


def _size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31


def _check_cell(cell: Any, datatype: str, name: str) -> None:
    if datatype == "BYTES":
        fits = isinstance(cell, str)
    elif datatype == "BOOL":
        fits = isinstance(cell, bool)
    elif datatype.startswith("FP"):
        fits = isinstance(cell, int | float) and not isinstance(cell, bool)
    else:
        fits = isinstance(cell, int) and not isinstance(cell, bool)
    if not fits and cell is not None:
        raise Problem(
            422,
            f"input {name[:80]!r} has the datatype {datatype}, which {str(cell)[:80]!r} is not; "
            "a missing value is null",
        )


def _label_type(classes: list[Any]) -> str:
    types = {type(one) for one in classes}
    return {frozenset({int}): "INT64", frozenset({bool}): "BOOL"}.get(frozenset(types), "BYTES")


def _outputs(predicted: Predicted, content: dict[str, Any]) -> list[dict[str, Any]]:
    wanted: list[Any] = [*_OUTPUTS]
    asked = field_of(content, "outputs", "a list")
    if asked:
        wanted = [one.get("name") if isinstance(one, dict) else one for one in asked]
        for name in wanted:
            if name not in _OUTPUTS:
                raise Problem(
                    422, f"there is no output {str(name)[:80]!r}; there are {', '.join(_OUTPUTS)}"
                )
    n = len(predicted.labels)
    datatype = _label_type([one for one in predicted.labels if one is not None])
    labels: list[Any] = predicted.labels
    if datatype == "BYTES":
        labels = [_text(one) for one in labels]
    tensors = {
        "label": {"datatype": datatype, "shape": [n], "data": labels},
        "probabilities": {
            "datatype": "FP64",
            "shape": [n, len(predicted.classes)],
            "data": predicted.probabilities[:, : len(predicted.classes)].ravel().tolist(),
        },
        "support": {"datatype": "FP64", "shape": [n], "data": predicted.supports or [0.0] * n},
    }
    return [{"name": name, **tensors[name]} for name in wanted]


def _text(label: Any) -> str:
    """Return a label as text; "" before the first class was learned."""
    if label is None:
        return ""
    return label if isinstance(label, str) else to_json(label).decode()


_TAG = "Open Inference Protocol"
_OBJECT = Content({"type": "object"})
_TENSOR = {
    "type": "object",
    "required": ["name", "shape", "datatype", "data"],
    "properties": {
        "name": {"type": "string"},
        "shape": {"type": "array", "items": {"type": "integer"}},
        "datatype": {"enum": [*_DATATYPES]},
        "data": {"type": "array"},
        "parameters": {"type": "object"},
    },
}
_INFER = Content(
    {
        "type": "object",
        "required": ["inputs"],
        "additionalProperties": False,
        "properties": {
            "id": or_null({"type": "string"}),
            "parameters": {},
            "inputs": {"type": "array", "minItems": 1, "items": _TENSOR},
            "outputs": or_null({"type": "array", "items": {"type": "object"}}),
        },
    },
    {
        "inputs": [
            {"name": "age", "shape": [2], "datatype": "FP64", "data": [41, 23]},
            {
                "name": "education",
                "shape": [2],
                "datatype": "BYTES",
                "data": ["bachelor", "school"],
            },
            {"name": "loan", "shape": [2], "datatype": "FP64", "data": [12000, 90000]},
        ]
    },
)
_INFERRED = Content(
    {
        "type": "object",
        "required": ["model_name", "model_version", "outputs"],
        "properties": {"outputs": {"type": "array", "items": _TENSOR}},
    }
)
_VERSION = {
    "name": "version",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1},
    "example": "1",
}


async def infer_version(service: Service, request: Request) -> Response:
    """Predict, by the version that is served."""
    return await infer(service, request)


ENDPOINTS = (
    Endpoint("GET", "/v2", server_metadata, None, "What the server is", _TAG, _OBJECT),
    Endpoint("GET", "/v2/health/live", server_live, None, "Whether it answers", _TAG, _OBJECT),
    Endpoint("GET", "/v2/health/ready", server_ready, None, "Whether it is ready", _TAG, _OBJECT),
    Endpoint(
        "GET", "/v2/models/{name}", model_metadata, "predict", "Inputs and outputs of a model",
        _TAG, _OBJECT,
        parameters=(NAME_PARAMETER,),
    ),
    Endpoint(
        "GET", "/v2/models/{name}/ready", model_ready, "predict", "Whether a model is ready",
        _TAG, _OBJECT,
        parameters=(NAME_PARAMETER,),
    ),
    Endpoint(
        "POST", "/v2/models/{name}/infer", infer, "predict", "Predict the rows of tensors",
        _TAG, _INFERRED,
        bodies=(_INFER,),
        parameters=(NAME_PARAMETER,),
        description=(
            "One tensor a column, of shape [rows]; or a single one of shape [rows, columns]. "
            "The outputs are `label`, `probabilities` and `support`; the parameter `classes` has "
            "the order of the probabilities."
        ),
    ),
    Endpoint(
        "POST", "/v2/models/{name}/versions/{version}/infer", infer_version, "predict",
        "Predict by the version that is served", _TAG, _INFERRED,
        bodies=(_INFER,),
        parameters=(NAME_PARAMETER, _VERSION),
    ),
)  # fmt: skip
