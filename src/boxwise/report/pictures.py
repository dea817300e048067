"""The pictures of a report, drawn by boxwise.plot where matplotlib is installed."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Callable
from importlib.util import find_spec
from math import ceil
from typing import Any

from boxwise.inputs import columns_by_position
from boxwise.plot import plot_curves, plot_parallel, plot_regions
from boxwise.report.markup import paragraph, scrolled, text
from boxwise.report.subject import Subject

MOST_AXES = 8
MOST_CURVES = 9


def parallel_picture(subject: Subject, order: list[int]) -> str:
    """Return the boxes side by side, over the first of these columns."""
    columns = order[:MOST_AXES]
    if len(columns) < 2:
        return ""
    alt = "The boxes with most rows of each class as bands across one axis for each column"
    return _picture(
        alt, lambda figure: plot_parallel(subject.clf, columns, ax=figure.subplots()), 11.0, 5.0
    )


def regions_picture(subject: Subject, order: list[int]) -> str:
    """Return where the model decides what, over the two numbers that matter most."""
    view = subject.view
    numbers = [j for j in order if view.is_number(j) and view.is_seen(j)][:2]
    if len(numbers) < 2:
        return ""
    first, second = (view.schema.names[j] for j in numbers)
    alt = f"Decision regions over {first} and {second}, other columns at typical values"
    return _picture(
        alt, lambda figure: plot_regions(subject.clf, *numbers, ax=figure.subplots()), 8.5, 5.6
    )


def curves_picture(subject: Subject) -> str:
    """Return what each column adds to the log-odds, of those that add most."""
    n_panels = min(len(subject.view.schema.known), MOST_CURVES)
    across = min(3, n_panels)
    size = (max(6.4, 3.3 * across), 1.2 + 2.1 * ceil(n_panels / across))
    alt = "What each column adds to the log-odds of the classes, a panel for each column"
    return _picture(
        alt, lambda figure: plot_curves(subject.clf, max_columns=MOST_CURVES, figure=figure), *size
    )


def _picture(alt: str, draw: Callable[[Any], object], width: float, height: float) -> str:
    if find_spec("matplotlib") is None:
        return paragraph(
            "A plot is missing here, because matplotlib was not installed when this page was "
            'made: <code>pip install "boxwise[plot]"</code>.',
            kind="soft",
        )
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Neither the date nor chance is in the file: the same model gives the same page.
    with mpl.rc_context({"svg.hashsalt": "boxwise"}), columns_by_position():
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    data = b64encode(out.getvalue()).decode("ascii")
    image = f'<img src="data:image/svg+xml;base64,{data}" alt="{text(alt)}">'
    return f"<figure>{scrolled(image, text(alt))}</figure>"
