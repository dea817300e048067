"""A model as if-then rules: to read, to simplify, to predict with, to prune by."""

from boxwise.rules.condition import Between, Condition, NoneOf, OneOf
from boxwise.rules.pruning import PruneReport, RemovedBox, prune
from boxwise.rules.rule import Rule
from boxwise.rules.ruleset import RuleSet
from boxwise.rules.simplification import Point, Simplification
from boxwise.rules.simplifying import simplify

__all__ = [
    "Between",
    "Condition",
    "NoneOf",
    "OneOf",
    "Point",
    "PruneReport",
    "RemovedBox",
    "Rule",
    "RuleSet",
    "Simplification",
    "prune",
    "simplify",
]
