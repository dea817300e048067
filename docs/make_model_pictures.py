"""Draws the pictures of pictures.md: python docs/make_model_pictures.py

The rows are loan applications that come from a fixed seed, so the pictures are always the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
from PIL import Image

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.plot import plot_box, plot_curves, plot_parallel, plot_regions, plot_relevance

FOLDER = Path(__file__).parent / "_static"
ROWS = 3_000


def save(figure: Any, name: str) -> None:
    """Write a picture in 128 colours, which takes a third of the bytes."""
    figure.set_dpi(100)
    figure.canvas.draw()
    image = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True)


def main() -> None:
    """Write model_*.png."""
    columns, decisions = LoanStream(ROWS, function=2, noise=0.02, seed=7).table()
    three = {name: columns[name] for name in ("age", "salary", "education")}
    few = HyperboxClassifier().fit(three, decisions)
    many = HyperboxClassifier().fit(columns, decisions)
    print(few.boxes_, many.boxes_)
    row = {"age": 52, "salary": 90_000, "education": "college"}
    ax = plot_regions(few, "age", "salary", X=three, labels=decisions, at=row)
    save(ax.figure, "model_regions.png")
    save(plot_regions(few, "education", "age", at={"salary": 60_000}).figure, "model_strips.png")
    save(plot_parallel(few).figure, "model_parallel.png")
    save(plot_parallel(many).figure, "model_parallel_many.png")
    largest = int(np.argmax(few.boxes_.n_samples))
    save(plot_box(few, largest, X=three, labels=decisions, row=row), "model_box.png")
    columns, decisions = LoanStream(ROWS, function=7, noise=0.05, seed=1).table()
    save(plot_curves(HyperboxClassifier().fit(columns, decisions)), "model_curves.png")
    stream = LoanStream(20_000, function=7, noise=0.05, drift_at=10_000, drift_to=3)
    save(plot_relevance(HyperboxClassifier(), *stream.table()), "model_relevance.png")


if __name__ == "__main__":
    main()
