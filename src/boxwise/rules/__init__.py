"""A model as if-then rules: to read, to simplify, to predict with, to prune by."""

from boxwise.rules.condition import Between, Condition, NoneOf, OneOf
from boxwise.rules.rule import Rule
from boxwise.rules.ruleset import RuleSet

__all__ = ["Between", "Condition", "NoneOf", "OneOf", "Rule", "RuleSet"]
