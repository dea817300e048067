"""Draws the picture of tuning.md, an evolution on the loans: python docs/make_pareto_picture.py"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.tuning import evolve, plot_pareto

FILE = Path(__file__).parent / "_static" / "pareto_loans.png"
INK = "#1f2933"


def main() -> None:
    """Write pareto_loans.png."""
    columns, decisions = LoanStream(1_000, function=7, seed=7).table()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    found = evolve(HyperboxClassifier(), rows, decisions, cv=3, n_trials=300, random_state=1)
    style = {
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": mpl.cycler(color=["#1f6fb4", "#d9730d"]),
    }
    with mpl.rc_context(style):
        fig, ax = plt.subplots(figsize=(8, 4.8), layout="constrained")
        plot_pareto(found, ax=ax, fontsize=10.5)
        # No date and no version in the file: the same picture is the same bytes.
        fig.savefig(FILE, dpi=160, facecolor="white", metadata={"Software": None})


if __name__ == "__main__":
    main()
