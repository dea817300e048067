"""A claim of the paper, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from boxwise.paper.report.view import MissingError, View
from boxwise.paper.report.words import listed, title

DRAWS = 100
SURE = 0.9  # the share of draws that must agree


@dataclass(frozen=True)
class Finding:
    """The truth of a claim in some results, and the numbers behind it."""

    holds: bool
    numbers: str


Check = Callable[[View], Finding]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and how to tell whether it is true.

    Parameters
    ----------
    number : str
        Its number in the report, like "13a".
    experiment : str
        The experiment it is about.
    where : str
        Where it stands in the paper.
    text : str
        What it says.
    check : callable
        Decides it by a `View`; raises `MissingError` when there is nothing to decide by.
    test : str
        What was made of the paper's words, where they leave it open.
    printed : Finding, optional
        The same predicate on the numbers that the paper prints.
    others : tuple of str
        Further experiments that are needed.
    datasets : tuple of str, optional
        The data sets that are needed, if not all.
    readings : mapping of str to callable
        Other ways to test the same words, by name: another measure, or other settings.
    """

    number: str
    experiment: str
    where: str
    text: str
    check: Check
    test: str = ""
    printed: Finding | None = None
    others: tuple[str, ...] = ()
    datasets: tuple[str, ...] | None = None
    readings: Mapping[str, Check] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its id on the page."""
        return f"claim-{self.number}"


class Outcome(Enum):
    """The outcomes of testing a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Judgement:
    """An outcome and what it rests on."""

    claim: Claim
    outcome: Outcome
    numbers: str
    sureness: str
    readings: Mapping[str, Judgement] = field(default_factory=dict)

    @property
    def is_agreed(self) -> bool:
        """Whether every way to test the claim gives this outcome."""
        return all(other.outcome is self.outcome for other in self.readings.values())


def judge(claim: Claim, view: View) -> Judgement:
    """Decide a claim on all results, in every way there is to test it."""
    readings = {
        name: _judge(replace(claim, check=check), view) for name, check in claim.readings.items()
    }
    return replace(_judge(claim, view), readings=readings)


def _judge(claim: Claim, view: View) -> Judgement:
    """Decide by one test, and see how often other repetitions might have agreed."""
    try:
        finding = claim.check(view)
    except MissingError as missing:
        return Judgement(claim, Outcome.OPEN, "", f"{missing}")
    lacking = _lacking(claim, view)
    if lacking:
        names = listed([title(dataset) for dataset in lacking])
        return Judgement(claim, Outcome.OPEN, finding.numbers, f"no results for {names}")
    repeats = _complete(claim, view)
    if not repeats:
        return Judgement(claim, Outcome.OPEN, finding.numbers, "no repetition is complete")
    if len(repeats) == 1:
        outcome = Outcome.HOLDS if finding.holds else Outcome.FAILS
        return Judgement(claim, outcome, finding.numbers, "by one repetition")
    agree = [*_draws(claim, view, repeats)].count(finding.holds)
    sure = agree >= SURE * DRAWS
    outcome = (Outcome.HOLDS if finding.holds else Outcome.FAILS) if sure else Outcome.OPEN
    leaning = "" if sure else f" that it {'holds' if finding.holds else 'does not hold'}"
    sureness = f"{agree} of {DRAWS} draws of {len(repeats)} repetitions agree{leaning}"
    return Judgement(claim, outcome, finding.numbers, sureness)


def on_most(flags: Mapping[str, bool], what: str = "") -> Finding:
    """Find whether something is so on more than half of the data sets, and say on which not."""
    if not flags:
        raise MissingError("there are no results")
    yes = sum(flags.values())
    not_on = [title(dataset) for dataset, flag in flags.items() if not flag]
    exceptions = f"; not on {listed(not_on)}" if not_on and yes else ""
    lead = f"{what} " if what else ""
    return Finding(2 * yes > len(flags), f"{lead}on {yes} of {len(flags)} data sets{exceptions}")


def both(*findings: Finding) -> Finding:
    """Find whether all of several things are so."""
    numbers = "; ".join(finding.numbers for finding in findings)
    return Finding(all(finding.holds for finding in findings), numbers)


def _complete(claim: Claim, view: View) -> list[int]:
    return [repeat for repeat in view.repeats if not _lacking(claim, view, repeat)]


def _draws(claim: Claim, view: View, repeats: Sequence[int]) -> Iterator[bool]:
    """Decide a claim on as many repetitions, drawn from them with replacement (the bootstrap)."""
    random = np.random.default_rng(0)
    for _ in range(DRAWS):
        drawn = view.drawn(tuple(sorted(random.choice(repeats, len(repeats)).tolist())))
        with suppress(MissingError):
            yield claim.check(drawn).holds


def _lacking(claim: Claim, view: View, repeat: int | None = None) -> list[str]:
    lacking = {d for e in (claim.experiment, *claim.others) for d in view.missing(e, repeat)}
    return sorted(lacking if claim.datasets is None else lacking & {*claim.datasets})
