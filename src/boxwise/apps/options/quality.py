"""Options on what to assess: groups of rows, the costs of errors, the positive class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from boxwise.apps.options.columns import chosen_names
from boxwise.evaluate import Costs
from boxwise.files import Chunk, InputError

MOST_GROUPS = 50  # different values


@dataclass
class QualityOptions:
    """The values of these options."""

    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Columns whose values divide the rows into groups, each assessed by itself; "
            "they may be dropped columns.",
        ),
    ] = None
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="COSTS",
            help="Costs of a false negative and a false positive, such as fn=5,fp=1: find the "
            "threshold that costs least.",
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="The positive class (of two, the second in order)."),
    ] = None

    @property
    def costs(self) -> Costs | None:
        """The costs, checked."""
        if self.cost is None:
            return None
        try:
            return Costs.read(self.cost)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--cost") from None

    def columns(self, names: Sequence[str], label: str) -> list[str]:
        """Return the group columns, which must be among these names and not be the label."""
        return [*dict.fromkeys(chosen_names("--group", self.group, names, label))]

    def positive_among(self, labels: Iterable[Any]) -> Any:
        """Return the positive class by its text; complain if it is not among the labels."""
        different = [*Counter(label for label in labels if label is not None)]
        if self.positive is None:
            if self.cost is not None and len(different) > 2:
                raise typer.BadParameter(
                    f"there are {len(different)} classes, and costs need two; name the positive "
                    "one with --positive, which is then taken against all others",
                    param_hint="--cost",
                )
            return None
        by_text = {str(label): label for label in different}
        if self.positive in by_text:
            return by_text[self.positive]
        near = get_close_matches(self.positive, by_text, n=1)
        shown = ", ".join(map(repr, [*by_text][:10])) + (", ..." if len(by_text) > 10 else "")
        hint = f"did you mean {near[0]!r}?" if near else f"there are {shown}"
        raise typer.BadParameter(
            f"no row read so far is of the class {self.positive!r}; {hint}",
            param_hint="--positive",
        )


def check_group_columns(first: Sequence[Chunk], columns: Sequence[str]) -> None:
    """Raise InputError for a column with so many values that it does not make groups."""
    check_groups({name: [cell for c in first for cell in c.columns[name]] for name in columns})


def check_groups(columns: Mapping[str, Sequence[Any]]) -> None:
    """Raise InputError for values of a column that are too many to make groups."""
    for name, cells in columns.items():
        values = set(map(str, cells))
        if len(values) > MOST_GROUPS:
            raise InputError(
                f"--group {name}: the column has {len(values)} different values, more than "
                f"{MOST_GROUPS}; give one with few values, such as ranges of these"
            )


def show_group_columns(columns: Sequence[str], learned: Container[str]) -> None:
    """Say on standard error which columns make groups."""
    if columns:
        shown = ", ".join(n if n in learned else f"{n} (not learned)" for n in columns)
        typer.echo(f"  {'group':<12} {shown}", err=True)
