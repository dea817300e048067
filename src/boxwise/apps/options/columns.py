"""Options on the columns of files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from boxwise.dates import PARTS, checked_dates
from boxwise.files import FileSet, InputError, check_names
from boxwise.schema import Schema

LabelOption = Annotated[str, typer.Option(metavar="NAME", help="The column of the classes.")]


@dataclass
class ColumnOptions:
    """The values of these options; names are given one by one or with commas."""

    categorical: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that are categorical.")
    ] = None
    numeric: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that are numeric.")
    ] = None
    date: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:PARTS",
            help="A column of dates and what matters about it, such as opened:month,weekday: "
            f"{', '.join(PARTS)}; may be repeated.",
        ),
    ] = None
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns to leave out.")
    ] = None
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="The only columns to keep besides the label."),
    ] = None
    classes_are_numbers: Annotated[
        bool,
        typer.Option(
            "--classes-are-numbers",
            help="Accept any number of different numbers as classes.",
        ),
    ] = False
    label: str = field(init=False)
    groups: list[str] | None = field(init=False, default=None)  # as --group names them
    # Numeric columns that may hold codes, with the number of their values, once rows are read.
    possible_codes: dict[str, int] = field(init=False, default_factory=dict)
    possible_dates: list[str] = field(init=False, default_factory=list)
    constants: dict[str, object] = field(init=False, default_factory=dict)  # columns of one value
    classes: list[object] = field(init=False, default_factory=list)  # of the first rows

    @property
    def dates(self) -> dict[str, list[str]]:
        """The columns of dates, and the parts of each."""
        dates: dict[str, list[str]] = {}
        for text in self.date or ():
            name, colon, parts = text.rpartition(":")
            if not colon:
                raise typer.BadParameter(
                    f"{text!r} names no parts; write {text}:year,month,weekday,hour",
                    param_hint="--date",
                )
            dates[name] = dates.get(name, []) + [part.strip() for part in parts.split(",")]
        try:
            checked_dates(dates)
        except ValueError as error:
            raise typer.BadParameter(
                str(error).removeprefix("dates: "), param_hint="--date"
            ) from None
        return dates

    @property
    def dropped(self) -> frozenset[str]:
        """The names that may be meant by --drop, but for those of groups, which are read."""
        return candidate_names(self.drop) - candidate_names(self.groups)

    @property
    def kept(self) -> frozenset[str] | None:
        """The names that may be meant by --only, label and groups; None if all are kept."""
        if not self.only:
            return None
        return candidate_names(self.only) | candidate_names(self.groups) | {self.label}

    def check(self, files: FileSet) -> None:
        """Refuse a label that is not there, and options that contradict each other."""
        drop = chosen_names("--drop", self.drop, files.all_names, self.label)
        only = chosen_names("--only", self.only, files.all_names)
        _refuse_both("--only", only, "--drop", drop)
        check_names(files.names, [self.label], files.first, "label column")
        chosen_names("--group", self.groups, files.names, self.label)

    def features(self, files: FileSet) -> list[str]:
        """Return the columns to learn from."""
        dropped = candidate_names(self.drop)
        kept = candidate_names(self.only) if self.only else frozenset(files.names)
        names = [
            n
            for n in files.names
            if n != self.label and n not in dropped and {n, files.source_of[n]} & kept
        ]
        if not names:
            raise InputError(
                f"{files.first} has no column but the label {self.label!r}; "
                "check the delimiter, --drop and --only"
            )
        return names

    def declared(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return those of the columns that are declared numeric, and those that are categories."""
        numeric = chosen_names("--numeric", self.numeric, names, self.label)
        categorical = chosen_names("--categorical", self.categorical, names, self.label)
        _refuse_both("--numeric", numeric, "--categorical", categorical)
        return numeric, categorical


def candidate_names(given: Iterable[str] | None) -> frozenset[str]:
    """Return all names that might be meant: each text as a whole, and its parts between commas."""
    texts = list(given or ())
    return frozenset(texts) | {part.strip() for text in texts for part in text.split(",")}


def chosen_names(
    option: str, given: Iterable[str] | None, names: Sequence[str], label: str | None = None
) -> list[str]:
    """Return the columns that an option names, none of which may be the label if it is given."""
    found: list[str] = []
    for text in given or ():
        parts = [text] if text in names else [part.strip() for part in text.split(",")]
        for part in parts:
            if part == label:
                problem = f"{part!r} is the --label; it cannot be given here too"
                raise typer.BadParameter(problem, param_hint=option)
            if part not in names:
                shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
                problem = f"there is no column {part!r}; there are {shown}"
                raise typer.BadParameter(problem, param_hint=option)
            found.append(part)
    return found


def fixed_columns(
    schema: Schema, given: Iterable[str] | None, names: Sequence[str], label: str | None = None
) -> list[str | int]:
    """Return the columns of --fix, dates among them; `names` is how the files call the columns."""
    chosen = chosen_names("--fix", given, [*names, *schema.dates], label)
    return [name if schema.named else names.index(name) for name in chosen]


def _refuse_both(option: str, names: Iterable[str], other: str, others: Iterable[str]) -> None:
    both = sorted({*names} & {*others})
    if both:
        raise typer.BadParameter(f"{both[0]!r} is given with {option} and with {other}")
