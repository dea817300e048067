"""The River face: River's own checks, and what they do not look at: mixed data."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import boxwise
from boxwise.datasets import LoanStream, loans
from boxwise.evaluate import prequential

river = pytest.importorskip("river")

from river import checks, compose, drift, evaluate, metrics, preprocessing  # noqa: E402

from boxwise.river import HyperboxClassifier  # noqa: E402
from boxwise.store.modelfile import pack  # noqa: E402

Pairs = list[tuple[dict[Any, Any], Any]]


def everything(model: HyperboxClassifier) -> bytes:
    return pack(*model.classifier._model.to_state())


def learned(pairs: Pairs, **parameters: Any) -> HyperboxClassifier:
    model = HyperboxClassifier(**parameters)
    for x, y in pairs:
        model.learn_one(x, y)
    return model


def patchy(n: int, seed: int = 0) -> Pairs:
    """Rows in which columns come and go, values are missing, and categories and classes new."""
    rng = np.random.default_rng(seed)
    pairs: Pairs = []
    for i in range(n):
        x: dict[Any, Any] = {
            "age": int(rng.integers(18, 90)),
            "income": float(rng.normal(30, 9)),
            "job": str(rng.choice(["cook", "smith", "nurse", f"new {i}"])),
            "member": bool(rng.random() < 0.5),
            "city": None if i < n // 3 else str(rng.choice(["Ulm", "Bath"])),
            "height": None if i < n // 2 else float(rng.normal(170, 9)),
        }
        for key in rng.choice(list(x), 2):
            x[str(key)] = [None, math.nan][int(rng.integers(2))]
        if rng.random() < 0.3:
            x.pop(str(rng.choice(list(x))))
        keys = rng.permutation(list(x)).tolist()
        label = "late" if i > n // 2 and rng.random() < 0.2 else ["no", "yes"][x.get("age") is None]
        pairs.append(({key: x[key] for key in keys}, label))
    return pairs


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=f"{check.__name__}-{i}") for i, check in enumerate(
        checks.yield_checks(HyperboxClassifier())
    )],
)  # fmt: skip
def test_river_accepts_it(check: Callable[[Any], None]) -> None:
    check(HyperboxClassifier())


def test_river_accepts_it_as_a_whole() -> None:
    checks.check_estimator(HyperboxClassifier(theta=0.3, delta=1.0, condition="mean"))
    checks.check_estimator(HyperboxClassifier(decision="evidence"))


@pytest.mark.parametrize("decision", ["membership", "evidence"])
@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_rows_with_all_columns_make_the_boxes_of_the_other_face(decision: str, scale: str) -> None:
    pairs = list(LoanStream(400, function=3, noise=0.1))
    settings = {"theta": 0.3, "delta": 0.8, "scale": scale, "decision": decision}
    model = learned(pairs, **settings)
    other = boxwise.HyperboxClassifier(**settings, unlabelled=math.nan)
    other.partial_fit([x for x, _ in pairs], [y for _, y in pairs])
    assert everything(model) == pack(*other._model.to_state())
    unseen = [x for x, _ in LoanStream(200, seed=9)]
    assert [model.predict_one(x) for x in unseen] == other.predict(unseen).tolist()
    shares = [model.predict_proba_one(x) for x in unseen]
    for share, row in zip(shares, other.predict_proba(unseen).tolist(), strict=True):
        assert [share[label] for label in other.classes_] == row


def test_before_the_first_row_there_is_no_answer() -> None:
    model = HyperboxClassifier()
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": "x"}) == {}
    assert model.predict_many(pd.DataFrame({"a": [1, 2]})).tolist() == [None, None]
    assert model.predict_proba_many(pd.DataFrame({"a": [1, 2]})).shape == (2, 0)
    assert (model.n_boxes_, model.n_bytes_) == (0, 0)
    model.learn_one({}, "yes")
    model.learn_one({"a": None, "b": math.nan}, "yes")
    assert model.predict_one({"a": 1}) is None
    model.learn_one({"a": 1}, None)
    assert model.predict_one({"a": 1}) is None
    assert model.n_boxes_ == 1
    model.learn_one({"a": 1}, "yes")
    assert model.predict_one({"a": 1}) == "yes"


def test_the_first_value_that_is_not_missing_decides_the_kind_of_a_feature() -> None:
    model = learned(
        [({"a": 1, "b": None}, "x"), ({"a": 2, "b": math.nan}, "y"), ({"a": 3, "b": "red"}, "y")]
    )
    assert model.classifier.schema_.categorical_names == ("b",)
    assert model.boxes.counts[0] == [{None: 1}]
    model = learned([({"a": "u", "b": None}, "x"), ({"a": "v", "b": 2.5}, "y")])
    assert model.classifier.schema_.continuous_names == ("b",)


@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_a_new_feature_counts_as_missing_in_the_rows_before(scale: str) -> None:
    """The boxes are those of someone who knew all columns and was told that two were missing."""
    ages, jobs = (20, 30, 60, 25), ("cook", "cook", "smith", "nurse")
    early = [
        ({"age": age, "job": job}, "yes" if age > 50 else "no")
        for age, job in zip(ages, jobs, strict=True)
    ]
    late = ({"age": 61, "job": "smith", "city": "Ulm", "height": 170.0}, "yes")
    settings = {"alpha": 0.5, "delta": 1.0, "theta": 0.3, "scale": scale}
    model = learned([*early, late], **settings)
    knowing = boxwise.HyperboxClassifier(
        **settings, categorical_features=["job", "city"], unlabelled=math.nan
    )
    rows = [{"city": None, "height": None} | x for x, _ in [*early, late]]
    columns = ["age", "job", "city", "height"]
    rows = [{c: row[c] for c in columns} for row in rows]
    knowing.partial_fit(rows, [y for _, y in [*early, late]])
    boxes, others = model.boxes, knowing.boxes_
    one, old = {None: 1}, {None: 1, "Ulm": 1}
    cities = {"range": [{None: 2}, one, old], "quantile": [one, one, old, one]}
    assert [counts[1] for counts in boxes.counts] == cities[scale]
    assert np.isnan(boxes.lower[0, 1])
    assert [boxes.describe(i) for i in range(len(boxes))] == [
        others.describe(i) for i in range(len(others))
    ]
    for x in ({"city": "Ulm"}, {"height": 171.0}, {"age": 22, "city": "Bath"}):
        row = {c: x.get(c) for c in columns}
        assert model.predict_one(x) == knowing.predict([row])[0]


@pytest.mark.parametrize("seed", range(5))
def test_rows_on_the_fast_lane_and_on_the_general_way_are_learned_alike(seed: int) -> None:
    """A row that is no dict but a mapping takes the general way."""

    class Row(dict[Any, Any]):
        pass

    pairs = patchy(150, seed)
    fast = learned(pairs, theta=0.3)
    general = learned([(Row(x), y) for x, y in pairs], theta=0.3)
    mixed = learned([(Row(x) if i % 3 else x, y) for i, (x, y) in enumerate(pairs)], theta=0.3)
    assert everything(fast) == everything(general) == everything(mixed)
    for x, _ in patchy(80, seed + 100):
        assert fast.predict_one(x) == general.predict_one(Row(x))
        assert fast.predict_proba_one(x) == general.predict_proba_one(Row(x))


def test_plain_rows_do_take_the_fast_lane() -> None:
    model = learned([({"a": 1.0, "b": "x"}, "p"), ({"a": 2, "b": None}, "q")])
    reader = model._reader
    for row in (
        {"a": 1, "b": "x"},
        {"b": "a new text", "a": None},
        {"a": math.nan},
        {},
        {"z": None},
    ):
        assert reader.learn(row, "p")
        assert reader.predict(row) in (0, 1)
        assert len(reader.probabilities(row)) == 2
    assert model.n_boxes_ == len(model.boxes)
    assert "a new text" in model.classifier.schema_.columns[1].vocabulary.codes
    for row, label in (
        ({"a": "text"}, "p"),
        ({"a": 1.0, "z": 1}, "p"),
        ({"a": 1.0}, "new"),
        ({"b": 1.5}, "p"),
    ):
        assert not reader.learn(row, label)


class Emptying:
    """A value that empties the row it is in when it is looked up."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row

    def __hash__(self) -> int:
        self.row.clear()
        return hash("x")

    def __eq__(self, other: object) -> bool:
        return True


def test_values_that_run_code_when_looked_up_do_no_harm() -> None:
    model = learned([({"a": 1.0, "b": "x"}, "p"), ({"a": 2, "b": "y"}, "q")])
    for _ in range(100):
        row: dict[str, Any] = {"a": 1.0}
        row["b"] = Emptying(row)
        assert model.predict_one(row) in ("p", "q")

    class Interrupting:
        def __hash__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.predict_one({"b": Interrupting()})


def test_threads_may_predict_while_one_learns_new_classes() -> None:
    model = learned([({"a": 0.0}, "first")])
    done, errors = threading.Event(), []

    def ask() -> None:
        while not done.is_set():
            try:
                shares = model.predict_proba_one({"a": 0.5})
                assert math.isclose(sum(shares.values()), 1)
                model.predict_one({"a": 0.5})
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for i in range(1_500):
        model.learn_one({"a": i % 10 / 10}, i)
    done.set()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.parametrize("seed", range(3))
def test_many_rows_are_learned_as_one_after_the_other(seed: int) -> None:
    pairs = patchy(120, seed)
    one_by_one = learned(pairs)
    X = pd.DataFrame([x for x, _ in pairs], dtype=object)
    y = pd.Series([y for _, y in pairs])
    at_once, in_parts = HyperboxClassifier(), HyperboxClassifier()
    at_once.learn_many(X, y)
    for begin in range(0, len(X), 7):
        in_parts.learn_many(X[begin : begin + 7], y[begin : begin + 7])
    rows = X.to_dict("records")
    labels = [one_by_one.predict_one(row) for row in rows]
    for model in (at_once, in_parts):
        assert model.predict_many(X).tolist() == labels
        assert model.n_boxes_ == one_by_one.n_boxes_
    shares = at_once.predict_proba_many(X.set_index(X.index + 5))
    assert shares.index.tolist() == list(range(5, 125))
    assert shares.idxmax(axis="columns").tolist() == labels
    assert shares.to_dict("records") == [one_by_one.predict_proba_one(row) for row in rows]


def test_tables_that_do_not_fit_are_refused_before_anything_is_learned() -> None:
    model = HyperboxClassifier()
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 labels"):
        model.learn_many(X, pd.Series(["p", "q"]))
    with pytest.raises(ValueError, match="the feature 'a' occurs more than once"):
        model.learn_many(pd.concat([X, X], axis=1), pd.Series(["p"] * 3))
    assert model.n_boxes_ == 0
    model.learn_many(X, ["p", "q", "p"])
    assert model.n_boxes_ == 3


def test_typed_columns_of_a_table() -> None:
    X = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "f": [0.5, None, 1.5],
            "b": [True, False, True],
            "c": pd.Categorical(["u", None, "v"]),
            "s": pd.array(["x", None, "y"], dtype="string"),
            "i": pd.array([1, None, 3], dtype="Int64"),
        }
    )
    model = HyperboxClassifier()
    model.learn_many(X, pd.Series([0, 1, 0]))
    schema = model.classifier.schema_
    assert schema.continuous_names == ("n", "f", "i")
    assert schema.categorical_names == ("b", "c", "s")
    assert model.predict_many(X).tolist() == [0, 1, 0]


@pytest.mark.parametrize("labels", [("a", "b"), (0, 1), (False, True), (np.int64(3), np.int64(4))])
def test_labels_keep_their_type(labels: tuple[Any, Any]) -> None:
    model = learned([({"a": 0.0}, labels[0]), ({"a": 1.0}, labels[1])])
    answers = [model.predict_one({"a": 0.0}), model.predict_one({"a": 1.0})]
    assert answers == list(labels)
    plain = labels[0].item() if isinstance(labels[0], np.generic) else labels[0]
    assert type(answers[0]) is type(plain)
    assert set(model.predict_proba_one({"a": 0.2})) == set(labels)


def test_categories_are_text_numbers_or_truth_values() -> None:
    pairs: Pairs = [({"zip": 101, "vip": True}, "a"), ({"zip": 205, "vip": False}, "b")]
    model = learned(pairs, categorical_features=["zip"])
    assert model.classifier.schema_.categorical_names == ("zip", "vip")
    assert model.predict_one({"zip": 205, "vip": False}) == "b"
    assert model.predict_one({"zip": 205.0, "vip": 0}) == "b"  # equal values are one category
    assert model.predict_one({"zip": 999, "vip": False}) == "b"


def test_features_may_have_names_that_are_no_text() -> None:
    model = learned([({0: 1.0, ("a", 1): "x"}, "a"), ({0: 2.0, ("a", 1): "y"}, "b")])
    assert model.predict_one({("a", 1): "y"}) == "b"
    with pytest.raises(ValueError, match=r"the features 0 and '0' look alike as text; rename"):
        model.learn_one({"0": 3.0}, "a")
    assert model.n_boxes_ == 2


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (
            {"a": "high", "new": 1},
            "no",
            r"'a': 'high' is not a number.*categorical_features",
        ),
        ({"a": math.inf}, "no", r"column 'a': inf is not finite"),
        ({"a": 1e200}, "no", r"column 'a': 1e200 is beyond"),
        ({"a": 10**400}, "no", r"column 'a': an integer of about 401 digits"),
        ({"b": ["x"], "new": 1}, "no", r"column 'b': \['x'\] cannot be a category"),
        ({"a": 1, "new": {}}, "no", r"column 'new': \{\} cannot be a category"),
        ({"a": 1, "new": 5}, 0.5, r"the label 0.5"),
        ({"a": 1, "new": 5}, ["no"], r"label"),
    ],
)
def test_a_row_that_is_refused_changes_nothing(x: Any, y: Any, message: str) -> None:
    model = learned([({"a": 1.0, "b": "u"}, "no"), ({"a": 2.0, "b": "v"}, "yes")])
    before = everything(model)
    with pytest.raises((ValueError, TypeError), match=message):
        model.learn_one(x, y)
    assert everything(model) == before
    model.learn_one({"a": 1.5, "b": "u"}, "no")
    assert model.predict_one({"a": 1.5, "b": "u"}) == "no"


def test_the_first_row_may_be_refused_too() -> None:
    model = HyperboxClassifier()
    with pytest.raises(ValueError, match="not finite"):
        model.learn_one({"a": math.inf}, "no")
    model.learn_one({"a": "text after all"}, "no")
    assert model.predict_one({"a": "text after all"}) == "no"


@pytest.mark.parametrize("again", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_a_copy_made_in_the_middle_of_the_stream_goes_on_alike(again: Callable[..., Any]) -> None:
    pairs = patchy(100)
    model = learned(pairs[:50])
    other = again(model)
    for x, y in pairs[50:]:
        model.learn_one(x, y)
        other.learn_one(x, y)
    assert everything(model) == everything(other)
    assert again(HyperboxClassifier()).predict_one({"a": 1}) is None


def test_a_fixed_range_holds_for_features_that_come_later() -> None:
    pairs: Pairs = [({"a": 1.0}, "x"), ({"a": 2.0, "b": 5.0}, "y"), ({"a": 3.0, "b": 90.0}, "x")]
    model = learned(pairs, feature_range={"b": (0, 100), "never": (0, 1)})
    assert {c.name: c.range for c in model.classifier.schema_.columns} == {
        "a": (1.0, 3.0), "b": (0.0, 100.0),
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"feature_range names 'c', which is not a continuous"):
        learned([({"c": "text"}, "x")], feature_range={"c": (0, 1)})


def test_alpha_cannot_be_estimated_from_a_row() -> None:
    with pytest.raises(ValueError, match=r"alpha='estimate' needs all rows"):
        learned([({"a": 1.0}, "x")], alpha="estimate")


def test_the_classifier_within_can_be_saved_and_loaded(tmp_path: Any) -> None:
    model = learned(patchy(60))
    model.classifier.save(tmp_path / "model.box")
    again = boxwise.load(tmp_path / "model.box")
    rows = [{name: x.get(name) for name in again.schema_.names} for x, _ in patchy(30, 5)]
    assert [model.predict_one(row) for row in rows] == again.predict(rows).tolist()


def test_a_loaded_classifier_goes_on_as_a_river_model(tmp_path: Any) -> None:
    pairs = patchy(100)
    model = learned(pairs[:60])
    model.classifier.save(tmp_path / "model.box")
    loaded = boxwise.load(tmp_path / "model.box")
    again = HyperboxClassifier.from_classifier(loaded)
    for x, y in pairs[60:]:
        model.learn_one(x, y)
        again.learn_one(x, y)
    assert everything(again) == everything(model)
    assert loaded.boxes_.n_samples.sum() == 60
    with pytest.raises(TypeError, match="OnlineGFMM cannot become a River model"):
        HyperboxClassifier.from_classifier(boxwise.OnlineGFMM().fit([[1.0]], ["a"]))
    table, labels = loans(60, function=3)
    estimated = boxwise.HyperboxClassifier(alpha="estimate").fit(table, labels)
    again = HyperboxClassifier.from_classifier(estimated)
    assert again.alpha == estimated.alpha_
    again.clone().learn_one(table[0], labels[0])
    with pytest.raises(ValueError, match="have no names"):
        HyperboxClassifier.from_classifier(boxwise.HyperboxClassifier().fit([[1.0]], ["a"]))


def test_names_of_categorical_features_are_a_list_of_any_kind() -> None:
    with pytest.raises(ValueError, match="give a list of names"):
        HyperboxClassifier(categorical_features="zip")
    model = learned([({"zip": 1, "car": 2}, "a")], categorical_features=(n for n in ("car", "zip")))
    assert model.classifier.schema_.categorical_names == ("zip", "car")
    assert model.classifier.categorical_features == ("zip", "car")


def test_what_is_no_dict_and_what_is_not_there_is_told() -> None:
    model = HyperboxClassifier()
    with pytest.raises(AttributeError, match="call learn_one"):
        _ = model.boxes
    with pytest.raises(TypeError, match="a row must be a dict from feature to value, not list"):
        model.learn_one([1, 2], "a")
    model.learn_one({"a": 1}, "a")
    with pytest.raises(TypeError, match="a row must be a dict from feature to value, not list"):
        model.predict_one([1, 2])


def test_it_works_in_pipelines_with_metrics_and_drift_detectors() -> None:
    stream = LoanStream(3_000, function=7, drift_at=1_500, drift_to=3)
    model = (
        compose.SelectType(str) + (compose.SelectType(int, float) | preprocessing.StandardScaler())
    ) | HyperboxClassifier(theta=0.3, delta=1.0)
    detector, drifts = drift.ADWIN(), []
    accuracy, kappa = metrics.Accuracy(), metrics.CohenKappa()
    for i, (x, y) in enumerate(stream):
        guess = model.predict_one(x)
        if guess is not None:
            accuracy.update(y, guess)
            kappa.update(y, guess)
            detector.update(guess != y)
            if detector.drift_detected:
                drifts.append(i)
                model = model.clone()
        model.learn_one(x, y)
    assert accuracy.get() > 0.75
    assert kappa.get() > 0.4
    assert any(1_500 < i < 2_500 for i in drifts)


def test_both_faces_learn_rows_without_a_label_alike_in_a_prequential_run() -> None:
    pairs = [(x, y if i % 3 else None) for i, (x, y) in enumerate(LoanStream(300, function=3))]
    faces = {"one": HyperboxClassifier(), "other": boxwise.HyperboxClassifier(unlabelled=math.nan)}
    one, other = prequential(faces, pairs).summary()
    assert one["unlabelled"] == 100
    assert [one[key] for key in ("scored", "cba", "boxes")] == [
        other[key] for key in ("scored", "cba", "boxes")
    ]
    assert everything(faces["one"]) == pack(*faces["other"]._model.to_state())


def test_progressive_validation_counts_what_test_then_train_counts() -> None:
    pairs = list(LoanStream(500, function=3))
    metric = evaluate.progressive_val_score(pairs, HyperboxClassifier(), metrics.Accuracy())
    bulk = boxwise.HyperboxClassifier()
    labels = np.array([y for _, y in pairs], dtype=object)
    predicted = bulk.test_then_train([x for x, _ in pairs], labels)
    assert metric.get() == np.mean(predicted[1:] == labels[1:])


def test_the_memory_of_the_boxes_is_counted() -> None:
    pairs = list(LoanStream(300))
    model = learned(pairs, theta=0.05)
    assert model._raw_memory_usage > model.n_bytes_ == model.classifier.n_bytes_ > 10_000


def test_explanations_are_those_of_the_other_face_and_features_may_come_and_go() -> None:
    pairs = patchy(120)
    model = learned(pairs)
    x, _ = pairs[-1]
    why = model.explain_one(x)
    assert why is not None
    assert why.prediction == model.predict_one(x)
    (other,) = model.classifier.explain([{name: x.get(name) for name in model._names}])
    assert why.to_dict() == other.to_dict()
    fewer = model.explain_one({"age": 40, "never seen": 1}, counterfactual=False)
    assert fewer is not None
    assert {f.column for f in fewer.winner.features if f.value is not None} == {"age"}


def test_features_that_are_fixed_stay_and_unknown_ones_are_refused() -> None:
    model = learned([({1: 20.0, "b": 1.0}, "no"), ({1: 60.0, "b": 9.0}, "yes")] * 5)
    why = model.explain_one({1: 25.0, "b": 2.0}, fixed=[1])
    assert why is not None
    assert why.counterfactual is not None
    assert [change.column for change in why.counterfactual.changes] == ["b"]
    with pytest.raises(ValueError, match="the model knows no feature 'c'"):
        model.explain_one({1: 25.0}, fixed=["c"])


def test_nothing_is_explained_before_the_first_label() -> None:
    assert HyperboxClassifier().explain_one({"age": 3}) is None
