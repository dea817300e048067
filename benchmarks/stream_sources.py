"""The streams that learners are compared on: loans, River's generators, and the real ones.

Each is a function of the number of rows that gives pairs of a row and its label. Changes are abrupt
unless the name says gradual.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from typing import Any

from benchmarks import paper_data
from boxwise.datasets import LoanStream

ROWS = 15_000  # of a generated stream
PART = 20_000  # rows of a real stream for learners that are too slow for all of it
DRIFTS = {1: 2, 5: 6, 7: 3}  # the rule that decides, and another from the middle on

Pairs = list[tuple[dict[str, Any], str]]
Source = Callable[[int | None], Iterable[tuple[dict[str, Any], str]]]


def sources() -> dict[str, Source]:
    """Return the streams; the real ones only where BOXWISE_DATA is set."""
    found: dict[str, Source] = {}
    if "BOXWISE_DATA" in os.environ:
        for name in ("electricity", "nyc_flights"):
            found[name] = partial(real, name)
            found[f"{name}, first {PART:,}"] = partial(real, name, most=PART)
    for rule, other in DRIFTS.items():
        found[f"loans {rule}"] = partial(loans, rule)
        found[f"loans {rule} then {other}"] = partial(loans, rule, other)
    return found | {name: partial(generated, name) for name in generators()}


def real(name: str, rows: int | None, most: int | None = None) -> Iterable[Any]:
    return islice(paper_data.stream(name), most if rows is None else min(rows, most or rows))


def loans(rule: int, *then: int | None) -> Iterable[Any]:
    *other, rows = then
    n = min(ROWS, rows or ROWS)
    change = {"drift_at": n // 2, "drift_to": other[0]} if other else {}
    return LoanStream(n, function=rule, noise=0.05, **change)


def generators() -> dict[str, Callable[[], list[Any]]]:
    """Return River's generators: streams of which each has an equal part of the rows."""
    from river.datasets import synth

    def gradual(make: Callable[[int], Any]) -> Any:
        return synth.ConceptDriftStream(
            make(0), make(1), position=ROWS // 2, width=ROWS // 5, seed=1
        )

    def sea(variant: int) -> Any:
        return synth.SEA(variant=variant, seed=variant, noise=0.1)

    def mixed(number: int) -> Any:
        return synth.Mixed(classification_function=number % 2, seed=number)

    led: dict[str, Any] = {"noise_percentage": 0.1, "irrelevant_features": True}
    return {
        "SEA": lambda: [sea(0), sea(3), sea(1)],
        "SEA gradual": lambda: [gradual(lambda k: sea(3 * k))],
        "LED": lambda: [
            synth.LED(seed=1, **led),
            synth.LEDDrift(seed=2, n_drift_features=5, **led),
        ],
        "Hyperplane gradual": lambda: [
            synth.Hyperplane(seed=1, n_features=10, n_drift_features=2, mag_change=0.001)
        ],
        "RandomRBF gradual": lambda: [
            synth.RandomRBFDrift(
                seed_model=1,
                seed_sample=1,
                n_classes=4,
                n_features=8,
                n_centroids=20,
                change_speed=0.0005,
                n_drift_centroids=10,
            )
        ],
        "STAGGER": lambda: [synth.STAGGER(classification_function=f % 3, seed=f) for f in range(4)],
        "Mixed": lambda: [mixed(f) for f in range(4)],
        "Mixed gradual": lambda: [gradual(mixed)],
    }


def generated(name: str, rows: int | None) -> Iterable[Any]:
    categories = name in ("LED", "STAGGER")
    parts = generators()[name]()
    for part in parts:
        for x, y in part.take(min(ROWS, rows or ROWS) // len(parts)):
            yield {str(k): str(v) if categories else v for k, v in x.items()}, str(y)
