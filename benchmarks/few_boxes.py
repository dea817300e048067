"""What few boxes promise: they follow change, stand absurd values, stay small, can be read.

    BOXWISE_DATA=... python -m benchmarks.few_boxes          (ten minutes; a quiet machine)
    BOXWISE_DATA=... python -m benchmarks.few_boxes change absurd growth readability
    .../python -m benchmarks.few_boxes --old         (a Python that has boxwise 0.1, commit f7c2c4a)

Writes what it measures to benchmarks/results/few_boxes.json, and from all that is there
benchmarks/results/few_boxes.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import sqrt
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import paper_data
from benchmarks.report import FOLDER, Report
from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.river import HyperboxClassifier as RiverClassifier

FILE = "few_boxes.json"
ROWS, SEEDS = 15_000, (1, 2, 3, 4, 5)
AFTER = 1_000  # rows after a change
STEADY = ("7", "5", "1")
WITHIN = 0.005  # of the accuracy of 0.1, where nothing changes
ASKED = {"7-3": 0.91, "1-2": 0.92, "5-6": 0.885}  # accuracy over all rows
NAMES = ("german", "japanese_credit", "cmc", "nyc_flights")
HEAVIEST = 10  # rules
CARRIED = 0.8  # of a decision
NOW, OLD = "now", "0.1"

Line = dict[str, Any]


def right(pairs: Iterable[tuple[dict[str, Any], str]], model: Any) -> np.ndarray:
    """Predict and learn each row; return which predictions were right."""
    said = []
    for x, y in pairs:
        said.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    return np.array(said)


def loans(rule: int, *changes: tuple[int, int], rows: int = ROWS, seed: int) -> list[Any]:
    """Return rows whose rule becomes another at some rows."""
    pairs: list[Any] = []
    starts = [(0, rule), *changes]
    for k, (start, other) in enumerate(starts):
        end = starts[k + 1][0] if k + 1 < len(starts) else rows
        pairs += islice(LoanStream(rows, function=other, noise=0.05, seed=seed), start, end)
    return pairs


def steady() -> Iterator[Line]:
    """Loans whose rule does not change."""
    for rule in STEADY:
        for seed in SEEDS:
            said = right(loans(int(rule), seed=seed), RiverClassifier())
            yield {"stream": rule, "seed": seed, "accuracy": said.mean()}


def change() -> Iterator[Line]:
    """Loans with a change in the middle, and with a return of the first rule."""
    for name in ASKED:
        rule, other = map(int, name.split("-"))
        for seed in SEEDS:
            said = right(loans(rule, (ROWS // 2, other), seed=seed), RiverClassifier())
            after = said[ROWS // 2 :][:AFTER].mean()
            yield {"stream": name, "seed": seed, "accuracy": said.mean(), "after": after}
    for rule, other in ((7, 3), (1, 2), (5, 6)):
        for seed in SEEDS:
            model = RiverClassifier()
            pairs = loans(rule, (ROWS, other), (2 * ROWS, rule), rows=2 * ROWS + 1_500, seed=seed)
            said = right(pairs, model)
            back = [
                c.row - 2 * ROWS for c in model.classifier.changes_ if c.row > 2 * ROWS
                if c.event in ("returned", "replaced")
            ]  # fmt: skip
            yield {
                "stream": f"{rule}-{other}-{rule}",
                "seed": seed,
                "before": said[ROWS - 1_000 : ROWS].mean(),
                "first": said[2 * ROWS :][:200].mean(),
                "then": said[2 * ROWS + 200 :][:AFTER].mean(),
                "back": back[0] if back else None,
            }


def absurd() -> Iterator[Line]:
    """One row with 1e9 in a column: what it costs over the next 3,000 rows."""
    for rule in (7, 5):
        for seed in SEEDS:
            pairs = loans(rule, rows=10_000, seed=seed)
            usual = right(pairs, RiverClassifier())
            for place in (0, 3_500, 6_999):
                row, label = pairs[place]
                odd = [*pairs[:place], ({**row, "salary": 1e9}, label), *pairs[place + 1 :]]
                next_rows = slice(place + 1, place + 3_001)
                cost = usual[next_rows].mean() - right(odd, RiverClassifier())[next_rows].mean()
                yield {"stream": str(rule), "seed": seed, "place": place, "cost": cost}


def growth() -> Iterator[Line]:
    """Time of a row and size of the model after 20,000 and after a million rows."""
    model, done = RiverClassifier(), 0
    stream = iter(LoanStream(1_000_000, function=5, noise=0.05, seed=1))
    for upto in (20_000, 1_000_000):
        right(islice(stream, upto - 5_000 - done), model)
        spent = []
        for _ in range(5):
            pairs = [*islice(stream, 1_000)]
            start = perf_counter()
            right(pairs, model)
            spent.append((perf_counter() - start) / len(pairs) * 1e6)
        done = upto
        yield {"rows": upto, "us": min(spent), "bytes": model.n_bytes_, "boxes": model.n_boxes_}


def readability() -> Iterator[Line]:
    """Conditions of the ten heaviest rules, and boxes that carry 80 % of a decision."""
    for name in NAMES:
        clf, test = trained(name)
        rules = clf.rules()
        carried = -np.sort(-winning(clf, test), axis=1)
        share = carried.cumsum(axis=1) / carried.sum(axis=1, keepdims=True)
        yield {
            "table": name,
            "boxes": len(clf.boxes_),
            "conditions": float(np.median([len(r.conditions) for r in [*rules][:HEAVIEST]])),
            "carry": float(np.median((share < CARRIED).sum(axis=1) + 1)),
            "fidelity": rules.fidelity(test),
            "fidelity_full": clf.rules(full=True).fidelity(test),
        }


def trained(name: str) -> tuple[Any, Any]:
    """Return a model of three quarters of a table, or 15,000 rows, and rows new to it."""
    if name == "nyc_flights":
        rows, labels = zip(*islice(paper_data.stream(name), 17_000), strict=True)
        return HyperboxClassifier().partial_fit(rows[:15_000], labels[:15_000]), rows[15_000:]
    X, y, categorical = paper_data.load(name)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = np.split(order, [len(y) * 3 // 4])
    clf = HyperboxClassifier(categorical_features=categorical).fit(X[train], y[train])
    return clf, X[test]


def winning(clf: Any, rows: Any) -> np.ndarray:
    """Return how much each box carries of the class that is predicted."""
    carried = clf.responsibilities(rows)
    own = clf.boxes_.labels[None, :] == clf.predict(rows)[:, None]
    return np.where(own, carried, 0.0)


PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "steady": steady,
    "change": change,
    "absurd": absurd,
    "growth": growth,
    "readability": readability,
}


OLD_PARTS = ("steady", "readability")  # measured with 0.1, too


def main() -> None:
    """Measure the parts that are named, or all, and make the page."""
    file = FOLDER / FILE
    found: dict[str, list[Line]] = json.loads(file.read_text()) if file.exists() else {}
    is_old = sys.argv[1:] == ["--old"]
    version = OLD if is_old else NOW
    for part in OLD_PARTS if is_old else sys.argv[1:] or PARTS:
        print(f"== {part}", file=sys.stderr, flush=True)
        kept = [line for line in found.get(part, []) if line["version"] != version]
        found[part] = kept + [{"version": version, **line} for line in PARTS[part]()]
        file.write_text(json.dumps(found, indent=1, default=float) + "\n")
    report = Report("Few boxes", "python -m benchmarks.few_boxes")
    for part in PARTS:
        if part in found:
            TELL[part](report, found[part])
    report.write("few_boxes.md")


def mean(values: Iterable[float], digits: int = 3) -> str:
    numbers = np.array([*values], float)
    error = numbers.std(ddof=1) / sqrt(len(numbers))
    return f"{numbers.mean():.{digits}f} ± {error:.{digits}f}"


def of(lines: Iterable[Line], **wanted: object) -> list[Line]:
    return [line for line in lines if all(line.get(k) == v for k, v in wanted.items())]


def tell_steady(report: Report, lines: list[Line]) -> None:
    report.say(
        f"## Without change\n\nEach row predicted, then learned, {ROWS:,} rows of `LoanStream`, "
        f"5 % wrong labels, {len(SEEDS)} seeds: accuracy with its standard error. {OLD} is the "
        f"learner of that version, with boxes without limit. Asked: within {WITHIN} of it.\n"
    )
    report.say(f"| rule | {NOW}, at most 1,000 boxes | {OLD} | difference |\n|---|--:|--:|--:|")
    for stream in STEADY:
        now, old = (
            np.array([line["accuracy"] for line in of(lines, stream=stream, version=version)])
            for version in (NOW, OLD)
        )
        if len(now) == len(old):
            report.say(f"| {stream} | {mean(now)} | {mean(old)} | {mean(now - old)} |")
    report.say()


def tell_change(report: Report, lines: list[Line]) -> None:
    report.say(
        "## Change\n\nThe same, with another rule from the middle on. Accuracy over all rows, and "
        f"over the first {AFTER:,} rows after the change.\n"
    )
    report.say("| rules | accuracy | asked | after the change | asked |\n|---|--:|--:|--:|--:|")
    for name, asked in ASKED.items():
        own = of(lines, stream=name)
        accuracy, after = (mean(line[key] for line in own) for key in ("accuracy", "after"))
        words = name.replace("-", ", then ")
        report.say(f"| {words} | {accuracy} | {asked:.3f} | {after} | 0.80 |")
    report.say()
    tell_return(report, lines)


def tell_return(report: Report, lines: list[Line]) -> None:
    report.say(
        f"## Return\n\nA rule for {ROWS:,} rows, another for as many, then the first again. "
        "Accuracy over the last 1,000 rows of the first time, over the first 200 rows of its "
        "return and over the 1,000 after these; rows until another model is the current one.\n"
    )
    report.say("| rules | first time | returned, 200 rows | then | rows |")
    report.say("|---|--:|--:|--:|--:|")
    for name in dict.fromkeys(line["stream"] for line in lines if "back" in line):
        own = of(lines, stream=name)
        figures = [mean(line[key] for line in own) for key in ("before", "first", "then")]
        back = ", ".join("never" if line["back"] is None else f"{line['back']}" for line in own)
        report.say(f"| {name.replace('-', ', ')} | {' | '.join(figures)} | {back} |")
    report.say()


def tell_absurd(report: Report, lines: list[Line]) -> None:
    report.say(
        "## Absurd values\n\nOne salary of 1e9 among 10,000 rows of loans, as the first row, in "
        "the middle or late: accuracy lost over the next 3,000 rows. Asked: at most 0.01.\n"
    )
    report.say("| rule | row | lost | most |\n|---|--:|--:|--:|")
    for stream, place in dict.fromkeys((x["stream"], x["place"]) for x in lines):
        costs = [line["cost"] for line in of(lines, stream=stream, place=place)]
        report.say(f"| {stream} | {place:,} | {mean(costs)} | {max(costs):.3f} |")
    report.say()


def tell_growth(report: Report, lines: list[Line]) -> None:
    report.say(
        "## Time and memory\n\nLoans 5 through River's interface, predict, then learn: the best of "
        "five times 1,000 rows.\n"
    )
    report.say("| rows | µs a row | boxes | bytes of the boxes |\n|--:|--:|--:|--:|")
    for line in lines:
        report.say(
            f"| {line['rows']:,} | {line['us']:.1f} | {line['boxes']:,} | {line['bytes']:,} |"
        )
    first, last = lines
    report.say(f"\nRatio: {last['us'] / first['us']:.2f}; asked: at most 1.2.\n")


def tell_readability(report: Report, lines: list[Line]) -> None:
    report.say(
        f"## Readability\n\nThe median number of conditions in the {HEAVIEST} heaviest rules "
        f"(asked: at most 5); how many boxes carry {CARRIED:.0%} of a decision, in the median over "
        "rows that were not learned; on how many of these rows the rules alone say what the model "
        "says: with at most five conditions, and with all (`full=True`). 0.1 is the learner of "
        "that version, with its defaults.\n"
    )
    head = "boxes | conditions | boxes that carry 80 % | fidelity | with all conditions"
    report.say(f"| table | version | {head} |")
    report.say("|---|---|--:|--:|--:|--:|--:|")
    for line in sorted(lines, key=lambda x: (NAMES.index(x["table"]), x["version"])):
        report.say(
            f"| {line['table']} | {line['version']} | {line['boxes']:,} | {line['conditions']:g} | "
            f"{line['carry']:g} | {line['fidelity']:.3f} | {line['fidelity_full']:.3f} |"
        )


TELL: dict[str, Callable[[Report, list[Line]], None]] = {
    "steady": tell_steady,
    "change": tell_change,
    "absurd": tell_absurd,
    "growth": tell_growth,
    "readability": tell_readability,
}

if __name__ == "__main__":
    main()
