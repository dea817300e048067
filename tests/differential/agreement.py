"""An estimator and its reference agree, bit for bit: in their boxes, and in what they answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from .streams import UNLABELLED, Stream


def assert_same_boxes(clf: Any, reference: Any) -> None:
    boxes = clf.boxes_
    assert len(boxes) == len(reference.boxes)
    for i, box in enumerate(reference.boxes):
        unset = [v > w for v, w in zip(box.V, box.W, strict=True)]
        V = [math.nan if u else v for v, u in zip(box.V, unset, strict=True)]
        W = [math.nan if u else w for w, u in zip(box.W, unset, strict=True)]
        np.testing.assert_array_equal(boxes.lower[i], V)
        np.testing.assert_array_equal(boxes.upper[i], W)
        assert boxes.counts[i] == box.D
        assert boxes.n_samples[i] == box.n
        assert boxes.labels[i] == (UNLABELLED if box.label is None else box.label)


def assert_same_answers(clf: Any, reference: Any, stream: Stream) -> None:
    X, upper = stream.table()
    membership = clf.membership(X, upper=upper)
    for row, sample in zip(membership.tolist(), stream.samples(), strict=True):
        assert row == [reference.membership(box, *sample) for box in reference.boxes]
    if not reference.classes:
        with pytest.raises(ValueError, match="no row with a label"):
            clf.predict(X, upper=upper)
        return
    predicted = clf.predict(X, upper=upper)
    assert predicted.tolist() == [reference.predict(*sample) for sample in stream.samples()]
    probabilities = clf.predict_proba(X, upper=upper)
    assert (clf.classes_[probabilities.argmax(axis=1)] == predicted).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-12)
    of_class = [clf.boxes_.labels == label for label in clf.classes_]
    best = np.stack([membership[:, boxes].max(axis=1) for boxes in of_class], axis=1)
    top = best.max(axis=1, keepdims=True)
    alone = (top[:, 0] > 0) & ((best == top).sum(axis=1) == 1)  # no class ties with it
    expected = best[alone] / best[alone].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probabilities[alone], expected, rtol=0, atol=1e-12)


def assert_same_state(a: Any, b: Any) -> None:
    ours, theirs = a._model.to_state()[1], b._model.to_state()[1]
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name])
