"""Looking at pictures: what is written on them, whether it can be read, which colour is where."""

from itertools import combinations

import numpy as np
import pytest

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

from matplotlib.text import Text  # noqa: E402


def of_gid(ax, gid):
    """Return the artists of a kind."""
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def notes(ax):
    (found,) = of_gid(ax, "notes")
    return found.get_text()


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def assert_legible(figure):
    """Every text is inside the figure and large enough; labels of an axis are apart."""
    figure.canvas.draw()
    whole = figure.bbox
    for text in figure.findobj(Text):
        if not text.get_visible() or not text.get_text().strip():
            continue
        assert text.get_fontsize() >= 8, text.get_text()
        extent = text.get_window_extent()
        inside = (
            extent.x0 >= whole.x0 - 1
            and extent.x1 <= whole.x1 + 1
            and extent.y0 >= whole.y0 - 1
            and extent.y1 <= whole.y1 + 1
        )
        assert inside, f"{text.get_text()!r} is cut off"
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            assert_apart(axis.get_ticklabels())
        assert_apart(of_gid(ax, "value"))


def assert_apart(texts):
    level = [text for text in texts if text.get_text() and not text.get_rotation()]
    extents = [(text.get_text(), text.get_window_extent()) for text in level]
    for (one, here), (other, there) in combinations(extents, 2):
        assert not here.padded(-1).overlaps(there.padded(-1)), f"{one!r} and {other!r} overlap"


def pixel(ax, x, y):
    """Return the colour at a place of the data, from 0 to 1."""
    figure = ax.figure
    figure.canvas.draw()
    column, row = ax.transData.transform((x, y))
    image = np.asarray(figure.canvas.buffer_rgba())
    return image[image.shape[0] - 1 - int(row), int(column), :3] / 255
