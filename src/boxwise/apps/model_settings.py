"""The settings of a model as options of a command, and the kinds of columns as it shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from boxwise import HyperboxClassifier
from boxwise.files import Files
from boxwise.schema import Kind


class Condition(StrEnum):
    """What `delta` bounds."""

    each = "each"
    mean = "mean"


class Scale(StrEnum):
    """How numbers are measured."""

    range = "range"
    quantile = "quantile"


class Decision(StrEnum):
    """Who decides on the class of a row."""

    membership = "membership"
    evidence = "evidence"


class ClassPrior(StrEnum):
    """What classes count for in a decision by evidence."""

    data = "data"
    balanced = "balanced"
    auto = "auto"


ThetaOption = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="Longest side of a box, as a share of the range (0.3)."),
]
DeltaOption = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="Largest change of entropy in a box, 0 to 1 (0.3)."),
]
AlphaOption = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="Weight of the numbers, 0 to 1, or auto (auto)."),
]
GammaOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBERS", help="How fast membership falls; one number, or one per column (1)."
    ),
]
ConditionOption = Annotated[
    Condition | None, typer.Option(help="Whether delta holds for each column or the mean (mean).")
]
ScaleOption = Annotated[
    Scale | None,
    typer.Option(help="Whether numbers are measured by their range or by their ranks (range)."),
]
MaxBoxesOption = Annotated[
    int | None,
    typer.Option(metavar="NUMBER", help="So many boxes are enough (no limit)."),
]
DecisionOption = Annotated[
    Decision | None,
    typer.Option(help="Whether all boxes decide together, or the best alone (evidence)."),
]
ClassPriorOption = Annotated[
    ClassPrior | None,
    typer.Option(help="For evidence: what classes count for, their rows or alike (data)."),
]
ForgetOption = Annotated[
    bool | None,
    typer.Option(
        "--forget/--no-forget",
        help="For evidence: whether boxes count less with age, as far as that helps (forget).",
        show_default=False,
    ),
]


def settings_from(
    theta: float | None,
    delta: float | None,
    alpha: str | None,
    gamma: str | None,
    condition: Condition | None,
    scale: Scale | None,
    max_boxes: int | None,
    decision: Decision | None,
    class_prior: ClassPrior | None,
    forget: bool | None,
) -> dict[str, Any]:
    """Return those that were given, as the classifier takes them."""
    for option, value in (("--class-prior", class_prior), ("--forget", forget)):
        if value is not None and decision is Decision.membership:
            raise typer.BadParameter(
                "it is for decisions by evidence; leave out --decision membership, or this",
                param_hint=option,
            )
    settings = {
        "theta": theta,
        "delta": delta,
        "alpha": None if alpha is None else _alpha(alpha),
        "gamma": None if gamma is None else _gamma(gamma),
        "condition": None if condition is None else condition.value,
        "scale": None if scale is None else scale.value,
        "max_boxes": max_boxes,
        "decision": None if decision is None else decision.value,
        "class_prior": None if class_prior is None else class_prior.value,
        "forget": forget,
    }
    return {name: value for name, value in settings.items() if value is not None}


def _alpha(text: str) -> float | str:
    if text.startswith("estimate"):
        raise typer.BadParameter(
            "alpha cannot be estimated row by row; use auto or a number from 0 to 1",
            param_hint="--alpha",
        )
    return text if text == "auto" else _number("--alpha", text)


def _gamma(text: str) -> float | list[float]:
    numbers = [_number("--gamma", part) for part in text.split(",")]
    return numbers[0] if len(numbers) == 1 else numbers


def _number(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise typer.BadParameter(f"{text!r} is not a number", param_hint=option)
    return number


def try_settings(model: HyperboxClassifier, kinds: Mapping[str, Kind]) -> None:
    """Let a model like this one learn a row, to have its settings checked before any work."""
    row = {n: [0.0] if kind == "continuous" else ["a"] for n, kind in kinds.items()}
    try:
        HyperboxClassifier(**model.get_params()).partial_fit(row, ["a"])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def show_kinds(files: Files, kinds: Mapping[str, Kind], label: str) -> None:
    """Say on standard error what the columns are taken for."""
    options = "--numeric, --categorical, --drop and --only"
    typer.echo(f"columns of {files.first} ({options} change this):", err=True)
    for kind, word in (("continuous", "numeric"), ("categorical", "categorical")):
        names = [name for name, other in kinds.items() if other == kind]
        if names:
            typer.echo(f"  {word:<12} {', '.join(names)}", err=True)
    typer.echo(f"  {'label':<12} {label}", err=True)
    if files.left_out:
        index = ", ".join(files.left_out)
        typer.echo(f"  {'left out':<12} {index} (an index of pandas)", err=True)
