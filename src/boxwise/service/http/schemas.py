"""The schemas that the OpenAPI describes bodies with."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

CELL: Schema = {
    "description": "A number, text or truth value; null is a missing value.",
    "type": ["number", "string", "boolean", "null"],
}
ROWS: Schema = {
    "type": "array",
    "minItems": 1,
    "description": "Objects from column to value, or lists of values in the order of the columns.",
    "items": {
        "oneOf": [
            {"type": "object", "additionalProperties": CELL},
            {"type": "array", "items": CELL},
        ]
    },
}
_LABEL: Schema = {"type": ["string", "number", "boolean", "null"]}
_NUMBER: Schema = {"type": ["number", "null"]}


def ref(name: str) -> Schema:
    """Return a reference to one of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def or_null(schema: Schema) -> Schema:
    """Return the schema of a field that may be left out, for which null stands as well."""
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def items_of(field: str) -> Schema:
    """Return the schema of an object with one list of objects."""
    return {
        "type": "object",
        "required": [field],
        "properties": {field: {"type": "array", "items": {"type": "object"}}},
    }


def parameter(name: str, description: str, default: int, most: int) -> Schema:
    """Return a whole number of the query."""
    return {
        "name": name,
        "in": "query",
        "description": description,
        "schema": {"type": "integer", "minimum": 1, "maximum": most, "default": default},
    }


MODEL_PARAMETER: Schema = {
    "name": "model",
    "in": "query",
    "description": "The name of the model; without it the first one.",
    "schema": {"type": "string"},
}
NAME_PARAMETER: Schema = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "The name of the model.",
    "schema": {"type": "string", "minLength": 1},
    "example": "loans",
}
KEY_PARAMETER: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Any text; a request that is sent again with it is learned once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
}

SCHEMAS: dict[str, Schema] = {
    "Problem": {
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
        },
        "example": {
            "type": "about:blank",
            "title": "Unprocessable Entity",
            "status": 422,
            "detail": "column 'age': 'abc' is not a number (row 0); convert the column to numbers",
        },
    },
    "Id": {
        "oneOf": [
            {"type": "string", "minLength": 1, "maxLength": 200},
            {"type": "integer"},
        ],
        "example": "application-17",
    },
    "Prediction": {
        "type": "object",
        "required": ["label", "probabilities", "support"],
        "properties": {
            "id": {"type": "string"},
            "label": {**_LABEL, "description": "null before the first class was learned."},
            "probabilities": {
                "type": "object",
                "additionalProperties": {"type": "number"},
                "description": "By class; one that is no text is written as JSON.",
            },
            "support": {**_NUMBER, "description": "How many learned rows speak for it."},
            "explanation": ref("Explanation"),
        },
    },
    "Predictions": {
        "type": "object",
        "required": ["model", "version", "position", "predictions"],
        "properties": {
            "model": {"type": "string"},
            "version": {"type": "integer"},
            "position": {"type": "integer"},
            "predictions": {"type": "array", "items": ref("Prediction")},
        },
    },
    "Explanation": {
        "type": "object",
        "required": ["text", "explanation"],
        "properties": {
            "text": {"type": "string"},
            "explanation": {"type": "object", "description": "As Explanation.to_dict has it."},
        },
    },
    "Explained": {
        "type": "object",
        "required": ["text", "explanation", "decision", "version"],
        "properties": {
            "text": {"type": "string"},
            "explanation": {"type": "object"},
            "decision": {"type": "object"},
            "version": {"type": "integer"},
        },
    },
    "Learned": {
        "type": "object",
        "required": ["model", "version", "learned", "position", "rows"],
        "properties": {
            "model": {"type": "string"},
            "version": {"type": "integer"},
            "learned": {"type": "integer", "description": "Rows of the request."},
            "position": {"type": "integer", "description": "Its place in the journal."},
            "rows": {"type": "integer", "description": "Rows that the model has learned."},
        },
    },
    "Checkpoint": {
        "type": "object",
        "required": ["position", "version", "at", "reason", "kept", "bytes"],
        "properties": {
            "position": {"type": "integer"},
            "version": {"type": "integer"},
            "at": {"type": "number"},
            "reason": {"type": "string"},
            "kept": {"type": "boolean"},
            "bytes": {"type": "integer"},
        },
    },
    "Replaced": {
        "type": "object",
        "required": ["model", "version", "checkpoint"],
        "properties": {
            "model": {"type": "string"},
            "version": {"type": "integer"},
            "checkpoint": ref("Checkpoint"),
        },
    },
    "Model": {
        "type": "object",
        "required": [
            "name", "version", "rows", "position", "boxes", "classes", "columns", "learner",
            "parameters", "created", "checkpoint", "shadow", "store", "trouble",
        ],
        "properties": {
            "name": {"type": "string"},
            "version": {"type": "integer"},
            "rows": {"type": "integer"},
            "position": {"type": "integer"},
            "boxes": {"type": "integer"},
            "max_boxes": {"type": ["integer", "null"]},
            "classes": {"type": "array", "items": _LABEL},
            "columns": {"type": "array", "items": {"type": "object"}},
            "learner": {"type": "string"},
            "parameters": {"type": "object"},
            "created": {"type": "number"},
            "checkpoint": {"type": "object"},
            "shadow": {"type": ["object", "null"]},
            "store": {"enum": ["sqlite", "postgresql"]},
            "trouble": {
                "type": ["string", "null"],
                "description": "Why nothing can be learned at the moment.",
            },
        },
    },
}  # fmt: skip
