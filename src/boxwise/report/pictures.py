"""The pictures of a report, drawn by boxwise.plot where matplotlib is installed."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import ceil
from typing import Any

from boxwise.inputs import columns_by_position
from boxwise.plot import plot_curves, plot_parallel, plot_regions
from boxwise.plot.column_choice import deciding_pair
from boxwise.report.markup import paragraph, text
from boxwise.report.subject import Subject

MOST_AXES, AXES_NARROW = 8, 4
MOST_CURVES, CURVES_NARROW = 9, 6
NARROW = 4.4  # inches, for screens of at most 560 pixels


@dataclass(frozen=True)
class Drawing:
    """A picture for a screen of one width: what draws it in a figure, and its size in inches."""

    draw: Callable[[Any], object]
    width: float
    height: float


def parallel_picture(subject: Subject, order: list[int]) -> str:
    """Return the boxes side by side, over the first of these columns."""
    if len(order) < 2:
        return ""
    drawings = [
        Drawing(partial(_parallel, subject.clf, order[:most]), width, 5.0)
        for most, width in ((MOST_AXES, 11.0), (AXES_NARROW, NARROW))
    ]
    alt = "The boxes with most rows of each class as bands across one axis for each column"
    return _picture(alt, *drawings)


def regions_picture(subject: Subject, order: list[int]) -> str:
    """Return where the model decides what, over the two columns that change it most."""
    view = subject.view
    columns = deciding_pair(view, [j for j in order if view.is_seen(j)])
    if columns is None:
        return ""
    first, second = (view.schema.names[j] for j in columns)
    alt = f"Decision regions over {first} and {second}, other columns at typical values"
    draw = partial(_regions, subject.clf, columns)
    return _picture(alt, Drawing(draw, 8.5, 5.6), Drawing(draw, NARROW, 5.4))


def curves_picture(subject: Subject) -> str:
    """Return what each column adds to the log-odds, of those that add most."""
    drawings = []
    for most, across in ((MOST_CURVES, 3), (CURVES_NARROW, 2)):
        n_panels = min(len(subject.view.schema.known), most)
        size = 1.2 + 2.1 * ceil(n_panels / across)
        width = NARROW if across == 2 else max(6.4, 3.3 * min(across, n_panels))
        drawings.append(Drawing(partial(_curves, subject.clf, most), width, size))
    alt = "What each column adds to the log-odds of the classes, a panel for each column"
    return _picture(alt, *drawings)


def _parallel(clf: Any, columns: list[int], figure: Any) -> object:
    return plot_parallel(clf, columns, ax=figure.subplots())


def _regions(clf: Any, columns: tuple[int, int], figure: Any) -> object:
    return plot_regions(clf, *columns, ax=figure.subplots())


def _curves(clf: Any, most: int, figure: Any) -> object:
    return plot_curves(clf, max_columns=most, figure=figure)


def _picture(alt: str, wide: Drawing, narrow: Drawing) -> str:
    if find_spec("matplotlib") is None:
        return paragraph(
            "A plot is missing here, because matplotlib was not installed when this page was "
            'made: <code>pip install "boxwise[plot]"</code>.',
            kind="soft",
        )
    return (
        f'<figure><picture><source media="(max-width: 560px)" srcset="{_drawn(narrow)}">'
        f'<img src="{_drawn(wide)}" alt="{text(alt)}"></picture></figure>'
    )


def _drawn(drawing: Drawing) -> str:
    """Return a picture as a data URI; the same model gives the same one."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Neither the date nor chance is in the file.
    with mpl.rc_context({"svg.hashsalt": "boxwise"}), columns_by_position():
        figure = Figure(figsize=(drawing.width, drawing.height), layout="constrained")
        drawing.draw(figure)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{b64encode(out.getvalue()).decode('ascii')}"
