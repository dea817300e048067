"""What a part measured, kept as JSON: a line for each figure, and the machine it was taken on."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("boxwise", "numpy", "scikit-learn", "river", "hyperbox-brain", "capymoa")

Line = dict[str, Any]


@dataclass(frozen=True)
class Profile:
    """How much is measured, and where it is kept."""

    name: str
    results: Path
    page: Path
    pictures: Path

    def pick(self, full: Any, quick: Any) -> Any:
        """Return what this profile takes of the two."""
        return full if self.name == "full" else quick


FULL = Profile(
    "full",
    ROOT / "benchmarks" / "results" / "speed",
    ROOT / "docs" / "benchmarks.md",
    ROOT / "docs" / "benchmarks",
)
_TRY = ROOT / "build" / "benchmarks"  # a try leaves what was measured in earnest alone
QUICK = Profile("quick", _TRY / "results", _TRY / "benchmarks.md", _TRY / "benchmarks")


@dataclass
class Record:
    """The figures of one part, told on the terminal as they come."""

    part: str
    profile: Profile
    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    begun: float = field(default_factory=perf_counter)

    def add(self, **line: Any) -> None:
        """Keep a figure and what it is a figure of."""
        line = {key: _rounded(value) for key, value in line.items()}
        self.lines.append(line)
        shown = ", ".join(f"{key} {_short(value)}" for key, value in line.items())
        print(f"[{self.part} {perf_counter() - self.begun:5.0f} s] {shown}", flush=True)

    def note(self, text: str) -> None:
        """Keep a remark that the page repeats: what was skipped, and why."""
        if text and text not in self.notes:
            self.notes.append(text)
            print(f"[{self.part}] {text}", flush=True)

    def write(self) -> None:
        """Write the file of the part."""
        head = {
            "part": self.part,
            "profile": self.profile.name,
            "seconds": round(perf_counter() - self.begun, 1),
            "machine": machine(),
            "notes": self.notes,
        }
        body = ",\n".join(f"  {json.dumps(line, ensure_ascii=False)}" for line in self.lines)
        text = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
        self.profile.results.mkdir(parents=True, exist_ok=True)
        path = self.profile.results / f"{self.part}.json"
        path.write_text(f'{text},\n "lines": [\n{body}\n ]\n}}\n', encoding="utf-8")


def load(profile: Profile, part: str) -> dict[str, Any] | None:
    """Return what a part wrote, if it was run."""
    path = profile.results / f"{part}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def machine() -> dict[str, Any]:
    """Return what matters of the machine and nothing that names it."""
    found = {
        "processor": _from_proc("cpuinfo", "model name") or platform.machine(),
        "threads": os.cpu_count(),
        "memory": _from_proc("meminfo", "MemTotal"),
        "cache": _from_proc("cpuinfo", "cache size"),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS"),
    }
    if hasattr(os, "getloadavg"):
        found["load"] = round(os.getloadavg()[0], 1)  # ours is 1 of it, or as much as threads
    return found


def _from_proc(file: str, key: str) -> str:
    path = Path("/proc", file)
    lines = path.read_text().splitlines() if sys.platform == "linux" and path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _rounded(value: Any) -> Any:
    """Keep four digits: more would not be the same in the next run."""
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {_short(inner)}" for key, inner in value.items()) + ")"
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
