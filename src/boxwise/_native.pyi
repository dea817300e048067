from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.schema import Vocabulary

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

engine_version: str

def survey(low: Floats, high: Floats) -> Floats: ...
def join_scales(states: Floats) -> Floats: ...

class LearningEngine:
    def learn(self, lower: Floats, upper: Floats, codes: Codes, labels: Codes) -> None: ...
    def test_then_train(
        self,
        lower: Floats,
        upper: Floats,
        codes: Codes,
        labels: Codes,
        weights: Floats | None = None,
        n_classes: int | None = None,
    ) -> Any: ...  # codes; with n_classes, codes and floats
    def predict(self, lower: Floats, upper: Floats, codes: Codes, threads: int = 1) -> Codes: ...
    def probabilities(
        self,
        lower: Floats,
        upper: Floats,
        codes: Codes,
        n_classes: int | None = None,
        threads: int = 1,
    ) -> Floats: ...
    def memberships(
        self, lower: Floats, upper: Floats, codes: Codes, threads: int = 1
    ) -> Floats: ...
    def remove(self, id: int) -> None: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def n_boxes(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class Engine(LearningEngine):
    def snapshot(self) -> dict[str, Any]: ...
    def restore(self, **state: Any) -> None: ...

class EntropyEngine(Engine):
    def __init__(
        self,
        n_categorical: int,
        theta: float,
        delta: float,
        alpha: float,
        gamma: list[float],
        mean: bool,
        low: list[float],
        high: list[float],
        growing: list[bool],
        scales: Floats | None = None,
        max_boxes: int = 0,
    ) -> None: ...
    def configure(
        self,
        theta: float,
        delta: float,
        alpha: float,
        gamma: list[float],
        mean: bool,
        max_boxes: int = 0,
    ) -> None: ...
    def merge(self, kept: int, other: int) -> None: ...
    def set_index(self, mode: str, leaf: int = 64) -> None: ...
    @property
    def rejections(self) -> int: ...

class EvidenceEngine(LearningEngine):
    def __init__(
        self,
        n_categorical: int,
        theta: float,
        delta: float,
        max_boxes: int,
        adapt: bool,
        priors: list[float],
        additive: bool,
        low: list[float],
        high: list[float],
        growing: list[bool],
        scales: Floats | None = None,
        monotone: list[tuple[int, int, int]] = ...,
    ) -> None: ...
    def configure(
        self,
        theta: float,
        delta: float,
        max_boxes: int,
        adapt: bool,
        priors: list[float],
        additive: bool,
        monotone: list[tuple[int, int, int]] = ...,
    ) -> None: ...
    def learn(
        self,
        lower: Floats,
        upper: Floats,
        codes: Codes,
        labels: Codes,
        weights: Floats | None = None,
    ) -> None: ...
    def snapshot(self) -> dict[str, Any]: ...
    def merge_alike(self, most: int) -> None: ...
    def restore(self, **state: Any) -> None: ...
    def responsibilities(
        self, lower: Floats, upper: Floats, codes: Codes, threads: int = 1
    ) -> Floats: ...
    def supports(self, lower: Floats, upper: Floats, codes: Codes, threads: int = 1) -> Floats: ...
    def terms(self, lower: Floats, upper: Floats, codes: Codes) -> dict[str, Any]: ...
    def curves(self) -> list[dict[str, Floats]]: ...
    @property
    def multipliers(self) -> list[float]: ...
    @property
    def prior(self) -> float: ...
    @property
    def drift(self) -> bool: ...
    @property
    def warning(self) -> bool: ...

class ContractionEngine(Engine):
    def __init__(
        self,
        n_categorical: int,
        theta: float,
        gamma: list[float],
        beta: float,
        low: list[float],
        high: list[float],
        growing: list[bool],
    ) -> None: ...
    def configure(self, theta: float, gamma: list[float], beta: float) -> None: ...

class BoundEngine(Engine):
    def __init__(
        self,
        n_categorical: int,
        theta: float,
        gamma: list[float],
        eta: float,
        low: list[float],
        high: list[float],
        growing: list[bool],
    ) -> None: ...
    def configure(self, theta: float, gamma: list[float], eta: float) -> None: ...
    def snapshot(self) -> dict[str, Any]: ...
    def restore(self, **state: Any) -> None: ...
    @property
    def bytes(self) -> int: ...

class AgglomerativeEngine(EntropyEngine):
    def __init__(
        self,
        n_categorical: int,
        theta: float,
        gamma: list[float],
        delta: float,
        alpha: float,
        mean: bool,
        method: str,
        similarity: str,
        min_similarity: float,
        low: list[float],
        high: list[float],
        growing: list[bool],
        scales: Floats | None = None,
        max_boxes: int = 0,
    ) -> None: ...
    def learn(
        self, lower: Floats, upper: Floats, codes: Codes, labels: Codes, threads: int = 1
    ) -> None: ...
    def configure(  # type: ignore[override]
        self,
        theta: float,
        gamma: list[float],
        delta: float,
        alpha: float,
        mean: bool,
        method: str,
        similarity: str,
        min_similarity: float,
        max_boxes: int = 0,
    ) -> None: ...
    def join(self, other: AgglomerativeEngine) -> None: ...

def read_numbers(column: list[Any]) -> NDArray[np.float64] | None: ...
def read_codes(
    column: list[Any], codes: dict[object, int], unknown: bool
) -> NDArray[np.int32] | None: ...

class RowReader:
    def __init__(
        self,
        engine: LearningEngine,
        keys: dict[Any, Any],
        numeric: tuple[int, ...],
        vocabularies: tuple[Vocabulary, ...],
        labels: Vocabulary,
    ) -> None: ...
    def learn(self, row: object, label: object) -> bool: ...
    def predict(self, row: object) -> Any: ...
    def probabilities(self, row: object) -> dict[Any, float] | None: ...

class Fold:
    def __init__(
        self,
        lower: Floats,
        upper: Floats,
        codes: Codes,
        labels: Codes,
        test_lower: Floats,
        test_upper: Floats,
        test_codes: Codes,
    ) -> None: ...

def run_trials(
    prototypes: Sequence[LearningEngine],
    folds: Sequence[Fold],
    probabilities: bool,
    threads: int,
    report: Callable[[int], object] | None = None,
) -> list[tuple[Codes, Floats | None, int, float, float]]: ...
