"""The statements of section I on the other algorithms and on encoders, measured."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.measurements.encodings import (
    ANOTHER_ORDER,
    APART,
    CODES,
    ONE_NUMBER,
    OTHER_LATER,
    PREDICTIONS,
)
from boxwise.paper.measurements.new_values import SEEN, UNSEEN
from boxwise.paper.report.page import Block, Heading, Paragraph, Table
from boxwise.paper.report.printed import METHODS
from boxwise.paper.report.sections.coverage import unmeasured
from boxwise.paper.report.tables import embolden
from boxwise.paper.report.view import View
from boxwise.paper.report.words import name, number, title


def section(view: View) -> Iterator[Block]:
    """Return the section."""
    yield from _new_values(view)
    yield from _encodings(view)


def _new_values(view: View) -> Iterator[Block]:
    yield Heading(3, "Categories that come later", "new-values")
    yield Paragraph(
        "In each row to predict one category, in a column taken at random, was replaced by one "
        "that no row has. M1 learns distances between the categories of the rows to learn; from a "
        "new one to all of them we set 1, so that the membership of the row, a minimum, is 0 in "
        "every box, and the rule for ties decides. M2 as published codes its categories one-hot, "
        "from all rows to learn, and has no code for a new one. Ours keeps them in sets, which is "
        "the same on known categories; a new one matches no set, and M2 goes on with the other "
        "columns. v1 and v2 do so too: a new category has probability 0 in every box, and the rest "
        "of the membership stays. Settings as printed in Table I at θ = 0.1."
    )
    yield from unmeasured(view, "new-values")
    gauge = view.gauge("new-values")
    if not gauge.datasets:
        return
    for what in (SEEN, UNSEEN):
        means = {d: [gauge.mean(d, m, f"CBA, {what}") for m in METHODS] for d in gauge.datasets}
        rows = tuple(
            (title(d), *embolden([number(m) for m in found], found, max))
            for d, found in means.items()
        )
        yield Table(f"CBA of the rows {what}", ("data set", *METHODS), rows)
    rows = tuple(
        (title(d), *(f"{gauge.mean(d, m, f'in no box, {UNSEEN}'):.0%}" for m in METHODS))
        for d in gauge.datasets
    )
    yield Table(
        "Rows with a new value whose membership is 0 in every box", ("data set", *METHODS), rows
    )


def _encodings(view: View) -> Iterator[Block]:
    yield Heading(3, "Codes and the order of the rows", "encodings")
    yield Paragraph(
        "The rows to learn were encoded twice, as in their file and shuffled, and their codes "
        f"compared; they differ if more than {APART} of the column's range apart. Only the "
        "encoder saw the other order: IOL-GFMM (θ = 0.1) learned the rows as in the file, so that "
        "a prediction that changes does so by the codes. One-hot, sum and Helmert are left out: "
        "like Label, they number the categories as they come, and the order moves the numbers "
        "about but gives each category one code. Means over the data sets."
    )
    yield from unmeasured(view, "encodings")
    gauge = view.gauge("encodings")
    if not gauge.datasets:
        return

    def mean(encoder: str, what: str) -> float:
        found = [gauge.mean(d, encoder, what) for d in gauge.datasets]
        return sum(found) / len(found)

    shares = (ANOTHER_ORDER, OTHER_LATER, PREDICTIONS)
    yield Table(
        "What the code of a category depends on",
        ("encoder", *shares, CODES),
        tuple(
            (name(e), *(f"{mean(e, what):.0%}" for what in shares), number(mean(e, CODES), 1))
            for e in ONE_NUMBER
        ),
    )
