"""The counted sets of boxes, however the engine keeps them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from boxwise._native import EntropyEngine
from boxwise.reference.hyperbox import in_units

Sets = dict[int, Counter[int]]  # by place of the box on the line


def engine_of_places() -> EntropyEngine:
    """Return an engine that makes one box for each number, and takes any category into it."""
    return EntropyEngine(
        n_categorical=1, theta=0.0, delta=1.0, alpha=0.5, gamma=[1.0], mean=False,
        low=[0.0], high=[1_000.0], growing=[False],
    )  # fmt: skip


def learn(engine: EntropyEngine, sets: Sets, places: Any, codes: Any) -> None:
    X = np.asarray(places, dtype=np.float64)[:, None]
    values = np.asarray(codes, dtype=np.int32)[:, None]
    engine.learn(X, X, values, np.zeros(len(X), dtype=np.int32))
    for place, code in zip(places, codes, strict=True):
        sets.setdefault(int(place), Counter())[int(code)] += 1


def remove(engine: EntropyEngine, sets: Sets, place: int) -> None:
    state = engine.snapshot()
    engine.remove(int(state["id"][state["V"][:, 0] == place][0]))
    del sets[place]


def check(engine: EntropyEngine, sets: Sets, codes: Any) -> None:
    state = engine.snapshot()
    first, found = state["first"], {}
    for i, place in enumerate(state["V"][:, 0]):
        part = slice(first[i], first[i + 1])
        assert (np.diff(state["code"][part]) > 0).all()
        values = zip(state["code"][part], state["times"][part], strict=True)
        found[int(place)] = Counter(dict(values))
    assert found == sets
    places = state["V"][:, 0]
    for code in codes:  # half of the membership is the share of the value
        X = np.array([[5_000.0]])
        halves = engine.memberships(X, X, np.array([[code]], dtype=np.int32))[0]
        shares = [sets[p][code] / sets[p].total() for p in places]
        assert halves.tolist() == [in_units(share / 2) for share in shares]


@pytest.mark.parametrize(
    ("n_places", "n_values"),
    [(600, 1), (600, 3), (600, 20), (600, 255), (600, 257), (600, 5_000), (10, 70_000)],
)
def test_counts_are_those_learned_while_boxes_come_grow_and_go(
    n_places: int, n_values: int
) -> None:
    rng = np.random.default_rng(n_values)
    engine, sets = engine_of_places(), Sets()
    some = [-1, 0, n_values // 2, n_values - 1, n_values, 10**9]
    learn(engine, sets, range(n_places), np.zeros(n_places))  # one value each
    check(engine, sets, some)
    for n_rows in (20, 300, 5_000):  # further values, here and there, then everywhere
        learn(engine, sets, rng.integers(0, n_places, n_rows), rng.integers(0, n_values, n_rows))
        check(engine, sets, some)
        for place in rng.choice([*sets], 5, replace=False):
            remove(engine, sets, int(place))
        check(engine, sets, some)


@pytest.mark.parametrize("further", [0, 1, 300])
def test_counts_past_a_byte_are_kept(further: int) -> None:
    engine, sets = engine_of_places(), Sets()
    learn(engine, sets, range(300), np.arange(300) % 7)
    learn(engine, sets, np.arange(further) % 300, 6 - np.arange(further) % 7)
    for place in (0, 270):
        for code in (0, 6):
            learn(engine, sets, [place] * 254, [code] * 254)
            check(engine, sets, range(8))
            learn(engine, sets, [place] * 500, [code] * 500)
            check(engine, sets, range(8))
    remove(engine, sets, 0)
    check(engine, sets, range(8))
