"""Models, their checkpoints and shadows: for those who may do everything."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from boxwise.service.chronicle import checkpoint_item
from boxwise.service.describing import model_description
from boxwise.service.http.bodies import field_of, read_object
from boxwise.service.http.endpoints import Content, Endpoint, answer
from boxwise.service.http.schemas import NAME_PARAMETER, or_null, ref
from boxwise.service.live import LiveModel
from boxwise.service.new_models import LEARNERS, changed, new_model
from boxwise.service.problems import Problem
from boxwise.service.service import Service
from boxwise.service.writer import Writer


async def create_model(service: Service, request: Request) -> Response:
    """Add an empty model."""
    content, _ = await read_object(request, service, ("name", "schema", "learner", "parameters"))
    data = await service.heavy(
        lambda: new_model(
            content.get("schema"),
            field_of(content, "learner", "text", "HyperboxClassifier"),
            field_of(content, "parameters", "an object", {}),
        )
    )
    writer = await service.create(content.get("name"), data)
    return answer(model_description(writer.served), 201)


async def list_checkpoints(service: Service, request: Request) -> Response:
    """Return the checkpoints of a model."""
    name = _writer(service, request).served.name
    found = await service.heavy(lambda: service.store.checkpoints(name))
    return answer({"checkpoints": [checkpoint_item(info) for info in found]})


async def save_checkpoint(service: Service, request: Request) -> Response:
    """Write a checkpoint now."""
    writer = _writer(service, request)
    await read_object(request, service, (), optional=True)
    return answer(
        await writer.command(lambda w: w.chronicle.save_checkpoint("asked for", kept=True)), 201
    )


async def read_checkpoint(service: Service, request: Request) -> Response:
    """Return the model file of a checkpoint."""
    name = _writer(service, request).served.name
    text = request.path_params["position"]
    if not text.isdecimal() or len(text) > 15:
        raise Problem(422, f"a position is a whole number, not {text[:80]!r}")
    found = await service.heavy(lambda: service.store.checkpoint(name, int(text)))
    if found is None:
        raise Problem(404, f"model {name!r} has no checkpoint at position {text}")
    return Response(
        found.data,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{name}-{int(text)}.box"'},
    )


async def roll_back(service: Service, request: Request) -> Response:
    """Make a model what it was at a checkpoint."""
    writer = _writer(service, request)
    content, _ = await read_object(request, service, ("position", "version"))
    position = await service.heavy(lambda: _position(service, writer, content))
    found = await service.heavy(lambda: service.store.checkpoint(writer.served.name, position))
    if found is None:
        raise Problem(
            404,
            f"model {writer.served.name!r} has no checkpoint at position {position}; GET "
            f"/v1/models/{writer.served.name}/checkpoints lists them",
        )
    return answer(await writer.command(lambda w: w.chronicle.roll_back(found)))


def _position(service: Service, writer: Writer, content: dict[str, Any]) -> int:
    """Return the position of the checkpoint that is meant: the last one of a version."""
    given = [name for name in ("position", "version") if content.get(name) is not None]
    if len(given) != 1:
        raise Problem(422, "give either 'position' or 'version'")
    value = content[given[0]]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise Problem(422, f"{given[0]!r} must be a whole number")
    if given == ["position"]:
        return value
    every = service.store.checkpoints(writer.served.name)
    found = [info.position for info in every if info.version == value]
    if not found:
        raise Problem(404, f"model {writer.served.name!r} has no checkpoint of version {value}")
    return found[-1]


async def start_shadow(service: Service, request: Request) -> Response:
    """Let a model with other parameters learn beside."""
    writer = _writer(service, request)
    content, _ = await read_object(
        request, service, ("parameters", "learner", "from"), optional=True
    )
    begin = field_of(content, "from", "text", "empty")
    if begin not in ("empty", "model"):
        raise Problem(422, "'from' must be 'empty' or 'model'")
    parameters = field_of(content, "parameters", "an object", {})
    learner = field_of(content, "learner", "text")

    def start(w: Writer) -> None:
        live = w.served.live
        data = changed(live, learner, parameters, empty=begin == "empty")
        w.chronicle.start_shadow(LiveModel.from_bytes(data))

    await writer.command(start)
    return answer(await service.heavy(lambda: model_description(writer.served)), 201)


async def end_shadow(service: Service, request: Request) -> Response:
    """Delete the shadow of a model."""
    writer = _writer(service, request)
    await writer.command(lambda w: w.chronicle.end_shadow())
    return answer(await service.heavy(lambda: model_description(writer.served)))


async def promote(service: Service, request: Request) -> Response:
    """Make the shadow the model."""
    writer = _writer(service, request)
    await read_object(request, service, (), optional=True)
    return answer(await writer.command(lambda w: w.chronicle.promote()))


def _writer(service: Service, request: Request) -> Writer:
    return service.writer(request.path_params["name"])


_TAG = "administration"
_PARAMETERS = or_null(
    {"type": "object", "description": "Of the learner, such as theta or max_boxes."}
)
_EMPTY = Content({"type": "object", "maxProperties": 0}, {})
_LEARNER = or_null({"enum": [*LEARNERS]})
ENDPOINTS = (
    Endpoint(
        "POST", "/v1/models", create_model, "admin", "Create an empty model", _TAG,
        Content(ref("Model")),
        status=201,
        bodies=(
            Content(
                {
                    "type": "object",
                    "required": ["name", "schema"],
                    "additionalProperties": False,
                    "properties": {
                        "name": {
                            "type": "string",
                            "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
                        },
                        "schema": {
                            "type": "object",
                            "required": ["columns"],
                            "additionalProperties": False,
                            "properties": {
                                "columns": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "required": ["name"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "name": {"type": "string"},
                                            "kind": {
                                                "enum": ["numeric", "categorical", "unknown"]
                                            },
                                        },
                                    },
                                }
                            },
                        },
                        "learner": _LEARNER,
                        "parameters": _PARAMETERS,
                    },
                },
                {
                    "name": "loans",
                    "schema": {
                        "columns": [
                            {"name": "age", "kind": "numeric"},
                            {"name": "education", "kind": "categorical"},
                        ]
                    },
                    "parameters": {"max_boxes": 500},
                },
            ),
        ),
    ),
    Endpoint(
        "GET", "/v1/models/{name}/checkpoints", list_checkpoints, "admin", "List checkpoints",
        _TAG,
        Content(
            {
                "type": "object",
                "required": ["checkpoints"],
                "properties": {"checkpoints": {"type": "array", "items": ref("Checkpoint")}},
            }
        ),
        parameters=(NAME_PARAMETER,),
    ),
    Endpoint(
        "GET", "/v1/models/{name}/checkpoints/{position}", read_checkpoint, "admin",
        "Download the model file of a checkpoint", _TAG,
        Content({"type": "string", "format": "binary"}, media_type="application/octet-stream"),
        parameters=(
            NAME_PARAMETER,
            {
                "name": "position",
                "in": "path",
                "required": True,
                "schema": {"type": "integer", "minimum": 0},
                "example": 0,
            },
        ),
    ),
    Endpoint(
        "POST", "/v1/models/{name}/checkpoint", save_checkpoint, "admin",
        "Write a checkpoint, which is kept", _TAG,
        Content(ref("Checkpoint")),
        status=201,
        bodies=(_EMPTY,),
        body_required=False,
        parameters=(NAME_PARAMETER,),
    ),
    Endpoint(
        "POST", "/v1/models/{name}/rollback", roll_back, "admin",
        "Make a model what it was at a checkpoint", _TAG,
        Content(ref("Replaced")),
        bodies=(
            Content(
                {
                    "type": "object",
                    "additionalProperties": False,
                    "minProperties": 1,
                    "maxProperties": 1,
                    "properties": {
                        "position": {"type": "integer", "minimum": 0},
                        "version": {
                            "type": "integer",
                            "minimum": 1,
                            "description": "Its last checkpoint.",
                        },
                    },
                },
                {"version": 1},
            ),
        ),
        parameters=(NAME_PARAMETER,),
        description=(
            "The version rises. What was learned since stays in the journal and in a checkpoint, "
            "so that a roll back can be rolled back. A shadow goes on as it is."
        ),
    ),
    Endpoint(
        "POST", "/v1/models/{name}/shadow", start_shadow, "admin",
        "Let a model with other parameters learn beside", _TAG,
        Content(ref("Model")),
        status=201,
        bodies=(
            Content(
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "parameters": _PARAMETERS,
                        "learner": _LEARNER,
                        "from": or_null({
                            "enum": ["empty", "model"],
                            "description": "Begin with nothing (the default), or with a copy.",
                        }),
                    },
                },
                {"parameters": {"max_boxes": 2000}, "from": "empty"},
            ),
        ),
        body_required=False,
        parameters=(NAME_PARAMETER,),
    ),
    Endpoint(
        "DELETE", "/v1/models/{name}/shadow", end_shadow, "admin", "Delete the shadow", _TAG,
        Content(ref("Model")),
        parameters=(NAME_PARAMETER,),
    ),
    Endpoint(
        "POST", "/v1/models/{name}/promote", promote, "admin", "Make the shadow the model", _TAG,
        Content(ref("Replaced")),
        bodies=(_EMPTY,),
        body_required=False,
        parameters=(NAME_PARAMETER,),
        description="The version rises; the model that was there stays in a checkpoint.",
    ),
)  # fmt: skip
