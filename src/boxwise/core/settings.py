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
from boxwise.reference.additive import FIRST_LOSSES


class Range(NamedTuple):
    """The range that scales a numeric feature: NaN to NaN while all values were missing.

    Ranges are not compared with each other.
    """

    low: float = np.nan
    high: float = np.nan
    growing: bool = True
    # State of the quantile scale, if the column is measured by rank.
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
    """The settings of every algorithm; a subclass for each names its engine and adds the rest.

    It does not change.
    """

    algorithm: ClassVar[str]  # as model files call it
    engine: ClassVar[Any]  # the class of its engine
    needs_all_rows: ClassVar[bool] = False  # learns in one call, not row by row
    learns_in_threads: ClassVar[bool] = False  # its `learn` takes a number of them
    most_values: ClassVar[int | None] = None  # of a categorical column that are told apart
    # Arrays of the engine's snapshot beside the boxes: their types and dimensions.
    arrays: ClassVar[Mapping[str, tuple[type[np.generic], int]]] = {}

    def new_engine(
        self,
        n_categorical: int,
        ranges: Sequence[Range],
        numeric_names: Sequence[str] = (),
        labels: Sequence[object] = (),
    ) -> Any:
        """Return an engine that has learned nothing."""
        low, high, growing, _ = zip(*ranges, strict=True) if ranges else ((),) * 4
        return self.engine(
            n_categorical=n_categorical,
            low=low,
            high=high,
            growing=growing,
            **scale_arrays(ranges),
            **self.for_engine(numeric_names, labels),
        )

    @property
    def apart(self) -> list[str]:
        """Columns that only curves see; each names a class, which `for_engine` looks up."""
        return []

    def for_engine(
        self, numeric_names: Sequence[str], labels: Sequence[object]
    ) -> Mapping[str, Any]:
        """Return the settings as the engine takes them, which knows no names."""
        return vars(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what `settings_from_dict` reads."""
        return {"algorithm": self.algorithm, **asdict(self)}


@dataclass
class MembershipSettings(Settings):
    """The settings of every algorithm in which the box with the largest membership decides."""

    theta: float
    gamma: list[float]


@dataclass
class EntropySettings(MembershipSettings):
    """EIOL-GFMM; `mean` chooses version 2. IOL-GFMM where there are no categories."""

    algorithm = "EIOL-GFMM"
    engine: ClassVar[Any] = EntropyEngine

    delta: float
    alpha: float
    mean: bool
    max_boxes: int = field(default=0, kw_only=True)  # 0: no limit


@dataclass
class EvidenceSettings(Settings):
    """Few boxes that decide together by their likelihoods, and follow changes."""

    algorithm = "few boxes by evidence"
    engine: ClassVar[Any] = EvidenceEngine
    most_values = 255
    arrays: ClassVar[Mapping[str, tuple[type[np.generic], int]]] = {
        "n": (np.float64, 1),  # rows may have weights
        "times": (np.float64, 1),
        "last": (np.float64, 1),
        "place": (np.uint64, 2),
        "members": (np.float64, 2),
        "relevance": (np.float64, 2),
        "recent_lower": (np.float64, 2),
        "recent_upper": (np.float64, 2),
        "recent_codes": (np.int32, 2),
        "recent": (np.float64, 2),
        "changes": (np.float64, 2),
        "adwin": (np.float64, 1),
        "values_known": (np.float64, 1),
        "tallies": (np.float64, 1),
        "rows": (np.uint64, 1),
        "layer": (np.uint64, 1),
        "layer_slots": (np.int32, 2),
        "layer_rows": (np.float64, 1),
        "layer_weights": (np.float64, 1),
        "layer_covariances": (np.float64, 1),
        "layer_losses": (np.float64, 1),
    }

    theta: float
    delta: float
    max_boxes: int  # 0: no limit
    adapt: bool
    priors: list[float]
    additive: bool
    # Names of columns, each with a class and a sign; the class is None until it is known.
    monotone: list[list[Any]] = field(default_factory=list)

    @property
    def apart(self) -> list[str]:
        """Columns that only curves see; each names a class, which `for_engine` looks up."""
        return [name for name, *_ in self.monotone]

    def for_engine(
        self, numeric_names: Sequence[str], labels: Sequence[object]
    ) -> Mapping[str, Any]:
        """Return the settings with the numbers of the monotone columns and of their classes."""
        if not self.monotone:
            return vars(self)
        numbered = [
            (numeric_names.index(name), code_of(label, labels), sign)
            for name, label, sign in self.monotone
            if name in numeric_names  # not one that has had no value yet
        ]
        return {**vars(self), "monotone": numbered}

    def to_dict(self) -> dict[str, Any]:
        """Return what `settings_from_dict` reads, also of version 0.2 if nothing is monotone."""
        given = super().to_dict()
        return given if self.monotone else {k: v for k, v in given.items() if k != "monotone"}


def code_of(label: object, labels: Sequence[object]) -> int:
    """Return the code of a class, -1 if it has had no row; 1 and "1" name the same class."""
    if label is None:
        return -1
    same = (k for k, other in enumerate(labels) if label == other or str(label) == str(other))
    return next(same, -1)


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
class ContractionSettings(MembershipSettings):
    """Onln-GFMM-M2; Onln-GFMM where there are no categories."""

    algorithm = "Onln-GFMM-M2"
    engine = ContractionEngine

    beta: float


@dataclass
class BoundSettings(MembershipSettings):
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


def blank_layer() -> dict[str, NDArray[Any]]:
    """Return the arrays of an additive layer that has learned nothing."""
    return {
        "layer": np.zeros(2, np.uint64),
        "layer_slots": np.empty((0, 2), np.int32),
        **{f"layer_{name}": np.empty(0) for name in ("rows", "weights", "covariances")},
        "layer_losses": np.array(FIRST_LOSSES),
    }


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
