"""The classifiers with River's interface: one row a call, whatever columns it has.

Needs the extra `river`: ``pip install "boxwise[river]"``.
"""

try:
    import river  # noqa: F401
except ModuleNotFoundError as missing:
    if missing.name != "river":
        raise
    raise ModuleNotFoundError(
        'boxwise.river needs River: pip install "boxwise[river]"', name="river"
    ) from None

from boxwise.river.eiol_gfmm import EIOLGFMM
from boxwise.river.hyperbox_classifier import HyperboxClassifier

__all__ = ["EIOLGFMM", "HyperboxClassifier"]
