"""Model files from when one class held two learners, as they are read now.

`HyperboxClassifier` once had a parameter `decision`: "membership" is what `EIOLGFMM` does now, and
"evidence" what `HyperboxClassifier` does. It also had `alpha`, `gamma` and `condition`, which are
`EIOLGFMM`'s.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from boxwise.core import EntropySettings

_OF_BOTH = (
    "theta",
    "delta",
    "categorical_features",
    "feature_range",
    "scale",
    "max_boxes",
    "unlabelled",
    "n_jobs",
)
# Values that are fixed now; a file has another only if its user asked for it.
_FIXED = {"alpha": "auto", "gamma": 1.0, "condition": "mean"}
_LEFT = ("decision", *_FIXED)


def as_named_now(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the content of a model file with the learner and the parameters it has today."""
    given = content.get("parameters")
    if content.get("learner") != "HyperboxClassifier" or not isinstance(given, dict):
        return content
    if "condition" not in given:
        return content
    settings = content.get("settings")
    algorithm = settings.get("algorithm") if isinstance(settings, dict) else None
    # The first files do not say: there was no other algorithm then.
    if algorithm in (None, EntropySettings.algorithm):
        kept = {name: given[name] for name in (*_OF_BOTH, "alpha", "gamma") if name in given}
        version = {"each": 1, "mean": 2}.get(str(given["condition"]), given["condition"])
        return {**content, "learner": "EIOLGFMM", "parameters": {**kept, "version": version}}
    for name, fixed in _FIXED.items():
        if given.get(name, fixed) != fixed:
            warnings.warn(
                f"the model was learned with {name}={given[name]!r}, which HyperboxClassifier no "
                f"longer has: it goes on learning with {fixed!r}; its boxes stay as they are",
                UserWarning,
                stacklevel=3,
            )
    kept = {name: value for name, value in given.items() if name not in _LEFT}
    return {**content, "parameters": kept}
