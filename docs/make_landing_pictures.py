"""Draws _static/landing_*.png, the three pictures of index.md.

python docs/make_landing_pictures.py       (with the extras plot, river and test, and chromium)
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image
from playwright.sync_api import sync_playwright

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.evaluate.peers import peer
from boxwise.plot import plot_curves

STATIC = Path(__file__).parent / "_static"
ROWS, CHANGE, WINDOW = 10_000, 5_000, 250
COLUMNS = ("salary", "commission", "loan", "age", "education")  # of the card, to keep it short
BLUE, ORANGE, GREEN, GREY = "#1f6fb4", "#b07a10", "#237a47", "#7b8794"


def draw_change() -> None:
    """Draw the accuracy of boxwise and of two adaptive learners of River's around a change."""
    import boxwise.river

    learners = {
        "boxwise": (boxwise.river.HyperboxClassifier(), BLUE),
        "adaptive random forest (River)": (peer("arf"), ORANGE),
        "adaptive Hoeffding tree (River)": (peer("adaptive-hoeffding-tree"), GREEN),
    }
    stream = [
        *LoanStream(ROWS, function=7, noise=0.05, seed=1, drift_at=CHANGE, drift_to=3)
    ]  # fmt: skip
    figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
    for name, (model, colour) in learners.items():
        right = []
        for x, y in stream:
            right.append(model.predict_one(x) == y)
            model.learn_one(x, y)
        recent = np.convolve(right, np.ones(WINDOW) / WINDOW, mode="valid")
        after = recent[CHANGE - WINDOW :]
        back = np.flatnonzero(after[WINDOW:] >= 0.9)[:1] + WINDOW
        print(f"{name}: least {after.min():.3f}, 0.9 after {back} rows, then at most {after.max()}")
        ax.plot(np.arange(len(recent)) + WINDOW, recent, color=colour, linewidth=1.8, label=name)
    for change in learners["boxwise"][0].classifier.changes_:
        print(change)
    ax.axvline(CHANGE, color=GREY, linestyle=":", linewidth=1.2)
    ax.text(CHANGE - 60, 0.43, "another rule", color=GREY, ha="right", fontsize=9)
    ax.set(xlim=(0, ROWS), ylim=(0.4, 1), xlabel="rows", ylabel=f"accuracy, last {WINDOW} rows")
    ax.xaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:,.0f}"))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", alpha=0.25)
    ax.legend(frameon=False, loc="lower left", fontsize=9)
    save(figure, "landing_change.png")


def draw_curve(clf: HyperboxClassifier) -> None:
    """Draw the curves of two columns."""
    figure = plt.figure(figsize=(8, 3), layout="constrained")
    save(plot_curves(clf, ["salary", "loan"], figure=figure), "landing_curve.png")


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(STATIC / name, dpi=120, metadata={"Software": None})
    plt.close(figure)


def draw_card(clf: HyperboxClassifier, row: dict) -> None:
    """Draw the card that a notebook shows for an explained decision."""
    (why,) = clf.explain([row])
    print(why)
    page = f"<body style='margin:16px;font-family:sans-serif;width:760px'>{why._repr_html_()}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--hide-scrollbars"]
        )
        tab = browser.new_page(
            viewport={"width": 800, "height": 400}, device_scale_factor=1.5, color_scheme="light"
        )
        tab.set_content(page)
        tab.screenshot(path=STATIC / "landing_card.png", full_page=True)
        browser.close()
    image = Image.open(STATIC / "landing_card.png").convert("RGB")
    image.quantize(64, dither=Image.Dither.NONE).save(STATIC / "landing_card.png", optimize=True)


def main() -> None:
    """Draw all three."""
    stream, labels = zip(*LoanStream(4_001, function=7, noise=0.05, seed=7), strict=True)
    draw_curve(HyperboxClassifier().fit(stream[:4_000], labels[:4_000]))
    few = [{name: x[name] for name in COLUMNS} for x in stream]
    draw_card(HyperboxClassifier().fit(few[:4_000], labels[:4_000]), few[4_000])
    draw_change()


if __name__ == "__main__":
    main()
