"""Models of the same columns joined into one: their names first, then their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise._native import join_scales
from boxwise.core.model import Model, ranges_of
from boxwise.core.settings import (
    AgglomerativeSettings,
    EntropySettings,
    EvidenceSettings,
    Range,
    scale_arrays,
)
from boxwise.schema import Column, Schema, Vocabulary

_BOXES = ("V", "W", "n", "label", "id", "first", "code", "times")


def join(models: Sequence[Model], settings: EntropySettings) -> Model:
    """Return a new model with the boxes of all, merged where `settings` allow it.

    Parameters
    ----------
    models : sequence of Model
        They have the same columns, in the same order. They are not changed.
    settings : EntropySettings
        Those of the new model.

    Raises
    ------
    ValueError
        If the models have different fixed ranges.
    """
    states = [model.engine.snapshot() for model in models]
    ranges = _united_ranges(states, models[0].schema.continuous_names)
    labels = _united([model.labels.values[: s["n_classes"]] for model, s in _pairs(models, states)])
    vocabularies = [
        _united([model.schema.vocabularies[j].values for model in models])
        for j in range(len(models[0].schema.vocabularies))
    ]
    # Every model says its own names in its own numbers: all are put into those of the new one.
    how = AgglomerativeSettings(
        theta=settings.theta,
        gamma=settings.gamma,
        delta=settings.delta,
        alpha=settings.alpha,
        mean=settings.mean,
        method="agglo2",
        similarity="mid",
        min_similarity=0.0,
    )
    engines = []
    for model, state in _pairs(models, states):
        engine = how.new_engine(len(vocabularies), ranges)
        boxes = _renumbered(model, state, labels, vocabularies)
        engine.restore(**boxes, n_classes=len(labels), next_id=len(boxes["n"]))
        engines.append(engine)
    for other in engines[1:]:
        engines[0].join(other)

    joined = Model(_schema(models[0].schema, vocabularies), settings, ranges)
    joined.labels = labels
    state = engines[0].snapshot()
    joined.engine.restore(
        **{name: state[name] for name in _BOXES},
        n_classes=len(labels),
        next_id=state["next_id"],
        **_united_records(models, states, labels, settings),
    )
    return joined


def _united_records(
    models: Sequence[Model],
    states: Sequence[dict[str, Any]],
    labels: Vocabulary,
    settings: EntropySettings,
) -> dict[str, NDArray[Any]]:
    """Return what the engine keeps beside the boxes: sums over all the rows that models saw."""
    if not isinstance(settings, EvidenceSettings):
        return {}
    tallies = np.zeros((len(labels), 3 * len(settings.powers)))
    for model, state in _pairs(models, states):  # class by class, in the order of the model
        own = state["tallies"].reshape(-1, tallies.shape[1])
        tallies[_new_codes(model.labels, labels)[: len(own)]] += own
    return {
        "losses": np.sum([state["losses"] for state in states], axis=0),
        "tallies": tallies.ravel() if tallies.any() else np.empty(0),
        "tested": np.sum([state["tested"] for state in states], axis=0, dtype=np.uint64),
        "reaches": np.average(
            [state["reaches"] for state in states],
            axis=0,
            weights=[1 + int(state["tested"][2]) for state in states],
        ),
        "last": np.empty(0, np.uint64),  # all as if just learned: their rows have no common order
        **settings.blank,  # a test or a step that waits for one of them is not one of all
    }


def _pairs(
    models: Sequence[Model], states: Sequence[dict[str, Any]]
) -> list[tuple[Model, dict[str, Any]]]:
    return [*zip(models, states, strict=True)]


def _united(lists: Sequence[Sequence[object]]) -> Vocabulary:
    return Vocabulary(dict.fromkeys(value for values in lists for value in values))


def _united_ranges(states: Sequence[dict[str, Any]], names: Sequence[str]) -> list[Range]:
    of_models = [ranges_of(state) for state in states]
    return [_united_range(*pair) for pair in zip(names, zip(*of_models, strict=True), strict=True)]


def _united_range(name: str, ranges: Sequence[Range]) -> Range:
    if not all(r.growing for r in ranges):
        for other in ranges:
            if other != ranges[0]:
                raise ValueError(
                    f"column {name!r}: the models differ in feature_range, "
                    f"{_in_words(ranges[0])} and {_in_words(other)}"
                )
        return ranges[0]
    if len({r.scale is None for r in ranges}) > 1:
        raise ValueError(f"column {name!r}: the models differ in scale, 'range' and 'quantile'")
    scale = scale_arrays(ranges).get("scales")
    if scale is not None:
        scale = join_scales(scale)
    seen = [r for r in ranges if r.low <= r.high]  # not NaN
    if not seen:
        return Range(scale=scale)
    return Range(min(r.low for r in seen), max(r.high for r in seen), scale=scale)


def _in_words(r: Range) -> str:
    return "'data'" if r.growing else f"({r.low:g}, {r.high:g})"


def _schema(schema: Schema, vocabularies: Sequence[Vocabulary]) -> Schema:
    united = iter(vocabularies)
    return Schema(
        [
            Column(c.name, c.kind, None if c.vocabulary is None else next(united))
            for c in schema.columns
        ],
        schema.named,
    )


def _renumbered(
    model: Model,
    state: dict[str, NDArray[Any]],
    labels: Vocabulary,
    vocabularies: Sequence[Vocabulary],
) -> dict[str, NDArray[Any]]:
    """Return the boxes with the new codes of classes and categories, numbered from 0."""
    classes = _new_codes(model.labels, labels)
    n_boxes, n_sets = len(state["n"]), len(vocabularies)
    sets = np.repeat(np.arange(n_boxes * n_sets), np.diff(state["first"]).astype(np.int64))
    code = state["code"].copy()
    for j, (old, new) in enumerate(zip(model.schema.vocabularies, vocabularies, strict=True)):
        of_feature = sets % n_sets == j
        code[of_feature] = _new_codes(old, new)[code[of_feature]]
    order = np.lexsort((code, sets))  # the engine wants every set in order of code
    boxes = {name: state[name] for name in _BOXES}
    boxes["label"] = np.where(state["label"] < 0, -1, classes[state["label"]]).astype(np.int32)
    boxes["id"] = np.arange(n_boxes, dtype=np.uint64)
    boxes["code"], boxes["times"] = code[order], state["times"][order]
    return boxes


def _new_codes(old: Vocabulary, new: Vocabulary) -> NDArray[np.int32]:
    """Return by old code the new one; the last entry, for no class, is -1."""
    codes = [new.codes.get(value, -1) for value in old.values]
    return np.array([*codes, -1], dtype=np.int32)
