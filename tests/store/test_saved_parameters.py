"""Every parameter in a model file is checked when it is read, not when the model is used."""

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import pytest

from boxwise import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
    load,
)
from boxwise.store import ModelFileError

ROWS = [[1.0, "a"], [2.0, "b"], [3.0, "a"]]
NUMBERS = [[1.0, 5.0], [2.0, 6.0], [3.0, -1.0]]
LEARNERS: dict[str, tuple[Any, list[Any]]] = {
    "AgglomerativeGFMM": (AgglomerativeGFMM, ROWS),
    "CastilloGFMM": (CastilloGFMM, ROWS),
    "EIOLGFMM": (EIOLGFMM, ROWS),
    "HyperboxClassifier": (HyperboxClassifier, ROWS),
    "ImprovedOnlineGFMM": (ImprovedOnlineGFMM, NUMBERS),
    "OnlineGFMM": (OnlineGFMM, NUMBERS),
    "ShindeGFMM": (ShindeGFMM, ROWS),
}
# Nothing that a parameter takes, but for those in TAKEN.
ODD: dict[str, Any] = {
    "text": "no such thing",
    "infinite": math.inf,
    "minus infinity": -math.inf,
    "beyond all floats": 10**400,
    "deep": [[[1]]],
    "mapping": {"a": 1},
    "pair of text": ["0", "1"],
    "written mapping": {"mapping": [[0, 5]]},
    "written infinity": {"float": "inf"},
    "a tuple of tuples": {"tuple": [{"tuple": []}]},
}
TAKEN = {  # an unlabelled row may be marked by any label
    ("unlabelled", "text"),
    ("unlabelled", "infinite"),
    ("unlabelled", "minus infinity"),
    ("unlabelled", "beyond all floats"),
    ("unlabelled", "written infinity"),
    ("class_weight", "written mapping"),  # from class to weight
    ("categorical_features", "written mapping"),  # the keys of a mapping are a list of columns
}


def fitted(learner: Any, rows: list[Any]) -> Any:
    return learner().fit(rows, ["p", "q", "p"])


def with_content(data: bytes, **changes: Any) -> bytes:
    """Change the content of a file, and sign it anew."""
    length = int.from_bytes(data[12:20], "little")
    header = json.loads(data[20 : 20 + length])
    header["content"].update(changes)
    text = json.dumps(header).encode()
    body = data[:12] + len(text).to_bytes(8, "little") + text + data[20 + length : -32]
    return body + hashlib.sha256(body).digest()


def content(data: bytes) -> dict[str, Any]:
    length = int.from_bytes(data[12:20], "little")
    found: dict[str, Any] = json.loads(data[20 : 20 + length])["content"]
    return found


@pytest.mark.parametrize("learner", LEARNERS)
def test_load_refuses_every_odd_parameter_by_its_name(learner: str, tmp_path: Path) -> None:
    path = tmp_path / "m.box"
    fitted(*LEARNERS[learner]).save(path)
    data = path.read_bytes()
    parameters, known = content(data)["parameters"], LEARNERS[learner][0]().get_params()
    assert known.keys() - {"dates", "immutable", "monotonic_cst"} == parameters.keys()
    for name in known:
        for odd, value in ODD.items():
            if (name, odd) in TAKEN:
                continue
            path.write_bytes(with_content(data, parameters={**parameters, name: value}))
            with pytest.raises(ModelFileError, match=name):
                load(path)


@pytest.mark.parametrize("n_jobs", [0, 1.0, True, "2", 2**64, -(2**64), math.nan, math.inf, [1]])
def test_load_refuses_n_jobs_that_no_prediction_could_use(n_jobs: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.box"
    clf = fitted(HyperboxClassifier, ROWS)
    clf.save(path)
    data = path.read_bytes()
    parameters = content(data)["parameters"] | {"n_jobs": n_jobs}
    path.write_bytes(with_content(data, parameters=parameters))
    with pytest.raises(ModelFileError, match="n_jobs must be"):
        load(path)
    with pytest.raises(ValueError, match="n_jobs must be"):
        clf.set_params(n_jobs=n_jobs).predict(ROWS)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_jobs": -1},
        {"n_jobs": 10**6},
        {"unlabelled": {"float": "nan"}},
        {"unlabelled": -1},
        {"feature_range": {"mapping": [["of a column to come", [0, 1]]]}},
        {"feature_range": [0, 10]},
        {"categorical_features": None},
        {"categorical_features": [-1]},
        {"categorical_features": [False, True]},
        {"alpha": "estimate"},
    ],
    ids=str,
)
def test_load_takes_what_an_estimator_takes(parameters: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "m.box"
    clf = fitted(EIOLGFMM, ROWS)
    clf.save(path)
    data = path.read_bytes()
    parameters = content(data)["parameters"] | parameters
    path.write_bytes(with_content(data, parameters=parameters))
    assert load(path).predict(ROWS).tolist() == clf.predict(ROWS).tolist()


def test_load_refuses_a_model_that_its_learner_does_not_make(tmp_path: Path) -> None:
    path = tmp_path / "m.box"
    alike = [{"OnlineGFMM", "ShindeGFMM"}, {"ImprovedOnlineGFMM", "EIOLGFMM"}]
    for name, (learner, rows) in LEARNERS.items():
        fitted(learner, rows).save(path)
        data = path.read_bytes()
        for other, (cls, _) in LEARNERS.items():
            if name == other or {name, other} in alike:
                continue
            parameters = {"alpha": "estimate"} if other == "EIOLGFMM" else {}
            path.write_bytes(with_content(data, learner=cls.__name__, parameters=parameters))
            with pytest.raises(ModelFileError, match=f"{other} does not learn by"):
                load(path)
