"""Model files of version 0.1 as they are read now.

`HyperboxClassifier` once had a parameter `decision`: "membership" is what `EIOLGFMM` does now, and
"evidence" what `HyperboxClassifier` does. It also had `alpha`, `gamma` and `condition`, which are
`EIOLGFMM`'s. Its learner kept other things beside the boxes, and chose bandwidth, backoff and
temperature from lists.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EntropySettings, EvidenceSettings
from boxwise.core.joining import with_sums
from boxwise.core.settings import blank_layer

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
                stacklevel=4,
            )
    kept = {name: value for name, value in given.items() if name not in _LEFT}
    return {**content, "parameters": kept}


_OLD_ALGORITHM = "EIOL-GFMM by evidence"
_GONE = ("bandwidth", "backoff", "temperature", "forget")
_BANDWIDTH, _BACKOFF = 0.3, 8.0  # which multipliers multiply now
_MOST_LOG = 5.0  # of a multiplier
_SAME = ("V", "W", "label", "id", "low", "high", "growing")


def as_few_boxes(
    content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]:
    """Return a model that decided by evidence in version 0.1 with what the learner keeps now.

    Its boxes, their ages and the multipliers of the columns stay.
    """
    settings = content.get("settings")
    if not isinstance(settings, dict) or settings.get("algorithm") != _OLD_ALGORITHM:
        return content, arrays
    given = {name: v for name, v in content["parameters"].items() if name not in _GONE}
    # Settings that were the default then are said in the file, and stay.
    parameters = {"scale": "range", "max_boxes": None, **given}
    now = {
        "algorithm": EvidenceSettings.algorithm,
        "theta": settings["theta"],
        "delta": settings["delta"],
        "max_boxes": int(settings.get("max_boxes", 0)),
        "adapt": True,
        "priors": settings["powers"],
    }
    return {**content, "parameters": parameters, "settings": now}, _arrays(settings, arrays)


def without_layer(
    content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]:
    """Return a model from before there was an additive layer as one that goes on without it."""
    settings = content.get("settings")
    if not isinstance(settings, dict) or settings.get("algorithm") != EvidenceSettings.algorithm:
        return content, arrays
    if "additive" in settings or "layer" in arrays:
        return content, arrays
    off = {"additive": False}
    parameters = {**off, **content["parameters"]}
    now = {**content, "parameters": parameters, "settings": {**settings, **off}}
    return now, {**arrays, **blank_layer()}


def _arrays(
    settings: Mapping[str, Any], old: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    boxes, n = old["V"].shape
    r = (len(old["first"]) - 1) // boxes if boxes else old["reaches"].shape[1] - 1 - n
    rows, _, steps, clock = (int(number) for number in old["tested"])
    bandwidth, backoff = _chosen(settings, old["losses"])
    logs = old["reaches"][0].copy()
    logs[:n] += np.log(bandwidth / _BANDWIDTH)
    logs[n : n + r] += np.log(backoff / _BACKOFF)
    relevance = np.clip(np.append(logs, 0.0), -_MOST_LOG, _MOST_LOG)
    squares = np.append(old["reaches"][1], 0.0)
    slot = np.zeros(boxes, np.uint64)
    for label in np.unique(old["label"]):
        of_class = old["label"] == label
        slot[of_class] = np.arange(of_class.sum())
    shared = np.minimum(old["code"], EvidenceSettings.most_values).astype(np.int32)
    first, code, times = with_sums(old["first"], shared, old["times"])
    column = np.repeat(np.tile(np.arange(r), boxes), np.diff(first).astype(int))
    known = np.zeros(r)
    np.maximum.at(known, column, code + 1.0)
    last = old["last"] if len(old["last"]) else np.full(boxes, clock)
    return {
        **{name: old[name] for name in _SAME},
        **({"scales": old["scales"]} if "scales" in old else {}),
        "first": first,
        "code": code,
        "times": times,
        "n": old["n"].astype(np.float64),
        "last": last.astype(np.float64),
        "place": np.column_stack([np.zeros(boxes, np.uint64), slot]),
        "members": np.array([[0.0, 0.0, 0.0, clock, rows, steps]]),
        "relevance": np.concatenate([relevance, squares])[None],
        "recent_lower": np.empty((0, n)),
        "recent_upper": np.empty((0, n)),
        "recent_codes": np.empty((0, r), np.int32),
        "recent": np.empty((0, 2)),
        "changes": np.empty((0, 5 + n + r)),
        "adwin": np.array([0.002, 0, 0, 0, 0, 0, 0, 0, 1, 0], np.float64),
        "values_known": known,
        "tallies": np.empty(0),
        "rows": np.array([clock, rows], np.uint64),
    }


def _chosen(settings: Mapping[str, Any], losses: NDArray[np.float64]) -> tuple[float, float]:
    """Return the bandwidth and the backoff: the means of the choices, weighted by their losses."""
    lists = [settings[name] for name in ("bandwidths", "backoffs", "temperatures")]
    shares = np.exp(losses.min() - losses).reshape([len(choices) for choices in lists])
    shares = shares / shares.sum()
    by_bandwidth, by_backoff = shares.sum(axis=(1, 2)), shares.sum(axis=(0, 2))
    bandwidth = np.exp(by_bandwidth @ np.log(lists[0]))
    return float(bandwidth), float(np.exp(by_backoff @ np.log(lists[1])))
