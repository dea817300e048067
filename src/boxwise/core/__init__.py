"""The Python interface of the native engine: models that learn and predict, and their boxes."""

from boxwise._native import engine_version, survey
from boxwise.core.boxes import Boxes, label_array
from boxwise.core.joining import join
from boxwise.core.model import Model
from boxwise.core.settings import (
    AgglomerativeSettings,
    BoundSettings,
    ContractionSettings,
    EntropySettings,
    EvidenceSettings,
    Range,
    Settings,
)
from boxwise.core.trials import FoldRows, Outcome, try_settings

__all__ = [
    "AgglomerativeSettings",
    "BoundSettings",
    "Boxes",
    "ContractionSettings",
    "EntropySettings",
    "EvidenceSettings",
    "FoldRows",
    "Model",
    "Outcome",
    "Range",
    "Settings",
    "engine_version",
    "join",
    "label_array",
    "survey",
    "try_settings",
]
