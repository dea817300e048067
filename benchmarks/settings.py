"""What each setting of HyperboxClassifier brings and costs on generated streams.

    python -m benchmarks.settings              (some minutes; needs river)

Every row is predicted, then learned. Loans and two of River's generators, and two changed loan
streams: one class rare, and absurd salaries. Writes benchmarks/results/settings.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import log, sqrt
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from river.datasets import synth

from benchmarks.report import Report
from boxwise.datasets import LoanStream
from boxwise.evaluate import class_balanced_accuracy
from boxwise.river import HyperboxClassifier

ROWS, SEEDS = 10_000, (1, 2, 3, 4, 5)
AFTER = 1_000  # rows after the change in the middle
LEAST = 1e-7  # a probability below this counts as this in the log-loss
RARE, RARE_ONE_IN = "declined", 15
ABSURD_ONE_IN = 100

Pairs = list[tuple[dict[str, Any], str]]


class Outcome(NamedTuple):
    """The scores of one pass over a stream."""

    accuracy: float
    cba: float
    log_loss: float
    after: float  # accuracy over the first rows after the middle
    recall: float  # of the rare class
    precision: float
    boxes: float
    us: float  # processor time of a row


def loans(seed: int) -> Pairs:
    return [*LoanStream(ROWS, function=7, noise=0.05, seed=seed)]


def change(seed: int) -> Pairs:
    return [*LoanStream(ROWS, function=7, noise=0.05, seed=seed, drift_at=ROWS // 2, drift_to=3)]


def hyperplane(seed: int) -> Pairs:
    return of_river(synth.Hyperplane(seed=seed, n_features=10))


def rbf(seed: int) -> Pairs:
    shape = {"n_classes": 4, "n_features": 8, "n_centroids": 20}
    return of_river(synth.RandomRBF(seed_model=seed, seed_sample=seed, **shape))


def of_river(stream: Any) -> Pairs:
    return [({str(k): v for k, v in x.items()}, str(y)) for x, y in stream.take(ROWS)]


def rare(seed: int) -> Pairs:
    """Loans of which few of one class are kept."""
    return [*islice(_rare(LoanStream(20 * ROWS, function=7, noise=0.02, seed=seed)), ROWS)]


def _rare(pairs: Iterable[Any]) -> Iterator[Any]:
    seen = 0
    for x, y in pairs:
        seen += y == RARE
        if y != RARE or seen % RARE_ONE_IN == 0:
            yield x, y


def absurd(seed: int) -> Pairs:
    """Loans with one salary in a hundred a thousand times too large, as of another unit."""
    pairs = []
    for i, (x, y) in enumerate(loans(seed)):
        wrong = i % ABSURD_ONE_IN == 0
        pairs.append(({**x, "salary": x["salary"] * (1000 if wrong else 1)}, y))
    return pairs


STREAMS: dict[str, Callable[[int], Pairs]] = {
    "loans": loans,
    "loans, a change": change,
    "Hyperplane": hyperplane,
    "RandomRBF": rbf,
    "loans, absurd salaries": absurd,
}
DEFAULT = "the defaults"
SETTINGS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "max_boxes=30": {"max_boxes": 30},
    "max_boxes=100": {"max_boxes": 100},
    "max_boxes=300": {"max_boxes": 300},
    "max_boxes=3000": {"max_boxes": 3000},
    "theta=0.2": {"theta": 0.2},
    "theta=0.9": {"theta": 0.9},
    "delta=0.05": {"delta": 0.05},
    "delta=0.5": {"delta": 0.5},
    "adapt=False": {"adapt": False},
    "additive=False": {"additive": False},
    'scale="range"': {"scale": "range"},
}
PRIORS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    'class_prior="auto"': {"class_prior": "auto"},
    'class_prior="balanced"': {"class_prior": "balanced"},
    "learn_one(x, y, w=5), if declined": {"w": 5},
}


def measure(pairs: Pairs, parameters: dict[str, Any]) -> Outcome:
    """Predict and learn every row; `w` is the weight of rows of the rare class."""
    model = HyperboxClassifier(**{k: v for k, v in parameters.items() if k != "w"})
    weight = parameters.get("w", 1)
    labels = np.array([y for _, y in pairs])
    said, loss = [], 0.0
    start = process_time()
    for x, y in pairs:
        p = model.predict_proba_one(x)
        said.append(max(p, key=p.__getitem__) if p else "")
        loss -= log(max(p.get(y, 0.0), LEAST))
        if weight != 1 and y == RARE:
            model.learn_one(x, y, w=weight)
        else:
            model.learn_one(x, y)
    us = (process_time() - start) / len(pairs) * 1e6
    predicted = np.array(said)
    right = predicted == labels
    middle = len(pairs) // 2
    return Outcome(
        accuracy=right.mean(),
        cba=class_balanced_accuracy(labels[1:], predicted[1:]),
        log_loss=loss / len(pairs),
        after=right[middle : middle + AFTER].mean(),
        recall=right[labels == RARE].mean() if RARE in labels else np.nan,
        precision=right[predicted == RARE].mean() if RARE in predicted else np.nan,
        boxes=model.n_boxes_,
        us=us,
    )


def measured(stream: Callable[[int], Pairs], settings: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the outcomes of each setting, seeds by scores."""
    found: dict[str, list[Outcome]] = {name: [] for name in settings}
    for seed in SEEDS:
        pairs = stream(seed)
        for name, parameters in settings.items():
            found[name].append(measure(pairs, parameters))
    return {name: np.array(outcomes, float) for name, outcomes in found.items()}


def column(outcomes: np.ndarray, score: str) -> np.ndarray:
    return outcomes[:, Outcome._fields.index(score)]


def mean(values: np.ndarray, sign: str = "") -> str:
    return f"{values.mean():{sign}.3f} ± {values.std(ddof=1) / sqrt(len(values)):.3f}"


def tell_defaults(report: Report, found: dict[str, dict[str, np.ndarray]]) -> None:
    report.say("## The defaults\n")
    report.say("| stream | accuracy | log-loss | boxes | µs a row |\n|---|--:|--:|--:|--:|")
    for stream, outcomes in found.items():
        own = outcomes[DEFAULT]
        cells = [mean(column(own, "accuracy")), mean(column(own, "log_loss"))]
        boxes, us = column(own, "boxes").mean(), np.median(column(own, "us"))
        report.say(f"| {stream} | {' | '.join(cells)} | {boxes:,.0f} | {us:.0f} |")
    after = column(found["loans, a change"][DEFAULT], "after")
    report.say(f"\nThe first {AFTER:,} rows after the change: accuracy {mean(after)}.\n")


def tell_differences(report: Report, found: dict[str, dict[str, np.ndarray]], score: str) -> None:
    words = score.replace("_", "-")
    report.say(f"## Difference of the {words}\n\nOf the setting less the defaults, seed by seed.\n")
    report.say("| | " + " | ".join(found) + " |")
    report.say("|---|" + "--:|" * len(found))
    for name in SETTINGS:
        if name != DEFAULT:
            cells = [
                mean(column(outcomes[name], score) - column(outcomes[DEFAULT], score), "+")
                for outcomes in found.values()
            ]
            report.say(f"| `{name}` | {' | '.join(cells)} |")
    report.say()


def tell_costs(report: Report, found: dict[str, dict[str, np.ndarray]]) -> None:
    report.say(
        "## Boxes and time\n\nBoxes at the end, mean over the seeds. Time: processor time of a "
        "row, as a multiple of that of the defaults on the same rows (the median over the seeds, "
        f"then the geometric mean over the streams). After: accuracy over the first {AFTER:,} rows "
        "after the change, less that of the defaults.\n"
    )
    names = [stream for stream in found if stream != "loans, absurd salaries"]
    report.say("| | " + " | ".join(f"boxes, {name}" for name in names) + " | time | after |")
    report.say("|---|" + "--:|" * (len(names) + 2))
    changed = found["loans, a change"]
    for name in SETTINGS:
        boxes = [f"{column(found[stream][name], 'boxes').mean():,.0f}" for stream in names]
        ratios = [
            np.median(column(outcomes[name], "us") / column(outcomes[DEFAULT], "us"))
            for outcomes in found.values()
        ]
        time = f"{np.exp(np.mean(np.log(ratios))):.2f}×"
        after = mean(column(changed[name], "after") - column(changed[DEFAULT], "after"), "+")
        shown = f"`{name}`" if name != DEFAULT else name
        cells = [*boxes, time, "" if name == DEFAULT else after]
        report.say(f"| {shown} | {' | '.join(cells)} |")
    report.say()


def tell_rare(report: Report) -> None:
    found = measured(rare, PRIORS)
    share = np.mean([y == RARE for seed in SEEDS for _, y in rare(seed)])
    report.say(
        f"## A rare class\n\nLoans of which one in {RARE_ONE_IN} `{RARE}` is kept, {share:.1%} of "
        "the rows; 2 % wrong labels before that. Recall and precision are those of this class.\n"
    )
    report.say("| | accuracy | CBA | recall | precision | log-loss |\n|---|--:|--:|--:|--:|--:|")
    for name, outcomes in found.items():
        scores = ("accuracy", "cba", "recall", "precision", "log_loss")
        shown = f"`{name}`" if name != DEFAULT else name
        report.say(f"| {shown} | {' | '.join(mean(column(outcomes, s)) for s in scores)} |")


def main() -> None:
    """Measure all settings on all streams, and write the tables."""
    report = Report("Settings", "python -m benchmarks.settings")
    report.say(
        f"Every row predicted, then learned, through River's interface: {ROWS:,} rows, "
        f"{len(SEEDS)} seeds, means with standard errors over the seeds. Loans: `LoanStream`, rule "
        "7, 5 % wrong labels; with a change: rule 3 from the middle on; absurd salaries: one in "
        f"{ABSURD_ONE_IN} a thousand times too large. River's Hyperplane with ten columns, its "
        "RandomRBF with four classes, eight columns and 20 centroids.\n"
    )
    found = {name: measured(stream, SETTINGS) for name, stream in STREAMS.items()}
    tell_defaults(report, found)
    tell_differences(report, found, "accuracy")
    tell_differences(report, found, "log_loss")
    tell_costs(report, found)
    tell_rare(report)
    report.write("settings.md")


if __name__ == "__main__":
    main()
