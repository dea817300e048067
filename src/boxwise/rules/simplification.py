"""The result of simplifying: rule lists of every length, with the fidelity of each."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import narwhals as nw

from boxwise.core.boxes import Backend, installed_backend

if TYPE_CHECKING:
    from boxwise.rules.ruleset import RuleSet


@dataclass(frozen=True)
class Point:
    """One list of rules, and how it does on held-out rows.

    Attributes
    ----------
    rules : RuleSet
        The list.
    n_rules, n_conditions : int
        Its size; the last rule, OTHERWISE, counts as one.
    fidelity : float
        The share of the held-out rows, and of synthetic rows made from them, on which it agrees
        with the model.
    cba : float
        Its class balanced accuracy on the held-out rows.
    """

    rules: RuleSet
    n_rules: int
    n_conditions: int
    fidelity: float
    cba: float


@dataclass(frozen=True)
class Simplification:
    """All lists that were found, shortest first.

    Attributes
    ----------
    points : tuple of Point
        One for each number of rules.
    target : float
        The fidelity that was asked for.
    model_cba : float
        The class balanced accuracy of the model on the held-out rows.
    held_out : int
        How many rows were held out: the lists were made without them.
    asked : int
        On how many rows fidelity was measured: those held out, and synthetic rows made from them,
        since the model may have learned those held out, and know them too well. Rows that were
        given for validation are taken as they are.
    """

    points: tuple[Point, ...]
    target: float
    model_cba: float
    held_out: int
    asked: int

    @property
    def chosen(self) -> Point:
        """The point that `simplify` returned."""
        return self.at(self.target)

    @property
    def reached(self) -> bool:
        """Whether any list keeps the fidelity that was asked for."""
        return self.best >= self.target

    @property
    def best(self) -> float:
        """The highest fidelity of all lists."""
        return max(point.fidelity for point in self.points)

    @property
    def front(self) -> tuple[Point, ...]:
        """The points that no other beats: each longer one agrees with the model more often."""
        front: list[Point] = []
        for point in sorted(self.points, key=lambda p: (p.n_conditions, p.n_rules, -p.fidelity)):
            if not front or point.fidelity > front[-1].fidelity:
                front.append(point)
        return tuple(front)

    def at(self, fidelity: float) -> Point:
        """Return the shortest list that keeps so much fidelity.

        If none does, the shortest that comes within one standard error of the best: on so many
        rows they cannot be told apart.

        Parameters
        ----------
        fidelity : float from 0 to 1
            The share of held-out rows on which the rules must agree with the model.
        """
        wanted = fidelity
        if self.best < fidelity:
            wanted = self.best - sqrt(self.best * (1 - self.best) / self.asked)
        good = [point for point in self.points if point.fidelity >= wanted]
        return min(good, key=lambda p: (p.n_conditions, p.n_rules, -p.fidelity))

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the points as a table.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library that makes the table; the first of these that is installed by default.
        """
        front = {id(point) for point in self.front}
        names = ("n_rules", "n_conditions", "fidelity", "cba")
        data: dict[str, Any] = {
            name: [getattr(point, name) for point in self.points] for name in names
        }
        data["front"] = [id(point) in front for point in self.points]
        return nw.from_dict(data, backend=backend or installed_backend()).to_native()

    def __str__(self) -> str:
        chosen = self.chosen
        lines = [f"{'rules':>7}  {'conditions':>10}  {'fidelity':>8}  {'CBA':>5}"]
        lines += [
            f"{p.n_rules:7}  {p.n_conditions:10}  {p.fidelity:8.3f}  {p.cba:5.3f}"
            f"{'  chosen' if p is chosen else ''}"
            for p in self.points
        ]
        return "\n".join([*lines, f"{'the model':>29}  {self.model_cba:5.3f}"])
