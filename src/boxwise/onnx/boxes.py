"""The decision by the boxes as a graph: densities, experts, support, shrunk probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxwise.onnx.graph import Graph
from boxwise.onnx.inputs import Inputs
from boxwise.onnx.state import Decision, Expert
from boxwise.reference.evidence import PRIOR_ROWS

LEAST_EXPONENT = -700.0  # as in the engine: exp of less is that of this


@dataclass(frozen=True)
class ByBoxes:
    """By class: probabilities and whether they are above 0 (1 or 0); n / (n + 0.1) of support n."""

    p: str
    possible: str
    trust: str


@dataclass(frozen=True)
class _Groups:
    """Matrices of rows × classes of an expert."""

    log_likelihood: str
    carried: str  # the share of the class that boxes carry and not the background
    squares: str  # the sum of the squared shares of the boxes, each by its rows


def add_boxes(graph: Graph, inputs: Inputs, decision: Decision) -> ByBoxes:
    """Add the probabilities by the boxes."""
    mixed, carried, squares = [], [], []
    for expert in decision.experts:
        groups = _groups(graph, inputs, expert)
        p = _probabilities(graph, groups.log_likelihood, expert.temperature)
        share = graph.op("Mul", p, np.float64(expert.weight))
        places = np.zeros((len(expert.groups), decision.n_classes))
        places[np.arange(len(expert.groups)), [g.label for g in expert.groups]] = expert.weight
        # Not the product of share: ONNX Runtime would fuse the two and keep the weight as a float.
        mixed.append(graph.op("MatMul", p, places))
        carried.append(graph.row_sum(graph.op("Mul", share, groups.carried)))
        squared = graph.op("Mul", graph.op("Mul", share, share), groups.squares)
        squares.append(graph.row_sum(squared))
    support = _support(graph, graph.total(carried), graph.total(squares))
    return _shrunk(graph, graph.total(mixed), support)


def _groups(graph: Graph, inputs: Inputs, expert: Expert) -> _Groups:
    """Add the likelihoods of the classes of an expert, all boxes side by side."""
    sizes = [len(group.log_weights) for group in expert.groups]
    logs = graph.columns(_weighted_densities(graph, inputs, expert), sizes)
    likelihoods, carried, squares = [], [], []
    for group, of_group in zip(expert.groups, logs, strict=True):
        most = graph.row_max(of_group)
        densities = graph.op("Exp", graph.op("Sub", of_group, most))
        total = graph.row_sum(densities)
        parts = graph.op("Div", densities, total)
        likelihoods.append(graph.op("Add", most, graph.op("Log", total)))
        is_box = np.append(np.ones(len(group.n)), 0.0)[:, None]
        carried.append(graph.op("MatMul", parts, is_box))
        per_row = np.append(1 / group.n, 0.0)[:, None]
        squares.append(graph.op("MatMul", graph.op("Mul", parts, parts), per_row))
    return _Groups(*map(graph.side_by_side, (likelihoods, carried, squares)))


def _weighted_densities(graph: Graph, inputs: Inputs, expert: Expert) -> str:
    """Return log(weight * density); the background of each class follows its boxes."""
    terms = []
    for j, h in enumerate(expert.bandwidths):
        number = inputs.numbers[j]
        # The background is as wide as any distance.
        V = np.concatenate([np.append(group.V[j], -np.inf) for group in expert.groups]) / h
        W = np.concatenate([np.append(group.W[j], np.inf) for group in expert.groups]) / h
        at = graph.op("Mul", number.position, np.float64(1 / h))
        left, right = graph.op("Sub", V[None], at), graph.op("Sub", at, W[None])
        distance = graph.op("Max", left, right, np.float64(0.0))
        terms.append(graph.op("Mul", distance, graph.op("Neg", number.present)))
    if inputs.numbers:
        sides = np.hstack([group.log_sides for group in expert.groups])
        present = graph.side_by_side([number.present for number in inputs.numbers])
        terms.append(graph.op("MatMul", present, -sides))
    for j, codes in enumerate(inputs.codes):
        table = np.hstack([group.log_shares[j] for group in expert.groups])
        terms.append(graph.op("Gather", table, codes))
    weights = np.concatenate([group.log_weights for group in expert.groups])
    return graph.op("Add", graph.total(terms), weights[None])


def _probabilities(graph: Graph, log_likelihood: str, temperature: float) -> str:
    below = graph.op("Sub", log_likelihood, graph.row_max(log_likelihood))
    return exponentials(graph, graph.op("Mul", below, np.float64(1 / temperature)))


def exponentials(graph: Graph, logs: str) -> str:
    """Return exponentials of numbers up to 0, as shares."""
    return graph.shares(graph.op("Exp", graph.op("Max", logs, np.float64(LEAST_EXPONENT))))


def _support(graph: Graph, carried: str, squares: str) -> str:
    """Return the effective number of rows (Kish) behind the decision."""
    some = graph.op("Greater", squares, np.float64(0.0))
    rows = graph.op(
        "Mul", graph.op("Mul", carried, carried),
        graph.op("Div", carried, graph.op("Where", some, squares, np.float64(1.0))),
    )  # fmt: skip
    return graph.op("Where", some, rows, np.float64(0.0))


def _shrunk(graph: Graph, mixed: str, support: str) -> ByBoxes:
    """Return probabilities that are no surer than the support allows."""
    possible = graph.cast(graph.op("Greater", mixed, np.float64(0.0)), "double")
    even = graph.op("Div", np.float64(PRIOR_ROWS), graph.row_sum(possible))
    rows = graph.op("Add", support, np.float64(PRIOR_ROWS))
    raised = graph.op("Add", graph.op("Mul", mixed, support), even)
    p = graph.op("Mul", graph.op("Div", raised, rows), possible)
    return ByBoxes(p, possible, graph.op("Div", support, rows))
