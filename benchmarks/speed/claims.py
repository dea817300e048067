"""What was promised, what was measured, and whether it is so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from benchmarks.speed import fit
from benchmarks.speed.record import Line
from benchmarks.speed.words import by_name

EXPONENT = 0.8
SOME = 10  # boxes around a row, to be a reason
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


def _of_growth(parts: Parts) -> Iterator[Claim]:
    lines = lines_of(parts, "growth")
    for what in ("learn", "predict"):
        groups = by_name(lines, "stream")
        found = {
            stream: slope
            for stream, group in groups.items()
            if (slope := fit.of_lines(group, f"{what}_index")) is not None
        }
        over, excused = [], 0
        for stream, slope in found.items():
            if slope <= EXPONENT:
                continue
            reason = _reason(groups[stream])
            shown = ""
            if reason is not None:
                grows, error = reason
                own = fit.error_of_lines(groups[stream], f"{what}_index")
                excused += slope <= grows + hypot(own, error)  # no faster, as far as can be told
                shown = f" ± {own:.2f}; boxes around a row: {grows:.2f} ± {error:.2f}"
            over.append(f"{stream} ({slope:.2f}{shown})")
        yield Claim(
            f"EIOLGFMM: {what}: cost grows with boxes to the power of {EXPONENT} at most, on every "
            "stream, or what has to be looked at does",
            f"on {len(found) - len(over)} of {len(found)}; above: {'; '.join(over) or 'none'}"
            if found
            else "",
            excused == len(over) if found else None,
        )
    for stream, least in (("loan 0.1", 10), ("loan 0.5", 6)):
        promise = f"EIOLGFMM: learning, {stream}, 100,000 rows: {least}× as fast as brute force"
        (*_, line) = lines_of(parts, "growth", stream=stream, rows=100_000) or [{}]
        small = _quotient(line, "learn_small", "learn_index")
        beside = "" if small is None else f"; {small:.1f}× what models too small for an index do"
        yield _ratio(promise, _quotient(line, "learn_brute", "learn_index"), least, beside)
    same = [line["same"] for line in lines if "same" in line]
    yield Claim(
        "EIOLGFMM: the index changes no box and no prediction",
        f"{sum(same)} of {len(same)} models" if same else "",
        all(same) if same else None,
    )


def _reason(lines: Sequence[Line]) -> tuple[float, float] | None:
    """Return how the boxes around a row grow in number, with the error of the fit.

    None if they are few.
    """
    grows = fit.of_lines(lines, "around")
    if grows is None or fit.in_question(lines)[-1]["around"] < SOME:
        return None
    return grows, fit.error_of_lines(lines, "around")


def _of_peers(parts: Parts) -> Iterator[Claim]:
    for what, least in (("learn", 2_000), ("predict", 1_000)):
        for size in (0.1, 0.5):
            lines = lines_of(parts, "brain", rows=2_000, size=size)
            promise = f"EIOLGFMM: {what}, 2,000 rows, θ = δ = {size}: {least:,}× hyperbox-brain"
            yield _ratio(promise, lines[0][f"{what}_ratio"] if lines else None, least)
    trees = lines_of(parts, "peers", library="River", learner="Hoeffding tree")
    for key, rows in (("ratios_at_first", "2,000 rows"), ("ratios", "all rows that were timed")):
        for setting in ("EIOLGFMM, small boxes", "EIOLGFMM, large boxes"):
            promise = f"{setting}: 15× River's Hoeffding tree through River's interface, {rows}"
            yield _on_streams(promise, [line[key][setting] for line in trees], 15)
    for library, least, faster in (("River", 5, "at least 5×"), ("CapyMOA", 1, "faster than")):
        trees = lines_of(parts, "peers", library=library, learner="Hoeffding tree")
        ratios = [line["ratios"]["HyperboxClassifier"] for line in trees]
        promise = (
            "HyperboxClassifier, predict and learn through River's interface: "
            f"{faster} {library}'s Hoeffding tree on six of the eight streams"
        )
        yield _on_streams(promise, ratios, least, streams=6)


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
        "EIOLGFMM: a million boxes with 10 + 10 features in less than 1 GB",
        f"{max(most) / 1e3:.2f} GB" if most else "",
        max(most) < 1_000 if most else None,
    )


def _quotient(line: Line, above: str, below: str) -> float | None:
    return line[above] / line[below] if above in line and below in line else None


def _on_streams(
    promise: str, ratios: Sequence[float], least: float, streams: int | None = None
) -> Claim:
    """Return the claim of so many streams, by default of all, that the ratio is not smaller."""
    if not ratios:
        return Claim(promise, "", None)
    reached = sum(ratio >= least for ratio in ratios)
    return Claim(
        promise,
        f"{min(ratios):.1f}× to {max(ratios):.1f}×, on {reached} of {len(ratios)} streams",
        reached >= (len(ratios) if streams is None else streams),
    )


def _ratio(promise: str, ratio: float | None, least: float, beside: str = "") -> Claim:
    if ratio is None:
        return Claim(promise, "", None)
    shown = f"{ratio:,.1f}×" if ratio < 100 else f"{ratio:,.0f}×"
    return Claim(promise, shown + beside, ratio >= least)
