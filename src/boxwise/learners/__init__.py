"""The public estimators, one per file."""

from boxwise.learners.agglomerative_gfmm import AgglomerativeGFMM
from boxwise.learners.alpha import estimate_alpha
from boxwise.learners.castillo_gfmm import CastilloGFMM
from boxwise.learners.eiol_gfmm import EIOLGFMM
from boxwise.learners.encoders import iol_pipeline
from boxwise.learners.hyperbox_classifier import HyperboxClassifier
from boxwise.learners.improved_online_gfmm import ImprovedOnlineGFMM
from boxwise.learners.merging import merge
from boxwise.learners.online_gfmm import OnlineGFMM
from boxwise.learners.saved import dumps, load, loads
from boxwise.learners.shinde_gfmm import ShindeGFMM

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
]
