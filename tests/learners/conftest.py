"""What several of these files need: a table of mixed data, and a way to compare whole models."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from boxwise import HyperboxClassifier
from boxwise.store.modelfile import pack


@pytest.fixture(scope="session")
def state() -> Callable[[HyperboxClassifier], bytes]:
    """All there is to a learned model, as bytes."""
    return lambda clf: pack(*clf._model.to_state())


@pytest.fixture
def table() -> pd.DataFrame:
    """Mixed columns, values missing in each of them."""
    rng = np.random.default_rng(7)
    n = 120
    age = rng.integers(18, 90, n).astype(float)
    income = rng.normal(30_000, 9_000, n).round(2)
    age[::17] = np.nan
    income[5::23] = np.nan
    job = rng.choice(["cook", "smith", "nurse", "clerk"], n).astype(object)
    job[::19] = None
    return pd.DataFrame(
        {"age": age, "job": job, "income": income, "city": rng.choice(["Ulm", "Bath"], n)}
    )


@pytest.fixture
def labels(table: pd.DataFrame) -> list[str]:
    rng = np.random.default_rng(8)
    old = (table["age"].fillna(50) > 52).to_numpy()
    return np.where(rng.random(len(table)) < 0.15, "refer", np.where(old, "yes", "no")).tolist()
