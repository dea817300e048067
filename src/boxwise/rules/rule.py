"""One rule: conditions, a class, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from boxwise.core.words import counted
from boxwise.rules.condition import Condition, value_in_rule


@dataclass(frozen=True)
class Rule:
    """IF all conditions hold THEN a class.

    Attributes
    ----------
    conditions : tuple of Between, OneOf or NoneOf
        At most one per column; those that raise the precision of the rule most come first. None:
        the rule covers every row.
    label : object
        The class.
    rank : int
        Of the rules that cover a row, the one with the lowest rank decides.
    rows : int
        How many rows the boxes have learned that the rule stands for.
    boxes : tuple of int
        Their positions in ``boxes_``.
    covered, right : int or None
        Rows that meet the conditions, and those of them that are of the class, where the rule was
        measured on rows.
    decided, decided_right : int or None
        The same for the rows that the rule decided: no rule of lower rank covers them.

    Examples
    --------
    >>> from boxwise.rules import Between, OneOf
    >>> rule = Rule((Between("age", 30, 45), OneOf("purpose", ("car", "radio"))), "good", rows=12)
    >>> print(rule)
    IF age between 30 and 45 AND purpose in {car, radio} THEN good (from 12 rows)
    """

    conditions: tuple[Condition, ...]
    label: object
    rank: int = 0
    rows: int = 0
    boxes: tuple[int, ...] = ()
    covered: int | None = None
    right: int | None = None
    decided: int | None = None
    decided_right: int | None = None

    @property
    def precision(self) -> float | None:
        """The share of the covered rows that are of the class; None if there are none."""
        return share(self.right, self.covered)

    @property
    def decided_precision(self) -> float | None:
        """The share of the decided rows that are of the class; None if there are none."""
        return share(self.decided_right, self.decided)

    def text(self) -> str:
        """Return the rule without what is known about it."""
        label = value_in_rule(self.label)
        if not self.conditions:
            return f"OTHERWISE {label}" if self.rank else f"ALWAYS {label}"
        return f"IF {' AND '.join(map(str, self.conditions))} THEN {label}"

    in_words = text  # the name of version 0.1

    def about(self, *, ordered: bool = False) -> str:
        """Return what is known about the rule: rows covered (or decided, in a list) and right."""
        verb, n = ("decides", self.decided) if ordered else ("covers", self.covered)
        if n is None:
            return f"from {counted(self.rows, 'row', 'rows')}"
        precision = self.decided_precision if ordered else self.precision
        share = "" if precision is None else f", {percent(precision)} right"
        return f"{verb} {counted(n, 'row', 'rows')}{share}"

    def __str__(self) -> str:
        return f"{self.text()} ({self.about()})"


def share(part: int | None, whole: int | None) -> float | None:
    """Return a share; None of nothing."""
    return None if part is None or not whole else part / whole


def percent(x: float) -> str:
    """Return a share in percent; only what is whole is 100%, only what is none 0%.

    Examples
    --------
    >>> percent(0.934), percent(0.9999), percent(1)
    ('93%', '99%', '100%')
    """
    return f"{min(max(round(x * 100), 1 if x > 0 else 0), 100 if x >= 1 else 99)}%"
