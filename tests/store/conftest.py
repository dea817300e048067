"""A small model with something of everything, and its file."""

import math
from pathlib import Path

import pandas as pd
import pytest

from boxwise import HyperboxClassifier

X = pd.DataFrame(
    {
        "size": [1.0, 2.0, math.nan, 4.0, 1.5, 2.5],
        "word": pd.Series(["a", "b", None, "a", "c", "b"], dtype=object),
        "flag": [True, False, True, True, False, False],
    }
)
Y = ["no", "yes", "?", "no", "yes", "?"]


@pytest.fixture
def table() -> pd.DataFrame:
    return X


@pytest.fixture
def clf() -> HyperboxClassifier:
    return HyperboxClassifier(theta=0.5, unlabelled="?").partial_fit(X, Y, classes=["later"])


@pytest.fixture
def saved(clf: HyperboxClassifier, tmp_path: Path) -> bytes:
    clf.save(tmp_path / "good.box")
    return (tmp_path / "good.box").read_bytes()
