"""A description of an estimator: its algorithm, and the parameters that are not the default."""

from __future__ import annotations

from typing import Any

ALGORITHMS = {
    "AgglomerativeGFMM": "AGGLO-2 or AGGLO-SM",
    "CastilloGFMM": "Onln-GFMM-M1",
    "EIOLGFMM": "EIOL-GFMM",
    "HyperboxClassifier": "boxes by likelihood",
    "ImprovedOnlineGFMM": "IOL-GFMM",
    "OnlineGFMM": "Onln-GFMM",
    "ShindeGFMM": "Onln-GFMM-M2",
}


def direction_text(label: object, sign: int) -> str:
    """Return what a constraint of ``monotonic_cst`` says about a column."""
    whose = "the second class" if label is None else label
    return f"the more, the {'likelier' if sign > 0 else 'less likely'} {whose}"


def changed_parameters(clf: Any) -> dict[str, Any]:
    """Return the parameters that are not the default, nor told with the columns, nor for speed."""
    default = type(clf)().get_params()
    return {
        name: value
        for name, value in clf.get_params().items()
        if name not in ("categorical_features", "n_jobs") and repr(value) != repr(default[name])
    }
