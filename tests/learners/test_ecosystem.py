"""Pickling, scikit-learn's tools around the classifier, threads and size."""

import copy
import pickle
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.core import Model

State = Callable[[HyperboxClassifier], bytes]
Copy = Callable[[HyperboxClassifier, Any], HyperboxClassifier]


def through_joblib(clf: HyperboxClassifier, folder: Any) -> HyperboxClassifier:
    joblib.dump(clf, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


COPIES: dict[str, Copy] = {
    **{
        f"pickle {p}": lambda clf, _, p=p: pickle.loads(pickle.dumps(clf, protocol=p))
        for p in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
    "joblib": through_joblib,
    "deepcopy": lambda clf, _: copy.deepcopy(clf),
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_made_in_mid_stream_goes_on_to_the_identical_model(
    table: pd.DataFrame, labels: list[str], state: State, tmp_path: Any, way: str
) -> None:
    clf = EIOLGFMM(theta=0.3, gamma=np.array([1.0, 2.0]))
    clf.partial_fit(table[:70], labels[:70], classes=["unseen so far"])
    twin = COPIES[way](clf, tmp_path)
    assert state(twin) == state(clf)
    assert twin.classes_.tolist() == clf.classes_.tolist()
    half = state(twin)
    clf.partial_fit(table[70:], labels[70:])
    assert state(twin) == half  # they share nothing
    assert state(twin.partial_fit(table[70:], labels[70:])) == state(clf)
    np.testing.assert_array_equal(twin.predict_proba(table), clf.predict_proba(table))


def test_an_unfitted_classifier_can_be_pickled() -> None:
    clf = pickle.loads(pickle.dumps(HyperboxClassifier(theta=0.4)))
    assert clf.theta == 0.4
    assert not clf.__sklearn_is_fitted__()


def test_a_clone_has_the_parameters_and_none_of_the_learning(
    table: pd.DataFrame, labels: list[str]
) -> None:
    clf = HyperboxClassifier(scale="range", feature_range={"age": (0, 100)}, unlabelled=-1)
    fresh = clone(clf.fit(table, labels))
    assert fresh.get_params() == clf.get_params()
    assert not fresh.__sklearn_is_fitted__()


def test_grid_search_and_cross_validation_take_mixed_tables(
    table: pd.DataFrame, labels: list[str]
) -> None:
    grid = {"theta": [0.1, 0.9], "version": [1, 2], "alpha": ["auto", 0.9]}
    search = GridSearchCV(EIOLGFMM(), grid, cv=2).fit(table, labels)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    assert search.best_score_ > 0.5
    assert search.predict(table).shape == (120,)
    assert cross_val_score(HyperboxClassifier(), table, labels, cv=2).min() > 0.3
    assert cross_val_predict(
        HyperboxClassifier(), table, labels, cv=2, method="predict_proba"
    ).shape == (120, 3)


def test_it_works_at_the_end_of_a_pipeline(table: pd.DataFrame, labels: list[str]) -> None:
    numbers = table[["age", "income"]].fillna(0)
    pipeline = make_pipeline(StandardScaler(), HyperboxClassifier(theta=0.2)).fit(numbers, labels)
    assert pipeline.score(numbers, labels) > 0.7
    assert pipeline.classes_.tolist() == ["no", "refer", "yes"]


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_it_works_behind_a_column_transformer(
    table: pd.DataFrame, labels: list[str], output: str
) -> None:
    scale = ColumnTransformer(
        [("scale", StandardScaler(), ["age", "income"])], remainder="passthrough"
    )
    if output == "polars":
        import polars as pl

        table = pl.from_pandas(table)
    pipeline = make_pipeline(scale.set_output(transform=output), HyperboxClassifier(theta=0.2))
    pipeline.fit(table, labels)
    assert pipeline.score(table, labels) > 0.7
    learned = pipeline[-1].schema_
    assert len(learned.numeric) == len(learned.categorical) == 2


def test_threads_may_predict_while_one_learns(state: State) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((6000, 3))
    y = (X[:, 0] * 4).astype(int) + 10 * (np.arange(6000) // 1000)  # new classes all the time
    learner = HyperboxClassifier(theta=0.05, scale="range", feature_range=(0, 1))
    alone = clone(learner).partial_fit(X, y)
    clf = clone(learner).partial_fit(X[:10], y[:10])
    errors: list[BaseException] = []
    done = threading.Event()

    def predict(use: str) -> None:
        allowed = {*y.tolist()}
        try:
            while not done.is_set():
                if use == "predict":
                    assert {*clf.predict(X[:50]).tolist()} <= allowed
                elif use == "predict_proba":
                    np.testing.assert_allclose(clf.predict_proba(X[:50]).sum(axis=1), 1)
                else:
                    assert clf.boxes_.n_samples.min() > 0
                    state(clf)
        except BaseException as error:
            errors.append(error)

    uses = ["predict", "predict", "predict_proba", "boxes_"]
    threads = [threading.Thread(target=predict, args=(use,)) for use in uses]
    for thread in threads:
        thread.start()
    for begin in range(10, len(X), 499):
        clf.partial_fit(X[begin : begin + 499], y[begin : begin + 499])
    done.set()
    for thread in threads:
        thread.join()
    assert not errors
    assert state(clf) == state(alone)


def test_a_class_learned_while_a_prediction_is_under_way_may_be_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = HyperboxClassifier(theta=0).fit([[0.0], [1.0]], ["a", "b"])
    predict = Model.predict

    def learn_first(model: Model, batch: Any, threads: int) -> Any:
        clf.partial_fit([[0.5]], ["new"])
        return predict(model, batch, threads)

    monkeypatch.setattr(Model, "predict", learn_first)
    assert clf.predict([[0.5]]).tolist() == ["new"]


# So many rows that it takes a tenth of a second or more: a busy machine is slow to switch threads.
@pytest.mark.parametrize(
    ("use", "n_rows"),
    [("learn", 30_000), ("predict", 30_000), ("probabilities", 30_000), ("memberships", 8_000)],
)
def test_other_threads_run_while_the_engine_works(use: str, n_rows: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 20))
    clf = HyperboxClassifier(theta=0.01).fit(X[:1500], rng.integers(0, 2, 1500))
    engine = clf._model.engine
    rows = (X, X, np.empty((len(X), 0), np.int32))
    labels = [rng.integers(0, 2, len(X)).astype(np.int32)] if use == "learn" else []
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(1e-4)

    ticker = threading.Thread(target=tick)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    ticker.start()
    begin = time.perf_counter()
    getattr(engine, use)(*rows, *labels)
    end = time.perf_counter()
    stop.set()
    ticker.join()
    sys.setswitchinterval(interval)
    # Holding the interpreter, the call could only be interrupted before and after, not within.
    middle = [t for t in ticks if begin + 0.2 * (end - begin) < t < end - 0.2 * (end - begin)]
    assert len(middle) >= 3, f"{len(ticks)} ticks, {len(middle)} of them within {end - begin:.3f} s"


def test_one_row_one_class_one_column() -> None:
    clf = HyperboxClassifier().fit([[3.0]], ["only"])
    assert clf.predict([[3.0], [-8.0]]).tolist() == ["only", "only"]
    assert clf.predict_proba([[-8.0]]).tolist() == [[1.0]]
    words = HyperboxClassifier().fit([["w"]], ["only"])
    assert words.predict_proba([["never seen"]]).tolist() == [[1.0]]


def test_ten_thousand_columns() -> None:
    X = np.random.default_rng(0).random((20, 10_000))
    y = np.arange(20) % 2
    clf = HyperboxClassifier(theta=0.5).fit(X, y)
    assert clf.predict(X).tolist() == y.tolist()
    words = np.char.mod("v%d", (X * 3).astype(int))
    clf = HyperboxClassifier(delta=0.2).fit(words, y)
    assert clf.predict(words).tolist() == y.tolist()


def seconds_while_all_ranges_grow(columns: int) -> float:
    """Learn rows that are each beyond those before in every column."""
    X = np.arange(300.0)[:, None] + np.random.default_rng(0).random((300, columns))
    clf = HyperboxClassifier(theta=0.01, scale="range", additive=False)
    start = time.process_time()
    clf.partial_fit(X, np.arange(300) % 2)
    return time.process_time() - start


def test_growing_ranges_cost_in_proportion_to_the_columns() -> None:
    one = max(seconds_while_all_ranges_grow(100) for _ in range(3))
    eight = min(seconds_while_all_ranges_grow(800) for _ in range(2))
    assert eight < 24 * one  # 8 if it is linear, or 64


def bytes_per_box(n_values: int) -> float:
    """Learn many values in one box, then 2,000 boxes of another class with one value each."""
    values = np.arange(n_values).astype(str).astype(object)[:, None]
    clf = EIOLGFMM(delta=1.0).partial_fit(values, ["big"] * n_values)
    assert len(clf.boxes_) == 1
    before = clf._model.engine.bytes
    own = values[np.linspace(0, n_values - 1, 2000).astype(int)]
    numbers = np.array([f"own {i}" for i in range(2000)], dtype=object)[:, None]
    clf.set_params(delta=0.0).partial_fit(np.vstack([own, numbers]), ["small"] * 4000)
    return (clf._model.engine.bytes - before) / (len(clf.boxes_) - 1)


def test_a_large_vocabulary_costs_nothing_per_box() -> None:
    small, large = bytes_per_box(10_000), bytes_per_box(100_000)
    assert large < 1.1 * small
    assert large < 400


def test_an_interrupted_partial_fit_keeps_the_rows_so_far_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("boxwise.core.model.CHUNK", 2)
    X = [[0.0], [0.1], [0.5], [0.6], [0.9], [1.0]]
    y = ["a", "a", "b", "b", "c", "c"]
    clf = HyperboxClassifier(theta=0.2, scale="range", feature_range=(0, 1))
    clf.partial_fit([[0.2]], ["a"])
    learn, calls = Model.learn, []

    def interrupted(model: Model, batch: Any, labels: Any, new: Any, weights: Any) -> None:
        class Engine:
            n_classes = property(lambda self: engine.n_classes)

            def learn(self, *rows: Any) -> None:
                calls.append(rows)
                if len(calls) == 3:
                    raise KeyboardInterrupt
                engine.learn(*rows)

        engine = model.engine
        model.engine = Engine()  # type: ignore[assignment]
        try:
            learn(model, batch, labels, new)
        finally:
            model.engine = engine

    monkeypatch.setattr(Model, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.partial_fit(X, y)
    monkeypatch.setattr(Model, "learn", learn)
    assert clf.classes_.tolist() == ["a", "b"]
    assert clf.predict_proba(X).shape == (6, 2)
    assert clf.boxes_.n_samples.sum() == 5
    clf.partial_fit(X[4:], y[4:])
    whole = HyperboxClassifier(theta=0.2, scale="range", feature_range=(0, 1))
    whole.partial_fit([[0.2], *X], ["a", *y])
    assert clf.boxes_.to_frame().equals(whole.boxes_.to_frame())
