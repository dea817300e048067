"""A run in a folder: its results file, what it was asked to do, and its report."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

from joblib import cpu_count

from boxwise.atomic_files import writing_text
from boxwise.core import engine_version
from boxwise.learners.base.parameters import parameters_to_json
from boxwise.paper.encoders import steps
from boxwise.paper.experiment import METHODS
from boxwise.paper.protocol import Protocol
from boxwise.paper.report import About, write_report
from boxwise.paper.results import ResultsFile, Unit
from boxwise.paper.run import plan, run

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

LIBRARIES = ("boxwise", "numpy", "scikit-learn", "category_encoders")


class OtherRunError(ValueError):
    """The folder holds results that were made in another way."""


class Job:
    """Experiments to run, in a folder that may hold a part of them already.

    Parameters
    ----------
    folder : Path
        Where results and report are.
    protocol : Protocol
        How to run. A folder holds results of one protocol only.
    experiments, datasets : sequence of str
        What to run.
    """

    def __init__(
        self,
        folder: Path,
        protocol: Protocol,
        experiments: Sequence[str],
        datasets: Sequence[str] | None = None,
    ) -> None:
        self.folder, self.protocol = folder, protocol
        self.path = folder / "results.csv"
        self._about = folder / "run.json"
        self.units = plan(experiments, datasets, protocol)
        self._check()  # first: the folder of another run stays as it is
        self._lock = _lock(folder)
        self._seconds = self._check()  # again: another run may have begun and ended meanwhile
        self._note(0.0)  # first: results without it would be of unknown origin
        self.results = ResultsFile(self.path)

    @property
    def n_units(self) -> int:
        """How many folds there are."""
        return len(self.units)

    @property
    def n_done(self) -> int:
        """How many of them are done."""
        return sum(unit in self.results.done for unit in self.units)

    @property
    def datasets_left(self) -> list[str]:
        """The data sets that are still needed."""
        return sorted({unit.dataset for unit in self.units if unit not in self.results.done})

    def run(
        self,
        *,
        n_jobs: int = -1,
        folder: str | None = None,
        report: Callable[[int, str], object] = lambda done, what: None,
    ) -> None:
        """Run what is left."""
        start = monotonic()
        done = self.n_done

        def tell(unit: Unit) -> None:
            nonlocal done
            done += 1
            report(done, f"{unit.experiment}, {unit.dataset}")

        try:
            run(self.units, self.protocol, self.results, n_jobs=n_jobs, folder=folder, report=tell)
        finally:
            self._note(monotonic() - start)

    def report(self) -> list[Path]:
        """Write the report of all that the folder holds; return the files."""
        kept = self._kept()
        about = About(
            **kept["protocol"],
            versions=kept["versions"],
            machine=kept["machine"],
            seconds=kept["seconds"],
        )
        return [self.path, *write_report(self.results, self.folder, about)]

    def _check(self) -> float:
        """Return the seconds spent so far, if the folder is ours or empty."""
        if not self._about.exists():
            if self.path.exists():
                raise OtherRunError(
                    f"{self.path} is there, but not {self._about.name}, which says how it was "
                    "made; choose another folder with --out"
                )
            return 0.0
        kept = self._kept()
        now = {**asdict(self.protocol), **_versions(), **_flat(_estimators())}
        before = {**kept["protocol"], **kept["versions"], **_flat(kept["estimators"])}
        differing = [
            f"{name} was {before.get(name)!r}, now {value!r}"
            for name, value in now.items()
            if before.get(name) != value
        ]
        differing += [f"{name} was {before[name]!r}" for name in before if name not in now]
        if differing:
            raise OtherRunError(
                f"{self.folder} holds results of another run: {'; '.join(differing)}; "
                "choose another folder with --out"
            )
        return float(kept["seconds"])

    def _kept(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._about.read_text(encoding="utf-8"))
            float(kept["seconds"])
            parts = ("protocol", "versions", "estimators")
            return {**kept, **{part: {**kept[part]} for part in parts}}
        except (ValueError, TypeError, KeyError) as error:
            raise OtherRunError(
                f"{self._about} is damaged, and it says how the results were made; choose another "
                "folder with --out"
            ) from error

    def _note(self, seconds: float) -> None:
        self._seconds += seconds
        note = {
            "protocol": asdict(self.protocol),
            "versions": _versions(),
            "estimators": _estimators(),
            "machine": f"{cpu_count()} cores, {platform.machine()}, {platform.system()}",
            "seconds": round(self._seconds),
        }
        with writing_text(self._about) as file:
            file.write(json.dumps(note, indent=2) + "\n")


def _versions() -> dict[str, str]:
    return {
        "Python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        "engine": engine_version,
    }


def _estimators() -> dict[str, dict[str, Any]]:
    """Return every parameter of every estimator, as it is before an experiment varies it."""
    return {
        name: {"class": type(estimator).__name__, **parameters_to_json(estimator.get_params())}
        for name, estimator in {**METHODS, **steps()}.items()
    }


def _flat(estimators: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        f"{name}'s {parameter}": value
        for name, parameters in estimators.items()
        for parameter, value in parameters.items()
    }


def _lock(folder: Path) -> Any:
    """Keep other runs out of the folder for as long as what is returned lives."""
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / "run.lock").open("a")
    if fcntl is None:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise OtherRunError(
            f"another run is writing to {folder}; wait for it, or choose another folder with --out"
        ) from error
    return file
