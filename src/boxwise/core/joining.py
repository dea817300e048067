"""Models of the same columns joined into one: their names first, then their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise._native import join_scales
from boxwise.core.layer_joining import NewCodes, join_layers
from boxwise.core.model import Model, ranges_of
from boxwise.core.settings import (
    AgglomerativeSettings,
    EntropySettings,
    EvidenceSettings,
    Range,
    blank_layer,
    scale_arrays,
)
from boxwise.schema import OTHER_VALUES, Schema, Vocabulary

_BOXES = ("V", "W", "n", "label", "id", "first", "code", "times")


def join(
    models: Sequence[Model],
    settings: EntropySettings | EvidenceSettings,
    *,
    in_order: bool = False,
) -> Model:
    """Return a new model with the boxes of all, merged where `settings` allow it.

    Of models that decide by evidence the additive layers are joined too, by their information.

    Parameters
    ----------
    models : sequence of Model
        They have the same columns, in the same order. They are not changed.
    settings : EntropySettings or EvidenceSettings
        Those of the new model.
    in_order : bool
        Whether each model has learned what came after the rows of the one before it.

    Raises
    ------
    ValueError
        If the models have different fixed ranges.
    """
    states = [model.engine.snapshot() for model in models]
    ranges = _united_ranges(states, models[0].schema.numeric_names)
    labels = _united([model.labels.values[: s["n_classes"]] for model, s in _pairs(models, states)])
    vocabularies = [
        _united([model.schema.vocabularies[j].values for model in models])
        for j in range(len(models[0].schema.vocabularies))
    ]
    if isinstance(settings, EvidenceSettings):
        vocabularies = [_limited(v, settings.most_values) for v in vocabularies]
        joined = Model(_schema(models[0].schema, vocabularies), settings, ranges)
        joined.add_labels(labels.values)
        _unite(joined, models, states, vocabularies, in_order=in_order)
        return joined
    # Each model has its own codes; they are mapped to those of the joined model.
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
    )
    return joined


def _unite(
    joined: Model,
    models: Sequence[Model],
    states: Sequence[dict[str, Any]],
    vocabularies: Sequence[Vocabulary],
    *,
    in_order: bool,
) -> None:
    """Put the present boxes of all models into one that decides by evidence."""
    settings = joined.settings
    assert isinstance(settings, EvidenceSettings)
    boxes = [
        _present(_renumbered(model, state, joined.labels, vocabularies), state)
        for model, state in _pairs(models, states)
    ]
    first = np.concatenate([np.diff(part["first"].astype(np.int64)) for part in boxes])
    united: dict[str, NDArray[Any]] = {
        name: np.concatenate([part[name] for part in boxes])
        for name in ("V", "W", "n", "label", "code", "times")
    }
    count = len(united["n"])
    united["first"] = np.concatenate([[0], first.cumsum()]).astype(np.uint64)
    united["id"] = np.arange(count, dtype=np.uint64)
    slot = np.zeros(count, np.uint64)
    for label in np.unique(united["label"]):
        of_class = united["label"] == label
        slot[of_class] = np.arange(of_class.sum())
    united["place"] = np.column_stack([np.zeros(count, np.uint64), slot])
    blank = joined.engine.snapshot()
    current = np.array([state["members"][0] for state in states])
    united["members"] = _joined_member(current)
    last = [part["last"] for part in boxes]
    united["last"] = _joined_ages(last, current[:, 3], in_order=in_order)
    logs = np.array([np.split(state["relevance"][0], 2)[0] for state in states])
    steps = 1 + current[:, 5]
    if in_order:  # half the weight of the model after it
        steps *= 0.5 ** np.arange(len(states))[::-1]
    mean = np.average(logs, axis=0, weights=steps)
    # Nothing is known of the gradients of the joined boxes: the first steps are large again.
    united["relevance"] = np.append(mean, np.zeros_like(mean))[np.newaxis]
    united["values_known"] = np.array(
        [min(len(v), EvidenceSettings.most_values + 1) for v in vocabularies], np.float64
    )
    united["rows"] = np.asarray(sum(state["rows"] for state in states), np.uint64)
    kept = ("recent_lower", "recent_upper", "recent_codes", "recent", "changes", "adwin", "tallies")
    unbounded = type(settings)(**{**vars(settings), "max_boxes": 0})
    joined.configure(unbounded)
    joined.engine.restore(
        **united,
        **{name: blank[name] for name in kept},
        **_united_layer(joined, models, states),
        n_classes=len(joined.labels),
        next_id=count,
    )
    joined.engine.merge_alike(settings.max_boxes)
    joined.configure(settings)


def _joined_member(members: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expert that has learned the rows of all, and is to take a step at each row now."""
    role, loss, since, rows, steps = 0.0, members[:, 1].mean(), 0.0, 0.0, 0.0
    return np.array([[role, loss, since, members[:, 3].sum(), rows, steps]])


def _joined_ages(
    last: Sequence[NDArray[np.float64]], clocks: NDArray[np.float64], *, in_order: bool
) -> NDArray[np.float64]:
    """Return the clock of the joined model at the last row of each box.

    Without an order the rows of all models are taken to have come by turns.
    """
    whole = clocks.sum()
    if in_order:
        starts = clocks.cumsum() - clocks
        moved = [own + start for own, start in zip(last, starts, strict=True)]
    else:
        moved = [own * (whole / clock) for own, clock in zip(last, clocks, strict=True) if clock]
    return np.minimum(np.concatenate(moved), whole) if moved else np.empty(0)


def _united_layer(
    joined: Model, models: Sequence[Model], states: Sequence[dict[str, Any]]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of the additive layer of a model joined from others."""
    settings, schema = joined.settings, joined.schema
    if not (isinstance(settings, EvidenceSettings) and settings.additive):
        return blank_layer()
    codes = [
        NewCodes(
            _new_codes(model.labels, joined.labels),
            [
                _new_codes(*pair)
                for pair in zip(model.schema.vocabularies, schema.vocabularies, strict=True)
            ],
        )
        for model in models
    ]
    return join_layers(states, codes, len(schema.numeric), len(joined.labels))


def _limited(vocabulary: Vocabulary, limit: int | None) -> Vocabulary:
    """Return a vocabulary of no more values than are told apart; the rest share a code."""
    if limit is None or len(vocabulary) <= limit:
        return vocabulary
    told_apart = [value for value in vocabulary.values if value != OTHER_VALUES]
    if len(told_apart) < limit:  # the shared code keeps its place, as in each model
        return vocabulary
    return Vocabulary([*told_apart[:limit], OTHER_VALUES])


def with_sums(
    first: NDArray[Any], code: NDArray[np.int32], times: NDArray[Any]
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.float64]]:
    """Return counted sets in which each code, in order within its set, stands once."""
    sizes = np.diff(first.astype(np.int64)).astype(np.int64)
    of_set = np.repeat(np.arange(len(sizes)), sizes)
    new = np.ones(len(code), bool)
    new[1:] = (of_set[1:] != of_set[:-1]) | (code[1:] != code[:-1])
    starts = np.flatnonzero(new)
    sums = np.add.reduceat(times.astype(np.float64), starts) if len(starts) else np.empty(0)
    kept = np.bincount(of_set[starts], minlength=len(sizes))
    return np.append(0, kept.cumsum()).astype(np.uint64), code[starts].astype(np.int32), sums


def _present(boxes: dict[str, NDArray[Any]], state: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the boxes of the set that decides now, not of challengers and retired ones."""
    keep = state["place"][:, 0] == 0
    n_sets = (len(boxes["first"]) - 1) // max(1, len(keep)) if len(keep) else 0
    sizes = np.diff(boxes["first"].astype(np.int64)).astype(np.int64)
    of_sets = np.repeat(keep, n_sets) if n_sets else np.zeros(0, bool)
    entries = np.repeat(of_sets, sizes)
    begin = np.concatenate([[0], sizes[of_sets].cumsum()])
    first, code, times = with_sums(begin, boxes["code"][entries], boxes["times"][entries])
    return {
        "V": boxes["V"][keep],
        "W": boxes["W"][keep],
        "n": boxes["n"][keep],
        "label": boxes["label"][keep],
        "last": state["last"][keep],
        "first": first,
        "code": code,
        "times": times,
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
                    f"{_range_text(ranges[0])} and {_range_text(other)}"
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


def _range_text(r: Range) -> str:
    return "'data'" if r.growing else f"({r.low:g}, {r.high:g})"


def _schema(schema: Schema, vocabularies: Sequence[Vocabulary]) -> Schema:
    united = iter(vocabularies)
    return Schema(
        [c.with_values(None if c.vocabulary is None else next(united)) for c in schema.columns],
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
    """Return by old code the new one; the last entry, for no class, is -1.

    Values that the new vocabulary does not tell apart have the code that they share.
    """
    shared = new.codes.get(OTHER_VALUES, -1)
    codes = [new.codes.get(value, shared) for value in old.values]
    return np.array([*codes, -1], dtype=np.int32)
