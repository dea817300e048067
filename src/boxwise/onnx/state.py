"""What a HyperboxClassifier computes with, as NumPy arrays: scales, boxes of each class, curves.

The names are those of `boxwise.reference`, which says what is computed. Box parameters that do not
depend on the row are computed here, in float64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.core.model import ranges_of
from boxwise.core.settings import Range
from boxwise.reference.additive import HATS, LEARNING_RATE, OWN_VALUES
from boxwise.reference.expert import BACKGROUND, BACKOFF, BANDWIDTH, FARTHEST
from boxwise.reference.hyperbox import NO_WIDTH

Floats = NDArray[np.float64]
State = Mapping[str, Any]


@dataclass(frozen=True)
class Scale:
    """The scale of a numeric column: linear between knots, and beyond them by the whole range.

    Attributes
    ----------
    x, y : array
        The knots and their positions; empty while the column has one value only.
    middle, spread : float
        Standardised values are ``2 * (x - middle) / spread``, from -2 to 2.
    """

    x: Floats
    y: Floats
    middle: float = 0.0
    spread: float = 1.0

    @classmethod
    def of(cls, given: Range) -> Scale:
        """Return the scale that the engine has."""
        if given.scale is not None:
            x, y = np.split(given.scale[len(given.scale) - 2 * int(given.scale[7]) :], 2)
        else:
            x, y = np.array([given.low, given.high]), np.array([0.0, 1.0])
        if len(x) < 2 or not x[-1] - x[0] > NO_WIDTH:
            return cls(np.empty(0), np.empty(0))
        if given.scale is None:
            return cls(x, y, (x[0] + x[1]) / 2, (x[1] - x[0]) / 2)
        low, middle, high = _values_at(np.array([0.05, 0.5, 1 - 0.05]), x, y).tolist()
        return cls(x, y, middle, high - low if high - low > NO_WIDTH else x[-1] - x[0])

    def __bool__(self) -> bool:
        return len(self.x) > 0

    @property
    def pieces(self) -> tuple[Floats, Floats, Floats]:
        """The linear pieces, before the first knot and after the last too: x, y and slope."""
        x, y = self.x, self.y
        whole = 1 / (x[-1] - x[0])
        slopes = np.concatenate([[whole], np.diff(y) / np.diff(x), [whole]])
        return np.concatenate([x[:1], x]), np.concatenate([[0.0], y[:-1], [1.0]]), slopes

    def positions(self, values: Floats) -> Floats:
        """Return where values are on the scale, as the engine has it."""
        if not self:
            return np.where(np.isnan(values), np.nan, 0.0)
        x, y, slope = self.pieces
        i = np.searchsorted(self.x, values, side="right")
        at: Floats = np.clip(y[i] + (values - x[i]) * slope[i], -FARTHEST, FARTHEST)
        return at


def _values_at(ranks: Floats, x: Floats, y: Floats) -> Floats:
    i = np.clip(np.searchsorted(y, ranks), 1, len(y) - 1)
    values: Floats = x[i - 1] + (ranks - y[i - 1]) / (y[i] - y[i - 1]) * (x[i] - x[i - 1])
    return values


@dataclass(frozen=True)
class Group:
    """The boxes of a class in an expert. The last row of a table is that of values not learned.

    Attributes
    ----------
    label : int
        The class, by its code.
    V, W : array of shape (numeric columns, boxes)
        Positions on the scales; infinite in columns that boxes do not see.
    log_sides : array of shape (numeric columns, boxes + 1)
        Of the sides with their margins; the background last.
    log_shares : list of array of shape (values + 1, boxes + 1)
        By categorical column: of the smoothed share of each value; the background last.
    log_weights : array of shape (boxes + 1,)
        Of the rows, less with age; the background last.
    n : array of shape (boxes,)
        Rows.
    """

    label: int
    V: Floats
    W: Floats
    log_sides: Floats
    log_shares: list[Floats]
    log_weights: Floats
    n: Floats


@dataclass(frozen=True)
class Expert:
    """A set of boxes with its weight in the decision, bandwidths and temperature."""

    weight: float
    bandwidths: Floats
    temperature: float
    groups: list[Group]


@dataclass(frozen=True)
class Layer:
    """The additive layer, the mean of its filters: coefficients by class.

    Attributes
    ----------
    trust : float
        The weight of the filters; the boxes alone have the rest.
    bias, boxes : array of shape (classes,)
        The constant, and the factor of the centred log-probability by the boxes.
    columns : list of array of shape (inputs, classes)
        By column, numeric ones first: linear, hats, missing; or each value, the last row that of
        values not learned.
    """

    trust: float
    bias: Floats
    boxes: Floats
    columns: list[Floats]


@dataclass(frozen=True)
class Decision:
    """All that a decision is computed from."""

    n_classes: int
    scales: list[Scale]
    experts: list[Expert]
    layer: Layer | None
    class_factors: Floats  # of the probabilities, for the class prior

    @classmethod
    def of(cls, model: Model) -> Decision:
        """Return that of a model as it is now; it must not learn meanwhile."""
        state = model.engine.snapshot()
        scales = [Scale.of(given) for given in ranges_of(state)]
        sizes = [len(vocabulary) for vocabulary in model.schema.vocabularies]
        names = model.schema.numeric_names
        apart = [names.index(name) for name in model.settings.apart if name in names]
        experts = _experts(state, scales, sizes, apart)
        current = state["place"][:, 0] == 0
        rows = [
            state["n"][current & (state["label"] == k)].sum() for k in range(state["n_classes"])
        ]
        return cls(
            n_classes=state["n_classes"],
            scales=scales,
            experts=experts,
            layer=_layer(state, len(scales), sizes),
            class_factors=np.maximum(np.array(rows), 1.0) ** -model.engine.prior,
        )


def _experts(
    state: State, scales: Sequence[Scale], sizes: Sequence[int], apart: Sequence[int]
) -> list[Expert]:
    n = len(scales)
    counts = _counts(state, sizes)
    V, W = (
        np.array([scale.positions(state[side][:, j]) for j, scale in enumerate(scales)])
        for side in ("V", "W")
    )
    V, W = (side.reshape(n, len(state["n"])) for side in (V, W))
    V, W = np.where(np.isnan(V), 0.0, V), np.where(np.isnan(W), 1.0, W)
    V[apart], W[apart] = -np.inf, np.inf  # boxes do not see these columns
    experts = []
    losses = state["members"][:, 1]
    for m, (member, logs) in enumerate(zip(state["members"], state["relevance"], strict=True)):
        multipliers = np.exp(logs[: len(logs) // 2])
        labels = state["label"][state["place"][:, 0] == m]
        groups = [
            _group(
                np.flatnonzero((state["place"][:, 0] == m) & (state["label"] == k)),
                int(k), state, (V, W), counts, multipliers, clock=float(member[3]),
            )
            for k in np.unique(labels[labels >= 0])
        ]  # fmt: skip
        if groups:
            bandwidths = BANDWIDTH * multipliers[:n]
            experts.append((losses[m], Expert(0.0, bandwidths, float(multipliers[-1]), groups)))
    weights = np.exp(min(loss for loss, _ in experts) - np.array([loss for loss, _ in experts]))
    weights /= weights.sum()
    return [
        Expert(float(weight), e.bandwidths, e.temperature, e.groups)
        for weight, (_, e) in zip(weights, experts, strict=True)
    ]


def _group(
    boxes: NDArray[np.intp],
    label: int,
    state: State,
    sides: tuple[Floats, Floats],
    counts: Sequence[Floats],
    multipliers: Floats,
    *,
    clock: float,
) -> Group:
    V, W = (side[:, boxes] for side in sides)
    margins = 2 * BANDWIDTH * multipliers[: len(V), None]
    n, last = state["n"][boxes], state["last"][boxes]
    rows = n.sum()
    faded = n / (1 + (last.max() - last) / max(clock, 1.0) / multipliers[-2]) ** 2
    shares = []
    for j, of_column in enumerate(counts):
        own, backoff = of_column[:, boxes], BACKOFF * multipliers[len(V) + j]
        known = state["values_known"][j]
        of_class = (own.sum(axis=1, keepdims=True) + 1 / (known + 1)) / (rows + 1)
        shares.append(np.log(np.hstack([(own + backoff * of_class) / (n + backoff), of_class])))
    log_sides = np.log(np.hstack([W - V + margins, 1 + margins]))
    return Group(
        label=label,
        V=V,
        W=W,
        log_sides=np.where(np.isinf(log_sides).any(axis=1, keepdims=True), 0.0, log_sides),
        log_shares=shares,
        log_weights=np.log(np.append(faded, BACKGROUND * rows)),
        n=n,
    )


def _counts(state: State, sizes: Sequence[int]) -> list[Floats]:
    """Return, by categorical column, values × boxes, with a last row of zeros."""
    n_boxes, r = len(state["n"]), len(sizes)
    lengths = np.diff(state["first"].astype(np.int64))
    box = np.repeat(np.repeat(np.arange(n_boxes), r), lengths)
    column = np.repeat(np.tile(np.arange(r), n_boxes), lengths)
    counts = []
    for j, size in enumerate(sizes):
        of_column = np.zeros((size + 1, n_boxes))
        held = column == j
        of_column[state["code"][held], box[held]] = state["times"][held]
        counts.append(of_column)
    return counts


def _layer(state: State, n: int, sizes: Sequence[int]) -> Layer | None:
    """Return the additive layer; None where the boxes decide alone."""
    n_classes = int(state["layer"][0])
    if n_classes < 2 or n_classes != state["n_classes"]:
        return None
    slots = state["layer_slots"]
    n_filters = n_classes if n_classes > 2 else 1
    weights = state["layer_weights"].reshape(2, n_filters, len(slots) + 2)
    shares = np.exp(LEARNING_RATE * (state["layer_losses"].min() - state["layer_losses"]))
    shares /= shares.sum()
    by_input = np.einsum("e,efi->if", shares[1:], weights)
    boxes = by_input[1]
    if n_classes == 2:  # the logits are -s and s
        by_input, boxes = np.hstack([-by_input, by_input]), np.repeat(boxes, 2)
    columns = [np.zeros((HATS + 2, n_classes)) for _ in range(n)]
    columns += [np.zeros((OWN_VALUES + 1, n_classes)) for _ in sizes]
    for (column, place), of_input in zip(slots.tolist(), by_input[2:], strict=True):
        columns[column][place] = of_input
    for j, size in enumerate(sizes):
        columns[n + j] = _by_value(columns[n + j], size, int(state["values_known"][j]))
    return Layer(float(shares[1:].sum()), by_input[0], boxes, columns)


def _by_value(weights: Floats, size: int, known: int) -> Floats:
    """Return the weight of each value, and last of those not learned, from those of the inputs."""
    places = np.minimum(np.arange(size + 1), OWN_VALUES)
    places[-1] = OWN_VALUES
    by_value = weights[places]
    if known < OWN_VALUES:
        by_value[-1] = 0.0
    return by_value if known >= 2 else np.zeros_like(by_value)
