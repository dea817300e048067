"""The settings that each table of the paper ranks, and their average ranks."""

from __future__ import annotations

from collections.abc import Callable

from boxwise.evaluate import AverageRanks
from boxwise.paper.report.printed import ENCODED, METHODS, TABLE_I_SECOND, WAYS
from boxwise.paper.report.view import ExperimentResults, MissingError, Setting, View

# Choices of the settings of Table I at one theta.
Choice = Callable[[ExperimentResults, float], dict[str, Setting]]

VERSIONS = ("v1", "v2")
THETAS = (0.1, 0.7, 1.0)
# Row names of Table III: at 1 both versions are the same.
SIZES = (("v1", 0.1), ("v2", 0.1), ("v1", 1.0))


def settings_of(results: ExperimentResults, method: str, theta: float) -> list[Setting]:
    """Return the settings of a method at one theta, the second parameter rising."""
    found = [s for s in results.settings if s.method == method and s.theta == theta]
    return sorted(found, key=lambda setting: setting.second or 0.0)


def best_setting(results: ExperimentResults, method: str, theta: float) -> Setting:
    """Return the setting of best average rank over the data sets; of equals that of best mean."""
    settings = settings_of(results, method, theta)
    if not settings:
        raise MissingError(f"no results of {method} at θ = {theta:g}")
    if len(settings) == 1:
        return settings[0]
    ranks = results.ranks({str(i): setting for i, setting in enumerate(settings)}).ranks
    means = results.means(settings).mean(axis=0)
    best = min(range(len(settings)), key=lambda i: (round(ranks[i], 9), -round(means[i], 9)))
    return settings[best]


def best_settings(results: ExperimentResults, theta: float) -> dict[str, Setting]:
    """Return each method's best setting at one theta."""
    return {method: best_setting(results, method, theta) for method in METHODS}


def printed_settings(results: ExperimentResults, theta: float) -> dict[str, Setting]:
    """Return the settings that Table I prints, of a run that has them."""
    settings = {m: Setting(m, "", theta, TABLE_I_SECOND[m]) for m in METHODS}
    for method, setting in settings.items():
        if setting not in results.settings:
            raise MissingError(f"no results of {method} at the printed setting, θ = {theta:g}")
    return settings


def mixed_ranks(view: View, theta: float, choose: Choice = best_settings) -> AverageRanks:
    """Return the ranks of Table I, at our best settings or at those printed."""
    results = view.results("mixed")
    return results.ranks(choose(results, theta))


def encoder_columns(theta: float) -> dict[str, Setting]:
    """Return what Table II ranks."""
    columns = {encoder: Setting("IOL", encoder, theta) for encoder in ENCODED}
    return columns | {version: Setting(version, "", theta, theta) for version in VERSIONS}


def encoder_ranks(view: View, theta: float) -> AverageRanks:
    """Return the ranks of Table II."""
    return view.results("encoders").ranks(encoder_columns(theta))


def way_columns(version: str, size: float) -> dict[str, Setting]:
    """Return what Table III ranks."""
    return {way: Setting(version, way, size, size) for way in WAYS}


def way_ranks(view: View, version: str, size: float) -> AverageRanks:
    """Return the ranks of Table III."""
    return view.results("find-alpha").ranks(way_columns(version, size))


def tuned_columns() -> dict[str, Setting]:
    """Return what Table IV ranks."""
    return {method: Setting(method) for method in METHODS}


def tuned_ranks(view: View) -> AverageRanks:
    """Return the ranks of Table IV."""
    return view.results("tuned").ranks(tuned_columns())
