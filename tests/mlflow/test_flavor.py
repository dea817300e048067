"""Models in MLflow's format: saved, logged, registered, loaded; as pyfunc, they predict."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import boxwise
from boxwise import EIOLGFMM, HyperboxClassifier, OnlineGFMM

mlflow = pytest.importorskip("mlflow")
import boxwise.mlflow  # noqa: E402


def table(n: int = 80) -> pd.DataFrame:
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, n),
            "wage": random.normal(size=n),
            "job": random.choice(["cook", "smith", "clerk"], n),
            "floor": random.integers(0, 3, n),
        }
    )
    frame.loc[::7, "wage"] = np.nan
    frame["job"] = frame["job"].astype(object)
    frame.loc[::9, "job"] = None
    return frame


def labels(frame: pd.DataFrame) -> list[str]:
    return ["yes" if age > 50 else "no" for age in frame["age"]]


@pytest.fixture
def clf() -> HyperboxClassifier:
    return HyperboxClassifier(categorical_features=["job", "floor"]).fit(table(), labels(table()))


def test_saved_model_holds_the_model_file_and_both_flavours(clf, tmp_path):
    path = tmp_path / "model"
    boxwise.mlflow.save_model(clf, path, metadata={"by": "test"}, input_example=table(3))
    assert (path / "data" / "model.box").read_bytes() == boxwise.dumps(clf)
    saved = mlflow.models.Model.load(str(path))
    assert {*saved.flavors} == {"boxwise", "python_function"}
    assert saved.flavors["boxwise"]["learner"] == "HyperboxClassifier"
    assert saved.metadata == {"by": "test"}
    assert saved.load_input_example(str(path))["age"].tolist() == table(3)["age"].tolist()
    requirements = (path / "requirements.txt").read_text().split()
    assert requirements[1:] == boxwise.mlflow.get_default_pip_requirements()
    assert requirements[0].startswith("mlflow")


def test_loaded_model_is_the_same_and_goes_on_learning(clf, tmp_path):
    boxwise.mlflow.save_model(clf, tmp_path / "model")
    loaded = boxwise.mlflow.load_model(str(tmp_path / "model"))
    assert boxwise.dumps(loaded) == boxwise.dumps(clf)
    more = table(20)
    for one in (clf, loaded):
        one.partial_fit(more, labels(more))
    assert boxwise.dumps(loaded) == boxwise.dumps(clf)


def test_logged_and_registered_model_is_loaded_by_its_address(clf, store):
    with mlflow.start_run():
        info = boxwise.mlflow.log_model(clf, "credit", registered_model_name="credit")
    for address in (info.model_uri, "models:/credit/1"):
        assert boxwise.dumps(boxwise.mlflow.load_model(address)) == boxwise.dumps(clf)
        assert mlflow.pyfunc.load_model(address).predict(table(4)).tolist() == (
            clf.predict(table(4)).tolist()
        )
    logged = mlflow.get_logged_model(info.model_id)
    assert logged.params["theta"] == "0.5" and logged.params["class_prior"] == "'data'"


def test_pyfunc_predicts_labels_probabilities_and_explanations(clf, tmp_path):
    boxwise.mlflow.save_model(clf, tmp_path / "model")
    model = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    rows = table(6)
    assert model.predict(rows).tolist() == clf.predict(rows).tolist()
    probabilities = model.predict(rows, params={"output": "proba"})
    assert probabilities.columns.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(probabilities.to_numpy(), clf.predict_proba(rows))
    plain = model.predict(rows, params={"output": "explain"})
    assert plain["prediction"].tolist() == clf.predict(rows).tolist()
    assert plain["text"][0] == str(clf.explain(rows, counterfactual=False)[0])
    found = model.predict(rows, params={"output": "explain", "counterfactual": True})
    assert json.loads(plain["json"][0])["counterfactual"] is None
    assert json.loads(found["json"][0])["counterfactual"]["changes"]


def test_pyfunc_refuses_outputs_that_are_not_there(clf, tmp_path):
    boxwise.mlflow.save_model(clf, tmp_path / "model")
    model = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    with pytest.raises(ValueError, match="output must be one of 'label', 'proba', 'explain'"):
        model.predict(table(2), params={"output": "boxes"})
    online = boxwise.mlflow.Predictor(OnlineGFMM().fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(ValueError, match="OnlineGFMM cannot explain decisions"):
        online.predict([[0.0]], {"output": "explain"})


def test_signature_has_the_columns_and_takes_whole_missing_and_absent_values(clf, tmp_path):
    signature = boxwise.mlflow.signature_of(clf)
    columns = {column.name: str(column.type) for column in signature.inputs.inputs}
    assert columns["job"] == "DataType.string" and {*columns} == {*table().columns}
    boxwise.mlflow.save_model(clf, tmp_path / "model")
    model = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    for rows in (table(5).astype({"age": float}), table(5).astype({"wage": "Float64"})):
        assert model.predict(rows).tolist() == clf.predict(rows).tolist()
    with pytest.raises(mlflow.exceptions.MlflowException, match="job"):
        model.predict(table(5).drop(columns="job"))


def test_tables_without_names_are_tensors(tmp_path):
    X = np.random.default_rng(2).normal(size=(50, 3))
    clf = EIOLGFMM().fit(X, X[:, 0] > 0)
    boxwise.mlflow.save_model(clf, tmp_path / "model")
    model = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    assert model.metadata.signature.inputs.is_tensor_spec()
    assert model.predict(X).tolist() == clf.predict(X).tolist()
    mixed = HyperboxClassifier().fit([[1.0, "a"], [2.0, "b"]], ["x", "y"])
    boxwise.mlflow.save_model(mixed, tmp_path / "mixed")
    model = mlflow.pyfunc.load_model(str(tmp_path / "mixed"))
    assert model.predict(pd.DataFrame([[1.0, "a"]])).tolist() == ["x"]


def test_other_estimators_and_flavours_are_refused(tmp_path):
    with pytest.raises(TypeError, match="not LogisticRegression"):
        boxwise.mlflow.save_model(LogisticRegression(), tmp_path / "model")
    assert not (tmp_path / "model").exists()
    Path(tmp_path, "MLmodel").write_text("flavors: {sklearn: {}}\n")
    with pytest.raises(ValueError, match=r"was not saved by boxwise.mlflow; .* sklearn"):
        boxwise.mlflow.load_model(str(tmp_path))


def test_import_without_mlflow_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("boxwise.mlflow")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[mlflow\]"'):
        __import__("boxwise.mlflow")
