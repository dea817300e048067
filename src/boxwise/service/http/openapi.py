"""The OpenAPI document, and the same as a page to read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from boxwise import __version__
from boxwise.service.http.endpoints import Endpoint
from boxwise.service.http.schemas import SCHEMAS

_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:56em;"
    "margin:2em auto;padding:0 1em}pre{overflow:auto;padding:.6em;border:1px solid #8886}"
    "h2{margin-top:2em}summary{cursor:pointer}code{font-size:.95em}"
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Return the OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = endpoint.path.replace(":path}", "}")
        paths.setdefault(path, {})[endpoint.method.lower()] = endpoint.operation()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "boxwise",
            "version": __version__,
            "summary": "A classifier that learns online, explains itself and forgets nothing.",
        },
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Needed if the service was started with tokens.",
                }
            },
        },
    }


def docs_page(described: dict[str, Any]) -> bytes:
    """Return the document as one page of HTML, without scripts."""
    parts = []
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            parts.append(_operation(method, path, operation))
    page = (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>boxwise: API</title>"
        f"<meta name=viewport content='width=device-width'><style>{_STYLE}</style>"
        f"<h1>API of boxwise {escape(described['info']['version'])}</h1>"
        "<p>The same for programs: <a href=openapi.json>openapi.json</a></p>"
    )
    return (page + "".join(parts) + "</html>").encode()


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    scope = operation.get("x-scope")
    parts = [
        f"<h2><code>{method.upper()} {escape(path)}</code></h2>",
        f"<p>{escape(operation['summary'])}. "
        f"{f'Scope: <b>{escape(scope)}</b>.' if scope else 'No token needed.'}</p>",
    ]
    if "description" in operation:
        parts.append(f"<p>{escape(operation['description'])}</p>")
    if "parameters" in operation:
        items = [
            f"<li><code>{escape(one['name'])}</code> ({one['in']}): "
            f"{escape(one.get('description', ''))}</li>"
            for one in operation["parameters"]
        ]
        parts.append(f"<ul>{''.join(items)}</ul>")
    bodies = operation.get("requestBody", {}).get("content", {})
    parts += [_body(f"Body, {kind}", content) for kind, content in bodies.items()]
    for status, response in operation["responses"].items():
        if status.isdecimal():
            contents = response["content"].items()
            parts += [_body(f"Answer {status}, {kind}", content) for kind, content in contents]
    return "".join(parts)


def _body(title: str, content: dict[str, Any]) -> str:
    example = content.get("example")
    text = example if isinstance(example, str) else json.dumps(example, indent=2)
    shown = "" if example is None else f"<pre>{escape(text)}</pre>"
    schema = json.dumps(content["schema"], indent=2)
    return (
        f"<p>{escape(title)}</p>{shown}<details><summary>schema</summary>"
        f"<pre>{escape(schema)}</pre></details>"
    )
