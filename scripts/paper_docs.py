"""Put a run of the paper's evaluation into the documentation.

Usage: python scripts/paper_docs.py FOLDER

FOLDER is that of a whole run (`boxwise paper --out FOLDER`): its report and figures go to
docs/paper, the page that needs no other file to docs/_static, and what was computed, compressed,
and how, beside the report.
"""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def publish(run: Path, docs: Path = DOCS) -> None:
    """Copy what the documentation shows of a run."""
    target = docs / "paper"
    shutil.copy(run / "report.html", docs / "_static" / "paper.html")
    for name in ("report.md", "run.json"):
        shutil.copy(run / name, target)
    shutil.rmtree(target / "figures", ignore_errors=True)
    shutil.copytree(run / "figures", target / "figures")
    for name in ("results.csv", "measurements.csv"):
        # Without a time, so that equal results are equal bytes.
        (target / f"{name}.gz").write_bytes(gzip.compress((run / name).read_bytes(), mtime=0))


if __name__ == "__main__":
    publish(Path(sys.argv[1]))
