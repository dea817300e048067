"""Estimators to and from model files."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray

from boxwise.core import (
    AgglomerativeSettings,
    BoundSettings,
    ContractionSettings,
    EntropySettings,
    EvidenceSettings,
    Settings,
)
from boxwise.learners.agglomerative_gfmm import AgglomerativeGFMM
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.learners.castillo_gfmm import CastilloGFMM
from boxwise.learners.eiol_gfmm import EIOLGFMM
from boxwise.learners.hyperbox_classifier import HyperboxClassifier
from boxwise.learners.improved_online_gfmm import ImprovedOnlineGFMM
from boxwise.learners.online_gfmm import OnlineGFMM
from boxwise.learners.renamed import as_few_boxes, as_named_now, without_layer
from boxwise.learners.shinde_gfmm import ShindeGFMM
from boxwise.schema import show
from boxwise.store import ModelFileError, pack, read, unpack

# The learners that a file may be of, and the settings of the algorithm of each.
_SETTINGS: dict[type[HyperboxLearner], type[Settings]] = {
    AgglomerativeGFMM: AgglomerativeSettings,
    CastilloGFMM: BoundSettings,
    EIOLGFMM: EntropySettings,
    HyperboxClassifier: EvidenceSettings,
    ImprovedOnlineGFMM: EntropySettings,
    OnlineGFMM: ContractionSettings,
    ShindeGFMM: ContractionSettings,
}
_MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
_LEARNERS = {learner.__name__: learner for learner in _SETTINGS}


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model file written by ``save``; the estimator goes on learning where it was.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    estimator
        Of the class that was saved.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged, or needs a newer boxwise. It is a ValueError.

    Examples
    --------
    >>> import tempfile, pathlib, boxwise
    >>> clf = boxwise.HyperboxClassifier().fit([[1.0, "a"], [2.0, "b"]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(pathlib.Path(folder, "model.box"))
    ...     boxwise.load(pathlib.Path(folder, "model.box")).predict([[1.9, "b"]])
    array(['yes'], dtype='<U3')
    """
    return _learner(*read(path), where=f"{os.fspath(path)}: ")


def dumps(model: HyperboxLearner) -> bytes:
    """Return a model as the bytes of its model file, to send or to store elsewhere.

    Parameters
    ----------
    model : estimator
        A fitted one of boxwise.

    Returns
    -------
    bytes
        What ``save`` writes; the same model gives the same bytes.

    Examples
    --------
    >>> import boxwise
    >>> clf = boxwise.HyperboxClassifier().fit([[1.0, "a"], [2.0, "b"]], ["no", "yes"])
    >>> boxwise.loads(boxwise.dumps(clf)).predict([[1.9, "b"]])
    array(['yes'], dtype='<U3')
    """
    if not isinstance(model, HyperboxLearner):
        raise TypeError(f"only estimators of boxwise have a model file, not {show(model)}")
    return pack(*model._to_saved())


def loads(data: bytes | bytearray | memoryview) -> Any:
    """Return the estimator that `dumps` or ``save`` wrote; it goes on learning where it was.

    Parameters
    ----------
    data : bytes
        All bytes of the model file.

    Returns
    -------
    estimator
        Of the class that was written.

    Raises
    ------
    ModelFileError
        If the bytes are not those of a model file, are damaged, or need a newer boxwise.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a model is read from bytes, not {show(data)}; load() takes a path")
    return _learner(*unpack(bytes(data)))


def _learner(written: dict[str, Any], saved: dict[str, NDArray[Any]], where: str = "") -> Any:
    content = as_named_now(written)
    learner = _LEARNERS.get(str(content.get("learner")))
    if learner is None:
        raise ModelFileError(f"{where}this boxwise has no such learner; upgrade it")
    try:
        content, arrays = without_layer(*as_few_boxes(content, saved))
        return learner._from_saved(content, arrays, _SETTINGS[learner])
    except _MALFORMED as error:
        raise ModelFileError(f"{where}the file is malformed: {error}") from None
