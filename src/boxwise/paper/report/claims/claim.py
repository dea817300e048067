"""What a claim of the paper is, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from boxwise.paper.protocol import N_FOLDS
from boxwise.paper.report.view import MissingError, View
from boxwise.paper.report.words import listed, title

SURE = 0.8  # the share of repetitions that must agree


@dataclass(frozen=True)
class Finding:
    """Whether a claim is true of some results, and the numbers that say so."""

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

    @property
    def id(self) -> str:
        """Its id on the page."""
        return f"claim-{self.number}"


class Verdict(Enum):
    """What can be said of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Judgement:
    """A verdict and what it rests on."""

    claim: Claim
    verdict: Verdict
    numbers: str
    sureness: str


def judge(claim: Claim, view: View) -> Judgement:
    """Decide a claim on all results, and see how many repetitions alone would agree."""
    try:
        finding = claim.check(view)
    except MissingError as missing:
        return Judgement(claim, Verdict.OPEN, "", f"{missing}")
    lacking = _lacking(claim, view)
    if lacking:
        names = listed([title(dataset) for dataset in lacking])
        return Judgement(claim, Verdict.OPEN, finding.numbers, f"no results for {names}")
    alone = [*_repetitions(claim, view)]
    if not alone:
        return Judgement(claim, Verdict.OPEN, finding.numbers, "no repetition is complete")
    agree = alone.count(finding.holds)
    sure = agree >= SURE * len(alone)
    verdict = (Verdict.HOLDS if finding.holds else Verdict.FAILS) if sure else Verdict.OPEN
    leaning = "" if sure else f" that it {'holds' if finding.holds else 'does not hold'}"
    sureness = f"{agree} of {len(alone)} repetitions agree{leaning}"
    return Judgement(claim, verdict, finding.numbers, sureness)


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


def _repetitions(claim: Claim, view: View) -> Iterator[bool]:
    """Decide a claim on each complete repetition alone."""
    for repeat in view.repeats:
        alone = view.only(repeat)
        if not _lacking(claim, alone, N_FOLDS):
            with suppress(MissingError):
                yield claim.check(alone).holds


def _lacking(claim: Claim, view: View, folds: int = 1) -> list[str]:
    lacking = {d for e in (claim.experiment, *claim.others) for d in view.missing(e, folds)}
    return sorted(lacking if claim.datasets is None else lacking & {*claim.datasets})
