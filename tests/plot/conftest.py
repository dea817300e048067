"""Models to draw: few boxes and many, and no figure left open."""

import warnings

import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def no_warnings_and_no_open_figures():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    plt.close("all")


@pytest.fixture(scope="session")
def two_boxes():
    """Two boxes, one of each class, apart in age."""
    rows = [
        {"age": age, "income": income, "job": job}
        for age, income, job in [
            (20, 10, "cook"),
            (30, 30, "cook"),
            (60, 20, "smith"),
            (70, 40, "smith"),
        ]
    ]
    labels = ["no", "no", "yes", "yes"]
    model = HyperboxClassifier(theta=1.0, delta=1.0).partial_fit(rows, labels)
    assert len(model.boxes_) == 2
    return model, rows, labels


@pytest.fixture(scope="session")
def many_boxes():
    """More than 2,000 boxes over nine columns."""
    table, labels = LoanStream(2_600, function=2, seed=1).table()
    model = HyperboxClassifier(theta=0.15, max_boxes=None).fit(table, labels)
    assert len(model.boxes_) > 2_000
    return model, table, labels
