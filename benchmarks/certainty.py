"""How far a probability can be believed on streams: rows held out, few rows, odd rows, a change.

    python -m benchmarks.certainty            (some minutes; needs river and LightGBM)

Writes benchmarks/results/certainty.md and certainty.png.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from math import log, sqrt
from operator import add
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from river.datasets import synth

from benchmarks.calibration import SUPPORTS, tell_bands
from benchmarks.report import FOLDER, Report
from benchmarks.table_peers import lightgbm
from boxwise.datasets import LoanStream
from boxwise.evaluate import Reliability, plot_reliability, reliability
from boxwise.evaluate.peers import peer
from boxwise.river import HyperboxClassifier

mpl.use("Agg")

LEARNED, HELD_OUT, SEEDS = 10_000, 5_000, (1, 2, 3, 4, 5)
SIZES = (30, 100, 300, 1_000, 3_000, 10_000)
LEAST = 1e-7
MIDDLE, WINDOW = 5_000, 100  # of the stream with a change; rows of a point of the picture
PARTS = ((-500, 0), (0, 100), (100, 200), (200, 500), (500, 1_000), (1_000, 2_000))

Pairs = list[tuple[dict[str, Any], str]]


def loans(rule: int) -> Callable[[int], Pairs]:
    rows = LEARNED + HELD_OUT
    return lambda seed: [*LoanStream(rows, function=rule, noise=0.05, seed=seed)]


def of_river(make: Callable[[int], Any], *, text: bool = False) -> Callable[[int], Pairs]:
    def pairs(seed: int) -> Pairs:
        stream = make(seed).take(LEARNED + HELD_OUT)
        return [({str(k): str(v) if text else v for k, v in x.items()}, str(y)) for x, y in stream]

    return pairs


def rbf(seed: int) -> Any:
    return synth.RandomRBF(
        seed_model=seed, seed_sample=seed, n_classes=4, n_features=8, n_centroids=20
    )


def led(seed: int) -> Any:
    return synth.LED(seed=seed, noise_percentage=0.1, irrelevant_features=True)


STREAMS: dict[str, Callable[[int], Pairs]] = {
    "loans 7": loans(7),
    "loans 5": loans(5),
    "Hyperplane": of_river(lambda seed: synth.Hyperplane(seed=seed, n_features=10)),
    "RandomRBF": of_river(rbf),
    "LED": of_river(led, text=True),
}
OURS = "HyperboxClassifier"
LEARNERS: dict[str, Callable[[], Any]] = {
    OURS: HyperboxClassifier,
    "adaptive Hoeffding tree": lambda: peer("adaptive-hoeffding-tree"),
    "naive Bayes": lambda: peer("naive-bayes"),
    "logistic regression": lambda: peer("logistic-regression"),
}
DRAWN = (OURS, "adaptive Hoeffding tree", "naive Bayes")


class Answers(NamedTuple):
    """What a model says of rows, one after the other, and what was right."""

    classes: list[str]
    p: np.ndarray
    labels: np.ndarray

    @property
    def bins(self) -> Reliability:
        """By confidence."""
        return reliability(self.labels, self.p, self.classes)

    @property
    def confidence(self) -> np.ndarray:
        """The largest probability of each row."""
        return self.p.max(axis=1)

    @property
    def right(self) -> np.ndarray:
        """Whether the likeliest class was that of the row."""
        return np.array(self.classes)[self.p.argmax(axis=1)] == self.labels

    @property
    def log_loss(self) -> float:
        """The mean over the rows."""
        own = self.p[np.arange(len(self.labels)), np.searchsorted(self.classes, self.labels)]
        return float(-np.log(np.maximum(own, LEAST)).mean())


def answers(model: Any, pairs: Pairs, classes: list[str], *, learn: bool = False) -> Answers:
    """Predict each row; with `learn`, learn it then."""
    p = np.full((len(pairs), len(classes)), 1 / len(classes))
    for i, (x, y) in enumerate(pairs):
        said = model.predict_proba_one(x)
        total = sum(said.values())
        if total > 0:
            p[i] = [said.get(c, 0.0) / total for c in classes]
        if learn:
            model.learn_one(x, y)
    return Answers(classes, p, np.array([y for _, y in pairs]))


def learned(model: Any, pairs: Pairs) -> Any:
    for x, y in pairs:
        model.learn_one(x, y)
    return model


def classes_of(pairs: Pairs) -> list[str]:
    return sorted({y for _, y in pairs})


def mean(values: Any, sign: str = "") -> str:
    found = np.array([*values], float)
    return f"{found.mean():{sign}.3f} ± {found.std(ddof=1) / sqrt(len(found)):.3f}"


def tell_held_out(report: Report) -> dict[str, Reliability]:
    """Compare learners on rows held out; return the bins of all streams together."""
    report.say(
        f"## Held-out rows\n\n{LEARNED:,} rows learned, the next {HELD_OUT:,} predicted and not "
        "learned. The expected calibration error (ECE) has 15 bins.\n"
    )
    report.say("| stream | learner | accuracy | mean confidence | ECE | log-loss |")
    report.say("|---|---|--:|--:|--:|--:|")
    bins: dict[str, list[Reliability]] = {name: [] for name in LEARNERS}
    supported: list[np.ndarray] = []
    for stream, make in STREAMS.items():
        found: dict[str, list[Answers]] = {name: [] for name in LEARNERS}
        for pairs in map(make, SEEDS):
            rest = pairs[LEARNED:]
            for name, learner in LEARNERS.items():
                model = learned(learner(), pairs[:LEARNED])
                found[name].append(answers(model, rest, classes_of(pairs)))
                if name == OURS:
                    support = model.classifier.support([x for x, _ in rest])
                    supported.append(np.array([support, *sure_and_right(found[name][-1])]))
        for name, own in found.items():
            bins[name] += [a.bins for a in own]
            cells = [
                mean(a.right.mean() for a in own),
                mean(a.confidence.mean() for a in own),
                mean(a.bins.error for a in own),
                mean(a.log_loss for a in own),
            ]
            report.say(f"| {stream} | {name} | {' | '.join(cells)} |")
    tell_support(report, np.hstack(supported))
    return {name: reduce(add, own) for name, own in bins.items()}


def sure_and_right(found: Answers) -> tuple[np.ndarray, np.ndarray]:
    return found.confidence, found.right


def tell_support(report: Report, supported: np.ndarray) -> None:
    report.say(f"\n`{OURS}`, all of these rows together, by `support`:\n")
    tell_bands(report, supported, [*pairwise(SUPPORTS)])


def tell_sizes(report: Report) -> None:
    report.say(
        f"\n## Few rows\n\n`{OURS}` after so many rows, on the {HELD_OUT:,} rows held out. Gap: "
        "mean confidence less accuracy; above 0 the model is too sure.\n"
    )
    report.say("| stream | rows | accuracy | gap | ECE | log-loss | median support |")
    report.say("|---|--:|--:|--:|--:|--:|--:|")
    for stream in ("loans 7", "RandomRBF", "LED"):
        streams = [STREAMS[stream](seed) for seed in SEEDS]
        for n in SIZES:
            own, supports = [], []
            for pairs in streams:
                model, rest = learned(HyperboxClassifier(), pairs[:n]), pairs[LEARNED:]
                own.append(answers(model, rest, classes_of(pairs)))
                supports.append(np.median(model.classifier.support([x for x, _ in rest])))
            cells = [
                mean(a.right.mean() for a in own),
                mean((a.confidence.mean() - a.right.mean() for a in own), "+"),
                mean(a.bins.error for a in own),
                mean(a.log_loss for a in own),
                f"{np.mean(supports):.1f}",
            ]
            report.say(f"| {stream} | {n:,} | {' | '.join(cells)} |")


def numbers_times(factor: float) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda x: {k: v if isinstance(v, str) else v * factor for k, v in x.items()}


def new_categories(x: dict[str, Any]) -> dict[str, Any]:
    return {k: "never seen" if isinstance(v, str) else v for k, v in x.items()}


ODD: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "as they are": dict,
    "salary times 1,000": lambda x: {**x, "salary": x["salary"] * 1_000},
    "all numbers times 10": numbers_times(10),
    "all numbers times -1,000": numbers_times(-1_000),
    "all categories new": new_categories,
    "all columns missing": lambda x: dict.fromkeys(x),
    "numbers times 10, categories new": lambda x: new_categories(numbers_times(10)(x)),
}


def tell_odd(report: Report) -> None:
    report.say(
        f"\n## Rows unlike any other\n\nLoans 7, {LEARNED:,} rows learned; 500 held-out rows, "
        "changed. The mean confidence of each learner (there are two classes, so 0.5 is the "
        "least), and the median `support`. LightGBM has learned the same rows as a table.\n"
    )
    report.say(f"| rows | {' | '.join(LEARNERS)} | LightGBM | support |")
    report.say("|---|" + "--:|" * (len(LEARNERS) + 2))
    found: dict[str, list[list[float]]] = {kind: [] for kind in ODD}
    for seed in SEEDS:
        pairs = STREAMS["loans 7"](seed)
        models = {name: learned(make(), pairs[:LEARNED]) for name, make in LEARNERS.items()}
        table = Table(pairs[:LEARNED])
        for kind, changed in ODD.items():
            rest = [(changed(x), y) for x, y in pairs[LEARNED:][:500]]
            row = [confidence_or_nan(model, name, rest) for name, model in models.items()]
            support = models[OURS].classifier.support([x for x, _ in rest])
            found[kind].append([*row, table.confidence(rest), float(np.median(support))])
    for kind, rows in found.items():
        *sure, support = np.array(rows).T
        cells = ["–" if np.isnan(values).any() else f"{values.mean():.3f}" for values in sure]
        report.say(f"| {kind} | {' | '.join(cells)} | {support.mean():.1f} |")


def confidence_or_nan(model: Any, name: str, rest: Pairs) -> float:
    """Return the mean confidence; River's learners take no missing numbers, but absent columns."""
    if name != OURS:
        rest = [({k: v for k, v in x.items() if v is not None}, y) for x, y in rest]
    return float(answers(model, rest, ["approved", "declined"]).confidence.mean())


class Table:
    """LightGBM on the rows as a table."""

    def __init__(self, pairs: Pairs) -> None:
        first = pairs[0][0]
        self.columns = [*first]
        categorical = [j for j, c in enumerate(self.columns) if isinstance(first[c], str)]
        self.model = lightgbm(categorical, len(first)).fit(self._of(pairs), [y for _, y in pairs])

    def confidence(self, pairs: Pairs) -> float:
        """Return the mean of the largest probabilities."""
        return float(self.model.predict_proba(self._of(pairs)).max(axis=1).mean())

    def _of(self, pairs: Pairs) -> np.ndarray:
        rows = [[x[c] for c in self.columns] for x, _ in pairs]
        table = np.empty((len(rows), len(self.columns)), object)
        table[:] = rows
        return table


def tell_change(report: Report) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Compare confidence and accuracy around a change; return both over windows."""
    report.say(
        f"\n## Around a change\n\nLoans 7, then 3 from row {MIDDLE:,} on; each row predicted, then "
        "learned. Mean confidence / accuracy of the rows before and after the change.\n"
    )
    report.say("| rows after the change | " + " | ".join(LEARNERS) + " |")
    report.say("|---|" + "--:|" * len(LEARNERS))
    found: dict[str, list[Answers]] = {name: [] for name in LEARNERS}
    for seed in SEEDS:
        pairs = [
            *LoanStream(
                2 * MIDDLE, function=7, noise=0.05, seed=seed, drift_at=MIDDLE, drift_to=3
            )
        ]  # fmt: skip
        for name, make in LEARNERS.items():
            found[name].append(answers(make(), pairs, classes_of(pairs), learn=True))
    sure = {name: np.mean([a.confidence for a in own], axis=0) for name, own in found.items()}
    right = {name: np.mean([a.right for a in own], axis=0) for name, own in found.items()}
    for start, end in PARTS:
        rows = slice(MIDDLE + start, MIDDLE + end)
        cells = [
            f"{sure[name][rows].mean():.3f} / {right[name][rows].mean():.3f}" for name in found
        ]
        report.say(f"| {start:,} to {end:,} | {' | '.join(cells)} |")
    return {name: (windows(sure[name]), windows(right[name])) for name in found}


def windows(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, WINDOW).mean(axis=1)


def draw(bins: dict[str, Reliability], around: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Draw the reliability of held-out rows, and confidence and accuracy around the change."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    plot_reliability({name: bins[name] for name in DRAWN}, ax=left)
    sure, accuracy = around[OURS]
    rows = (np.arange(len(sure)) + 1) * WINDOW
    near = slice(MIDDLE // WINDOW - 15, MIDDLE // WINDOW + 25)
    right.plot(rows[near], accuracy[near], label="accuracy", color="tab:blue")
    right.plot(rows[near], sure[near], label="mean confidence", color="tab:orange")
    right.axvline(MIDDLE, color="0.5", linestyle=":", linewidth=1)
    right.set(xlabel=f"rows, {WINDOW} a point", ylim=(0.5, 1))
    right.xaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:,.0f}"))
    right.legend(frameon=False, loc="lower right")
    right.grid(alpha=0.3)
    figure.savefig(FOLDER / "certainty.png", dpi=110, metadata={"Software": None})


def main() -> None:
    """Measure all parts, write the tables and draw the picture."""
    report = Report("Certainty", "python -m benchmarks.certainty")
    report.say(
        f"`{OURS}` with its defaults and River's learners with theirs, one row a call; "
        f"{len(SEEDS)} seeds, means with standard errors over the seeds. Loans: `LoanStream`, 5 % "
        "wrong labels; River's Hyperplane (ten columns), RandomRBF (four classes, eight columns, "
        "20 centroids) and LED (ten classes, 24 columns, 17 of them irrelevant, 10 % noise). In "
        f"the log-loss no probability is below {LEAST:g} (at most {-log(LEAST):.1f} a row).\n"
    )
    bins = tell_held_out(report)
    tell_sizes(report)
    tell_odd(report)
    around = tell_change(report)
    report.write("certainty.md")
    draw(bins, around)


if __name__ == "__main__":
    main()
