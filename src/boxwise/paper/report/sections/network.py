"""Figure 1."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.report.drawing.network import network_diagram
from boxwise.paper.report.page import Block, Heading, Paragraph, Picture


def section() -> Iterator[Block]:
    """Return the section."""
    yield Heading(3, "The network", "network")
    yield Paragraph(
        "EIOL-GFMM is a network of three layers. A row enters by 2n + r nodes: the lower and the "
        "upper bounds of its n numeric columns, and its r categories. Each node of the hidden "
        "layer is a hyperbox B with what it knows as its weights: V and W, its least and largest "
        "values, and D, how often it has seen each category. U joins it to its class, by 1 or 0. "
        "It answers with its membership of the row, and the largest decides."
    )
    yield Picture(
        "network",
        "The network for numeric and categorical columns, after the text of section III.A "
        "(figure 1).",
        "Three columns of nodes: lower bounds, upper bounds and categories on the left, hyperboxes "
        "in the middle, classes on the right. Lines labelled V, W and D lead to the hyperboxes, "
        "and from them lines labelled U to the classes.",
        network_diagram(),
    )
