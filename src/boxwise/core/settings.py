"""The settings of each algorithm, and the engine that runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boxwise._native import (
    AgglomerativeEngine,
    BoundEngine,
    ContractionEngine,
    EntropyEngine,
    EvidenceEngine,
)


class Range(NamedTuple):
    """What a continuous feature is scaled by: NaN to NaN while no value has been seen.

    Ranges are not compared with each other.
    """

    low: float = np.nan
    high: float = np.nan
    growing: bool = True
    # Where it is measured by rank: what the engine knows of the distribution of its values.
    scale: NDArray[np.float64] | None = None


def scale_arrays(ranges: Sequence[Range]) -> dict[str, NDArray[np.float64]]:
    """Return the scales, if there are any, in one array as the engine takes it."""
    scales = [r.scale for r in ranges if r.scale is not None]
    return {"scales": np.concatenate(scales)} if scales else {}


def each_scale(scales: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the scales in such an array; each begins with its length."""
    parts = []
    while len(scales):
        if not 1 <= scales[0] <= len(scales):
            raise ValueError("the scales of the columns are damaged")
        parts.append(scales[: int(scales[0])])
        scales = scales[int(scales[0]) :]
    return parts


@dataclass  # frozen ones take twice as long to make, which the first row of a stream waits for
class Settings:
    """What every algorithm is told; a subclass for each names its engine and adds the rest.

    It does not change.
    """

    algorithm: ClassVar[str]  # as model files call it
    engine: ClassVar[Any]  # the class of its engine
    needs_all_rows: ClassVar[bool] = False  # learns in one call, not row by row
    learns_in_threads: ClassVar[bool] = False  # its `learn` takes a number of them
    # What its engine keeps beside the boxes: arrays of its snapshot, their types and dimensions.
    arrays: ClassVar[Mapping[str, tuple[type[np.generic], int]]] = {}
    # Those that files of earlier versions lack, as they are where there is nothing to tell.
    blank: ClassVar[Mapping[str, NDArray[Any]]] = {}

    theta: float
    gamma: list[float]

    def new_engine(self, n_categorical: int, ranges: Sequence[Range]) -> Any:
        """Return an engine that has learned nothing."""
        low, high, growing, _ = zip(*ranges, strict=True) if ranges else ((),) * 4
        return self.engine(
            n_categorical=n_categorical,
            low=low,
            high=high,
            growing=growing,
            **scale_arrays(ranges),
            **vars(self),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what `settings_from_dict` reads."""
        return {"algorithm": self.algorithm, **asdict(self)}


@dataclass
class EntropySettings(Settings):
    """EIOL-GFMM; `mean` chooses version 2. IOL-GFMM where there are no categories."""

    algorithm = "EIOL-GFMM"
    engine: ClassVar[Any] = EntropyEngine

    delta: float
    alpha: float
    mean: bool
    max_boxes: int = field(default=0, kw_only=True)  # 0: no limit


@dataclass
class EvidenceSettings(EntropySettings):
    """EIOL-GFMM decided by evidence; of several choices those that predicted best so far count."""

    algorithm = "EIOL-GFMM by evidence"
    engine: ClassVar[Any] = EvidenceEngine
    arrays: ClassVar[Mapping[str, tuple[type[np.generic], int]]] = {
        "losses": (np.float64, 1),
        "tallies": (np.float64, 1),
        "tested": (np.uint64, 1),
        "reaches": (np.float64, 2),
        "last": (np.uint64, 1),
        "waits": (np.uint64, 1),
        "test_scores": (np.float64, 2),
        "step_slopes": (np.float64, 1),
    }
    blank: ClassVar[Mapping[str, NDArray[Any]]] = {  # no test waits, and no step
        "waits": np.zeros(3, np.uint64),
        "test_scores": np.empty((0, 0)),
        "step_slopes": np.empty(0),
    }

    bandwidths: list[float]
    backoffs: list[float]
    temperatures: list[float]
    powers: list[float]
    forget: bool


@dataclass
class AgglomerativeSettings(EntropySettings):
    """AGGLO-2 and AGGLO-SM, as `method` says."""

    algorithm = "AGGLO"
    engine: ClassVar[Any] = AgglomerativeEngine
    needs_all_rows = True
    learns_in_threads = True

    method: str
    similarity: str
    min_similarity: float


@dataclass
class ContractionSettings(Settings):
    """Onln-GFMM-M2; Onln-GFMM where there are no categories."""

    algorithm = "Onln-GFMM-M2"
    engine = ContractionEngine

    beta: float


@dataclass
class BoundSettings(Settings):
    """Onln-GFMM-M1: bounds among the category values, whose distances need all rows."""

    algorithm = "Onln-GFMM-M1"
    engine = BoundEngine
    needs_all_rows = True
    arrays: ClassVar[Mapping[str, tuple[type[np.generic], int]]] = {
        "bounds": (np.int32, 2),
        "n_values": (np.uint64, 1),
        "seen_first": (np.uint64, 1),
        "seen_class": (np.int32, 1),
        "seen_times": (np.uint32, 1),
    }

    eta: float


_BY_ALGORITHM: dict[str, type[Settings]] = {
    settings.algorithm: settings
    for settings in (
        EntropySettings,
        EvidenceSettings,
        AgglomerativeSettings,
        ContractionSettings,
        BoundSettings,
    )
}


def settings_from_dict(data: Mapping[str, Any]) -> Settings:
    """Return the settings that `Settings.to_dict` wrote."""
    rest = {**data}
    algorithm = str(rest.pop("algorithm", EntropySettings.algorithm))  # the only one at first
    settings = _BY_ALGORITHM.get(algorithm)
    if settings is None:
        raise ValueError(f"this boxwise has no algorithm {algorithm!r}; upgrade it")
    return settings(**rest)
