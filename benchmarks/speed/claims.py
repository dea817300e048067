"""What was promised, what was measured, and whether it is so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import hypot
from typing import Any

from benchmarks.speed import fit
from benchmarks.speed.record import Line

EXPONENT = 0.8
SOME = 10  # boxes that have to be looked at, to be a reason
MILLION = 1_000_000

Parts = dict[str, dict[str, Any]]  # what each part wrote


@dataclass(frozen=True)
class Claim:
    """A promise, the figure that goes with it, and whether it is kept; None: not measured."""

    promise: str
    measured: str
    kept: bool | None


def claims(parts: Parts) -> list[Claim]:
    """Return all promises, those that were not measured too."""
    return [*_of_growth(parts), *_of_peers(parts), *_of_latency(parts), *_of_memory(parts)]


def lines_of(parts: Parts, part: str, **wanted: object) -> list[Line]:
    """Return the lines of a part that have these values."""
    lines = parts.get(part, {}).get("lines", [])
    return [line for line in lines if all(line.get(k) == v for k, v in wanted.items())]


def by_stream(lines: Sequence[Line]) -> Iterator[tuple[tuple[str, str], list[Line]]]:
    """Return the lines of each stream and learner, in their order."""
    for key, group in groupby(lines, key=lambda line: (line["stream"], line["learner"])):
        yield key, list(group)


def _of_growth(parts: Parts) -> Iterator[Claim]:
    lines = lines_of(parts, "growth")
    for what in ("learn", "predict"):
        groups = dict(by_stream(lines))
        found = {
            key: slope
            for key, group in groups.items()
            if (slope := fit.of_lines(group, f"{what}_index")) is not None
        }
        over, excused = [], 0
        for key, slope in found.items():
            if slope <= EXPONENT:
                continue
            reason = _reason(groups[key], what)
            shown = ""
            if reason is not None:
                words, grows, error = reason
                own = fit.error_of_lines(groups[key], f"{what}_index")
                excused += slope <= grows + hypot(own, error)  # no faster, as far as can be told
                shown = f" ± {own:.2f}; {words}: {grows:.2f} ± {error:.2f}"
            over.append(f"{', '.join(key)} ({slope:.2f}{shown})")
        yield Claim(
            f"{what}: cost grows with boxes to the power of {EXPONENT} at most, on every stream, "
            "or what has to be looked at does",
            f"on {len(found) - len(over)} of {len(found)}; above: {'; '.join(over) or 'none'}"
            if found
            else "",
            excused == len(over) if found else None,
        )
    for stream, least in (("loan 0.1", 10), ("loan 0.5", 6)):
        promise = f"EIOLGFMM: learning, {stream}, 100,000 rows: {least}× as fast as brute force"
        (*_, line) = lines_of(parts, "growth", stream=stream, learner="EIOLGFMM", rows=100_000) or [
            {}
        ]
        small = _quotient(line, "learn_small", "learn_index")
        beside = "" if small is None else f"; {small:.1f}× what models too small for an index do"
        yield _ratio(promise, _quotient(line, "learn_brute", "learn_index"), least, beside)
    same = [line["same"] for line in lines if "same" in line]
    yield Claim(
        "the index changes no box and no prediction",
        f"{sum(same)} of {len(same)} models" if same else "",
        all(same) if same else None,
    )


def _reason(lines: Sequence[Line], what: str) -> tuple[str, float, float] | None:
    """Return what such a learner has to look at, and how that grows, with the error of the fit.

    None if that is little.
    """
    reasons = [("around", "boxes around a row")]
    if what == "predict":
        reasons.append(("speaking", "boxes with a part"))
    for key, words in reasons:
        grows = fit.of_lines(lines, key)
        if grows is not None and fit.in_question(lines)[-1][key] >= SOME:
            return words, grows, fit.error_of_lines(lines, key)
    return None


def _of_peers(parts: Parts) -> Iterator[Claim]:
    for what, least in (("learn", 2_000), ("predict", 1_000)):
        for size in (0.1, 0.5):
            lines = lines_of(parts, "brain", rows=2_000, size=size)
            promise = f"EIOLGFMM: {what}, 2,000 rows, θ = δ = {size}: {least:,}× hyperbox-brain"
            yield _ratio(promise, lines[0][f"{what}_ratio"] if lines else None, least)
    trees = lines_of(parts, "peers", library="River", learner="Hoeffding tree")
    for key, rows in (("ratios_at_first", "2,000 rows"), ("ratios", "all rows that were timed")):
        for setting in trees[0][key] if trees else ():
            ratios = [line[key][setting] for line in trees]
            yield Claim(
                f"{setting}: 15× River's Hoeffding tree through River's interface, {rows}",
                f"{min(ratios):.1f}× to {max(ratios):.1f}×, "
                f"on {sum(r >= 15 for r in ratios)} of {len(ratios)} streams",
                min(ratios) >= 15,
            )


def _of_latency(parts: Parts) -> Iterator[Claim]:
    for learner in ("EIOLGFMM", "HyperboxClassifier"):
        lines = [
            line
            for line in lines_of(parts, "latency", learner=learner)
            if line["what"] != "predict_one"
        ]
        worst: Callable[[Line], float] = lambda line: float(line["max_over_p50"])  # noqa: E731
        found = max(lines, key=worst, default=None)
        yield Claim(
            f"{learner}: no single learn slower than 50 times the median",
            f"{found['max_over_p50']:.0f}× ({found['stream']}, {found['what']})" if found else "",
            worst(found) <= 50 if found else None,
        )


def _of_memory(parts: Parts) -> Iterator[Claim]:
    most = [line["resident"] for line in lines_of(parts, "memory", boxes=MILLION)]
    yield Claim(
        "a million boxes with 10 + 10 features in less than 1 GB",
        f"{max(most) / 1e3:.2f} GB" if most else "",
        max(most) < 1_000 if most else None,
    )


def _quotient(line: Line, above: str, below: str) -> float | None:
    return line[above] / line[below] if above in line and below in line else None


def _ratio(promise: str, ratio: float | None, least: float, beside: str = "") -> Claim:
    if ratio is None:
        return Claim(promise, "", None)
    shown = f"{ratio:,.1f}×" if ratio < 100 else f"{ratio:,.0f}×"
    return Claim(promise, shown + beside, ratio >= least)
