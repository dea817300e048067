"""A run in a folder: its results file, what it was asked to do, and its report."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from joblib import cpu_count

from boxwise.paper.protocol import Protocol
from boxwise.paper.report import About, write_report
from boxwise.paper.results import ResultsFile, Unit
from boxwise.paper.run import plan, run

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
        self._seconds = self._check()
        self.units = plan(experiments, datasets, protocol)
        self.results = ResultsFile(self.path)
        self._note(0.0)

    @property
    def n_units(self) -> int:
        """How many folds there are."""
        return len(self.units)

    @property
    def n_done(self) -> int:
        """How many of them are done."""
        return sum(unit in self.results.done for unit in self.units)

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
        kept = json.loads(self._about.read_text(encoding="utf-8"))
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
        kept = json.loads(self._about.read_text(encoding="utf-8"))
        differing = [
            f"{name} was {kept['protocol'][name]!r}, now {value!r}"
            for name, value in asdict(self.protocol).items()
            if kept["protocol"][name] != value
        ]
        if differing:
            raise OtherRunError(
                f"{self.folder} holds results of another run: {'; '.join(differing)}; "
                "choose another folder with --out"
            )
        return float(kept["seconds"])

    def _note(self, seconds: float) -> None:
        self._seconds += seconds
        note = {
            "protocol": asdict(self.protocol),
            "versions": {"Python": platform.python_version()}
            | {name: version(name) for name in LIBRARIES},
            "machine": f"{cpu_count()} cores, {platform.machine()}, {platform.system()}",
            "seconds": round(self._seconds),
        }
        new = self._about.with_suffix(".new")
        new.write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
        new.replace(self._about)
