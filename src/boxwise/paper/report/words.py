"""The names of methods, settings and numbers in the report."""

from __future__ import annotations

from math import isinf, isnan

LONG = {
    "M1": "Onln-GFMM-M1",
    "M2": "Onln-GFMM-M2",
    "v1": "EIOL-GFMM-v1",
    "v2": "EIOL-GFMM-v2",
}
ENCODER = {
    "catboost": "CatBoost",
    "one-hot": "One-hot",
    "leave-one-out": "LOO",
    "ordinal": "Label",
    "target": "Target",
    "james-stein": "James-Stein",
    "helmert": "Helmert",
    "sum": "Sum",
}
WAY = {
    "tuned": "tuned α",
    "estimate": "Est-α-v1",
    "estimate-scores": "Est-α-v2",
    "fixed": "n/(n+r)",
}
SECOND = {"M1": "η", "M2": "β", "v1": "δ", "v2": "δ"}


def name(method: str) -> str:
    """Return what a method, an encoder or a way to find alpha is called in a table."""
    return ENCODER.get(method) or WAY.get(method) or method


def title(dataset: str) -> str:
    """Return the name of a data set as the paper writes it."""
    return dataset.replace("_", " ")


def second(method: str, value: float | None) -> str:
    """Return a method's second parameter and its value, like "β = 0.75r"."""
    if value is None:
        return ""
    return f"{SECOND[method]} = {value:g}{'r' if method == 'M2' else ''}"


def number(value: float, digits: int = 3) -> str:
    """Return a number with so many decimals; a dash for none."""
    if isnan(value):
        return "–"
    if isinf(value):
        return "∞"
    text = f"{value:.{digits}f}".replace("-", "−")
    return text[1:] if text.strip("−0.") == "" and text.startswith("−") else text


def signed(value: float, digits: int = 3) -> str:
    """Return a difference, with its sign."""
    text = number(value, digits)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def listed(words: list[str]) -> str:
    """Return "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
