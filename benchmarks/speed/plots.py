"""The pictures of the page, in colours that all can tell apart; shapes say the same again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.speed.claims import Parts, lines_of
from benchmarks.speed.words import by_name

# Okabe and Ito's colours.
COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#999999")
MARKERS = "osD^vP*X"


def draw(parts: Parts, folder: Path) -> None:
    """Draw what there are figures for."""
    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    for name, picture in (
        ("growth", growth),
        ("latency", latency),
        ("peers", peers),
        ("brain", brain),
    ):
        if lines_of(parts, name):
            figure = picture(parts)
            figure.savefig(folder / f"{name}.png", dpi=110, bbox_inches="tight")
            plt.close(figure)


def growth(parts: Parts) -> Any:
    figure, panels = plt.subplots(1, 2, figsize=(9.5, 3.8))
    streams = by_name(lines_of(parts, "growth"), "stream")
    ways = (("brute", "--", 0.55), ("index", "-", 1.0))
    for panel, what in zip(panels, ("learn", "predict"), strict=True):
        for (stream, lines), colour, marker in zip(streams.items(), COLOURS, MARKERS, strict=False):
            for way, style, opacity in ways:
                panel.loglog(
                    [line["boxes"] for line in lines], [line[f"{what}_{way}"] for line in lines],
                    style, color=colour, marker=marker, markersize=4.5, alpha=opacity,
                    markerfacecolor="white" if way == "brute" else colour,
                    label=stream if way == "index" else None,
                )  # fmt: skip
        panel.set_title(f"EIOLGFMM: {what}", loc="left")
        panel.set_xlabel("boxes")
        panel.set_ylabel("µs per row")
        panel.grid(True, which="major", alpha=0.25)
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter("{x:,g}")
            axis.set_minor_formatter("")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False,
                  title="solid: index, dashed: brute force")  # fmt: skip
    figure.tight_layout()
    return figure


def latency(parts: Parts) -> Any:
    keys = ("p50", "p99", "p99.9", "max")
    streams = by_name(lines_of(parts, "latency"), "stream")
    figure, axes = plt.subplots(1, len(streams), figsize=(10, 3.4), sharey=True, squeeze=False)
    calls = ("engine", "learn_one", "predict_one")
    for panel, (stream, lines) in zip(axes[0], streams.items(), strict=True):
        for line in lines:
            which = calls.index(line["what"])
            ours = line["learner"] == "HyperboxClassifier"
            panel.semilogy(
                keys, [line[key] for key in keys], "--" if ours else "-",
                color=COLOURS[(0, 5, 6)[which]], marker=MARKERS[which], markersize=4.5,
                markerfacecolor="white" if ours else None,
                label=f"{line['learner']}: {line['what'].replace('engine', 'engine, learn')}",
            )  # fmt: skip
        panel.set_title(stream, loc="left")
        panel.grid(True, axis="y", alpha=0.25)
    axes[0][0].set_ylabel("µs per call")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.tight_layout()
    return figure


def peers(parts: Parts) -> Any:
    others = [line for line in lines_of(parts, "peers") if "ratios" in line]
    names = list(dict.fromkeys(f"{x['library']}: {x['learner']}" for x in others))
    settings = list(others[0]["ratios"])
    figure, axes = plt.subplots(1, len(settings), figsize=(10, 3.6), sharey=True, squeeze=False)
    for panel, setting in zip(axes[0], settings, strict=True):
        streams = by_name(others, "stream")
        for (stream, lines), colour, marker in zip(streams.items(), COLOURS, MARKERS, strict=False):
            places = [names.index(f"{x['library']}: {x['learner']}") for x in lines]
            ratios = [x["ratios"][setting] for x in lines]
            panel.semilogx(
                ratios, places, marker, color=colour, alpha=0.85, label=stream, markersize=6
            )
        panel.axvline(1, color="#555555", linewidth=1)
        panel.set_title(setting, loc="left")
        panel.set_xlabel("times as long as ours")
        panel.grid(True, axis="x", alpha=0.25)
    axes[0][0].set_yticks(range(len(names)), names)
    axes[0][0].invert_yaxis()
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.tight_layout()
    return figure


def brain(parts: Parts) -> Any:
    figure, panel = plt.subplots(figsize=(5.5, 3.2))
    for size, colour in ((0.1, COLOURS[5]), (0.5, COLOURS[6])):
        lines = lines_of(parts, "brain", size=size)
        for what, style, marker in (("learn", "-", "o"), ("predict", "--", "s")):
            panel.loglog(
                [line["rows"] for line in lines], [line[f"{what}_ratio"] for line in lines],
                style, color=colour, marker=marker, label=f"{what}, θ = δ = {size}",
            )  # fmt: skip
    ticks = sorted({line["rows"] for line in lines_of(parts, "brain")})
    panel.set_xticks(ticks, [f"{rows:,}" for rows in ticks])
    panel.minorticks_off()
    panel.set_xlabel("rows learned")
    panel.set_ylabel("times as long as ours")
    panel.grid(True, alpha=0.25)
    panel.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    return figure
