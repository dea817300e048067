"""``boxwise inspect``: what is in a model file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from boxwise import load
from boxwise.apps.options.files import ModelArgument
from boxwise.apps.outcome import failures_reported
from boxwise.apps.possible_codes import remedy
from boxwise.core.words import counted
from boxwise.explain import rows_learned
from boxwise.learners.description import ALGORITHMS, changed_parameters, direction_text
from boxwise.schema import Column

MOST_VALUES = 8
MOST_CLASSES = 20
WIDTH = 80


def inspect(
    model: ModelArgument,
    full: Annotated[
        bool, typer.Option("--full", help="Show all parameters, category values and classes.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object with everything in it.")
    ] = False,
) -> None:
    """Show what is in a model file: algorithm, parameters, columns, classes, boxes, size.

    \b
    Examples:
      boxwise inspect loans.box
      boxwise inspect loans.box --json | jq .boxes

    \b
    Exit codes:
      0    done
      1    the file is no model file, or damaged
      2    wrong usage
    """  # noqa: D301  (click marks with it what it must not wrap)
    with failures_reported():
        clf = load(model)
        description = describe(clf, model)
        if as_json:
            typer.echo(json.dumps(description, indent=2, ensure_ascii=False, default=str))
        else:
            if not full:
                description["parameters"] = changed_parameters(clf)
            typer.echo(description_text(description, full=full))


def describe(clf: Any, path: Path) -> dict[str, Any]:
    """Return all there is to say about a model, as JSON can hold it."""
    boxes = clf.boxes_
    labels, sizes = boxes.labels.tolist(), boxes.n_samples.tolist()
    held: dict[Any, list[float]] = {label: [] for label in clf.classes_.tolist()}
    for label, size in zip(labels, sizes, strict=True):
        held.setdefault(label, []).append(size)
    every = clf.schema_.columns
    constraints = getattr(clf._fitted().settings, "monotone", ())
    monotone = {name: {"monotone": [label, sign]} for name, label, sign in constraints}
    return {
        "file": str(path),
        "file_bytes": path.stat().st_size,
        "memory_bytes": clf.n_bytes_,
        "learner": type(clf).__name__,
        "algorithm": ALGORITHMS[type(clf).__name__],
        "parameters": clf.get_params(),
        "rows": rows_learned(clf._fitted()),
        "boxes": len(sizes),
        "columns": [_column(column) | monotone.get(column.name, {}) for column in every],
        "possible_codes": clf.possible_codes_,
        "classes": [
            {"class": label, "boxes": len(rows), "rows": sum(rows)} for label, rows in held.items()
        ],
    }


def _column(column: Column) -> dict[str, Any]:
    if column.vocabulary is not None:
        return {
            "name": column.name,
            "kind": "categorical",
            "values": [*column.vocabulary.values],
        }
    if column.kind == "unknown":
        return {"name": column.name, "kind": "unknown"}
    low, high = column.range or (None, None)
    seen = low is not None and low == low
    return {
        "name": column.name,
        "kind": "numeric",
        "low": low if seen else None,
        "high": high if seen else None,
    }


def description_text(description: dict[str, Any], *, full: bool) -> str:
    """Return the description as a person reads it."""
    d = description
    parameters = ", ".join(f"{name}={value!r}" for name, value in d["parameters"].items())
    lines = [
        f"file        {d['file']}, {_size(d['file_bytes'])}; {_size(d['memory_bytes'])} in memory",
        f"algorithm   {d['algorithm']}",
        *_wrapped(f"learner     {d['learner']}({parameters})"),
        f"learned     {counted(d['rows'], 'row', 'rows')}, {counted(d['boxes'], 'box', 'boxes')}",
        "",
        counted(len(d["columns"]), "column", "columns"),
        *_table([_column_text(column, full) for column in d["columns"]]),
        *_codes_lines(d["possible_codes"]),
        "",
        counted(len(d["classes"]), "class", "classes"),
    ]
    shown = d["classes"] if full else d["classes"][:MOST_CLASSES]
    lines += _table(
        [
            (
                str(k["class"]),
                counted(k["rows"], "row", "rows"),
                counted(k["boxes"], "box", "boxes"),
            )
            for k in shown
        ]
    )
    if len(shown) < len(d["classes"]):
        lines.append(f"  and {len(d['classes']) - len(shown)} more (--full shows all)")
    return "\n".join(lines)


def _codes_lines(names: Sequence[str]) -> list[str]:
    """Name numeric columns that may hold codes, and the remedy."""
    if not names:
        return []
    return [f"  {', '.join(names)} may be codes; if so, learn anew with {remedy(names)}"]


def _column_text(column: dict[str, Any], full: bool) -> tuple[str, str, str]:
    if column["kind"] == "unknown":
        return column["name"], "unknown", "no value yet"
    if column["kind"] == "numeric":
        if column["low"] is None:
            return column["name"], "numeric", "missing"
        span = f"{column['low']:,.10g} to {column['high']:,.10g}"
        if "monotone" in column:
            span += f"; {direction_text(*column['monotone'])}"
        return column["name"], "numeric", span
    values = ["missing" if value is None else str(value) for value in column["values"]]
    shown = ", ".join(values if full else values[:MOST_VALUES])
    more = f", and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else ""
    return column["name"], "categorical", f"{len(values)}: {shown}{'' if full else more}"


def _table(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    first = max((len(row[0]) for row in rows), default=0)
    second = max((len(row[1]) for row in rows), default=0)
    return [f"  {a:<{first}}  {b:<{second}}  {c}" for a, b, c in rows]


def _wrapped(line: str) -> list[str]:
    return wrap(
        line, WIDTH, subsequent_indent=" " * 12, break_long_words=False, break_on_hyphens=False
    )


def _size(n_bytes: int) -> str:
    if n_bytes < 1024:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1024:,.1f} KB" if n_bytes < 1024**2 else f"{n_bytes / 1024**2:,.1f} MB"
