"""The paper's evaluation, ours beside the printed one, as one HTML file and as Markdown."""

from __future__ import annotations

from pathlib import Path

from boxwise.atomic_files import writing
from boxwise.paper.measurements.file import NAME as MEASUREMENTS_FILE
from boxwise.paper.measurements.file import read_measurements
from boxwise.paper.report.about import About
from boxwise.paper.report.contents import contents
from boxwise.paper.report.html import to_html
from boxwise.paper.report.markdown import to_markdown
from boxwise.paper.report.page import Picture
from boxwise.paper.report.view import View
from boxwise.paper.results import ResultsFile

__all__ = ["About", "write_report"]


def write_report(results: ResultsFile, folder: Path, about: About) -> list[Path]:
    """Write the report on a results file, whatever part of the evaluation it holds.

    Parameters
    ----------
    results : ResultsFile
        The results. Measurements are read from measurements.csv beside it, if there is one.
    folder : Path
        Where to write; made if there is none.
    about : About
        How and where the results were made.

    Returns
    -------
    list of Path
        The files: report.html, which needs no other, report.md, and its figures.
    """
    measured = read_measurements(results.path.with_name(MEASUREMENTS_FILE))
    blocks = [*contents(View(results.done, measured), about)]
    files = {
        folder / "report.html": to_html(blocks).encode(),
        folder / "report.md": to_markdown(blocks).encode(),
    }
    for block in blocks:
        if isinstance(block, Picture):
            files[folder / "figures" / f"{block.name}.svg"] = block.svg
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path) as file:
            file.write(data)
    return [*files]
