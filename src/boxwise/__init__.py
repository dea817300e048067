"""Online classifiers for numeric and categorical columns that explain each prediction."""

from boxwise.learners import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
    dumps,
    estimate_alpha,
    iol_pipeline,
    load,
    loads,
    merge,
)
from boxwise.tuning import tune

__version__ = "0.2.0"
__all__ = [
    "EIOLGFMM",
    "AgglomerativeGFMM",
    "CastilloGFMM",
    "HyperboxClassifier",
    "ImprovedOnlineGFMM",
    "OnlineGFMM",
    "ShindeGFMM",
    "dumps",
    "estimate_alpha",
    "iol_pipeline",
    "load",
    "loads",
    "merge",
    "tune",
]
