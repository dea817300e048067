"""Line styles that tell the curves of several learners apart."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's colours, which people with any kind of colour vision tell apart, without yellow.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", (0, (6, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))


def line_style(number: int) -> dict[str, Any]:
    """Return colour, dashes and width of a curve by its number, for matplotlib."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number // len(COLOURS) % len(DASHES)],
        "linewidth": 1.6,
    }
