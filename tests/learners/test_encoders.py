"""IOL-GFMM with the encoders of category_encoders: the same as the steps made by hand."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder, MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from boxwise import ImprovedOnlineGFMM
from boxwise.datasets import load
from boxwise.evaluate import class_balanced_accuracy
from boxwise.learners.encoders import ENCODERS, CategoryEncoder, iol_pipeline

category_encoders = pytest.importorskip("category_encoders")

BY_HAND = {
    "catboost": category_encoders.CatBoostEncoder,
    "one-hot": category_encoders.OneHotEncoder,
    "leave-one-out": category_encoders.LeaveOneOutEncoder,
    "ordinal": category_encoders.OrdinalEncoder,
    "target": category_encoders.TargetEncoder,
    "james-stein": category_encoders.JamesSteinEncoder,
    "helmert": category_encoders.HelmertEncoder,
    "sum": category_encoders.SumEncoder,
}
WITH_LABELS = ("catboost", "leave-one-out", "target", "james-stein")
NUMBERS, CATEGORIES = ["age", "income"], ["job", "city", "member"]

pytestmark = pytest.mark.filterwarnings("error")  # none may reach the user
every_encoder = pytest.mark.parametrize("encoder", ENCODERS)


def make_rows(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return mixed rows with missing numbers and categories, and one of three classes for each."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    jobs = np.array(["cook", "smith", "nurse", "clerk", "farmer"], dtype=object)
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(30 + 12 * kind, 6)),
            "income": rng.normal(20 + 5 * kind, 5),
            "job": jobs[(kind + rng.integers(0, 3, n)) % 5],
            "city": np.array(["Ulm", "Bonn", "Kiel"], dtype=object)[rng.integers(0, 3, n)],
            "member": rng.random(n) < 0.3 + 0.2 * kind,
        }
    )
    table.loc[rng.random(n) < 0.1, "job"] = np.nan
    table.loc[0, "job"] = np.nan  # the first of all values, which the library puts last
    return table, np.array(["no", "refer", "yes"])[kind]


TRAIN, LABELS = make_rows(160, seed=1)
TEST, TEST_LABELS = make_rows(60, seed=2)
NEW = TEST.head(2).assign(job="astronaut", city=["Ulm", "Rome"], age=[np.nan, 500.0])


def encode_by_hand(
    encoder: str, train: pd.DataFrame, labels: Any, test: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    # The library takes truth values for numbers in some places: there they must be text.
    train, test = train.astype({"member": str}), test.astype({"member": str})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        encoding = BY_HAND[encoder](cols=CATEGORIES)
        numbers = LabelEncoder().fit_transform(labels)
        return encoding.fit_transform(train, numbers), encoding.transform(test)


def test_there_are_eight_encoders():
    assert len(ENCODERS) == 8 and set(ENCODERS) == set(BY_HAND)


@every_encoder
def test_the_pipeline_is_the_same_as_its_steps_made_by_hand(encoder):
    test = pd.concat([TEST, NEW])
    train, rest = encode_by_hand(encoder, TRAIN, LABELS, test)
    scaler = MinMaxScaler(clip=True).fit(train)
    by_hand = ImprovedOnlineGFMM(theta=0.3, gamma=2.0, feature_range=(0, 1))
    by_hand.fit(scaler.transform(train), LABELS)
    pipeline = iol_pipeline(encoder, theta=0.3, gamma=2.0).fit(TRAIN, LABELS)
    boxes = pipeline["iol"].boxes_
    np.testing.assert_array_equal(pipeline[:-1].transform(test), scaler.transform(rest))
    np.testing.assert_array_equal(boxes.lower, by_hand.boxes_.lower)
    np.testing.assert_array_equal(boxes.upper, by_hand.boxes_.upper)
    assert (pipeline.predict(test) == by_hand.predict(scaler.transform(rest))).all()
    np.testing.assert_array_equal(
        pipeline.predict_proba(test), by_hand.predict_proba(scaler.transform(rest))
    )


@every_encoder
def test_it_learns_three_classes_of_text_better_than_chance(encoder):
    pipeline = iol_pipeline(encoder).fit(TRAIN, LABELS)
    assert pipeline.classes_.tolist() == ["no", "refer", "yes"]
    assert class_balanced_accuracy(TEST_LABELS, pipeline.predict(TEST)) > 0.5


@every_encoder
def test_the_order_of_the_columns_plays_no_part(encoder):
    shuffled = ["job", "income", "member", "age", "city"]
    pipeline = iol_pipeline(encoder).fit(TRAIN, LABELS)
    other = iol_pipeline(encoder).fit(TRAIN[shuffled], LABELS)
    assert (other.predict(TEST) == pipeline.predict(TEST)).all()  # found by name
    np.testing.assert_array_equal(
        other["encode"].transform(TEST)[["age", "income"]], TEST[["age", "income"]]
    )


@every_encoder
def test_training_rows_fill_zero_to_one_and_other_rows_are_clipped(encoder):
    steps = iol_pipeline(encoder)[:-1]
    train = steps.fit_transform(TRAIN, LABELS)
    assert (train.min() == 0).all() and train.max().to_numpy() == pytest.approx(1)
    far = TEST.head(2).assign(age=[-1000.0, 1000.0], income=[1000.0, -1000.0])
    assert steps.transform(far)[["age", "income"]].to_numpy().tolist() == [[0, 1], [1, 0]]
    low, high = TRAIN["age"].min(), TRAIN["age"].max()
    np.testing.assert_allclose(train["age"], (TRAIN["age"] - low) / (high - low))


@every_encoder
def test_only_leave_one_out_and_catboost_encode_learned_rows_with_their_own_labels(encoder):
    step = CategoryEncoder(encoder)
    learned = step.fit_transform(TRAIN, LABELS)
    again = step.transform(TRAIN)
    assert np.array_equal(learned, again, equal_nan=True) == (
        encoder not in ("leave-one-out", "catboost")
    )
    by_hand, _ = encode_by_hand(encoder, TRAIN, LABELS, TRAIN)
    np.testing.assert_array_equal(learned, by_hand)


def test_fit_transform_leaves_the_label_of_the_row_out():
    step = CategoryEncoder("leave-one-out")
    encoded = step.fit_transform([["a"], ["a"], ["a"]], [0, 1, 1])
    assert encoded.ravel().tolist() == [1.0, 0.5, 0.5]
    assert step.transform([["a"]]).ravel().tolist() == [2 / 3]


@pytest.mark.parametrize("labels", [["x", "z", "y", "y"], [10, 30, 20, 20], [-1, 7, 0, 0]])
def test_classes_are_numbered_in_sorted_order_whatever_the_labels(labels):
    step = CategoryEncoder("leave-one-out").fit([["a"], ["a"], ["b"], ["b"]], labels)
    assert step.transform([["a"], ["b"]]).ravel().tolist() == [1.0, 1.0]  # 0, 2 and 1, 1


def test_labels_that_cannot_be_sorted_are_numbered_as_they_come():
    step = CategoryEncoder("leave-one-out").fit([["a"], ["a"], ["b"], ["b"]], ["x", 1, 2, "y"])
    assert step.transform([["a"], ["b"]]).ravel().tolist() == [0.5, 2.5]


@every_encoder
@pytest.mark.parametrize("value", ["never seen", None], ids=["unseen", "missing"])
def test_a_value_not_learned_becomes_what_the_documentation_says(encoder, value):
    X, y = [["a"], ["b"], ["c"], ["a"], ["b"], ["c"]], [0, 1, 2, 0, 1, 1]
    step = CategoryEncoder(encoder).fit(X, y)
    encoded = step.transform([[value]]).ravel().tolist()
    if encoder in WITH_LABELS:
        assert encoded == [np.mean(y)]
    elif encoder == "ordinal":
        assert encoded == [-1.0 if value else -2.0]
    else:
        assert encoded == [0.0] * (3 if encoder == "one-hot" else 2)


def test_the_ordinal_code_of_an_unseen_value_is_clipped_to_that_of_the_first_one():
    pipeline = iol_pipeline("ordinal").fit([["a"], ["b"], ["c"]], [0, 1, 2])
    assert pipeline[:-1].transform([["new"], ["a"]]).to_numpy().tolist() == [[0.0], [0.0]]
    assert pipeline.predict([["new"]]).tolist() == [0]


@every_encoder
def test_a_category_missing_in_the_training_rows_is_a_value_of_its_own(encoder):
    X = [["a"], ["a"], [None], [None]]
    pipeline = iol_pipeline(encoder).fit(X * 5, ["x", "x", "y", "y"] * 5)
    assert pipeline.predict([[None], ["a"]]).tolist() == ["y", "x"]


@every_encoder
def test_every_kind_of_table_gives_the_same_predictions(encoder):
    pipeline = iol_pipeline(encoder).fit(TRAIN, LABELS)
    expected = pipeline.predict(TEST)
    assert (pipeline.predict(TEST.to_dict("records")) == expected).all()
    assert (pipeline.predict(pl.from_pandas(TEST)) == expected).all()
    positions = {"categorical_features": [2, 3, 4]}
    for table in (TRAIN.to_numpy(dtype=object), TRAIN.to_numpy(dtype=object).tolist()):
        other = iol_pipeline(encoder, **positions).fit(table, LABELS.tolist())
        assert (other.predict(TEST.to_numpy(dtype=object)) == expected).all()
    typed = TRAIN.astype({"job": "category", "city": "category"})
    typed.index = typed.index[::-1]  # an index means nothing here
    other = iol_pipeline(encoder).fit(typed, pd.Series(LABELS))
    assert (other.predict(TEST) == expected).all()


@every_encoder
def test_numbers_alone_are_scaled_and_learned(encoder):
    X = TRAIN[NUMBERS]
    pipeline = iol_pipeline(encoder).fit(X, LABELS)
    scaled = MinMaxScaler(clip=True).fit(X)
    by_hand = ImprovedOnlineGFMM(feature_range=(0, 1)).fit(scaled.transform(X), LABELS)
    expected = by_hand.predict(scaled.transform(TEST[NUMBERS]))
    assert (pipeline.predict(TEST[NUMBERS]) == expected).all()


def test_the_table_that_is_handed_over_stays_as_it_is():
    numbers, table = np.arange(6.0).reshape(3, 2), TRAIN.copy()
    encoded = CategoryEncoder("one-hot").fit_transform(numbers)
    encoded[:] = -1
    assert numbers.tolist() == [[0, 1], [2, 3], [4, 5]]
    iol_pipeline("target").fit(table, LABELS).predict(table)
    pd.testing.assert_frame_equal(table, TRAIN)


@every_encoder
def test_categories_alone_are_enough(encoder):
    pipeline = iol_pipeline(encoder).fit(TRAIN[CATEGORIES], LABELS)
    assert class_balanced_accuracy(LABELS, pipeline.predict(TRAIN[CATEGORIES])) > 0.34


@every_encoder
def test_the_boxes_name_the_encoded_columns(encoder):
    pipeline = iol_pipeline(encoder).fit([[1.0, "a"], [2.0, "b"], [3.0, None]], ["x", "y", "x"])
    expected = {
        "one-hot": ["x0", "x1=a", "x1=b", "x1=missing"],
        "helmert": ["x0", "x1_0", "x1_1"],
        "sum": ["x0", "x1_0", "x1_1"],
    }.get(encoder, ["x0", "x1"])
    assert pipeline["iol"].schema_.names == tuple(expected)
    assert pipeline[:-1].get_feature_names_out().tolist() == expected


@every_encoder
def test_columns_whose_names_or_values_look_alike_are_kept_apart(encoder):
    X = pd.DataFrame(
        {
            "a_0": [1.0, 2.0, 3.0, 4.0],
            "a=1": [1.0, 2.0, 3.0, 4.0],
            "a": pd.Series([1, "1", "nan", None], dtype=object),
            "a_1": ["p", "q", "p", "q"],
        }
    )
    pipeline = iol_pipeline(encoder, categorical_features=["a", "a_1"])
    pipeline.fit(pd.concat([X] * 4), ["x", "y", "z", "z"] * 4)
    names = pipeline["iol"].schema_.names
    assert len(set(names)) == len(names)
    assert pipeline.predict(X).tolist() == ["x", "y", "z", "z"]


@every_encoder
@pytest.mark.parametrize("labels", [["x", "y", "x"], ["x", "x", "x"]], ids=["two", "one"])
def test_columns_with_one_value_or_none_and_a_single_class_do_no_harm(encoder, labels):
    X = pd.DataFrame({"n": [1.0, 2.0, 3.0], "empty": [np.nan] * 3, "same": ["a"] * 3})
    pipeline = iol_pipeline(encoder).fit(X, labels)
    other = pd.DataFrame({"n": [1.0], "empty": [5.0], "same": ["b"]})
    assert set(pipeline.predict(X)) <= set(labels)
    assert np.isnan(pipeline[:-1].transform(other)["empty"]).all()
    assert pipeline.predict(other).tolist() == ["x"]


@pytest.mark.parametrize("encoder", ["helmert", "sum"])
def test_contrasts_of_a_single_value_leave_nothing_to_learn_from(encoder):
    with pytest.raises(ValueError, match="makes no column of a category with a single value"):
        iol_pipeline(encoder).fit([["a"], ["a"]], ["x", "y"])


def test_a_grid_search_varies_theta_and_the_encoder():
    grid = {"iol__theta": [0.1, 0.5], "encode__encoder": [*ENCODERS]}
    search = GridSearchCV(iol_pipeline("target"), grid, cv=3, error_score="raise")
    search.fit(TRAIN, LABELS)
    alone = iol_pipeline(search.best_params_["encode__encoder"], search.best_params_["iol__theta"])
    assert (search.predict(TEST) == alone.fit(TRAIN, LABELS).predict(TEST)).all()
    assert len(search.cv_results_["mean_test_score"]) == 16


@every_encoder
def test_cross_validation_clones_and_pickles_give_the_same(encoder):
    pipeline = iol_pipeline(encoder, theta=0.4, gamma=2.0, categorical_features=CATEGORIES)
    assert isinstance(pipeline, Pipeline)
    scores = cross_val_score(pipeline, TRAIN, LABELS, cv=3, error_score="raise")
    assert cross_val_score(clone(pipeline), TRAIN, LABELS, cv=3).tolist() == scores.tolist()
    expected = pipeline.fit(TRAIN, LABELS).predict_proba(TEST)
    twin = pickle.loads(pickle.dumps(pipeline))
    np.testing.assert_array_equal(twin.predict_proba(TEST), expected)
    again = clone(pipeline).set_params(iol__theta=0.4).fit(TRAIN, LABELS)
    np.testing.assert_array_equal(again.predict_proba(TEST), expected)


def test_a_second_fit_forgets_the_first():
    pipeline = iol_pipeline("one-hot").fit(TRAIN, LABELS)
    pipeline.fit([[1.0, "a"], [2.0, "b"]], ["x", "y"])
    assert pipeline["iol"].schema_.names == ("x0", "x1=a", "x1=b")
    assert not hasattr(pipeline["encode"], "feature_names_in_")
    assert pipeline.predict([[2.0, "b"]]).tolist() == ["y"]


def test_another_encoder_is_used_from_the_next_fit_on():
    pipeline = iol_pipeline("target").fit(TRAIN, LABELS)
    expected = pipeline.predict(TEST)
    pipeline.set_params(encode__encoder="one-hot")
    assert (pipeline.predict(TEST) == expected).all()
    assert "city=Ulm" in pipeline.fit(TRAIN, LABELS)["iol"].schema_.names


@parametrize_with_checks([CategoryEncoder("one-hot"), CategoryEncoder("leave-one-out")])
def test_scikit_learn_accepts_the_step_as_a_transformer(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("encoder", ["label", "One-Hot", None, ["target"]])
def test_an_unknown_encoder_is_an_error_that_lists_the_eight(encoder):
    with pytest.raises(ValueError, match=f"one of {', '.join(ENCODERS)}, not "):
        iol_pipeline(encoder)
    with pytest.raises(ValueError, match="encoder must be one of"):
        iol_pipeline("sum").set_params(encode__encoder=encoder).fit(TRAIN, LABELS)


@pytest.mark.parametrize("encoder", WITH_LABELS)
def test_an_encoder_that_uses_labels_asks_for_them(encoder):
    with pytest.raises(ValueError, match="requires y to be passed"):
        CategoryEncoder(encoder).fit(TRAIN)
    with pytest.raises(ValueError, match="label of row 1 is missing"):
        CategoryEncoder(encoder).fit([["a"], ["b"]], ["x", None])


def test_intervals_are_refused_with_the_remedy():
    bands = pd.DataFrame({"income": pd.arrays.IntervalArray.from_tuples([(1, 2), (3, 4)])})
    with pytest.raises(ValueError, match=r"X holds intervals.+use HyperboxClassifier"):
        iol_pipeline("sum").fit(bands, ["x", "y"])


def test_a_table_without_the_learned_columns_is_refused_by_name():
    pipeline = iol_pipeline("target").fit(TRAIN, LABELS)
    with pytest.raises(ValueError, match=r"now missing:\n- job"):
        pipeline.predict(TEST.drop(columns="job"))


def test_a_step_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError, match="Call 'fit' first"):
        CategoryEncoder("sum").transform(TEST)


def test_without_the_library_the_error_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "category_encoders", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[encoders\]"'):
        iol_pipeline("target")


def test_the_library_is_loaded_only_when_an_encoder_is_asked_for():
    code = "import sys, boxwise.learners.encoders; print('category_encoders' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@every_encoder
def test_a_data_set_of_the_paper_is_learned(encoder):
    if "BOXWISE_DATA" not in os.environ:
        pytest.skip("BOXWISE_DATA does not name the folder of the paper's data sets")
    heart = load("heart")
    X, y = heart.X, heart.y
    pipeline = iol_pipeline(encoder, theta=0.1, categorical_features=heart.categorical_features)
    pipeline.fit(X[::2], y[::2])
    always_one = class_balanced_accuracy(y[1::2], np.full(len(y[1::2]), 1))
    assert class_balanced_accuracy(y[1::2], pipeline.predict(X[1::2])) > always_one + 0.1


@pytest.mark.parametrize("encoder", ENCODERS)
def test_rows_without_a_label_do_not_count_as_a_class(encoder: str) -> None:
    rows = [{"x": float(i), "c": "ab"[i % 2]} for i in range(12)]
    labels = [["no", "yes"][i % 2] for i in range(12)]
    marked = [*labels[:9], "?", "?", "?"]
    clf = iol_pipeline(encoder, unlabelled="?").fit(rows, marked)
    assert clf.classes_.tolist() == ["no", "yes"]
    assert len(clf["iol"].boxes_) > 0
    if encoder != "ordinal":
        alone = iol_pipeline(encoder).fit(rows[:9], labels[:9])
        np.testing.assert_allclose(clf["encode"].transform(rows), alone["encode"].transform(rows))


def test_an_encoder_that_uses_labels_needs_one() -> None:
    with pytest.raises(ValueError, match="no row has a label"):
        iol_pipeline("target", unlabelled="?").fit([["a"], ["b"]], ["?", "?"])
