"""The curves beside the boxes: what they cost, by column or all together, order of rows, merging.

    BOXWISE_DATA=... python -m benchmarks.additive          (a few minutes; a quiet machine)
    BOXWISE_DATA=... python -m benchmarks.additive cost blocks order merging

Writes what it measures to benchmarks/results/additive.json, and from all that is there
benchmarks/results/additive.md. Without BOXWISE_DATA the order of rows is not measured.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from river.datasets import synth
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks import paper_data
from benchmarks.evidence import CHOSEN_ON, score
from benchmarks.few_boxes import Line, mean, of
from benchmarks.report import FOLDER, Report, seconds
from benchmarks.stream_sources import ROWS, generators, sources
from boxwise import HyperboxClassifier, merge
from boxwise.datasets import LoanStream

FILE = "additive.json"
COLUMNS, CLASSES = (4, 16, 40, 100), (2, 5, 20)
WARM, TIMED = 10_000, 5_000  # rows
REPEATS = 3
PARTS_MERGED, PART_ROWS, TEST_ROWS = 8, 2_000, 4_000
WAYS = {"all together": 0, "by column": 1}  # the second number of the array `layer`


def cost() -> Iterator[Line]:
    """Time of a row, predicted and learned, over columns and classes."""
    for columns, classes in product(COLUMNS, CLASSES):
        rng = np.random.default_rng(columns * classes)
        X = rng.normal(size=(WARM + TIMED, columns))
        y = (X @ rng.normal(size=(columns, classes))).argmax(axis=1)
        y = np.where(rng.random(len(y)) < 0.1, rng.integers(classes, size=len(y)), y)
        line: Line = {"columns": columns, "classes": classes}
        for additive in (False, True):
            model = HyperboxClassifier(additive=additive, adapt=False)
            model.partial_fit(X[:WARM], y[:WARM])
            parts = [slice(start, start + TIMED // 5) for start in range(WARM, len(y), TIMED // 5)]
            times = [seconds(model.test_then_train, X[part], y[part]) for part in parts]
            line["with" if additive else "without"] = min(times) / (TIMED // 5) * 1e6
        layer = model._model.engine.snapshot()
        yield line | {
            "boxes": model.n_boxes_,
            "inputs": len(layer["layer_rows"]),
            "way": [*WAYS][layer["layer"][1]],
        }


def blocks() -> Iterator[Line]:
    """Streams with covariances of all columns, and of each column alone."""
    for stream in (*("loans 1", "loans 5", "loans 7"), *generators()):
        for way, decoupled in WAYS.items():
            (first, label), *pairs = sources()[stream](ROWS)
            model = HyperboxClassifier().partial_fit([first], [label])
            state = model._model.engine.snapshot()
            state["layer"] = np.array([1, decoupled], np.uint64)
            without = ("low", "high", "growing", "scales")  # stay as they are
            model._model.engine.restore(**{k: v for k, v in state.items() if k not in without})
            loss, right = 0.0, 0
            for x, y in pairs:
                p = dict(zip(model.classes_.tolist(), model.predict_proba([x])[0], strict=True))
                right += max(p, key=lambda k: p[k]) == y
                loss -= np.log(max(p.get(y, 0.0), 1e-7))
                model.partial_fit([x], [y])
            n = len(pairs)
            yield {"stream": stream, "way": way, "accuracy": right / n, "log_loss": loss / n}


ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "shuffled": lambda train, y: train,
    "as in their files": lambda train, y: np.sort(train),
    "sorted by class": lambda train, y: train[np.argsort(y[train], kind="stable")],
}


def order() -> Iterator[Line]:
    """Score tables on which settings were chosen, their rows in several orders."""
    if "BOXWISE_DATA" not in os.environ:
        return
    for name, method in product(CHOSEN_ON, ("fit", "partial_fit")):
        X, y, categorical = paper_data.load(name)
        folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=REPEATS, random_state=0)
        for seed, (train, test) in enumerate(folds.split(X, y)):
            shuffled = np.random.default_rng(seed).permutation(train)
            for words, arrange in ORDERS.items():
                rows = arrange(shuffled, y)
                clf = HyperboxClassifier(categorical_features=categorical)
                getattr(clf, method)(X[rows], y[rows])
                cba, _, loss, _ = score(clf, X[test], y[test])
                yield {"method": method, "order": words, "table": name, "cba": cba, "loss": loss}


def merging() -> Iterator[Line]:
    """Parts that follow each other, merged, against one pass, and merged with new curves."""
    n = PARTS_MERGED * PART_ROWS + TEST_ROWS
    for name, seed in (("Hyperplane", 1), *product(("loans 7", "loans 5"), (1, 2, 3))):
        if name == "Hyperplane":
            pairs: Any = synth.Hyperplane(seed=seed, n_features=10).take(n)
        else:
            pairs = LoanStream(n, function=int(name[-1]), noise=0.05, seed=seed)
        rows, labels = zip(*pairs, strict=True)
        cut = n - TEST_ROWS
        starts = range(0, cut, PART_ROWS)
        models = [
            HyperboxClassifier().partial_fit(rows[s : s + PART_ROWS], labels[s : s + PART_ROWS])
            for s in starts
        ]
        merged, anew = merge(models), merge(models)
        for additive in (False, True):  # a row of weight 0 teaches nothing
            anew.set_params(additive=additive).partial_fit(rows[:1], labels[:1], sample_weight=[0])
        one_pass = HyperboxClassifier().partial_fit(rows[:cut], labels[:cut])
        for way, clf in {"one pass": one_pass, "merged": merged, "curves anew": anew}.items():
            yield {
                "stream": name,
                "way": way,
                "accuracy": clf.score(rows[cut:], labels[cut:]),
                "log_loss": log_loss(
                    labels[cut:], clf.predict_proba(rows[cut:]), labels=clf.classes_
                ),
            }


def tell_cost(report: Report, lines: list[Line]) -> None:
    report.say(
        "## Cost\n\nµs to predict and learn a row of numbers, in bulk, with at most 1,000 boxes: "
        "the best of five times 1,000 rows. The curves cost most where all their covariances are "
        "kept; beyond 32,768 numbers these are kept by column.\n"
    )
    report.say("| columns | classes | inputs | covariances | boxes | boxes alone | and curves | |")
    report.say("|--:|--:|--:|---|--:|--:|--:|--:|")
    for line in lines:
        without, together = line["without"], line["with"]
        report.say(
            f"| {line['columns']} | {line['classes']} | {line['inputs']} | {line['way']} | "
            f"{line['boxes']:,} | {without:.1f} | {together:.1f} | {together / without:.2f}× |"
        )
    report.say()


def tell_blocks(report: Report, lines: list[Line]) -> None:
    report.say(
        f"## Covariances by column\n\nEach row predicted, then learned, {ROWS:,} rows: accuracy / "
        "log-loss with the covariances of all weights, and with those of each column alone.\n"
    )
    report.say(f"| stream | {' | '.join(WAYS)} |\n|---|--:|--:|")
    for stream in dict.fromkeys(line["stream"] for line in lines):
        cells = [
            f"{line['accuracy']:.3f} / {line['log_loss']:.3f}" for line in of(lines, stream=stream)
        ]
        report.say(f"| {stream} | {' | '.join(cells)} |")
    for measure in ("accuracy", "log_loss"):
        by_way = [np.array([line[measure] for line in of(lines, way=way)]) for way in WAYS]
        words = measure.replace("_", "-")
        report.say(f"\nDifference of the mean {words}: {mean(by_way[1] - by_way[0], 4)}.")
    report.say()


def tell_order(report: Report, lines: list[Line]) -> None:
    report.say(
        f"## Order of rows\n\nMeans over {', '.join(CHOSEN_ON)}, {REPEATS} × 4 folds. `fit` learns "
        "in a drawn order, `partial_fit` in the order given.\n"
    )
    report.say("| method | rows of the table | CBA | log-loss |\n|---|---|--:|--:|")
    for method, words in dict.fromkeys((line["method"], line["order"]) for line in lines):
        own = of(lines, method=method, order=words)
        cba, loss = (np.mean([line[key] for line in own]) for key in ("cba", "loss"))
        report.say(f"| `{method}` | {words} | {cba:.3f} | {loss:.3f} |")
    report.say()


def tell_merging(report: Report, lines: list[Line]) -> None:
    report.say(
        f"## Merging\n\n{PARTS_MERGED} parts of {PART_ROWS:,} rows, one after the other: accuracy "
        f"and log-loss over the next {TEST_ROWS:,} rows, loans means over three seeds.\n"
    )
    ways = [*dict.fromkeys(line["way"] for line in lines)]
    report.say(f"| stream | {' | '.join(ways)} |\n|---|{'--:|' * len(ways)}")
    for stream in dict.fromkeys(line["stream"] for line in lines):
        cells = []
        for way in ways:
            own = of(lines, stream=stream, way=way)
            figures = [np.mean([line[key] for line in own]) for key in ("accuracy", "log_loss")]
            cells.append(" / ".join(f"{figure:.3f}" for figure in figures))
        report.say(f"| {stream} | {' | '.join(cells)} |")
    report.say()


MEASURE: dict[str, Callable[[], Iterator[Line]]] = {
    "cost": cost,
    "blocks": blocks,
    "order": order,
    "merging": merging,
}
TELL = {"cost": tell_cost, "blocks": tell_blocks, "order": tell_order, "merging": tell_merging}


def main() -> None:
    """Measure the parts that are named, or all, and make the page."""
    file = FOLDER / FILE
    found: dict[str, list[Line]] = json.loads(file.read_text()) if file.exists() else {}
    for part in sys.argv[1:] or MEASURE:
        print(f"== {part}", file=sys.stderr, flush=True)
        found[part] = [*MEASURE[part]()] or found.get(part, [])
        file.write_text(json.dumps(found, indent=1, default=float) + "\n")
    report = Report("Curves beside boxes", "python -m benchmarks.additive")
    for part in TELL:
        if found.get(part):
            TELL[part](report, found[part])
    report.write("additive.md")


if __name__ == "__main__":
    main()
