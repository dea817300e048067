"""Numeric columns that may be codes, told from counts and quantities."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from boxwise.inputs.codes import may_be_codes


@pytest.mark.parametrize(
    ("rows_of", "codes"),
    [
        pytest.param({1: 50, 2: 50}, True, id="two values"),
        pytest.param({0: 900, 1: 100}, True, id="a flag"),
        pytest.param({101: 30, 7: 40, 55: 40}, True, id="numbers that mean nothing"),
        pytest.param({1: 50, 2: 49}, False, id="99 rows"),
        pytest.param({4: 500}, False, id="one value"),
        pytest.param(dict.fromkeys(range(11), 30), False, id="eleven values"),
        pytest.param(dict.fromkeys(range(1, 11), 30), True, id="ten values"),
        pytest.param({0.5: 60, 1.0: 60}, False, id="fractions"),
        pytest.param({0: 140, 1: 90, 2: 40, 3: 9, 5: 1}, False, id="children"),
        pytest.param({0: 20, 1: 60, 2: 60, 3: 30, 4: 8, 5: 2}, False, id="a count with a mode"),
        pytest.param({1: 140, 2: 90, 3: 40, 4: 9}, True, id="from 1 on"),
        pytest.param({0: 140, 3: 90, 9: 40, 40: 9}, True, id="with gaps"),
        pytest.param({0: 400, 1: 20, 2: 300, 3: 20}, True, id="two modes"),
        pytest.param({}, False, id="nothing"),
    ],
)
def test_codes_are_few_whole_numbers_that_are_no_counts(
    rows_of: dict[float, int], codes: bool
) -> None:
    assert may_be_codes(rows_of) is codes


@pytest.mark.parametrize("n", [200, 2_000, 50_000])
@pytest.mark.parametrize("seed", range(20))
def test_random_counts_are_none_and_random_machines_are(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for mean in (1.0, 1.5, 2.0):
        counts = rng.poisson(mean, n)
        counts = np.minimum(counts, counts.mean() * 4)  # no gaps in the tail
        assert not may_be_codes(Counter(np.floor(counts).tolist()))
    assert may_be_codes(Counter(rng.integers(1, 9, n).tolist()))
    if n > 1_000:  # with few rows, chance makes a few of them look like counts
        assert may_be_codes(Counter(rng.integers(0, 8, n).tolist()))
