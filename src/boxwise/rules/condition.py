"""Conditions of a rule on one column."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from math import inf, isfinite
from typing import TypeAlias

DIGITS = 6  # of a number in text
MOST_VALUES = 6  # of a set that is written in full
NAMED = 3  # values of a longer one


@dataclass(frozen=True)
class Between:
    """A number lies within an interval, its ends included.

    A row with an interval must lie in it as a whole. A missing number meets the condition, as it
    lies in every box. In words, an end of more than six digits is rounded, outwards.

    Examples
    --------
    >>> print(Between("age", 30, 45))
    age between 30 and 45
    >>> print(Between("age", lower=30.5))
    age at least 30.5
    >>> print(Between("pay", 1234.56789, 2000.00001))
    pay between 1,234.56 and 2,000.01
    """

    column: str
    lower: float = -inf
    upper: float = inf

    def __str__(self) -> str:
        if self.lower == self.upper:
            return f"{self.column} is {number_in_rule(self.lower)}"
        low, high = (
            number_in_rule(self.lower, ROUND_FLOOR),
            number_in_rule(self.upper, ROUND_CEILING),
        )
        if self.lower == -inf:
            return f"{self.column} at most {high}"
        if self.upper == inf:
            return f"{self.column} at least {low}"
        return f"{self.column} between {low} and {high}"


@dataclass(frozen=True)
class OneOf:
    """A category is one of some values. A missing category is a value, None, like any other.

    Attributes
    ----------
    counts : tuple of int or float
        How often the box has seen each value; empty where a rule stands for several boxes.
    binds : bool
        Whether the condition raises the precision of its rule. Of more than six values the text
        names three if it does, and none if it does not.

    Examples
    --------
    >>> print(OneOf("purpose", ("car", "radio", None)))
    purpose in {car, radio, missing}
    >>> print(OneOf("purpose", tuple("abcdefgh")))
    purpose is one of 8 values (a, b, c, …)
    >>> print(OneOf("purpose", tuple("abcdefgh"), binds=False))
    purpose is any of 8 values
    """

    column: str
    values: tuple[object, ...]
    counts: tuple[float, ...] = ()
    binds: bool = True

    @property
    def is_folded(self) -> bool:
        """Whether the text leaves values out."""
        return len(self.values) > MOST_VALUES

    def __str__(self) -> str:
        if self.is_folded and not self.binds:
            return f"{self.column} is any of {len(self.values):,} values"
        return f"{self.column} {_set_text(self.values, 'is', 'in', 'is one of')}"


@dataclass(frozen=True)
class NoneOf:
    """A category is none of some values; one that is new is none of them.

    Examples
    --------
    >>> print(NoneOf("purpose", ("car",)))
    purpose is not car
    """

    column: str
    values: tuple[object, ...]

    @property
    def is_folded(self) -> bool:
        """Whether the text leaves values out."""
        return len(self.values) > MOST_VALUES

    def __str__(self) -> str:
        return f"{self.column} {_set_text(self.values, 'is not', 'not in', 'is none of')}"


def _set_text(values: tuple[object, ...], one: str, few: str, many: str) -> str:
    """Return a set of values with the words for one, a few or many of them."""
    if len(values) == 1:
        return f"{one} {value_in_rule(values[0])}"
    if len(values) <= MOST_VALUES:
        return f"{few} {{{', '.join(map(value_in_rule, values))}}}"
    named = ", ".join(map(value_in_rule, values[:NAMED]))
    return f"{many} {len(values):,} values ({named}, …)"


Condition: TypeAlias = Between | OneOf | NoneOf


def number_in_rule(x: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a number in at most six digits, or as many as a whole one has.

    Examples
    --------
    >>> number_in_rule(1169.0), number_in_rule(0.1), number_in_rule(1e-7)
    ('1,169', '0.1', '1e-7')
    >>> number_in_rule(129319.4714040934), number_in_rule(0.123456789)
    ('129,319', '0.123457')
    """
    if not isfinite(x):
        return str(x)
    exact = Decimal(repr(float(x)))
    place = min(exact.adjusted() - DIGITS + 1, 0)
    if place > int(exact.as_tuple().exponent):
        exact = exact.quantize(Decimal(1).scaleb(place), rounding=rounding)
    if exact == exact.to_integral_value() and exact.adjusted() < 15:
        return f"{int(exact):,}"
    plain = exact.normalize()
    return f"{plain:,f}" if -6 < plain.adjusted() < 15 else f"{plain:e}"


def value_in_rule(value: object) -> str:
    """Return a category as a reader sees it, in quotes where it would be misread.

    Examples
    --------
    >>> value_in_rule(None), value_in_rule("missing"), value_in_rule("a, b")
    ('missing', "'missing'", "'a, b'")
    """
    if value is None:
        return "missing"
    text = str(value)
    plain = text == text.strip() and not set(",{}\n") & set(text) and text not in ("", "missing")
    return text if plain else repr(text)
