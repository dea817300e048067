"""All rules as JSON inside the page, small enough for a page that opens at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boxwise.rules import Between, Rule
from boxwise.rules.condition import Condition, value_in_rule
from boxwise.rules.rule import percent

BUDGET = 2_500_000  # bytes
VALUES = (255, 40, 12, 3)  # of a condition that the search finds: as many as the budget allows


@dataclass(frozen=True)
class RuleBlock:
    """Rules as the page searches them.

    Attributes
    ----------
    rules : sequence of Rule
        Those that are in the page: all, or the first that fit.
    left_out : int
        How many did not fit.
    most_values : int
        How many values of a condition the search finds.
    shortened : bool
        Whether any condition has more.
    data : str
        The JSON, which cannot end the script element that it stands in.
    """

    rules: Sequence[Rule]
    left_out: int
    most_values: int
    shortened: bool
    data: str


def rule_block(rules: Sequence[Rule]) -> RuleBlock:
    """Return the block; what does not fit is shortened first, and then left out."""
    for most in VALUES:
        coded = [_coded(rule, most) for rule in rules]
        sizes = [len(line.encode(errors="backslashreplace")) for line in coded]
        if sum(sizes) <= BUDGET:
            break
    fit, used = 0, 0
    while fit < len(coded) and used + sizes[fit] <= BUDGET:
        used += sizes[fit]
        fit += 1
    longest = max(
        (len(c.values) for r in rules[:fit] for c in r.conditions if not isinstance(c, Between)),
        default=0,
    )
    data = f"[{','.join(coded[:fit])}]".replace("<", "\\u003c")
    return RuleBlock(rules[:fit], len(rules) - fit, most, longest > most, data)


def hidden_values(condition: Condition, most: int) -> str:
    """Return so many values of a set whose text does not name all, the most frequent first."""
    if isinstance(condition, Between) or not condition.is_folded:
        return ""
    named = ", ".join(map(value_in_rule, condition.values[:most]))
    return named if len(condition.values) <= most else f"{named}, …"


def numbers_of(rule: Rule) -> list[str]:
    """Return what is known about a rule: rows learned and, if measured, covered and right."""
    if rule.covered is None:
        return [f"{rule.rows:,}"]
    right = "" if rule.precision is None else percent(rule.precision)
    return [f"{rule.rows:,}", f"{rule.covered:,}", right]


def _coded(rule: Rule, most: int) -> str:
    conditions: list[Any] = []
    for condition in rule.conditions:
        hidden = hidden_values(condition, most)
        conditions.append([str(condition), hidden] if hidden else str(condition))
    entry: list[Any] = [
        value_in_rule(rule.label),
        conditions,
        rule.boxes[0] if rule.boxes else None,
        *numbers_of(rule),
    ]
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
