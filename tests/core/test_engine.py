"""The native engine at its edge: what it refuses, and what it gives back."""

import ast
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boxwise.core
from boxwise import _native
from boxwise._native import EntropyEngine as Engine
from boxwise.reference.hyperbox import in_units

NAN, INF = math.nan, math.inf


def make(n: int = 2, r: int = 1, **changes: Any) -> Engine:
    arguments: dict[str, Any] = {
        "n_categorical": r,
        "theta": 0.3,
        "delta": 0.5,
        "alpha": 0.5,
        "gamma": [1.0] * n,
        "mean": False,
        "low": [NAN] * n,
        "high": [NAN] * n,
        "growing": [True] * n,
    }
    return Engine(**arguments | changes)


def rows(numbers: Any, codes: Any, upper: Any = None) -> tuple[np.ndarray, ...]:
    lower = np.array(numbers, dtype=np.float64)
    highest = lower if upper is None else np.array(upper, dtype=np.float64)
    columns = np.array(codes, dtype=np.int32)
    return lower, highest, columns.reshape(-1, 1) if columns.ndim == 1 else columns


def learned() -> Engine:
    engine = make()
    X = rows([[0.0, 0.0], [1.0, 1.0], [0.1, NAN], [0.9, 0.9]], [0, 1, 0, 1])
    engine.learn(*X, np.array([0, 1, 0, -1], dtype=np.int32))
    return engine


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(
        np.array_equal(a[k], b[k], equal_nan=np.asarray(a[k]).dtype.kind == "f") for k in a
    )


LABELS = np.zeros(1, dtype=np.int32)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (rows([[0.0]], [0]), "another number of features"),
        (rows([[0.0, 0.0, 0.0]], [0]), "another number of features"),
        (rows([[0.0, 0.0]], [[0, 0]]), "another number of features"),
        ((np.zeros((1, 2)), np.zeros((1, 3)), np.zeros((1, 1), np.int32)), "another number"),
        ((np.zeros((1, 2)), np.zeros((2, 2)), np.zeros((1, 1), np.int32)), "number of rows"),
        ((np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((1, 1), np.int32)), "number of rows"),
        ((np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 0), np.int32)), "another number"),
        (rows([[NAN, 0.0]], [0], [[0.0, 0.0]]), "one end of an interval"),
        (rows([[0.0, 0.0]], [0], [[0.0, NAN]]), "one end of an interval"),
        (rows([[INF, 0.0]], [0]), "not finite"),
        (rows([[-INF, 0.0]], [0], [[INF, 0.0]]), "not finite"),
        (rows([[1.1e150, 0.0]], [0]), "too large"),
        (rows([[-1.1e150, 0.0]], [0]), "too large"),
        (rows([[0.5, 0.0]], [0], [[0.4, 0.0]]), "upside down"),
    ],
)
@pytest.mark.parametrize("use", ["learn", "predict", "probabilities", "memberships"])
def test_bad_rows_are_refused_and_change_nothing(use: str, X: Any, message: str) -> None:
    engine = learned()
    before = engine.snapshot()
    with pytest.raises(ValueError, match=message):
        getattr(engine, use)(*X, *([LABELS] if use == "learn" else []))
    assert same(engine.snapshot(), before)


@pytest.mark.parametrize(
    "X",
    [
        (np.zeros(2), np.zeros((1, 2)), np.zeros((1, 1), np.int32)),
        (np.zeros((1, 2)), np.zeros((1, 2)), np.zeros(1, np.int32)),
        (np.zeros((1, 2, 1)), np.zeros((1, 2)), np.zeros((1, 1), np.int32)),
        (np.array([["a", "b"]]), np.zeros((1, 2)), np.zeros((1, 1), np.int32)),
        (None, None, None),
    ],
)
def test_arrays_of_another_form_are_a_type_error(X: Any) -> None:
    with pytest.raises(TypeError, match="incompatible"):
        learned().predict(*X)


@pytest.mark.parametrize(
    ("codes", "labels", "message"),
    [
        ([0, -1], [0, 0], "has no code"),
        ([0, 0], [0, 3], "order of first appearance"),
        ([0, 0], [3, 2], "order of first appearance"),
        ([0, 0], [0, -2], "order of first appearance"),
        ([0, 0], [0], "one label per row"),
    ],
)
def test_bad_codes_and_labels_are_refused_and_nothing_is_learned(
    codes: list[int], labels: list[int], message: str
) -> None:
    engine = learned()
    before = engine.snapshot()
    with pytest.raises(ValueError, match=message):
        engine.learn(*rows([[9.0, 9.0], [0.0, 0.0]], codes), np.array(labels, dtype=np.int32))
    assert same(engine.snapshot(), before)


def test_unknown_codes_may_be_predicted() -> None:
    engine = learned()
    memberships = engine.memberships(*rows([[0.0, 0.0]] * 3, [-1, -(2**31), 2**31 - 1]))
    assert (memberships == memberships[0]).all()
    assert memberships.max() == 0.5
    assert engine.predict(*rows([[0.0, 0.0]], [-1])).tolist() == [0]


@pytest.mark.parametrize("use", ["predict", "probabilities"])
def test_predicting_needs_a_labelled_sample(use: str) -> None:
    engine = make()
    X = rows([[0.0, 0.0]], [0])
    with pytest.raises(ValueError, match="no row with a label"):
        getattr(engine, use)(*X)
    engine.learn(*X, np.array([-1], dtype=np.int32))
    with pytest.raises(ValueError, match="no row with a label"):
        getattr(engine, use)(*X)
    assert engine.memberships(*X).tolist() == [[1]]


def test_no_rows_and_no_boxes_give_empty_arrays() -> None:
    engine = make()
    none = rows(np.empty((0, 2)), np.empty((0, 1)))
    assert engine.memberships(*none).shape == (0, 0)
    engine.learn(*none, np.empty(0, np.int32))
    assert engine.n_boxes == engine.n_classes == engine.bytes == 0
    assert engine.memberships(*rows([[0.0, 0.0]], [0])).shape == (1, 0)
    engine = learned()
    assert engine.predict(*none).shape == (0,)
    assert engine.probabilities(*none).shape == (0, 2)
    assert engine.memberships(*none).shape == (0, engine.n_boxes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"theta": -0.1}, "theta"),
        ({"theta": NAN}, "theta"),
        ({"theta": INF}, "theta"),
        ({"delta": -0.1}, "delta"),
        ({"delta": NAN}, "delta"),
        ({"alpha": -0.1}, "alpha"),
        ({"alpha": 1.1}, "alpha"),
        ({"alpha": NAN}, "alpha"),
        ({"gamma": [1.0]}, "one gamma"),
        ({"gamma": [1.0, 0.0]}, "gamma is not in"),
        ({"gamma": [1.0, NAN]}, "gamma is not in"),
        ({"gamma": [INF, 1.0]}, "gamma is not in"),
        ({"low": [0.0]}, "differ in length"),
        ({"growing": [True]}, "differ in length"),
        ({"low": [NAN, 0.0]}, "range must be finite|low end"),
        ({"low": [1.0, 1.0], "high": [0.0, 2.0]}, "range must be finite"),
        ({"low": [0.0, 0.0], "high": [1.0, INF]}, "range must be finite"),
        ({"growing": [True, False]}, "range must be finite"),
    ],
)
def test_bad_settings_and_ranges_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**changes)


def test_a_model_needs_a_feature() -> None:
    with pytest.raises(ValueError, match="at least one feature"):
        make(n=0, r=0)


def test_a_refused_configuration_leaves_the_old_one() -> None:
    engine = learned()
    X = rows([[0.3, 0.2]], [0])
    before = engine.memberships(*X)
    with pytest.raises(ValueError, match="gamma"):
        engine.configure(theta=0.1, delta=0.1, alpha=0.9, gamma=[5.0, -1.0], mean=True)
    assert engine.memberships(*X).tolist() == before.tolist()
    engine.configure(theta=0.1, delta=0.1, alpha=0.9, gamma=[5.0, 1.0], mean=True)
    assert engine.memberships(*X).tolist() != before.tolist()


def good_arrays() -> dict[str, Any]:
    """Two boxes over one number and one category, the second without a number."""
    return {
        "V": np.array([[0.0], [NAN]]),
        "W": np.array([[1.0], [NAN]]),
        "n": np.array([3, 1], np.uint32),
        "label": np.array([0, -1], np.int32),
        "id": np.array([2, 5], np.uint64),
        "first": np.array([0, 2, 3], np.uint64),
        "code": np.array([0, 70, 1], np.int32),
        "times": np.array([1, 2, 1], np.uint32),
        "n_classes": 1,
        "next_id": 6,
    }


def test_a_snapshot_restores_to_itself() -> None:
    engine = make(1, 1)
    engine.restore(**good_arrays())
    found = engine.snapshot()
    for name, value in good_arrays().items():
        np.testing.assert_array_equal(found[name], value)
    assert engine.n_boxes == 2
    engine.learn(*rows([[5.0]], [70]), np.array([1], np.int32))
    assert engine.snapshot()["id"].tolist() == [2, 5, 6]


def altered(name: str, value: Any) -> dict[str, Any]:
    arrays = good_arrays()
    arrays[name] = np.array(value, arrays[name].dtype) if np.ndim(value) else value
    return arrays


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("V", [[0.0]], "do not fit together"),
        ("W", [[1.0], [NAN], [NAN]], "do not fit together"),
        ("n", [3], "do not fit together"),
        ("label", [0], "do not fit together"),
        ("id", [2, 5, 6], "do not fit together"),
        ("first", [0, 2], "do not fit together"),
        ("first", [1, 2, 3], "do not fit together"),
        ("first", [0, 2, 4], "do not fit together"),
        ("code", [0, 70], "do not fit together"),
        ("times", [1, 2, 1, 1], "do not fit together"),
        ("n", [3, 0], "holds no sample"),
        ("id", [5, 2], "order of creation"),
        ("id", [2, 2], "order of creation"),
        ("next_id", 5, "order of creation"),
        ("next_id", 0, "order of creation"),
        ("label", [0, -2], "unknown class"),
        ("label", [1, 0], "unknown class"),
        ("n_classes", 0, "unknown class"),
        ("V", [[NAN], [NAN]], "no interval"),
        ("W", [[1.0], [2.0]], "no interval"),
        ("V", [[1.5], [NAN]], "no interval"),
        ("V", [[-INF], [NAN]], "no interval"),
        ("W", [[INF], [NAN]], "no interval"),
        ("W", [[1.1e150], [NAN]], "no interval"),
        ("first", [0, 7, 3], "no place"),
        ("first", [0, 2**63, 3], "no place"),
        ("code", [-1, 70, 1], "not in order"),
        ("code", [70, 0, 1], "not in order"),
        ("code", [70, 70, 1], "not in order"),
        ("times", [0, 3, 1], "not in order"),
        ("times", [1, 1, 1], "do not add up"),
        ("times", [2**32 - 1, 4, 1], "do not add up"),
        ("first", [0, 3, 3], "not in order|do not add up"),
        ("n", [4, 1], "do not add up"),
    ],
)
def test_restoring_what_is_no_snapshot_is_refused_and_changes_nothing(
    name: str, value: Any, message: str
) -> None:
    engine = make(1, 1)
    engine.learn(*rows([[0.5]], [0]), LABELS)
    before = engine.snapshot()
    with pytest.raises(ValueError, match=message):
        engine.restore(**altered(name, value))
    assert same(engine.snapshot(), before)
    engine.learn(*rows([[0.5]], [0]), LABELS)
    assert engine.snapshot()["n"].tolist() == [2]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({**good_arrays(), "V": np.zeros(3)}, "V is missing or has another form"),
        ({**good_arrays(), "n_classes": "two"}, "n_classes is missing or has another form"),
        ({k: v for k, v in good_arrays().items() if k != "id"}, "id is missing"),
        ({**good_arrays(), "more": np.zeros(3)}, "an array too many"),
    ],
)
def test_restoring_other_arrays_than_those_of_a_snapshot_is_refused(
    state: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(1, 1).restore(**state)


def test_restoring_an_impossible_number_of_classes_is_refused() -> None:
    pytest.importorskip("resource")  # to give it little memory, in a process of its own
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
import numpy as np
from boxwise._native import EntropyEngine as Engine
none = np.zeros
Engine(0, 0.1, 0.1, 0.5, [1.0], False, [np.nan], [np.nan], [True]).restore(
    V=none((0, 1)), W=none((0, 1)), n=none(0, "u4"), label=none(0, "i4"), id=none(0, "u8"),
    first=none(1, "u8"), code=none(0, "i4"), times=none(0, "u4"), n_classes=2**64 - 1, next_id=0,
)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert b"ValueError" in done.stderr, done.stderr


def test_the_last_box_number_is_refused_rather_than_counted_past() -> None:
    engine = make(1, 1)
    engine.restore(**altered("next_id", 2**64 - 2))
    with pytest.raises((ValueError, OverflowError)):
        for i in range(4):
            engine.learn(*rows([[100.0 * i]], [3]), LABELS)
    ids = engine.snapshot()["id"].tolist()
    assert ids == sorted(set(ids))


@pytest.mark.parametrize("times", [[2**32 - 1], [1, 2**32 - 2]], ids=["inside", "growing"])
def test_a_full_box_is_an_error_not_a_wrong_count(times: list[int]) -> None:
    engine = make(1, 1, low=[0.0], high=[10.0])
    full = 2**32 - 1
    engine.restore(
        V=np.array([[0.0]]),
        W=np.array([[1.0]]),
        n=np.array([full], np.uint32),
        label=np.zeros(1, np.int32),
        id=np.zeros(1, np.uint64),
        first=np.array([0, len(times)], np.uint64),
        code=np.array([1, 70][-len(times) :], np.int32),
        times=np.array(times, np.uint32),
        n_classes=1,
        next_id=1,
    )
    X = rows([[0.5]], [70])
    expected = in_units(0.5 * 1 + 0.5 * (times[-1] / full))
    assert engine.memberships(*X).tolist() == [[expected]]
    with pytest.raises(OverflowError, match="4,294,967,295"):
        engine.learn(*X, LABELS)
    assert engine.snapshot()["n"].tolist() == [full]
    assert engine.snapshot()["times"].tolist() == times


STUB = ast.parse(Path(boxwise.__file__).with_name("_native.pyi").read_text())
DESCRIBED = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def test_the_stub_names_what_the_module_has() -> None:
    present = {name for name in dir(_native) if not name.startswith("_")}
    functions = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}
    values = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert DESCRIBED.keys() | functions | values == present


@pytest.mark.parametrize("name", sorted(DESCRIBED))
def test_the_stub_names_what_the_class_has(name: str) -> None:
    engine = getattr(_native, name)
    functions = {f.name: f for f in DESCRIBED[name].body if isinstance(f, ast.FunctionDef)}
    present = {member for member in vars(engine) if not member.startswith("_")}
    assert functions.keys() - {"__init__"} == present
    for called, function in functions.items():
        member = getattr(engine, called)
        is_property = any(
            isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list
        )
        assert is_property == isinstance(member, property)
        if not is_property:
            arguments = [a.arg for a in function.args.args]
            arguments += ["**kwargs"] if function.args.kwarg else []
            signature = re.sub(r"\[[^\[\]]*(\[[^\]]*\])?[^\[\]]*\]", "", member.__doc__)
            found = [
                a.split(":")[0].strip()
                for a in signature[signature.index("(") + 1 : signature.rindex(") ->")].split(",")
            ]
            assert found == arguments, called
