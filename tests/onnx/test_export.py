"""`to_onnx`: ONNX Runtime computes what the classifier does."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier

from .feeding import assert_same, feed, run, types_of

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from boxwise.onnx import to_onnx  # noqa: E402


def table(
    n: int,
    seed: int,
    *,
    numbers: int = 2,
    categories: int = 2,
    vocabulary: int = 5,
    missing: float = 0.1,
    far: float = 1.0,
) -> list[dict[str, object]]:
    """Rows with numbers and texts, some of them missing."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        row: dict[str, object] = {
            f"n{j}": round(float(random.normal()) * far, 2) for j in range(numbers)
        }
        for j in range(categories):
            row[f"c{j}"] = f"v{int(random.integers(vocabulary) * random.random() ** 0.5)}"
        for name in row:
            if random.random() < missing:
                row[name] = None
        rows.append(row)
    return rows


def labels_of(rows: list[dict[str, object]], n_classes: int, shift: int = 0) -> list[str]:
    def score(row: dict[str, object]) -> int:
        number = row.get("n0") or 0.0
        return int(np.floor(2 * float(number))) + (row.get("c0") == "v1")  # type: ignore[arg-type]

    return [f"class {(score(row) + shift) % n_classes}" for row in rows]


def to_predict(seed: int, **kinds: object) -> list[dict[str, object]]:
    """Rows like those learned, far from them, and with values never learned."""
    rows = table(150, seed, missing=0.2, **kinds) + table(50, seed, far=30.0, **kinds)
    for row in rows[::7]:
        row |= {name: "never learned" for name in row if name.startswith("c")}
    return rows


@pytest.mark.parametrize("additive", [True, False])
@pytest.mark.parametrize("scale", ["quantile", "range"])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 12])
@pytest.mark.parametrize(
    "kinds",
    [{"categories": 0}, {"numbers": 0}, {"numbers": 3, "categories": 3}],
    ids=["numeric", "categorical", "mixed"],
)
def test_runtime_gives_the_probabilities_and_labels(kinds, n_classes, scale, additive):
    rows = table(250, 1, **kinds)
    clf = HyperboxClassifier(scale=scale, additive=additive, max_boxes=80)
    clf.fit(rows, labels_of(rows, n_classes))
    assert_same(clf, to_predict(2, **kinds))


@pytest.mark.parametrize("seed", range(6))
def test_runtime_agrees_after_changes_with_challengers_and_retired_experts(seed):
    clf = HyperboxClassifier(max_boxes=100, class_prior="auto")
    roles = set()
    rows = table(2600, seed, missing=0.02)
    shifted = labels_of(rows[:900], 3) + labels_of(rows[900:], 3, shift=1)
    for begin in range(0, 2600, 20):
        clf.partial_fit(rows[begin : begin + 20], shifted[begin : begin + 20])
        found = {*clf._model.engine.snapshot()["members"][:, 0].tolist()}
        if found - roles:
            roles |= found
            assert_same(clf, to_predict(seed + 50))
    assert roles == {0.0, 1.0, 2.0}


@pytest.mark.parametrize("prior", ["balanced", "auto", "data"])
def test_runtime_agrees_with_a_class_prior(prior):
    rows = table(400, 3)
    labels = ["rare" if k % 25 == 0 else label for k, label in enumerate(labels_of(rows, 2))]
    clf = HyperboxClassifier(class_prior=prior).partial_fit(rows, labels)
    assert_same(clf, to_predict(4))


def test_runtime_agrees_beyond_255_values_of_a_column():
    rows = [{"town": f"town {k % 300}", "n": float(k % 7)} for k in range(900)]
    clf = HyperboxClassifier().partial_fit(rows, [f"class {k % 300 % 3}" for k in range(900)])
    assert_same(clf, [*rows, {"town": "never learned", "n": 1.0}, {"town": None, "n": None}])


def test_runtime_agrees_row_by_row_and_with_none_for_every_value():
    rows = table(100, 5)
    clf = HyperboxClassifier().fit(rows, labels_of(rows, 2))
    empty = dict.fromkeys(rows[0])
    model = assert_same(clf, [empty])
    labels, p = run(model, feed([], types_of(model)))
    assert len(labels) == 0 and p.shape == (0, 2)


def test_columns_of_one_value_and_rows_of_weight_are_exported():
    rows = [{"same": 3.0, "only": "a", "n": float(k % 11), "empty": None} for k in range(60)]
    clf = HyperboxClassifier()
    clf.partial_fit(rows, [k % 11 > 4 for k in range(60)], sample_weight=np.linspace(0.1, 3, 60))
    others = [{"same": 5.0, "only": "b", "n": 2.5, "empty": None}, dict.fromkeys(rows[0])]
    model = assert_same(clf, [*rows[:20], *others])
    assert types_of(model) == {"same": "double", "n": "double", "only": "string"}


def test_categories_that_are_numbers_or_truth_values_have_inputs_of_their_type():
    rows = [
        {"whole": k % 4, "gaps": None if k % 5 == 0 else k % 3, "flag": k % 2 == 0, "n": k / 60}
        for k in range(60)
    ]
    clf = HyperboxClassifier(categorical_features=["whole", "gaps", "flag"])
    clf.fit(rows, ["yes" if k % 4 > 1 else "no" for k in range(60)])
    model = assert_same(clf, [*rows, rows[0] | {"whole": 77, "gaps": 0.5}])
    assert types_of(model) == {"whole": "int64", "gaps": "double", "flag": "bool", "n": "double"}


def test_numbers_without_names_are_one_input():
    X = np.random.default_rng(6).normal(size=(200, 4))
    X[::9, 2] = np.nan
    clf = HyperboxClassifier().fit(X, (X[:, 0] > X[:, 1]).astype(int))
    model = assert_same(clf, X, {"X": X})
    assert types_of(model) == {"X": "double"}


def test_columns_without_names_are_numbered_if_some_are_categorical():
    rows = [[float(k % 9), "ab"[k % 2]] for k in range(80)]
    clf = HyperboxClassifier().fit(rows, [k % 2 for k in range(80)])
    inputs = {
        "x0": np.array([[row[0]] for row in rows]),
        "x1": np.array([[row[1]] for row in rows], object),
    }
    assert_same(clf, rows, inputs)


def test_models_of_intervals_take_points():
    random = np.random.default_rng(7)
    lower = random.normal(size=(150, 2))
    clf = HyperboxClassifier().fit(lower, lower[:, 0] > 0, upper=lower + random.random((150, 2)))
    assert_same(clf, lower, {"X": lower})


def test_many_columns_whose_weights_are_decoupled_are_exported():
    X = np.random.default_rng(8).normal(size=(200, 40))
    clf = HyperboxClassifier(max_boxes=50).fit(X, X[:, :4].argmax(axis=1))
    assert clf._model.engine.snapshot()["layer"].tolist() == [4, 1]
    assert_same(clf, X, {"X": X})


def test_classes_announced_or_without_boxes_have_probability_zero():
    rows = table(60, 9)
    clf = HyperboxClassifier(max_boxes=2).partial_fit(rows, labels_of(rows, 5), classes=["a", "z"])
    model = assert_same(clf, to_predict(10))
    _, p = run(model, feed(rows, types_of(model)))
    assert clf.classes_[0] == "a" and not p[:, [0, -1]].any()


@pytest.mark.parametrize("labels", [["a", "b"], [3, 5], [True, False], [0.0, 1.0]])
def test_labels_keep_their_type(labels):
    X = np.arange(20.0)[:, None]
    clf = HyperboxClassifier().fit(X, [labels[k > 9] for k in range(20)])
    found, _ = run(assert_same(clf, X, {"X": X}), {"X": X})
    assert found.tolist() == clf.predict(X).tolist()
    assert {type(label) for label in found.tolist()} == {type(labels[0])}


def test_model_states_its_opset_and_the_classes():
    rows = table(30, 11)
    model = HyperboxClassifier().fit(rows, labels_of(rows, 2)).to_onnx()
    assert {(o.domain, o.version) for o in model.opset_import} == {("", 18), ("ai.onnx.ml", 3)}
    assert model.ir_version == 8 and model.producer_name == "boxwise"
    assert {p.key: p.value for p in model.metadata_props}["boxwise.classes"] == (
        '["class 0", "class 1"]'
    )
    onnx.checker.check_model(model, full_check=True)


def test_export_does_not_change_when_the_model_goes_on_learning():
    X = np.arange(40.0)[:, None]
    clf = HyperboxClassifier().partial_fit(X, X[:, 0] > 20)
    model, before = clf.to_onnx(), clf.predict_proba(X)
    clf.partial_fit(X, X[:, 0] < 20)
    np.testing.assert_allclose(run(model, {"X": X})[1], before, rtol=0, atol=1e-9)


def refused(rows: list[dict[str, object]], labels: list[object]) -> str:
    with pytest.raises(ValueError) as error:
        HyperboxClassifier().fit(rows, labels).to_onnx()
    return str(error.value)


def test_what_has_no_type_in_onnx_is_refused_by_name():
    text = refused([{"c": ""}, {"c": None}, {"c": "x"}], ["a", "b", "a"])
    assert "column 'c'" in text and "empty text" in text
    text = refused([{"c": "x"}, {"c": 3}, {"c": "y"}], ["a", "b", "a"])
    assert "column 'c'" in text and "and 3" in text and "convert the column to text" in text
    text = refused([{"n": 1.0}, {"n": 2.0}], ["a", 1])
    assert "the classes" in text and "convert the labels to text" in text
    assert "column 'label': no input" in refused([{"label": 1.0}, {"label": 2.0}], ["a", "b"])


def test_models_without_a_label_and_of_other_learners_are_refused():
    clf = HyperboxClassifier(unlabelled=-1).partial_fit([[1.0], [2.0]], [-1, -1])
    with pytest.raises(ValueError, match="no row with a label has been learned yet"):
        clf.to_onnx()
    best_box = EIOLGFMM().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(TypeError, match="learns by EIOL-GFMM cannot become ONNX"):
        to_onnx(best_box._model, [("a", 0), ("b", 1)])
    assert not hasattr(best_box, "to_onnx")


def test_export_without_onnx_says_what_to_install(monkeypatch):
    clf = HyperboxClassifier().fit([[1.0], [2.0]], ["a", "b"])
    for name in [name for name in sys.modules if name.startswith("boxwise.onnx")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[onnx\]"'):
        clf.to_onnx()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", ["quantile", "range"])
def test_runtime_agrees_with_monotone_columns(n_classes, scale):
    rows = table(300, 6)
    cst = {"n0": {"class 1": 1}}
    clf = HyperboxClassifier(scale=scale, monotonic_cst=cst, max_boxes=80)
    clf.partial_fit(rows, labels_of(rows, n_classes))
    assert_same(clf, to_predict(7))
