"""``POST /invocations``, as MLflow's scoring server takes it."""

from __future__ import annotations

import csv
import io
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from boxwise.service.http.bodies import media_type, parsed, read_body
from boxwise.service.http.endpoints import Content, Endpoint, answer
from boxwise.service.http.schemas import MODEL_PARAMETER, ROWS, or_null
from boxwise.service.live import LiveModel, check_rows
from boxwise.service.problems import Problem
from boxwise.service.routes.predict import note, predicted_rows
from boxwise.service.service import Service

FORMATS = ("dataframe_split", "dataframe_records", "inputs", "instances")
METHODS = ("predict", "predict_proba")


async def invocations(service: Service, request: Request) -> Response:
    """Predict rows in one of the formats of MLflow."""
    begin = perf_counter()
    body = await read_body(request, service)
    writer = service.asked(request)
    live = writer.served.live
    method = "predict"
    kind = media_type(request)
    if kind == "text/csv":
        rows = await service.heavy(lambda: rows_of_csv(live, body))
    elif kind == "application/json":
        content = await parsed(body, service)
        method = _method(content)
        rows = _rows(content)
    else:
        raise Problem(415, "send JSON or CSV, with Content-Type: application/json or text/csv")
    rows = check_rows(rows, service.settings.max_rows)
    predicted = await predicted_rows(service, live, rows)
    note(service, writer.served, rows, predicted, None, perf_counter() - begin, len(body))
    if method == "predict_proba":
        return answer({"predictions": predicted.probabilities.tolist()})
    return answer({"predictions": predicted.labels})


def _method(content: Any) -> str:
    params = content.get("params") if isinstance(content, dict) else None
    if params is None:
        return "predict"
    if not isinstance(params, dict) or params.get("predict_method", "predict") not in METHODS:
        raise Problem(
            422, "'params' must be an object; its 'predict_method' is predict or predict_proba"
        )
    return str(params.get("predict_method", "predict"))


def _rows(content: Any) -> Any:
    """Return the rows of a body, as a list of objects or lists; they are checked later."""
    if not isinstance(content, dict):
        raise Problem(422, "the body must be a JSON object")
    given = [name for name in FORMATS if name in content]
    unknown = {*content} - {*FORMATS, "params"}
    if len(given) != 1 or unknown:
        raise Problem(422, f"the body must have exactly one of {', '.join(FORMATS)}")
    value = content[given[0]]
    if given[0] == "dataframe_split":
        return _rows_of_split(value)
    if isinstance(value, dict) and given[0] == "inputs":
        return _rows_of_columns(value)
    if isinstance(value, list) and value and not isinstance(value[0], dict | list):
        raise Problem(422, f"{given[0]!r} must have a row for each entry, not {value[0]!r:.80}")
    return value


def _rows_of_split(value: Any) -> list[Any]:
    if not isinstance(value, dict) or not isinstance(value.get("data"), list):
        raise Problem(422, "'dataframe_split' must be an object with 'columns' and 'data'")
    rows: list[Any] = value["data"]
    columns = value.get("columns")
    if columns is None:
        return rows
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise Problem(422, "the 'columns' of 'dataframe_split' must be a list of names")
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(columns):
            raise Problem(422, f"row {i} must be a list of {len(columns)} values, one a column")
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _rows_of_columns(value: dict[str, Any]) -> list[Any]:
    lengths = {name: len(v) if isinstance(v, list) else -1 for name, v in value.items()}
    if not lengths or len({*lengths.values()}) > 1 or -1 in lengths.values():
        raise Problem(422, "'inputs' must have lists of the same length, one a column")
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def rows_of_csv(live: LiveModel, body: bytes) -> list[Any]:
    """Return the rows of a CSV text with a header; an empty cell is a missing value."""
    try:
        lines = [*csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""), strict=True)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Problem(400, f"the body is not CSV in UTF-8: {error}") from None
    lines = [line for line in lines if line]
    if len(lines) < 2:
        raise Problem(422, "the CSV must have a line with the names of the columns, and a row")
    names, *rows = lines
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise Problem(422, f"row {i} has {len(row)} cells, but there are {len(names)} columns")
    known = {column.name: column for column in live.model.schema.columns}
    columns: dict[str, list[Any]] = {}
    for j, name in enumerate(names):
        cells: list[Any] = [row[j] if row[j] != "" else None for row in rows]
        column = known.get(name)
        if column is not None and column.kind == "numeric":
            cells = [_number(cell, name, i) for i, cell in enumerate(cells)]
        columns[name] = cells
    found = _rows_of_columns(columns)
    return found if live.model.schema.named else [[*row.values()] for row in found]


def _number(cell: str | None, name: str, row: int) -> float | None:
    if cell is None:
        return None
    try:
        return float(cell)
    except ValueError:
        raise Problem(
            422,
            f"column {name!r}: {cell[:80]!r} is not a number (row {row}); leave it empty if "
            "it is missing",
        ) from None


ENDPOINTS = (
    Endpoint(
        "POST",
        "/invocations",
        invocations,
        "predict",
        "Predict rows (MLflow)",
        "MLflow",
        Content(
            {
                "type": "object",
                "required": ["predictions"],
                "properties": {"predictions": {"type": "array"}},
            },
            {"predictions": ["approved"]},
        ),
        bodies=(
            Content(
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": False,
                    "properties": {
                        "dataframe_split": {
                            "type": "object",
                            "required": ["data"],
                            "properties": {
                                "columns": or_null({"type": "array", "items": {"type": "string"}}),
                                "data": {"type": "array", "items": {"type": "array"}},
                            },
                        },
                        "dataframe_records": ROWS,
                        "instances": ROWS,
                        "inputs": {"type": ["array", "object"]},
                        "params": or_null(
                            {
                                "type": "object",
                                "properties": {"predict_method": {"enum": [*METHODS]}},
                            }
                        ),
                    },
                },
                {
                    "dataframe_split": {
                        "columns": ["age", "education", "loan"],
                        "data": [[41, "bachelor", 12000]],
                    }
                },
            ),
            Content({"type": "string"}, "age,education,loan\n41,bachelor,12000\n", "text/csv"),
        ),
        parameters=(MODEL_PARAMETER,),
    ),
)
