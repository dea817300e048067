"""A stream of loan applications: six numbers, three categories, ten ways to decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

EDUCATION = ("none", "school", "college", "bachelor", "master")
CARS = (
    "Audi", "BMW", "Buick", "Chevrolet", "Citroen", "Dacia", "Fiat", "Ford", "Honda", "Hyundai",
    "Jaguar", "Kia", "Mazda", "Nissan", "Opel", "Renault", "Seat", "Skoda", "Toyota", "Volvo",
)  # fmt: skip
ZIP_CODES = ("10115", "20095", "30159", "40213", "50667", "60311", "70173", "80331", "90402")

# Every block of rows has a seed of its own, so row i is the same however long the stream is.
BLOCK = 1024

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class LoanStream:
    """Loan applications, one at a time, with the decision taken on each.

    Iterating gives pairs of a row (a dict of nine columns) and a label, ``"approved"`` or
    ``"declined"``. Every iteration starts from the first row and gives the same rows again; row
    ``i`` does not depend on the length of the stream, and the rows do not depend on how they are
    decided, so streams that differ in `function`, `noise` or drift differ in labels only.

    Parameters
    ----------
    n_rows : int, optional
        The number of rows; without it the stream does not end.
    function : int, default=1
        Which of the ten decisions, 1 to 10, approves a loan (see Notes).
    noise : float, default=0.0
        The probability that a label is the opposite of what the function says.
    drift_at : int, optional
        The row, counted from 0, from which another function decides.
    drift_to : int, optional
        The function that decides from `drift_at` on; the next one unless given (after 10 comes 1).
    seed : int, default=0
        Same seed, same rows.

    Notes
    -----
    The columns are independent but for two: ``commission`` is 0 for a ``salary`` of 75,000 and
    more, and ``house_value`` depends on ``zip_code``. The bands of ages meant below are under 40,
    40 to 59, and 60 and more. A loan is approved when

    1. the applicant is young or old, not in between;
    2. the salary lies in the band of the age: 50,000 to 100,000, 75,000 to 125,000, 25,000 to
       75,000;
    3. the level of education does: none to school, school to bachelor, college to master;
    4. the salary lies in a band that depends on the age and on whether 3 holds;
    5. the loan lies in a band that depends on the age and on whether 2 holds;
    6. as 2, with salary and commission together;
    7. what remains of two thirds of the income after the loan is positive;
    8. what remains of it after the costs of education is;
    9. what remains after both is;
    10. what remains after the costs of education is, the house helping after 20 years.

    Functions 8 and 10 approve nearly everything: they give rare declines.

    Ranges and functions are those of MOA's generator. River's draws commissions up to 85,000 and
    looks at the salary in places where function 5 is about the loan, so labels there can differ.

    References
    ----------
    R. Agrawal, T. Imielinski and A. Swami, "Database mining: a performance perspective", IEEE
    Transactions on Knowledge and Data Engineering 5(6), 1993, 914-925.

    Examples
    --------
    >>> from boxwise.datasets import LoanStream
    >>> for row, label in LoanStream(3, function=3, seed=7):
    ...     print(row["age"], row["education"], label)
    44 bachelor approved
    22 college declined
    28 master declined
    """

    def __init__(
        self,
        n_rows: int | None = None,
        *,
        function: int = 1,
        noise: float = 0.0,
        drift_at: int | None = None,
        drift_to: int | None = None,
        seed: int = 0,
    ) -> None:
        if drift_to is not None and drift_at is None:
            raise ValueError(f"drift_to={drift_to} needs drift_at, the row where the drift happens")
        if not 0.0 <= noise <= 1.0:
            raise ValueError(f"noise must be a probability between 0 and 1, not {noise!r}")
        self.n_rows = None if n_rows is None else _whole("n_rows", n_rows)
        self.function = _whole("function", function, 1, len(_FUNCTIONS))
        self.noise = noise
        self.drift_at = None if drift_at is None else _whole("drift_at", drift_at)
        following = self.function % len(_FUNCTIONS) + 1 if drift_to is None else drift_to
        self.drift_to = _whole("drift_to", following, 1, len(_FUNCTIONS))
        self.seed = _whole("seed", seed)

    def __iter__(self) -> Iterator[tuple[dict[str, object], str]]:
        for columns, labels in self._blocks():
            names = list(columns)
            values = zip(*(column.tolist() for column in columns.values()), strict=True)
            for row, label in zip(values, labels.tolist(), strict=True):
                yield dict(zip(names, row, strict=True)), label

    def table(self) -> tuple[dict[str, NDArray[np.generic]], NDArray[np.str_]]:
        """Return the whole stream at once, as one array a column.

        Returns
        -------
        columns : dict of str to ndarray
            The nine columns, each of `n_rows` values.
        labels : ndarray of str
            The decisions.

        Examples
        --------
        >>> from boxwise.datasets import LoanStream
        >>> columns, labels = LoanStream(1000, seed=7).table()
        >>> columns["salary"].shape, columns["car"].dtype.kind, labels.shape
        ((1000,), 'U', (1000,))
        """
        if self.n_rows is None:
            raise ValueError("a stream without an end has no table: give n_rows")
        # One block even for no rows, so that the columns have their names and types.
        blocks = list(self._blocks()) or [self._block(0, 0)]
        names = blocks[0][0]
        columns = {name: np.concatenate([block[name] for block, _ in blocks]) for name in names}
        return columns, np.concatenate([labels for _, labels in blocks])

    def _blocks(self) -> Iterator[tuple[dict[str, NDArray[np.generic]], NDArray[np.str_]]]:
        for number in count():
            wanted = BLOCK if self.n_rows is None else min(BLOCK, self.n_rows - number * BLOCK)
            if wanted <= 0:
                return
            yield self._block(number, wanted)

    def _block(
        self, number: int, wanted: int
    ) -> tuple[dict[str, NDArray[np.generic]], NDArray[np.str_]]:
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        applications = _draw(rng)
        approved = _FUNCTIONS[self.function](applications)
        if self.drift_at is not None:
            drifted = np.arange(BLOCK) >= self.drift_at - number * BLOCK
            approved = np.where(drifted, _FUNCTIONS[self.drift_to](applications), approved)
        approved = approved ^ (rng.random(BLOCK) < self.noise)
        labels = np.where(approved, "approved", "declined")
        return applications.columns(wanted), labels[:wanted]


def loans(
    n_rows: int,
    *,
    function: int = 1,
    noise: float = 0.0,
    drift_at: int | None = None,
    drift_to: int | None = None,
    seed: int = 0,
) -> tuple[list[dict[str, object]], NDArray[np.str_]]:
    """Return loan applications as a list of rows and an array of labels.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    function, noise, drift_at, drift_to, seed
        As in `LoanStream`, which says what they mean.

    Returns
    -------
    rows : list of dict
        The applications: money as floats, ages and years as ints, categories as strings.
    labels : ndarray of str
        ``"approved"`` or ``"declined"``.

    Examples
    --------
    >>> from boxwise.datasets import loans
    >>> rows, labels = loans(1000, seed=7)
    >>> list(rows[0])  # doctest: +NORMALIZE_WHITESPACE
    ['salary', 'commission', 'age', 'education', 'car', 'zip_code', 'house_value', 'years', 'loan']
    >>> all((age < 40 or age >= 60) == (label == "approved")
    ...     for age, label in zip((row["age"] for row in rows), labels))
    True
    """
    stream = LoanStream(
        _whole("n_rows", n_rows),
        function=function,
        noise=noise,
        drift_at=drift_at,
        drift_to=drift_to,
        seed=seed,
    )
    pairs = list(stream)
    return [row for row, _ in pairs], np.array([label for _, label in pairs], dtype="<U8")


@dataclass(frozen=True)
class _Applications:
    """One block of applications; categories as numbers."""

    salary: Floats
    commission: Floats
    age: Ints
    level: Ints
    car: Ints
    zip_code: Ints
    house_value: Floats
    years: Ints
    loan: Floats

    @property
    def income(self) -> Floats:
        return self.salary + self.commission

    def columns(self, wanted: int) -> dict[str, NDArray[np.generic]]:
        rows = slice(wanted)
        return {
            "salary": self.salary[rows],
            "commission": self.commission[rows],
            "age": self.age[rows],
            "education": np.array(EDUCATION)[self.level[rows]],
            "car": np.array(CARS)[self.car[rows]],
            "zip_code": np.array(ZIP_CODES)[self.zip_code[rows]],
            "house_value": self.house_value[rows],
            "years": self.years[rows],
            "loan": self.loan[rows],
        }


def _draw(rng: np.random.Generator) -> _Applications:
    def money(low: float, high: float) -> Floats:
        return low + (high - low) * rng.random(BLOCK)

    def whole(low: int, high: int) -> Ints:
        return low + ((high - low + 1) * rng.random(BLOCK)).astype(np.int64)

    salary = money(20_000, 150_000)
    zip_code = whole(0, len(ZIP_CODES) - 1)
    return _Applications(
        salary=salary,
        commission=np.where(salary < 75_000, money(10_000, 75_000), 0.0),
        age=whole(20, 80),
        level=whole(0, len(EDUCATION) - 1),
        car=whole(0, len(CARS) - 1),
        zip_code=zip_code,
        house_value=(len(ZIP_CODES) - zip_code) * money(50_000, 150_000),
        years=whole(1, 30),
        loan=money(0, 500_000),
    )


def _by_age(of: _Applications, young: ArrayLike, middle: ArrayLike, old: ArrayLike) -> Floats:
    return np.select([of.age < 40, of.age < 60], [young, middle], old).astype(np.float64)


def _within(values: Floats | Ints, low: Floats, width: float | Floats) -> Bools:
    return (low <= values) & (values <= low + width)


def _age(of: _Applications) -> Bools:
    return (of.age < 40) | (of.age >= 60)


def _salary_for_age(of: _Applications) -> Bools:
    return _within(of.salary, _by_age(of, 50_000, 75_000, 25_000), 50_000)


def _education_for_age(of: _Applications) -> Bools:
    return _within(of.level, _by_age(of, 0, 1, 2), _by_age(of, 1, 2, 2))


def _salary_for_age_and_education(of: _Applications) -> Bools:
    fitting = _by_age(of, 25_000, 50_000, 50_000)
    other = _by_age(of, 50_000, 75_000, 25_000)
    return _within(of.salary, np.where(_education_for_age(of), fitting, other), 50_000)


def _loan_for_age_and_salary(of: _Applications) -> Bools:
    fitting = _by_age(of, 100_000, 200_000, 300_000)
    other = _by_age(of, 200_000, 300_000, 100_000)
    return _within(of.loan, np.where(_salary_for_age(of), fitting, other), 200_000)


def _income_for_age(of: _Applications) -> Bools:
    return _within(of.income, _by_age(of, 50_000, 75_000, 25_000), 50_000)


def _remains_after_loan(of: _Applications) -> Bools:
    return of.income * 2 / 3 - 0.2 * of.loan - 20_000 > 0


def _remains_after_education(of: _Applications) -> Bools:
    return of.income * 2 / 3 - 5_000 * of.level - 20_000 > 0


def _remains_after_both(of: _Applications) -> Bools:
    return of.income * 2 / 3 - 5_000 * of.level - 0.2 * of.loan - 10_000 > 0


def _remains_with_house(of: _Applications) -> Bools:
    equity = 0.1 * of.house_value * np.maximum(of.years - 20, 0)
    return of.income * 2 / 3 - 5_000 * of.level + 0.2 * equity - 10_000 > 0


_FUNCTIONS: dict[int, Callable[[_Applications], Bools]] = {
    1: _age,
    2: _salary_for_age,
    3: _education_for_age,
    4: _salary_for_age_and_education,
    5: _loan_for_age_and_salary,
    6: _income_for_age,
    7: _remains_after_loan,
    8: _remains_after_education,
    9: _remains_after_both,
    10: _remains_with_house,
}


def _whole(name: str, value: int, low: int = 0, high: int | None = None) -> int:
    wanted = f"a whole number from {low}" + ("" if high is None else f" to {high}")
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be {wanted}, not {value!r}") from None
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name} must be {wanted}, not {number}")
    return number
