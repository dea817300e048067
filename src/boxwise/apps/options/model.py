"""The settings of a model as options of a command, and the kinds of columns as it shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Protocol

import typer
from sklearn.base import clone

from boxwise import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
)
from boxwise.apps.options.monotone import (
    OPTION,
    check_constraints,
    constraints_given,
    with_classes,
)
from boxwise.files import Typing
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.learners.base.numeric_only import NumericOnly
from boxwise.schema import Kind


class Algorithm(StrEnum):
    """The learners, as the literature calls them; ours is called hyperbox."""

    hyperbox = "hyperbox"
    eiol_gfmm = "eiol-gfmm"
    iol_gfmm = "iol-gfmm"
    onln_gfmm = "onln-gfmm"
    onln_gfmm_m1 = "onln-gfmm-m1"
    onln_gfmm_m2 = "onln-gfmm-m2"
    agglo_2 = "agglo-2"
    agglo_sm = "agglo-sm"


LEARNERS: dict[Algorithm, tuple[type[HyperboxLearner], dict[str, Any]]] = {
    Algorithm.hyperbox: (HyperboxClassifier, {}),
    Algorithm.eiol_gfmm: (EIOLGFMM, {}),
    Algorithm.iol_gfmm: (ImprovedOnlineGFMM, {}),
    Algorithm.onln_gfmm: (OnlineGFMM, {}),
    Algorithm.onln_gfmm_m1: (CastilloGFMM, {}),
    Algorithm.onln_gfmm_m2: (ShindeGFMM, {}),
    Algorithm.agglo_2: (AgglomerativeGFMM, {"method": "agglo2"}),
    Algorithm.agglo_sm: (AgglomerativeGFMM, {"method": "agglosm"}),
}


# Options that are called otherwise than the parameters.
_PARAMETERS = {"monotone": "monotonic_cst"}
_OPTIONS = {"dates": "--date", "monotonic_cst": OPTION}


class Scale(StrEnum):
    """Scales of the numeric columns."""

    range = "range"
    quantile = "quantile"


class ClassPrior(StrEnum):
    """Priors of the classes."""

    data = "data"
    balanced = "balanced"
    auto = "auto"


@dataclass
class SettingOptions:
    """The learner and its settings; what was not given is None."""

    algorithm: Annotated[
        Algorithm | None,
        typer.Option(
            metavar="NAME",
            help=f"The learner, one of {', '.join(Algorithm)} (hyperbox).",
        ),
    ] = None
    theta: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Maximum side of a box, as a share of the range."),
    ] = None
    delta: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Maximum entropy change in a box, 0 to 1."),
    ] = None
    version: Annotated[
        int | None,
        typer.Option(
            metavar="1|2",
            help="EIOL-GFMM: delta limits each column (1, the default) or the mean (2).",
        ),
    ] = None
    alpha: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="EIOL-GFMM, AGGLO: weight of numeric columns, 0 to 1 or auto (auto).",
        ),
    ] = None
    gamma: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="All but hyperbox: slope of the membership, one number or one per column (1).",
        ),
    ] = None
    beta: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER", help="Onln-GFMM-M2: share of categories a box must contain (0.75)."
        ),
    ] = None
    eta: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Onln-GFMM-M1: maximum distance of two categories."),
    ] = None
    scale: Annotated[
        Scale | None,
        typer.Option(help="Scale of numeric columns (hyperbox: quantile; others: range)."),
    ] = None
    max_boxes: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="Maximum number of boxes (hyperbox: 1000; others: no limit)."
        ),
    ] = None
    class_prior: Annotated[
        ClassPrior | None,
        typer.Option(help="hyperbox: prior of the classes (data)."),
    ] = None
    adapt: Annotated[
        bool | None,
        typer.Option(
            "--adapt/--no-adapt",
            help="hyperbox: replace the boxes when errors rise and new ones are better (adapt).",
            show_default=False,
        ),
    ] = None
    additive: Annotated[
        bool | None,
        typer.Option(
            "--additive/--no-additive",
            help="hyperbox: add a curve for each column to the votes of the boxes (additive).",
            show_default=False,
        ),
    ] = None

    monotone: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:+CLASS",
            help="hyperbox: a number with which a class only gets likelier (+) or less likely (-), "
            "such as income:+approved; income:+ is about the second of two classes; may be "
            "repeated.",
        ),
    ] = None

    @property
    def any_given(self) -> bool:
        """Whether any of the options was given."""
        return any(value is not None for value in vars(self).values())

    def given(self, dates: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
        """Return the settings that were given, as the learner of the algorithm takes them.

        `dates` are the columns of dates and their parts, which the learner is to know.
        """
        algorithm = self.algorithm or Algorithm.hyperbox
        read: dict[str, Callable[[Any], Any]] = {"alpha": _alpha, "gamma": _gamma}
        read |= {"scale": str, "class_prior": str, "monotone": constraints_given}
        given = {
            _PARAMETERS.get(name, name): read.get(name, lambda value: value)(value)
            for name, value in vars(self).items()
            if value is not None and name != "algorithm"
        }
        if dates:
            given["dates"] = dates
        for name in given:
            takers = [str(a) for a, (kind, _) in LEARNERS.items() if name in kind().get_params()]
            if algorithm not in takers:
                raise typer.BadParameter(
                    f"{algorithm} has no such setting; it is for --algorithm {' or '.join(takers)}",
                    param_hint=_OPTIONS.get(name, f"--{name.replace('_', '-')}"),
                )
        return given


def new_learner(
    algorithm: Algorithm,
    settings: Mapping[str, Any],
    kinds: Mapping[str, Kind],
    classes: Sequence[object] = (),
) -> Any:
    """Return a learner for columns of these kinds; its settings are checked before any work.

    `classes` are those of the first rows, which --monotone may be about.
    """
    kind, fixed = LEARNERS[algorithm]
    if "monotonic_cst" in settings:
        named = with_classes(settings["monotonic_cst"], classes)
        settings = {**settings, "monotonic_cst": named}
    categorical = [name for name, of in kinds.items() if of == "categorical"]
    columns: dict[str, Any] = {"categorical_features": categorical}
    if issubclass(kind, NumericOnly):
        if categorical:
            raise typer.BadParameter(
                f"{algorithm} takes numbers only, and {', '.join(categorical)} "
                f"{'is' if len(categorical) == 1 else 'are'} categorical; use another algorithm, "
                "or --drop or --numeric",
                param_hint="--algorithm",
            )
        columns = {}
    model = kind(**fixed, **settings, **columns)
    row: dict[str, list[object]] = {
        name: [0.0] if of == "numeric" else ["a"] for name, of in kinds.items() if of != "unknown"
    }
    trial = clone(model)
    if "monotonic_cst" in settings:
        check_constraints(model, kinds)
        trial.set_params(monotonic_cst=None)  # which the class of this row has nothing to do with
    try:
        trial.fit(row, ["a"])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return model


def typing_of(algorithm: Algorithm, typing: Typing) -> Typing:
    """Return what the cells are to be for an algorithm: numbers if it takes nothing else."""
    if not issubclass(LEARNERS[algorithm][0], NumericOnly):
        return typing
    return replace(typing, kinds={**typing.kinds, **dict.fromkeys(typing.unknown, "numeric")})


def learns_row_by_row(model: Any) -> bool:
    """Return whether the learner needs not see all rows at once."""
    return hasattr(model, "partial_fit")


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


class Shown(Protocol):
    """Rows as `show_kinds` names them."""

    first: str  # the name of the file or of the stream
    left_out: tuple[str, ...]  # columns that are no data


def show_kinds(files: Shown, kinds: Mapping[str, Kind], label: str) -> None:
    """Say on standard error what the columns are taken for."""
    options = "--numeric, --categorical, --drop and --only"
    typer.echo(f"columns of {files.first} ({options} change this):", err=True)
    words = {"numeric": "numeric", "categorical": "categorical", "unknown": "no value yet"}
    for kind, word in words.items():
        names = [name for name, other in kinds.items() if other == kind]
        if names:
            typer.echo(f"  {word:<12} {', '.join(names)}", err=True)
    typer.echo(f"  {'label':<12} {label}", err=True)
    if files.left_out:
        index = ", ".join(files.left_out)
        typer.echo(f"  {'left out':<12} {index} (an index of pandas)", err=True)
