"""Chunks of rows take about the same time, and do not change what is learned."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.core import pacing
from boxwise.core.pacing import FIRST_ROWS, SECONDS_PER_CHUNK, Pace


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(pacing, "perf_counter", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def worked_off(pace: Pace, n_rows: int, most: int, clock: Clock, per_row: float) -> list[int]:
    sizes = []
    for rows in pace.chunks(n_rows, most):
        assert rows.start == sum(sizes)
        sizes.append(rows.stop - rows.start)
        clock.now += sizes[-1] * per_row
    assert sum(sizes) == n_rows
    return sizes


def test_pace_hands_over_ever_more_rows_that_take_no_time(clock: Clock) -> None:
    pace = Pace()
    sizes = worked_off(pace, 20_000, 4096, clock, 1e-6)
    assert sizes[0] == FIRST_ROWS
    assert sizes[1] == 2 * FIRST_ROWS
    assert max(sizes) == 4096
    assert sizes.count(4096) >= 2
    assert worked_off(pace, 5000, 4096, clock, 1e-6) == [4096, 904]  # it is known by then


@pytest.mark.parametrize("per_row", [0.001, 0.01, 0.1, 3.0])
def test_pace_keeps_slow_rows_to_the_time(clock: Clock, per_row: float) -> None:
    sizes = worked_off(Pace(), 500, 4096, clock, per_row)
    assert max(sizes[1:]) <= max(1, 2 * SECONDS_PER_CHUNK / per_row)


def test_pace_follows_rows_that_become_slow(clock: Clock) -> None:
    pace = Pace()
    worked_off(pace, 20_000, 4096, clock, 1e-6)
    assert pace.rows == 4096
    assert worked_off(pace, 5000, 4096, clock, 0.01)[:2] == [4096, int(SECONDS_PER_CHUNK / 0.01)]


def test_pace_has_no_chunks_of_no_rows() -> None:
    assert [*Pace().chunks(0, 4096)] == []


@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_a_model_does_not_depend_on_the_pace(
    scale: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(600), rng.random(600)])
    y = rng.integers(0, 40, 600)
    draw = random.Random(1)
    saved, predicted, shares = [], [], []
    for sizes in ("all", "one", "random"):

        def chunks(pace: Pace, n: int, most: int, sizes: str = sizes) -> Any:
            begin = 0
            while begin < n:
                end = {"all": n, "one": begin + 1, "random": begin + draw.randint(1, 90)}[sizes]
                yield slice(begin, end)
                begin = end

        monkeypatch.setattr(Pace, "chunks", chunks)
        clf = HyperboxClassifier(theta=0.1, scale=scale)
        first = clf.test_then_train(X[:300], y[:300]).tolist()
        clf.partial_fit(X[300:], y[300:]).save(tmp_path / "m.box")
        saved.append((tmp_path / "m.box").read_bytes())
        predicted.append([*first, *clf.predict(X).tolist()])
        shares.append(clf.predict_proba(X).tobytes())
    assert saved[0] == saved[1] == saved[2]
    assert predicted[0] == predicted[1] == predicted[2]
    assert shares[0] == shares[1] == shares[2]
