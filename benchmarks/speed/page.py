"""One page of all that was measured: docs/benchmarks.md and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.speed import sections
from benchmarks.speed.claims import Parts
from benchmarks.speed.record import Profile, load

TITLES = {
    "growth": "As boxes become many",
    "latency": "Single calls",
    "peers": "Against River and CapyMOA",
    "brain": "Against hyperbox-brain",
    "relatives": "The relatives",
    "threads": "Threads",
    "tuning": "Tuning",
    "bound": "How near the bound",
    "memory": "Memory",
}
INTRODUCTION = """\
How fast boxwise is, and where it is not. Every figure is a ratio of two things measured in one
run on one machine, or says how a cost grows; seconds of your machine will differ, the ratios much
less. One command measures everything again and writes this page:

    BOXWISE_DATA=... make bench          (about 40 minutes; without BOXWISE_DATA, fewer streams)
    make bench-quick                     (small sizes, minutes; into build/benchmarks)
    python -m benchmarks run growth      (one part again, and the page)

What each part measured is kept in `benchmarks/results/speed`, a line for each figure. A benchmark
in seconds cannot watch over every change; [instructions are counted](#instructions) for that."""
STREAMS = """\
The streams: *loan*, [the stream of the demo](reference/datasets.md), six numbers and three
categories, one label in twenty wrong; *wide*, twenty numbers and twenty categories in 32 clusters
of eight classes, where one value in ten of each category dominates in a cluster; *wide, diffuse*,
the same, where none does; *100,000 values*, loan with a further column of so many; *electricity*
and *nyc_flights*, [real ones](streams.md). All of them are in `benchmarks/workloads.py`. The number
behind a name is θ = δ of `EIOLGFMM`, which is version 1 unless told otherwise; `HyperboxClassifier`
has its defaults."""
INSTRUCTIONS = """\
## Instructions

Seconds depend on what else a machine does; the number of instructions hardly does. `make
instructions` lets callgrind count those of a small fixed piece of work, learning and predicting
with the engines of `EIOLGFMM` and `HyperboxClassifier`, and fails if one of the counts is more than
a tenth above the committed baseline (`benchmarks/instructions`). It is a part of what must pass
before a change goes in. With another major version of the compiler than the baseline's, or a
processor with other instructions, it only reports; without valgrind it says that it was skipped."""


def write(profile: Profile, names: Sequence[str]) -> None:
    """Write the page and its pictures from what the parts left."""
    parts: Parts = {name: found for name in names if (found := load(profile, name))}
    profile.page.parent.mkdir(parents=True, exist_ok=True)
    profile.page.write_text(text(parts, names), encoding="utf-8")
    from benchmarks.speed import plots  # here, for matplotlib takes a second to load

    plots.draw(parts, profile.pictures)
    print(f"wrote {profile.page.name} and the pictures beside it")


def text(parts: Parts, names: Sequence[str]) -> str:
    """Return the page as Markdown."""
    blocks = ["# Benchmarks", INTRODUCTION, *about(parts)]
    blocks += ["## What was promised", *sections.promises(parts), STREAMS]
    for name in names:
        blocks.append(f"## {TITLES[name]}")
        if name not in parts:
            blocks.append(f"Not measured yet: `python -m benchmarks run {name}`.")
            continue
        blocks += notes(parts[name])
        if parts[name]["lines"]:
            blocks += getattr(sections, name)(parts)
    return "\n\n".join([*blocks, INSTRUCTIONS]) + "\n"


def about(parts: Parts) -> list[str]:
    """Say what was run on what; if parts come from different machines or sizes, say that."""
    kinds: dict[str, list[str]] = {}
    for name, part in parts.items():
        kinds.setdefault(kind(part), []).append(f"*{TITLES[name]}*")
    if len(kinds) == 1:
        return [f"Measured on: {next(iter(kinds))}", *busy(parts)]
    said = [f"Measured on: {what} ({', '.join(names)})" for what, names in kinds.items()]
    return [*said, *busy(parts)]


def busy(parts: Parts) -> list[str]:
    """Warn where others were at work on the machine: more was running than it has threads."""
    loads = {
        name: part["machine"]["load"]
        for name, part in parts.items()
        if part["machine"].get("load", 0) > part["machine"]["threads"] + 0.5
    }
    if not loads:
        return []
    names = ", ".join(f"*{TITLES[name]}*" for name in loads)
    return [
        f"**The machine had other work** (load up to {max(loads.values()):.0f}) while these were "
        f"measured: {names}. Of those trust ratios within a factor of two, and no single longest "
        "call."
    ]


def kind(part: dict[str, Any]) -> str:
    """Return the profile, the machine and the versions in one line."""
    machine = part["machine"]
    packages = ", ".join(f"{n} {v}" for n, v in machine["packages"].items() if v)
    size = "" if part["profile"] == "full" else "**small sizes, for a try**; "
    blas = machine.get("blas_threads")
    alone = f"; OPENBLAS_NUM_THREADS={blas}, for its idle threads spin" if blas else ""
    return (
        f"{size}{machine['processor']}, {machine['threads']} threads, cache {machine['cache']}, "
        f"memory {machine['memory']}, {machine['system']}, Python {machine['python']}; {packages}"
        f"{alone}."
    )


def notes(part: dict[str, Any]) -> list[str]:
    """Return what a part had to say, as a list."""
    return ["\n".join(f"- {note}" for note in part["notes"])] if part["notes"] else []
