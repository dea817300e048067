"""Draws the picture of the README: python docs/make_pictures.py

Loan applications with two numbers (income and loan) and one category (job), learned by
EIOLGFMM. The rows are made here from a fixed seed, so the picture is always the same.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from boxwise import EIOLGFMM

FOLDER = Path(__file__).parent / "_static"
JOBS = ("salaried", "self-employed", "student")
# How large a loan, as a share of the income, each job may ask for.
SHARE = {"salaried": 0.42, "self-employed": 0.3, "student": 0.17}
LARGEST_SHARE = 0.72  # nobody asks for more
COLOURS = {"approved": "#1f6fb4", "declined": "#d1662c"}
INK, GREY = "#1f2933", "#6b7785"
NEW = {"income": 57.5, "loan": 18.5, "job": "self-employed"}

Row = dict[str, float | str]


def applications(n_rows: int = 150, seed: int = 1) -> tuple[list[Row], list[str]]:
    """Return rows and decisions; few of them near the line that divides the two."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    decisions: list[str] = []
    while len(rows) < n_rows:
        job = JOBS[len(rows) % len(JOBS)]
        income, loan = rng.uniform(15, 95), rng.uniform(1, 49)
        distance = loan - SHARE[job] * income
        if abs(distance) < 3.5 or loan > LARGEST_SHARE * income:
            continue
        rows.append({"income": round(income, 1), "loan": round(loan, 1), "job": job})
        decisions.append("declined" if distance > 0 else "approved")
    return rows, decisions


def draw_job(ax: Axes, job: str, rows: list[Row], decisions: list[str], model: EIOLGFMM) -> None:
    """Draw the rows of one job and the boxes that hold them."""
    boxes = model.boxes_
    for i in range(len(boxes)):
        if job not in boxes.counts[i][0]:
            continue
        (left, bottom), (right, top) = boxes.lower[i], boxes.upper[i]
        colour = COLOURS[boxes.labels[i]]
        ax.add_patch(
            Rectangle((left, bottom), right - left, top - bottom, facecolor=colour, alpha=0.13)
        )
        ax.add_patch(
            Rectangle(
                (left, bottom), right - left, top - bottom, fill=False, edgecolor=colour, lw=1.1
            )
        )
    for row, decision in zip(rows, decisions, strict=True):
        if row["job"] == job:
            ax.plot(row["income"], row["loan"], "o", ms=3.6, mew=0, color=COLOURS[decision])
    ax.set_title(f"job is {job}", fontsize=11, color=INK, pad=7)
    ax.set(xlim=(12, 98), ylim=(-1, 51), xticks=[20, 40, 60, 80], yticks=[0, 10, 20, 30, 40, 50])
    ax.tick_params(colors=GREY, labelsize=9, length=3)
    for side in ax.spines.values():
        side.set_color("#c9d0d8")


def draw_new_row(ax: Axes, model: EIOLGFMM) -> None:
    """Draw the row to be classified, the box that wins it, and the memberships."""
    boxes = model.boxes_
    degrees = model.membership([NEW])[0]
    best = {label: degrees[boxes.labels == label].max() for label in COLOURS}
    winner = int(degrees.argmax())
    (left, bottom), (right, top) = boxes.lower[winner], boxes.upper[winner]
    colour = COLOURS[boxes.labels[winner]]
    assert model.predict([NEW])[0] == boxes.labels[winner]
    ax.add_patch(
        Rectangle(
            (left, bottom), right - left, top - bottom, fill=False, edgecolor=colour, lw=3, zorder=4
        )
    )
    x, y = NEW["income"], NEW["loan"]
    nearest = min(max(x, left), right), min(max(y, bottom), top)
    ax.plot([x, nearest[0]], [y, nearest[1]], color=INK, lw=1.2, ls=(0, (3, 2)), zorder=5)
    ax.plot(x, y, "*", ms=15, color="#ffd23f", mec=INK, mew=1, zorder=6)
    lines = [f"★ new row: {boxes.labels[winner]}", "best membership:"]
    lines += [f"{label} {degree:.2f}" for label, degree in best.items()]
    ax.text(
        15.5, 48, "\n".join(lines), va="top", fontsize=9.5, color=INK, linespacing=1.4,
        bbox={"boxstyle": "round,pad=0.45", "fc": "#fff8e1", "ec": "#e6cf8b"},
    )  # fmt: skip


def boxes_picture() -> None:
    """Write boxes.png."""
    rows, decisions = applications()
    model = EIOLGFMM(theta=0.4, delta=0.2).partial_fit(rows, decisions)
    fig, axes = plt.subplots(1, 3, figsize=(10, 3.9), sharex=True, sharey=True)
    for ax, job in zip(axes, JOBS, strict=True):
        draw_job(ax, job, rows, decisions, model)
    draw_new_row(axes[JOBS.index(NEW["job"])], model)
    axes[0].set_ylabel("loan, thousands", fontsize=10, color=INK)
    axes[1].set_xlabel("income, thousands", fontsize=10, color=INK)
    marks = [
        Line2D([], [], marker="s", ls="", ms=8, color=colour, label=label)
        for label, colour in COLOURS.items()
    ]
    fig.legend(handles=marks, loc="lower right", ncols=2, frameon=False, fontsize=10,
               bbox_to_anchor=(0.995, -0.005), handletextpad=0.2, columnspacing=1.2)  # fmt: skip
    fig.tight_layout(w_pad=1.2)
    # No date and no version in the file: the same picture is the same bytes.
    fig.savefig(FOLDER / "boxes.png", dpi=180, facecolor="white", metadata={"Software": None})
    print(model.boxes_, model.membership([NEW]).max())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    boxes_picture()
