"""The page that `benchmarks.evidence_variants` writes, from its table."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.evidence import read_table
from benchmarks.report import Report
from boxwise.evaluate import average_ranks

RESULTS = "evidence_variants.csv"
ENGINE, ONE, SMALL = "evidence", "one choice", "one choice, small sets"
PARTS = {  # what each is compared with
    ENGINE: ("models", "linear model, ", "linear models, ", "evidence, "),
    ONE: ("weights of", "backoffs of", "Gaussian", "offsets", "a linear model added"),
    SMALL: ("learned in",),
}


def tell(repeats: int) -> None:
    """Write the page."""
    means = read_table(RESULTS)
    names = sorted({name for name, _ in means})
    variants = sorted({variant for _, variant in means})
    report = Report(
        "Variants of evidence", f"python -m benchmarks.evidence_variants --repeats {repeats}"
    )
    report.say(
        f"The paper's 14 data sets, at most 2,500 rows of each, {repeats} × 4 stratified folds, "
        "boxes of the default settings: averages over the data sets. Each variant is compared with "
        "the line above it in bold: the difference in class balanced accuracy (CBA) with its "
        "standard error over the data sets, the average rank of the two (1: always better, 2: "
        "always worse), and on how many data sets CBA and log-loss are better and worse. There are "
        f"{len(variants) - len(PARTS)} variants, so that the best of them is better by chance "
        "too.\n"
    )
    report.say(
        '"One choice" is the bandwidth, backoff and temperature with the least loss in the end, '
        "without the others' say; what is learned on top of it is learned by gradient, in one pass "
        "test-then-train, or in 3 passes over all rows, each left out of its box, which no stream "
        "allows: about what there is to gain. The linear models are added to the logarithms of the "
        "engine's probabilities, in one pass; their rates were chosen after 21 settings had been "
        "tried on other folds of the same data sets. Learning in the order of evidence is in plain "
        "Python, for the ten data sets of at most 1,000 rows.\n"
    )
    report.say(
        "| | CBA | difference | rank | better, worse | log-loss | rank | better, worse | boxes |"
    )
    report.say("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    order = []
    for base, begins in PARTS.items():
        mine = [v for v in variants if v != base and belongs(v, begins)]
        on = [name for name in names if (name, base) in means]
        cube = np.array([[means[name, v] for v in (base, *mine)] for name in on])
        report.say(line(f"**{base}**", cube[:, 0], None))
        for k, variant in enumerate(mine, start=1):
            report.say(line(variant, cube[:, k], cube[:, 0]))
        order += [base, *mine]
    report.say("\nClass balanced accuracy by data set:\n")
    report.say("| | " + " | ".join(names) + " |")
    report.say("|---|" + "--:|" * len(names))
    for variant in order:
        cells = [
            f"{means[name, variant][0]:.3f}" if (name, variant) in means else "" for name in names
        ]
        report.say(f"| {variant} | {' | '.join(cells)} |")
    report.write("evidence_variants.md")


def belongs(variant: str, begins: tuple[str, ...]) -> bool:
    """Whether a variant is of a part; models are counted first."""
    return variant.lstrip("0123456789 ").startswith(begins)


def line(name: str, own: Any, base: Any) -> str:
    """Return a line of the table, from measures by data set."""
    cba, log_loss, boxes = own[:, 0].mean(), own[:, 2].mean(), own[:, 3].mean()
    if base is None:
        return f"| {name} | {cba:.3f} | | | | {log_loss:.3f} | | | {boxes:,.0f} |"
    apart = own[:, 0] - base[:, 0]
    error = apart.std(ddof=1) / np.sqrt(len(apart))
    cells = [f"{cba:.3f}", f"{apart.mean():+.4f} ± {error:.4f}"]
    for k, sign, mean in ((0, 1, None), (2, -1, log_loss)):
        both = np.stack([base[:, k], own[:, k]], axis=1)
        ranks = average_ranks(both, methods=["base", "own"], larger_is_better=sign > 0)
        more = sign * (own[:, k] - base[:, k])
        cells += [] if mean is None else [f"{mean:.3f}"]
        cells += [f"{ranks.of('own'):.2f}", f"{(more > 0).sum()}, {(more < 0).sum()}"]
    return f"| {name} | {' | '.join(cells)} | {boxes:,.0f} |"
