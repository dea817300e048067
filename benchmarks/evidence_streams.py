"""Online learners on streams, each row predicted, then learned: ours, River's and CapyMOA's.

    BOXWISE_DATA=... python -m benchmarks.evidence_streams            (two hours on two cores)
    BOXWISE_DATA=... python -m benchmarks.evidence_streams --renew HyperboxClassifier
    python -m benchmarks.evidence_streams --report       (the page again, from what was measured)

Writes an outcome a line to benchmarks/results/evidence_streams.jsonl as it becomes known, then
evidence_streams.md and evidence_streams.png. What is in the file is not measured again unless its
learner is named with --renew. Without BOXWISE_DATA only generated streams are measured. The speed
is measured by `benchmarks.speed`, not here, where two learners run at a time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from math import log, sqrt
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from benchmarks import stream_learners as learners
from benchmarks.evidence import LEAST
from benchmarks.report import FOLDER, Report
from benchmarks.speed import moa
from benchmarks.stream_sources import PART, Pairs, sources
from boxwise.evaluate import Confusion, average_ranks
from boxwise.evaluate.line_styles import COLOURS

FILE = "evidence_streams.jsonl"
WINDOWS = 20
RECENT = 1_000
HIGHEST = 1.2  # log-loss that the figure shows
LONG = 30_000  # rows from which on River's ensembles are left out
DRAWN = {
    "hoeffding-tree": ("#000000", (5, 1.5)),
    "adaptive-hoeffding-tree": ("#56B4E9", (5, 1.5)),
    "arf": ("#7A4A1E", (6, 1.5, 1.5, 1.5)),
    "MOA ARF": ("#E69F00", (6, 1.5, 1.5, 1.5)),
}


@dataclass
class Outcome:
    """How well a learner did on a stream; windows are rows so far, accuracy, CBA and log-loss."""

    stream: str
    learner: str
    rows: int = 0
    accuracy: float = 0.0
    after: float | None = None  # accuracy over the first rows after a change in the middle
    cba: float = 0.0
    kappa: float | None = None  # None: measured before it was noted
    recent_cba: float = 0.0
    log_loss: float = 0.0
    ruled_out: int = 0  # rows whose class had a probability below LEAST
    boxes: int | None = None
    windows: list[tuple[int, float, float, float]] = field(default_factory=list)


Found = dict[str, dict[str, Outcome]]  # by stream and learner


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence_streams")
    parser.add_argument("--rows", type=int, help="only so many rows of each stream, for a try")
    parser.add_argument("--renew", nargs="*", default=[], help="learners to measure again")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args(arguments)
    file = FOLDER / (f"evidence_streams_{options.rows}.jsonl" if options.rows else FILE)
    found = read(file)
    if not options.report:
        for stream in found.values():
            for name in [*stream]:
                if any(name.startswith(renewed) for renewed in options.renew):
                    del stream[name]
        measure(found, options.rows, options.jobs, file)
    report = Report("Streams, by likelihood", "python -m benchmarks.evidence_streams")
    tell(report, found)
    report.write("evidence_streams.md")
    draw({name: found[name] for name in sources() if name in found and PART_OF not in name})


def read(file: Any) -> Found:
    found: Found = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        outcome = Outcome(**json.loads(line))
        found.setdefault(outcome.stream, {})[outcome.learner] = outcome
    return found


def write(found: Found, file: Any) -> None:
    every = [outcome for stream in found.values() for outcome in stream.values()]
    every.sort(key=lambda outcome: (outcome.stream, outcome.learner))
    file.write_text("".join(json.dumps(asdict(outcome)) + "\n" for outcome in every))


def measure(found: Found, rows: int | None, jobs: int, file: Any) -> None:
    """Measure what is not there yet, and write down each outcome at once."""
    cells = []
    for stream in sources():
        long = stream in REAL and rows is None
        known = found.get(stream, {})
        cells += [(stream, name) for name in learners.names(long) if name not in known]
    work = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for done, outcome in enumerate(work(delayed(run)(*cell, rows) for cell in cells), start=1):
        found.setdefault(outcome.stream, {})[outcome.learner] = outcome
        write(found, file)
        words = f"{outcome.stream}, {outcome.learner}: {outcome.accuracy:.3f}"
        print(f"{done} of {len(cells)}: {words}", file=sys.stderr, flush=True)


REAL = ("electricity", "nyc_flights")
PART_OF = ", first "


def run(stream: str, name: str, rows: int | None) -> Outcome:
    """Predict and learn all rows, and score them window by window."""
    pairs: Pairs = [*sources()[stream](rows)]
    model = learners.learner(name, pairs)
    outcome = Outcome(stream, name, len(pairs))
    every, recent, right = Confusion(), Confusion(window=RECENT), []
    size = -(-len(pairs) // WINDOWS)
    for begin in range(0, len(pairs), size):
        window, loss, first = Confusion(), 0.0, len(right)
        for x, y in pairs[begin : begin + size]:
            guess, own = judged(model.predict_proba_one(x), y)
            model.learn_one(x, y)
            right.append(guess == y)
            loss -= log(max(own, LEAST))
            outcome.ruled_out += own < LEAST
            if guess is not None:
                for confusion in (every, recent, window):
                    confusion.add(y, guess)
        part = len(right) - first
        outcome.log_loss += loss / len(pairs)
        accuracy = sum(right[first:]) / part
        outcome.windows.append((len(right), accuracy, window.cba, loss / part))
    outcome.accuracy = sum(right) / len(right)
    if "then" in stream:
        middle = len(right) // 2
        outcome.after = float(np.mean(right[middle : middle + RECENT]))
    outcome.cba, outcome.recent_cba = every.cba, recent.cba
    outcome.kappa = every.kappa
    outcome.boxes = getattr(model, "n_boxes_", None)
    return outcome


def judged(p: Mapping[str, float], label: str) -> tuple[str | None, float]:
    """Return the most probable class, if any, and the probability of the true one."""
    total = sum(p.values())
    if not 0 < total < float("inf"):
        return None, 0.0
    return max(p, key=lambda k: p[k]), p.get(label, 0.0) / total


def tell(report: Report, found: Found) -> None:
    libraries = f"River {version('river')}, "
    libraries += "no CapyMOA" if moa.missing() else f"CapyMOA {version('capymoa')}"
    report.say(f"{libraries}. {EXPLAINED}\n")
    whole = [name for name in sources() if name in found and PART_OF not in name]
    parts = [name for name in sources() if name in found and name not in REAL]
    report.say("## Average ranks\n")
    tell_ranks(report, found, whole, (learners.OURS, *learners.SINGLE), "single models")
    field = (learners.OURS, *learners.SINGLE, *learners.ENSEMBLES)
    tell_ranks(report, found, parts, field, "single models and ensembles")
    report.say("## Beside ensembles, and the best peer\n")
    tell_forests(report, found, parts)
    for name in sources():
        if name in found:
            table(report, name, found[name])


EXPLAINED = (
    "`HyperboxClassifier` with its defaults, at most 1,000 boxes; balanced: "
    '`class_prior="auto"`; `EIOLGFMM` version 2 with θ=0.3, δ=0.3. River\'s learners have their '
    "own names, CapyMOA's begin with MOA; ensembles have ten members, SGBT and ARF 100 a hundred. "
    "Logistic regression has standardised numbers and categories as 0 and 1; tuned: the best of "
    f"{len(learners.RATES)} learning rates by the log-loss so far. Every row "
    "is predicted, then learned, one a call. After: accuracy over the first 1,000 rows after the "
    "change in the middle of a stream. Accuracy and class balanced accuracy (CBA) over all rows; "
    f"CBA of the last {RECENT:,} rows; log-loss over all rows, in which no probability is below "
    f"{LEAST:g}. Ruled out: rows whose class was given less than that, each of which costs "
    f"{-log(LEAST):.1f}. `no-change` says what the row before was and is sure of it; `majority` "
    f"gives the shares of the classes so far. River's ensembles and SGBT are too slow for all of "
    f"the real streams, so these come twice: whole, and their first {PART:,} rows. Standard errors "
    f"are over {WINDOWS} windows of a stream, or over the streams."
)


def tell_ranks(
    report: Report, found: Found, streams: Sequence[str], field: Sequence[str], words: str
) -> None:
    streams = [name for name in streams if all(learner in found[name] for learner in field)]
    with_kappa = [s for s in streams if all(found[s][name].kappa is not None for name in field)]
    report.say(f"Of {len(field)} {words}, over {len(streams)} streams (1 is best):\n")
    by_kappa = "kappa" if len(with_kappa) == len(streams) else f"kappa ({len(with_kappa)} streams)"
    report.say(f"| | by accuracy | by CBA | by {by_kappa} | by log-loss |")
    report.say("|---|--:|--:|--:|--:|")
    columns = []
    for measure in ("accuracy", "cba", "kappa", "log_loss"):
        over = with_kappa if measure == "kappa" else streams
        scores = [[getattr(found[s][name], measure) for name in field] for s in over]
        more = measure != "log_loss"
        columns.append(average_ranks(np.array(scores), methods=field, larger_is_better=more).ranks)
    order = np.argsort(columns[1])
    for k in order:
        cells = (bold(ranks[k], min(ranks), 2) for ranks in columns)
        report.say(f"| {field[k]} | {' | '.join(cells)} |")
    report.say()


FORESTS = ("arf", "srp", "MOA ARF", "MOA SRP", "MOA ARF 100", "MOA SGBT")


def tell_forests(report: Report, found: Found, streams: Sequence[str]) -> None:
    report.say("Accuracy of `HyperboxClassifier` less theirs; of each stream the best peer too.\n")
    report.say(f"| | {' | '.join(FORESTS)} | best peer | |")
    report.say("|---|" + "--:|" * len(FORESTS) + "--:|---|")
    ahead = {name: [0, 0] for name in (*FORESTS, BEST)}  # streams ahead on, streams
    for stream in streams:
        ours = found[stream][learners.OURS]
        peers = [name for name in (*learners.SINGLE, *learners.ENSEMBLES) if name in found[stream]]
        best = max(peers, key=lambda name: found[stream][name].accuracy)
        cells = []
        for name in (*FORESTS, BEST):
            theirs = found[stream].get(best if name == BEST else name)
            cells.append("" if theirs is None else difference(ours, theirs))
            if theirs is not None:
                ahead[name][0] += ours.accuracy > theirs.accuracy
                ahead[name][1] += 1
        report.say(f"| {stream} | {' | '.join(cells)} | {best} |")
    counts = (f"{ours} of {every}" for ours, every in ahead.values())
    report.say(f"| ahead on | {' | '.join(counts)} | |\n")


BEST = "the best peer"


def difference(ours: Outcome, theirs: Outcome) -> str:
    differences = [a[1] - b[1] for a, b in zip(ours.windows, theirs.windows, strict=True)]
    error = np.std(differences, ddof=1) / sqrt(len(differences))
    return f"{ours.accuracy - theirs.accuracy:+.3f} ± {error:.3f}"


def table(report: Report, title: str, found: Mapping[str, Outcome]) -> None:
    rows = next(iter(found.values())).rows
    report.say(f"## {title}: {rows:,} rows\n")
    report.say(
        "| | accuracy | after | CBA | CBA, last 1,000 | kappa | log-loss | ruled out | boxes |"
    )
    report.say("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    best_cba = max(outcome.cba for outcome in found.values())
    best_loss = min(outcome.log_loss for outcome in found.values())
    for name in (name for name in learners.names(long=False) if name in found):
        outcome = found[name]
        cells = (
            name,
            f"{outcome.accuracy:.3f}",
            "" if outcome.after is None else f"{outcome.after:.3f}",
            bold(outcome.cba, best_cba),
            f"{outcome.recent_cba:.3f}",
            "" if outcome.kappa is None else f"{outcome.kappa:.3f}",
            bold(outcome.log_loss, best_loss),
            f"{outcome.ruled_out:,}",
            "" if outcome.boxes is None else f"{outcome.boxes:,}",
        )
        report.say(f"| {' | '.join(cells)} |")
    report.say()


def bold(value: float, best: float, digits: int = 3) -> str:
    return f"**{value:.{digits}f}**" if value == best else f"{value:.{digits}f}"


def draw(found: Found) -> None:
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
        for name in (name for name in (*learners.VARIANTS, *DRAWN) if name in by_learner):
            rows, _, cba, loss = zip(*by_learner[name].windows, strict=True)
            (shown[name],) = above.plot(rows, cba, **style(name))
            below.plot(rows, loss, **style(name))
        above.set_title(f"{stream}: CBA", loc="left", fontsize=10)
        below.set_title(f"{stream}: log-loss", loc="left", fontsize=10)
        below.set_ylim(0, min(HIGHEST, below.get_ylim()[1]))
    for panel in axes.flat:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="y", alpha=0.3)
        panel.xaxis.set_major_locator(MaxNLocator(4))
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.set_visible(panel.has_data())
    figure.legend([*shown.values()], [*shown], loc="outside upper left", ncols=5, frameon=False)
    figure.supxlabel(f"rows; each point is of one of {WINDOWS} windows", fontsize=10)
    file = FOLDER / "evidence_streams.png"
    figure.savefig(file, dpi=110, facecolor="white", metadata={"Software": None})
    plt.close(figure)


def style(name: str) -> dict[str, Any]:
    """Return solid lines for ours, the first on top; dashed for others."""
    if name in learners.VARIANTS:
        number = [*learners.VARIANTS].index(name)
        return {"color": COLOURS[number], "linewidth": 1.8, "zorder": 3 - number / 10}
    colour, dashes = DRAWN[name]
    return {"color": colour, "linewidth": 1.4, "linestyle": (0, dashes)}


if __name__ == "__main__":
    main()
