"""The sections of the page, each a function of what the parts measured."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.speed import fit
from benchmarks.speed.claims import Parts, claims, lines_of
from benchmarks.speed.record import Line
from benchmarks.speed.words import by_name, power, table, times

VERDICTS = {True: "yes", False: "**no**", None: "not measured"}


def promises(parts: Parts) -> list[str]:
    rows = [(c.promise, c.measured, VERDICTS[c.kept]) for c in claims(parts)]
    return [
        "What the engine was meant to reach, and what it did in these runs. Nothing is left out "
        "because it failed.",
        table(("promise", "measured", "kept"), rows),
    ]


def growth(parts: Parts) -> list[str]:
    lines = lines_of(parts, "growth")
    streams = by_name(lines, "stream")
    used = [line["rows"] for line in fit.in_question(next(iter(streams.values())))]
    said = [
        "`EIOLGFMM`: µs for a row among the latest 2,000 of each size, and to predict rows not "
        "learned, in bulk, one thread, after 600 others. The index finds the same boxes and "
        "classes as brute force, which is timed on a copy of the model with the index off: it "
        "learns by the intervals of all boxes that pass the entropy test. Models too small for an "
        "index do better, by quantised bounds: what that would take stands in brackets.",
        "![Cost of a row over the number of boxes](benchmarks/growth.png)",
        f"Fitted: cost ~ boxes^k, least squares over the logarithms, {min(used):,} to "
        f"{max(used):,} rows. Where the boxes hardly become more, no exponent can be told (–), "
        "and the cost over rows says how it grows.",
        "`HyperboxClassifier` has at most 1,000 boxes: for its time and memory over a million rows "
        "see `benchmarks/results/few_boxes.md`.",
    ]
    rows = []
    for stream, group in streams.items():
        last = group[-1]
        cells = [stream, f"{last['rows']:,}", f"{last['boxes']:,}"]
        for what in ("learn", "predict"):
            brute, found = last[f"{what}_brute"], last[f"{what}_index"]
            small = last.get(f"{what}_small")
            aside = "" if small is None else f" ({small:,.1f})"
            cells += [
                f"{brute:,.1f}{aside} → {found:,.1f}",
                times(brute / found),
                power(fit.of_lines(group, f"{what}_index")),
                power(fit.of_lines(group, f"{what}_index", "rows")),
            ]
        rows.append(cells)
    head = ["stream, θ = δ", "rows", "boxes"]
    for what in ("learn", "predict"):
        head += [f"{what}: µs, brute → index", "ratio", "k over boxes", "k over rows"]
    return [*said, table(head, rows), *_around(streams)]


def _around(streams: dict[str, list[Line]]) -> list[str]:
    """Say why the cost grows as it does."""
    rows = [
        (
            stream,
            f"{group[0]['around']:,.1f}",
            f"{group[-1]['around']:,.1f}",
            power(fit.of_lines(group, "around")),
        )
        for stream, group in streams.items()
        if group[-1]["around"] >= 1
    ]
    if not rows:
        return []
    head = ("stream, θ = δ", "boxes around a row, first size", "last", "k over boxes")
    return [
        "`EIOLGFMM` has to compare a row with the boxes it lies within by its numbers: "
        "their place tells nothing about which is best, or which may take it. Where they become "
        "many faster than boxes do, so does the cost. Streams with one such box or more:",
        table(head, rows),
    ]


def latency(parts: Parts) -> list[str]:
    lines = lines_of(parts, "latency")
    rows = [
        (
            line["stream"],
            line["learner"],
            {"engine": "the engine's learn"}.get(line["what"], f"`{line['what']}`"),
            f"{line['calls']:,}",
            f"{line['first']:,.1f}" if "first" in line else "–",
            *(f"{line[key]:,.1f}" for key in ("p50", "p99", "p99.9", "max")),
            times(line["max_over_p50"]),
            f"{line['beyond_50']:,}",
            times(line["max_of_one_run"] / line["p50"]),
        )
        for line in lines
    ]
    return [
        "Every call of a stream, timed by itself, in µs; the model grows meanwhile, and the "
        "median with it. The stream is run three times, and the least time of each row counts: "
        "the work is the same each time, and what differs came from the machine. The last column "
        "is the longest call of a single run, interruptions included. The first "
        "`learn_one` of a stream makes the model of what columns its row has, and is among the "
        "longest of `EIOLGFMM`. Python collects no garbage meanwhile, as in `timeit`.",
        "`HyperboxClassifier` has its defaults, so the two loan streams are the same to it. Every "
        "row is evaluated in all boxes, at most 1,000. What is predicted before a row is learned "
        "is the next one: a row that was itself just predicted is learned in half the time. Each "
        "of the first 500 rows takes a gradient step, one in four after these. Now and then a "
        "single row renews the scales by rank, which moves all boxes: such rows are the longest "
        "calls.",
        table(
            ("stream", "learner", "call", "calls", "first", "p50", "p99", "p99.9", "max",
             "max / p50", "beyond 50×", "max / p50, one run"),
            rows,
        ),
        "![Latency of single calls by percentile](benchmarks/latency.png)",
    ]  # fmt: skip


def peers(parts: Parts) -> list[str]:
    lines = lines_of(parts, "peers")
    settings = list(dict.fromkeys(x["learner"] for x in lines if x["library"] == "boxwise"))
    rows = [
        (
            line["stream"],
            f"{line['library']}: {line['learner']}",
            f"{line['rows']:,}",
            f"{line['boxes']:,}" if "boxes" in line else "",
            f"{line['us_per_row']:,.1f}",
            *(times(line["ratios"][s]) if "ratios" in line else "" for s in settings),
            f"{line['accuracy']:.3f}",
            f"{line['cba']:.3f}",
        )
        for line in lines
    ]
    return [
        "Every row is predicted, then learned, one call each. boxwise and River get dicts through "
        "River's interface; CapyMOA gets instances that were made beforehand, after a warm-up. "
        "Each runs again while that is quick, six times at most, and the best time of every 500 "
        "rows counts. "
        "The ratios say how many times as long the other takes, over the rows both have seen (a "
        "slow learner is stopped). *Small boxes*: θ and δ of the stream; *large boxes*: θ = 0.5, "
        "δ = 1; `HyperboxClassifier` is as it comes. Speed is not all: accuracy and class balanced "
        "accuracy over the same rows stand beside it. "
        "Forests have ten trees.",
        "![How many times as long the others take](benchmarks/peers.png)",
        table(
            ("stream", "learner", "rows", "boxes", "µs a row",
             *(f"ratio to {s}" for s in settings), "accuracy", "CBA"),
            rows,
        ),
    ]  # fmt: skip


def against_brain(parts: Parts, part: str) -> list[Sequence[str]]:
    return [
        (
            line.get("algorithm", "EIOL-GFMM"),
            f"{line['rows']:,}",
            f"{line.get('size', line.get('theta'))}",
            f"{line['boxes']:,} / {line['boxes_theirs']:,}",
            f"{line['learn_theirs']:,.2f} s",
            f"{line['learn_ours'] * 1e3:,.2f} ms",
            times(line["learn_ratio"], bold=True),
            f"{line['predict_theirs'] * 1e3:,.2f} ms",
            f"{line['predict_ours'] * 1e6:,.1f} µs",
            times(line["predict_ratio"], bold=True),
            f"{line['same']:.1%}",
        )
        for line in lines_of(parts, part)
    ]


BRAIN = ("algorithm", "rows", "θ", "boxes (ours / theirs)", "learn: theirs", "ours", "ratio",
         "predict a row: theirs", "ours", "ratio", "same predictions")  # fmt: skip


def brain(parts: Parts) -> list[str]:
    return [
        "`EIOLGFMM`, version 1, loan stream, θ = δ. Both get the rows in the form "
        "hyperbox-brain takes, through the estimator; the best of a few turns counts, ours of "
        "more, for it takes milliseconds. Rows predicted were not learned.",
        table(BRAIN, against_brain(parts, "brain")),
        "![How many times as long hyperbox-brain takes](benchmarks/brain.png)",
    ]


def relatives(parts: Parts) -> list[str]:
    return [
        "Numbers alone (6 columns), or numbers and categories (6 + 3) for M1 and M2. Where boxes "
        "or predictions differ, candidates tied or a rule was settled otherwise (see [the "
        "relatives](relatives/index.md)).",
        table(BRAIN, against_brain(parts, "relatives")),
    ]


def threads(parts: Parts) -> list[str]:
    lines = lines_of(parts, "threads")
    jobs = sorted({line["n_jobs"] for line in lines})
    rows = []
    for what in dict.fromkeys(line["what"] for line in lines):
        found = {line["n_jobs"]: line for line in lines if line["what"] == what}
        same = all(line["same"] for line in found.values())
        speedups = (times(found[n]["speedup"]) for n in jobs)
        rows.append((what, *speedups, "yes" if same else "**NO**"))
    return [
        f"Speed with `n_jobs` threads over that with one. The machine says it has "
        f"{parts['threads']['machine']['threads']}, which may be two halves of one core: then "
        "twice cannot be had.",
        table(("what", *(f"n_jobs={n}" for n in jobs), "same results"), rows),
    ]


def tuning(parts: Parts) -> list[str]:
    rows = [
        (
            line["data"],
            str(line["version"]),
            f"{line['settings']:,}",
            times(line["ratio"], bold=True),
            times(line["ratio_parallel"], bold=True),
            "yes" if line["same"] else "**NO**",
        )
        for line in lines_of(parts, "tuning")
    ]
    return [
        "`tune` of `EIOLGFMM`, on all threads, against scikit-learn's GridSearchCV with the same "
        "grid, folds and "
        "estimator, in one process and in as many as there are threads (whose start it pays for). "
        "GridSearchCV is timed on 55 of the settings and scaled up.",
        table(
            ("data", "version", "settings × 3 folds", "GridSearchCV / tune",
             "with all processes", "same scores"),
            rows,
        ),
    ]  # fmt: skip


def bound(parts: Parts) -> list[str]:
    lines = lines_of(parts, "bound")
    limits = [
        (line["what"], f"{line['gigaflops']:,.0f} GFLOP/s" if "gigaflops" in line
         else f"{line['gigabytes_per_second']:,.0f} GB/s")
        for line in lines if line["what"] != "predict"
    ]  # fmt: skip
    rows = [
        (
            f"{line['boxes']:,}",
            f"{line['bytes']:g}",
            f"{line['operations']:.3g}",
            *(f"{line[key]:.2f}" for key in ("ns", "ns_to_read", "ns_to_work")),
            times(line["distance"], bold=True),
        )
        for line in lines_of(parts, "bound", what="predict")
    ]
    return [
        "`EIOLGFMM`, brute force, loan stream, θ = δ = 0.1, rows not learned, ns for a box. A box "
        "that cannot be best is ruled out by its quantised bounds (2 bytes a number), its values "
        "(2 bytes a category) and its share of a sample. How many operations that takes is counted "
        "by hand in `bound.py`, in those on doubles. The bound is the longer of two times: to "
        "read as many bytes from an array as large as the model, and to do the operations at the "
        "largest rate; both were measured in the same run by a small kernel, compiled for this "
        "processor (`limits.cpp`).",
        table(("what the machine does at most", "measured"), limits),
        table(
            ("boxes", "bytes", "operations", "predict", "to read", "to compute", "distance"),
            rows,
        ),
    ]  # fmt: skip


def memory(parts: Parts) -> list[str]:
    rows = [
        (
            f"{line['boxes']:,}",
            line["how"],
            f"{line['engine']:,.0f}",
            f"{line['resident']:,.0f}",
            times(line["resident"] / line["bare"]),
        )
        for line in lines_of(parts, "memory")
    ]
    bare = lines_of(parts, "memory")[0]["bare"]
    return [
        "`EIOLGFMM`: ten numbers and ten categories of eight values, four classes, every row a "
        "box. *Engine*: what the engine says it holds; *process*: how much the process grew, what "
        "the first prediction and the first learning make included. The bare content of such a "
        f"box is {bare} bytes: two ends of ten intervals, ten counts, the number of rows.",
        table(
            ("boxes", "", "engine, bytes a box", "process, bytes a box", "process / bare"),
            rows,
        ),
    ]  # fmt: skip
