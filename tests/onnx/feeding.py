"""ONNX Runtime beside a classifier: the same rows, given as the inputs of the model ask for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier

Rows = Sequence[dict[str, Any]]
MISSING = {"string": "", "double": np.nan}
DTYPES = {"string": object, "double": np.float64, "int64": np.int64, "bool": np.bool_}


def feed(rows: Rows, types: dict[str, str]) -> dict[str, np.ndarray]:
    """Return an array of shape rows × 1 for each input."""
    found = {}
    for name, kind in types.items():
        values = [MISSING[kind] if row[name] is None else row[name] for row in rows]
        found[name] = np.array(values, DTYPES[kind]).reshape(-1, 1)
    return found


def run(model: Any, inputs: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and probabilities."""
    onnxruntime = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    labels, probabilities = session.run(["label", "probabilities"], inputs)
    return labels, probabilities


def types_of(model: Any) -> dict[str, str]:
    """Return the types of the inputs, as the model says."""
    (text,) = (p.value for p in model.metadata_props if p.key == "boxwise.inputs")
    return json.loads(text)


def assert_same(
    clf: HyperboxClassifier, rows: Any, inputs: dict[str, np.ndarray] | None = None
) -> Any:
    """Check that ONNX Runtime gives the probabilities to 2e-9, and the labels; return the model."""
    model = clf.to_onnx()
    labels, p = run(model, feed(rows, types_of(model)) if inputs is None else inputs)
    expected = clf.predict_proba(rows)
    assert p.dtype == np.float64 and p.shape == expected.shape
    # Where classes tie to 1e-9, predict_proba raises the one that is predicted.
    np.testing.assert_allclose(p, expected, rtol=0, atol=2e-9)
    ranked = np.sort(np.pad(expected, ((0, 0), (1, 0))), axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 1e-8
    assert labels[clear].tolist() == clf.predict(rows)[clear].tolist()
    assert clear.any()
    return model
