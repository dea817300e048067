"""The loan stream against a plain reading of the ten functions, row by row."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxwise.datasets import LoanStream, loans
from boxwise.datasets.loans import BLOCK, CARS, EDUCATION, ZIP_CODES

FUNCTIONS = range(1, 11)


def decide(function, row):
    """Whether the function approves the row, spelt out one case at a time."""
    age, salary, loan = row["age"], row["salary"], row["loan"]
    level = EDUCATION.index(row["education"])
    income = salary + row["commission"]
    if function == 1:
        return age < 40 or age >= 60
    if function in (2, 6):
        money = salary if function == 2 else income
        if age < 40:
            return 50_000 <= money <= 100_000
        if age < 60:
            return 75_000 <= money <= 125_000
        return 25_000 <= money <= 75_000
    if function == 3:
        if age < 40:
            return level in (0, 1)
        if age < 60:
            return level in (1, 2, 3)
        return level in (2, 3, 4)
    if function == 4:
        if age < 40:
            return 25_000 <= salary <= 75_000 if level <= 1 else 50_000 <= salary <= 100_000
        if age < 60:
            if level in (1, 2, 3):
                return 50_000 <= salary <= 100_000
            return 75_000 <= salary <= 125_000
        return 50_000 <= salary <= 100_000 if level >= 2 else 25_000 <= salary <= 75_000
    if function == 5:
        if age < 40:
            if 50_000 <= salary <= 100_000:
                return 100_000 <= loan <= 300_000
            return 200_000 <= loan <= 400_000
        if age < 60:
            if 75_000 <= salary <= 125_000:
                return 200_000 <= loan <= 400_000
            return 300_000 <= loan <= 500_000
        if 25_000 <= salary <= 75_000:
            return 300_000 <= loan <= 500_000
        return 100_000 <= loan <= 300_000
    disposable = 2 * income / 3
    if function == 7:
        return disposable - loan / 5 - 20_000 > 0
    if function == 8:
        return disposable - 5_000 * level - 20_000 > 0
    if function == 9:
        return disposable - 5_000 * level - loan / 5 - 10_000 > 0
    equity = row["house_value"] * (row["years"] - 20) / 10 if row["years"] >= 20 else 0
    return disposable - 5_000 * level + equity / 5 - 10_000 > 0


def expected(function, rows):
    return np.array(["approved" if decide(function, row) else "declined" for row in rows])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_labels_are_what_the_function_says_of_each_row(function):
    rows, labels = loans(5_000, function=function, seed=3)
    np.testing.assert_array_equal(labels, expected(function, rows))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_both_classes_occur(function):
    _, labels = loans(20_000, function=function)
    share = np.mean(labels == "approved")
    rare = 0.0005 if function in (8, 10) else 0.3
    assert rare < share < 1 - rare


def test_columns_have_their_ranges_types_and_every_category():
    columns, labels = LoanStream(20_000, seed=1).table()
    low_high = {
        "salary": (20_000, 150_000),
        "commission": (0, 75_000),
        "age": (20, 80),
        "house_value": (50_000, 1_350_000),
        "years": (1, 30),
        "loan": (0, 500_000),
    }
    for name, (low, high) in low_high.items():
        values = columns[name]
        assert low <= values.min() <= low + 0.02 * (high - low), name
        assert high - 0.02 * (high - low) <= values.max() <= high, name
    assert set(columns["education"]) == set(EDUCATION)
    assert set(columns["car"]) == set(CARS)
    assert len(CARS) == 20
    assert set(columns["zip_code"]) == set(ZIP_CODES)
    assert len(ZIP_CODES) == 9
    assert set(labels) == {"approved", "declined"}
    assert columns["age"].dtype == columns["years"].dtype == np.int64


def test_every_age_and_year_is_equally_likely():
    columns, _ = LoanStream(61_000, seed=1).table()
    ages = np.bincount(columns["age"] - 20, minlength=61)
    years = np.bincount(columns["years"] - 1, minlength=30)
    assert np.all(np.abs(ages - 1_000) < 6 * 1_000**0.5)
    assert np.all(np.abs(years - 61_000 / 30) < 6 * (61_000 / 30) ** 0.5)


def test_commission_is_for_salaries_under_75_000_only():
    columns, _ = LoanStream(5_000).table()
    small = columns["salary"] < 75_000
    assert np.all(columns["commission"][~small] == 0)
    assert np.all(columns["commission"][small] >= 10_000)


def test_house_value_follows_the_zip_code():
    columns, _ = LoanStream(20_000).table()
    for place, zip_code in enumerate(ZIP_CODES):
        values = columns["house_value"][columns["zip_code"] == zip_code] / (9 - place)
        assert 50_000 <= values.min() < 60_000
        assert 140_000 < values.max() <= 150_000


def test_rows_hold_plain_python_values():
    rows, _ = loans(2)
    kinds = [type(value) for value in rows[0].values()]
    assert kinds == [float, float, int, str, str, str, float, int, float]


def test_noise_flips_the_given_share_of_labels_and_no_value():
    n = 50_000
    rows, clean = loans(n, function=2, seed=5)
    noisy_rows, noisy = loans(n, function=2, noise=0.1, seed=5)
    assert noisy_rows == rows
    assert abs(np.mean(clean != noisy) - 0.1) < 5 * (0.1 * 0.9 / n) ** 0.5


def test_noise_of_one_flips_every_label():
    _, clean = loans(3_000, function=2)
    _, opposite = loans(3_000, function=2, noise=1.0)
    assert np.all(clean != opposite)


@pytest.mark.parametrize("drift_at", [0, 1, 1_500, BLOCK, 2 * BLOCK, 4_000, 9_999])
def test_drift_changes_the_function_at_its_row(drift_at):
    rows, labels = loans(4_000, function=2, drift_at=drift_at, drift_to=7)
    wanted = np.concatenate([expected(2, rows[:drift_at]), expected(7, rows[drift_at:])])
    np.testing.assert_array_equal(labels, wanted)


@pytest.mark.parametrize(("function", "following"), [(1, 2), (6, 7), (10, 1)])
def test_drift_goes_to_the_next_function_unless_told(function, following):
    rows, labels = loans(3_000, function=function, drift_at=100)
    np.testing.assert_array_equal(labels[100:], expected(following, rows[100:]))


def test_same_seed_same_stream_and_another_seed_another():
    def salaries(seed):
        return LoanStream(2_000, seed=seed).table()[0]["salary"]

    np.testing.assert_array_equal(salaries(4), salaries(4))
    assert len(set(salaries(4)) | set(salaries(5))) == 4_000


def test_no_block_repeats_another():
    salary = LoanStream(20 * BLOCK).table()[0]["salary"]
    assert len(np.unique(salary)) == 20 * BLOCK


@settings(max_examples=30, deadline=None)
@given(
    short=st.integers(0, 3 * BLOCK),
    more=st.integers(0, 2 * BLOCK),
    function=st.sampled_from(FUNCTIONS),
    drift_at=st.none() | st.integers(0, 4 * BLOCK),
    seed=st.integers(0, 2**64),
)
def test_a_prefix_of_a_longer_stream_is_the_shorter_stream(short, more, function, drift_at, seed):
    options = {"function": function, "noise": 0.2, "drift_at": drift_at, "seed": seed}
    rows, labels = loans(short, **options)
    longer_rows, longer_labels = loans(short + more, **options)
    assert rows == longer_rows[:short]
    np.testing.assert_array_equal(labels, longer_labels[:short])


@pytest.mark.parametrize("n_rows", [0, 1, BLOCK, BLOCK + 1, 2_500])
def test_iterating_table_and_list_agree(n_rows):
    options = {"function": 4, "noise": 0.1, "drift_at": 1_200, "seed": 8}
    stream = LoanStream(n_rows, **options)
    columns, table_labels = stream.table()
    rows, labels = loans(n_rows, **options)
    endless = islice(LoanStream(**options), n_rows)
    assert list(stream) == list(stream) == list(endless)
    assert list(stream) == list(zip(rows, labels, strict=True))
    np.testing.assert_array_equal(table_labels, labels)
    assert all(len(column) == n_rows for column in columns.values())
    for name, column in columns.items():
        assert column.tolist() == [row[name] for row in rows]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_rows": -1}, ValueError, "n_rows must be a whole number from 0, not -1"),
        ({"n_rows": 2.5}, TypeError, "n_rows must be a whole number from 0, not 2.5"),
        ({"function": 0}, ValueError, "function must be a whole number from 1 to 10, not 0"),
        ({"function": 11}, ValueError, "function must be a whole number from 1 to 10, not 11"),
        ({"noise": 1.5}, ValueError, "noise must be a probability between 0 and 1, not 1.5"),
        ({"noise": float("nan")}, ValueError, "noise must be a probability"),
        ({"drift_at": -3}, ValueError, "drift_at must be a whole number from 0, not -3"),
        ({"drift_to": 3}, ValueError, "drift_to=3 needs drift_at"),
        ({"drift_at": 5, "drift_to": 12}, ValueError, "drift_to must be a whole number from 1"),
        ({"seed": -1}, ValueError, "seed must be a whole number from 0, not -1"),
        ({"seed": None}, TypeError, "seed must be a whole number from 0, not None"),
    ],
)
def test_a_wrong_argument_is_named(options, error, message):
    with pytest.raises(error, match=message):
        LoanStream(**options)


def test_a_list_of_rows_needs_their_number():
    with pytest.raises(TypeError, match="n_rows must be a whole number"):
        loans(None)


def test_an_endless_stream_has_no_table():
    with pytest.raises(ValueError, match="give n_rows"):
        LoanStream().table()
