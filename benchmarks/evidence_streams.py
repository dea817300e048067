"""Probabilities on streams: each row predicted, then learned, one at a time, beside River's.

    BOXWISE_DATA=... python -m benchmarks.evidence_streams            (about 40 minutes)
    BOXWISE_DATA=... python -m benchmarks.evidence_streams --rows 3000

Prints Markdown and writes benchmarks/results/evidence_streams.md and evidence_streams.png; how far
it is goes to standard error. All through River's interface, `predict_proba_one` and `learn_one`;
the time is that spent in these two. Without BOXWISE_DATA only the loan streams are measured.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from math import log
from time import perf_counter
from typing import Any

from benchmarks import paper_data
from benchmarks.evidence import LEAST
from benchmarks.report import FOLDER, Report
from boxwise.datasets import LoanStream
from boxwise.evaluate import Confusion
from boxwise.evaluate.line_styles import COLOURS
from boxwise.evaluate.peers import peer
from boxwise.river import EIOLGFMM, HyperboxClassifier

OURS: dict[str, Callable[[], Any]] = {
    "HyperboxClassifier": HyperboxClassifier,
    "HyperboxClassifier, 300 boxes": lambda: HyperboxClassifier(max_boxes=300),
    "HyperboxClassifier, adapt=False": lambda: HyperboxClassifier(adapt=False),
    "HyperboxClassifier, balanced": lambda: HyperboxClassifier(class_prior="auto"),
    "EIOLGFMM": lambda: EIOLGFMM(0.3, 0.3, version=2),
}
PEERS = ("hoeffding-tree", "adaptive-hoeffding-tree", "naive-bayes")
FOREST = "arf"
BASELINES = ("no-change", "majority")

LOANS = 15_000
DRIFTS = {1: 2, 5: 6, 7: 3}  # the rule that decides, and another from the middle on
PART = 10_000  # rows of a real stream for the forest, which is slow
WINDOWS = 20
RECENT = 1_000
HIGHEST = 1.2  # log-loss that the figure shows
PEER_LINES = {
    "hoeffding-tree": ("#000000", (5, 1.5)),
    "adaptive-hoeffding-tree": ("#56B4E9", (5, 1.5)),
    "naive-bayes": ("#E69F00", (5, 1.5)),
    FOREST: ("#7A4A1E", (6, 1.5, 1.5, 1.5)),
}

Pairs = list[tuple[dict[str, Any], str]]


@dataclass
class Outcome:
    """How well one learner did on one stream, by the rows so far."""

    all: Confusion = field(default_factory=Confusion)
    recent: Confusion = field(default_factory=lambda: Confusion(window=RECENT))
    loss: float = 0.0  # summed over the rows
    ruled_out: int = 0  # rows whose class had a probability below LEAST
    rows: int = 0
    seconds: float = 0.0
    boxes: int | None = None
    right: list[bool] = field(default_factory=list)
    windows: list[tuple[int, float, float]] = field(default_factory=list)  # rows, CBA, log-loss

    @property
    def log_loss(self) -> float:
        """The mean over the rows so far."""
        return self.loss / self.rows


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence_streams")
    parser.add_argument("--rows", type=int, help="only so many rows of each stream, for a try")
    rows = parser.parse_args(arguments).rows
    command = "python -m benchmarks.evidence_streams" + (f" --rows {rows}" if rows else "")
    report = Report("Evidence on streams", command)
    report.say(f"River {version('river')}. {EXPLAINED}\n")
    found = {}
    for name, stream in streams(rows).items():
        pairs = [*stream()]
        long = len(pairs) > LOANS
        names = (*OURS, *PEERS, *(() if long else (FOREST,)), *BASELINES)
        found[name] = outcomes(name, names, pairs)
        table(report, f"{name}: {len(pairs):,} rows", found[name])
        if long:
            names = (*OURS, *PEERS, FOREST, *BASELINES)
            part = outcomes(f"{name}, with a forest", names, pairs[:PART])
            table(report, f"{name}, with a forest: {PART:,} rows", part)
    report.write("evidence_streams.md")
    draw(found)


EXPLAINED = (
    "`HyperboxClassifier` with its defaults, at most 1,000 boxes; balanced: "
    '`class_prior="auto"`; `EIOLGFMM` version 2 with θ=0.3, δ=0.3. Every row is predicted, then '
    "learned, one a call. After: accuracy over the first 1,000 rows after the change in the middle "
    "of a stream. Accuracy and class "
    f"balanced accuracy (CBA) over all rows; CBA of the last {RECENT:,} rows; log-loss over all "
    f"rows, in which no probability is below {LEAST:g}: what a learner has not named has "
    "probability 0. Ruled out: rows whose class was given less than that, each of which costs "
    f"{-log(LEAST):.1f}; the first row is one of them for everybody. Rows per second, "
    "`predict_proba_one` and `learn_one` together. `no-change` says what the row before was and "
    "is sure of it; `majority` gives the shares of the classes so far."
)


def streams(rows: int | None) -> dict[str, Callable[[], Iterable[tuple[dict[str, Any], str]]]]:
    """Return the streams, each as a function that starts it from the beginning."""
    n = min(LOANS, rows or LOANS)
    found: dict[str, Any] = {}
    if "BOXWISE_DATA" in os.environ:
        found["electricity"] = lambda: islice(paper_data.stream("electricity"), rows)
        found["nyc_flights"] = lambda: islice(paper_data.stream("nyc_flights"), rows)
    for rule, other in DRIFTS.items():
        found[f"loans {rule}"] = lambda rule=rule: LoanStream(n, function=rule, noise=0.05)
        found[f"loans {rule}, then {other}"] = lambda rule=rule, other=other: LoanStream(
            n, function=rule, noise=0.05, drift_at=n // 2, drift_to=other
        )
    return found | generated(n)


def generated(n: int) -> dict[str, Callable[[], Iterable[tuple[dict[str, Any], str]]]]:
    """Return streams of River's generators, most of them with changes."""
    from river.datasets import synth

    def parts(*makers: Any, categories: bool = False) -> Any:
        def stream() -> Iterable[tuple[dict[str, Any], str]]:
            for maker in makers:
                for x, y in maker().take(n // len(makers)):
                    yield {str(k): str(v) if categories else v for k, v in x.items()}, str(y)

        return stream

    return {
        "SEA": parts(*(lambda v=v: synth.SEA(variant=v, seed=v, noise=0.1) for v in (0, 3, 1))),
        "LED": parts(
            lambda: synth.LED(seed=1, noise_percentage=0.1, irrelevant_features=True),
            lambda: synth.LEDDrift(
                seed=2, noise_percentage=0.1, irrelevant_features=True, n_drift_features=5
            ),
            categories=True,
        ),
        "Hyperplane": parts(
            lambda: synth.Hyperplane(seed=1, n_features=10, n_drift_features=2, mag_change=0.001)
        ),
        "RandomRBFDrift": parts(
            lambda: synth.RandomRBFDrift(
                seed_model=1,
                seed_sample=1,
                n_classes=4,
                n_features=8,
                n_centroids=20,
                change_speed=0.0005,
                n_drift_centroids=10,
            )
        ),
        "STAGGER": parts(
            *(lambda f=f: synth.STAGGER(classification_function=f % 3, seed=f) for f in range(4)),
            categories=True,
        ),
        "Mixed": parts(
            *(lambda f=f: synth.Mixed(classification_function=f % 2, seed=f) for f in range(4))
        ),
    }


def outcomes(stream: str, learners: Sequence[str], pairs: Pairs) -> dict[str, Outcome]:
    return {name: run(learner(name), pairs, f"{stream}: {name}") for name in learners}


def learner(name: str) -> Any:
    return OURS[name]() if name in OURS else peer(name)


def run(model: Any, pairs: Pairs, words: str) -> Outcome:
    """Predict and learn all rows, and score them window by window."""
    outcome = Outcome()
    size = -(-len(pairs) // WINDOWS)
    for begin in range(0, len(pairs), size):
        turn(model, pairs[begin : begin + size], outcome)
        speed = outcome.rows / outcome.seconds
        progress = f"\r\033[K{words}: {outcome.rows:,} of {len(pairs):,} rows, {speed:,.0f} rows/s "
        print(progress, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    outcome.boxes = getattr(model, "n_boxes_", None)
    return outcome


def turn(model: Any, pairs: Pairs, outcome: Outcome) -> None:
    said = []
    start = perf_counter()
    for x, y in pairs:
        said.append(model.predict_proba_one(x))
        model.learn_one(x, y)
    outcome.seconds += perf_counter() - start
    window, loss = Confusion(), 0.0
    for (_, y), p in zip(pairs, said, strict=True):
        guess, own = judged(p, y)
        outcome.right.append(guess == y)
        loss -= log(max(own, LEAST))
        outcome.ruled_out += own < LEAST
        if guess is not None:
            for confusion in (outcome.all, outcome.recent, window):
                confusion.add(y, guess)
    outcome.rows += len(pairs)
    outcome.loss += loss
    outcome.windows.append((outcome.rows, window.cba, loss / len(pairs)))


def judged(p: Mapping[str, float], label: str) -> tuple[str | None, float]:
    """Return the most probable class, if any, and the probability of the true one."""
    total = sum(p.values())
    if not total > 0:
        return None, 0.0
    return max(p, key=lambda k: p[k]), p.get(label, 0.0) / total


def table(report: Report, title: str, found: Mapping[str, Outcome]) -> None:
    report.say(f"## {title}\n")
    report.say(
        "| | accuracy | after | CBA | CBA, last 1,000 | log-loss | ruled out | boxes | rows/s |"
    )
    report.say("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    best_cba = max(outcome.all.cba for outcome in found.values())
    best_loss = min(outcome.log_loss for outcome in found.values())
    for name, outcome in found.items():
        cells = (
            name,
            f"{outcome.all.accuracy:.3f}",
            after_change(title, outcome),
            bold(outcome.all.cba, best_cba),
            f"{outcome.recent.cba:.3f}",
            bold(outcome.log_loss, best_loss),
            f"{outcome.ruled_out:,}",
            "" if outcome.boxes is None else f"{outcome.boxes:,}",
            f"{outcome.rows / outcome.seconds:,.0f}",
        )
        report.say(f"| {' | '.join(cells)} |")
    report.say()


def after_change(title: str, outcome: Outcome) -> str:
    if "then" not in title:
        return ""
    middle = outcome.rows // 2
    right = outcome.right[middle : middle + 1_000]
    return f"{sum(right) / len(right):.3f}"


def bold(value: float, best: float) -> str:
    return f"**{value:.3f}**" if value == best else f"{value:.3f}"


def draw(found: Mapping[str, Mapping[str, Outcome]]) -> None:
    """Draw CBA and log-loss over the rows, two streams a line."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    lines = -(-len(found) // 2)
    figure, axes = plt.subplots(
        lines, 4, figsize=(15, 0.9 + 2.6 * lines), squeeze=False, layout="constrained"
    )
    pairs = axes.reshape(-1, 2)
    shown: dict[str, Any] = {}
    for (above, below), (stream, by_learner) in zip(pairs, found.items(), strict=False):
        for name, outcome in by_learner.items():
            rows, cba, loss = zip(*outcome.windows, strict=True)
            # Always the same class has no CBA to speak of, and no-change is too sure of itself.
            if name != "majority":
                (shown[name],) = above.plot(rows, cba, **style(name))
            if name != "no-change":
                (shown[name],) = below.plot(rows, loss, **style(name))
        above.set_title(f"{stream}: CBA", loc="left", fontsize=10)
        below.set_title(f"{stream}: log-loss", loc="left", fontsize=10)
        below.set_ylim(0, min(HIGHEST, below.get_ylim()[1]))
    for panel in axes.flat:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="y", alpha=0.3)
        panel.xaxis.set_major_locator(MaxNLocator(4))
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.set_visible(panel.has_data())
    names = [name for name in (*OURS, *PEERS, FOREST, *BASELINES) if name in shown]
    figure.legend(
        [shown[name] for name in names], names, loc="outside upper left", ncols=5, frameon=False
    )
    figure.supxlabel(f"rows; each point is of one of {WINDOWS} windows", fontsize=10)
    file = FOLDER / "evidence_streams.png"
    figure.savefig(file, dpi=110, facecolor="white", metadata={"Software": None})
    plt.close(figure)


def style(name: str) -> dict[str, Any]:
    """Return solid lines for ours, the first on top; dashed for River's; grey for baselines."""
    if name in OURS:
        number = [*OURS].index(name)
        return {"color": COLOURS[number], "linewidth": 1.8, "zorder": 3 - number / 10}
    if name in BASELINES:
        return {"color": "0.55", "linewidth": 1.2, "linestyle": (0, (1, 1.5))}
    colour, dashes = PEER_LINES[name]
    return {"color": colour, "linewidth": 1.4, "linestyle": (0, dashes)}


if __name__ == "__main__":
    main()
