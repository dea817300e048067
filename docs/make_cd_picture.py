"""Draws the picture of statistics.md, the paper's Table I: python docs/make_cd_picture.py"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from boxwise.evaluate import AverageRanks, plot_cd_diagram

FILE = Path(__file__).parent / "_static" / "cd_table_1.png"
METHODS = ("Onln-GFMM-M1", "Onln-GFMM-M2", "EIOL-GFMM-v1", "EIOL-GFMM-v2")
TABLE_1 = {
    "0.1": (3, 3.214, 1.893, 1.893),
    "0.7": (2.429, 3.857, 1.607, 2.107),
    "1": (2.429, 3.857, 1.679, 2.036),
}
INK = "#1f2933"


def main() -> None:
    """Write cd_table_1.png."""
    colours = {"text.color": INK, "axes.prop_cycle": mpl.cycler(color=["#1f6fb4"])}
    with mpl.rc_context(colours):
        fig, axes = plt.subplots(3, 1, figsize=(8, 5.6))
        fig.subplots_adjust(left=0, right=1, bottom=0.02, top=0.99, hspace=0.16)
        for ax, (theta, ranks) in zip(axes, TABLE_1.items(), strict=True):
            plot_cd_diagram(AverageRanks(METHODS, ranks, n_datasets=14), ax=ax, fontsize=10.5)
            ax.text(0.03, 0.86, f"θ = {theta}", transform=ax.transAxes, fontsize=12, weight="bold")
        # No date and no version in the file: the same picture is the same bytes.
        fig.savefig(FILE, dpi=160, facecolor="white", metadata={"Software": None})


if __name__ == "__main__":
    main()
