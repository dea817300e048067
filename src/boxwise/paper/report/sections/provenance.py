"""The provenance of the report."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.protocol import N_FOLDS, N_INNER_FOLDS
from boxwise.paper.report.about import About
from boxwise.paper.report.page import Block, Bullets, Heading, Strong, Table, Text

SCALING = {
    "dataset": "numeric columns to 0 … 1 by all rows of the data set, as in the paper",
    "fold": "numeric columns to 0 … 1 by the rows to learn",
}

ORDER = {
    "file": "as in the file of the data set",
    "shuffled": "shuffled, anew for each fold",
}


def section(about: About) -> Iterator[Block]:
    """Return the section."""
    yield Heading(2, "How it was made", "made")
    facts: dict[str, str] = {
        "seed": str(about.seed),
        "repetitions": f"{about.repeats} of {N_FOLDS} stratified folds; {N_INNER_FOLDS} inner",
        "grids": "thinned out (quick run)" if about.quick else "as in the paper",
        "scaling": SCALING.get(about.scaling, about.scaling),
        "order of the rows": ORDER.get(about.order, about.order),
        **about.versions,
        "machine": about.machine,
        "computing": about.duration,
    }
    rows: tuple[tuple[Text, ...], ...] = tuple(facts.items())
    yield Table("The run", ("", "value"), rows)
    yield Bullets(
        (
            (
                Strong("Class balanced accuracy"),
                ": for each class the rows rightly predicted, divided by those of the class or "
                "those predicted to be, whichever are more; then the mean over classes.",
            ),
            (
                Strong("Mean ± standard deviation"),
                ": over all test folds of all repetitions; the standard deviation is that of a "
                "sample.",
            ),
            (
                Strong("Ranks"),
                ": of the means over folds, on each data set; 1 is the best, and equal means share "
                "the mean of their ranks.",
            ),
            (
                Strong("F_F"),
                ": the statistic of Iman and Davenport from Friedman's χ², without correction for "
                "ties, as in the paper. ",
                Strong("CD"),
                ": Nemenyi's critical difference. Both at 0.05.",
            ),
            (
                Strong("Encoders"),
                ": they and the scaling after them see the rows to learn only, so that the columns "
                "of IOL-GFMM are scaled by those, whatever is said of scaling above; other rows "
                "are clipped to 0 … 1.",
            ),
            (
                Strong("Ties in tuning"),
                ": of settings with equal means over the inner folds, the one with the smallest α, "
                "then δ, η or β, then θ. The paper does not say which it took.",
            ),
            (
                Strong("n and r"),
                ": the numbers of numeric and of categorical columns.",
            ),
        )
    )
