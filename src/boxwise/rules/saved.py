"""Rules as JSON, and back; what is read is not trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from boxwise.rules.condition import Between, Condition, NoneOf, OneOf
from boxwise.rules.rule import Rule
from boxwise.schema import Schema, is_category, show

if TYPE_CHECKING:
    from boxwise.rules.ruleset import RuleSet

FORMAT = "boxwise rules"
VERSION = 1
_COUNTS = ("rank", "rows")
_MEASURED = ("covered", "right", "decided", "decided_right")


def to_json(rules: RuleSet, indent: int | None) -> str:
    """Return the rules as text."""
    ranges = {
        c.name: c.range for c in rules.schema.columns if c.range and all(map(isfinite, c.range))
    }
    content = {
        "format": FORMAT,
        "version": VERSION,
        "ordered": rules.ordered,
        "classes": rules.classes,
        "rules": [_rule_to_dict(rule) for rule in rules],
        "schema": rules.schema.to_dict(),
        "ranges": ranges,
    }
    return json.dumps(content, indent=indent, ensure_ascii=False)


def from_json(text: str | bytes) -> dict[str, Any]:
    """Return what a RuleSet is made of."""
    try:
        content = json.loads(text)
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError("another format or version")
        schema = _with_ranges(Schema.from_dict(content["schema"]), content["ranges"])
        classes = [_label(label) for label in content["classes"]]
        rules = [_rule_from_dict(rule, schema) for rule in content["rules"]]
        if not all(rule.label in classes for rule in rules):
            raise ValueError("a rule of a class that is not among the classes")
        ordered = content["ordered"] is True
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise ValueError(f"this is not what RuleSet.to_json writes: {error}") from None
    return {"rules": rules, "schema": schema, "classes": classes, "ordered": ordered}


def _with_ranges(schema: Schema, ranges: Mapping[str, Any]) -> Schema:
    columns = []
    for c in schema.columns:
        known = ranges.get(c.name) if c.kind == "numeric" else None
        pair = None if known is None else _ordered(c.name, known[0], known[1])
        columns.append(c.with_values(c.vocabulary, pair))
    return Schema(columns, schema.named)


def _rule_to_dict(rule: Rule) -> dict[str, Any]:
    data: dict[str, Any] = {
        "if": [_condition_to_dict(condition) for condition in rule.conditions],
        "then": rule.label,
        "text": rule.text(),
        "boxes": rule.boxes,
    }
    return data | {name: getattr(rule, name) for name in (*_COUNTS, *_MEASURED)}


def _condition_to_dict(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, Between):
        ends = {"at_least": condition.lower, "at_most": condition.upper}
        return {"column": condition.column} | {k: x for k, x in ends.items() if isfinite(x)}
    if isinstance(condition, NoneOf):
        return {"column": condition.column, "not_in": condition.values}
    listed = {"column": condition.column, "in": condition.values, "counts": condition.counts}
    return listed if condition.binds else {**listed, "binds": False}


def _rule_from_dict(data: Mapping[str, Any], schema: Schema) -> Rule:
    conditions = tuple(_condition_from_dict(condition, schema) for condition in data["if"])
    numbers: dict[str, Any] = {name: _whole(data[name]) for name in _COUNTS}
    numbers |= {name: None if data[name] is None else _whole(data[name]) for name in _MEASURED}
    boxes = tuple(_whole(box) for box in data["boxes"])
    return Rule(conditions, _label(data["then"]), boxes=boxes, **numbers)


def _condition_from_dict(data: Mapping[str, Any], schema: Schema) -> Condition:
    name = data["column"]
    kind = schema.columns[schema.names.index(name)].kind
    if "in" in data or "not_in" in data:
        values = tuple(data["in" if "in" in data else "not_in"])
        if kind != "categorical" or not all(map(is_category, values)):
            raise ValueError(f"column {name!r} cannot be one of {show(values)}")
        if "not_in" in data:
            return NoneOf(name, values)
        counts = tuple(map(_count, data["counts"]))
        return OneOf(name, values, counts, binds=data.get("binds", True) is not False)
    if kind != "numeric":
        raise ValueError(f"column {name!r} is {kind}, and holds no numbers")
    return Between(name, *_ordered(name, data.get("at_least", -inf), data.get("at_most", inf)))


def _ordered(column: str, lower: Any, upper: Any) -> tuple[float, float]:
    ends = float(lower), float(upper)
    if not ends[0] <= ends[1]:  # NaN neither
        raise ValueError(f"column {column!r} cannot be between {show(lower)} and {show(upper)}")
    return ends


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{show(value)} is not a number of rows")
    return value


def _count(value: object) -> float:
    """Return how many rows have a value; not whole where rows had weights that were not."""
    if type(value) is float and 0 <= value < inf:
        return value
    return _whole(value)


def _label(value: object) -> object:
    if value is None or not is_category(value):
        raise ValueError(f"{show(value)} is not a class")
    return value
