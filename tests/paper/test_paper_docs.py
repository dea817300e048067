"""The script that puts a run into the documentation."""

from __future__ import annotations

import gzip
import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "paper_docs.py"


def test_paper_docs_copies_a_run_and_leaves_no_old_figure(tmp_path):
    run, docs = tmp_path / "run", tmp_path / "docs"
    for name in ("report.html", "report.md", "run.json", "results.csv", "measurements.csv"):
        (run / "figures").mkdir(parents=True, exist_ok=True)
        (run / name).write_text(name)
    (run / "figures" / "new.svg").write_text("new")
    (docs / "paper" / "figures").mkdir(parents=True)
    (docs / "_static").mkdir()
    (docs / "paper" / "figures" / "old.svg").write_text("old")
    publish = runpy.run_path(str(SCRIPT))["publish"]
    publish(run, docs)
    first = (docs / "paper" / "results.csv.gz").read_bytes()
    publish(run, docs)
    assert (docs / "paper" / "results.csv.gz").read_bytes() == first
    assert gzip.decompress(first) == b"results.csv"
    assert (docs / "_static" / "paper.html").read_text() == "report.html"
    assert {path.name for path in (docs / "paper").rglob("*") if path.is_file()} == {
        "report.md", "run.json", "results.csv.gz", "measurements.csv.gz", "new.svg",
    }  # fmt: skip
