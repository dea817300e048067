"""Estimators that learned on parts of the data, merged into one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, TypeVar

from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from boxwise.core import EntropySettings, EvidenceSettings, Model, join
from boxwise.learners.base.explained_learner import ExplainedLearner
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.learners.base.online_learner import OnlineLearner
from boxwise.schema import Kind, Schema, show

Learner = TypeVar("Learner", bound=HyperboxLearner)


def merge(
    models: Sequence[Learner], *, tune: tuple[Any, ...] | None = None, in_order: bool = False
) -> Learner:
    """Join models that were learned on parts of the data into one that obeys the same rules.

    The first model goes on learning, from the boxes of the others, model by model, the oldest box
    first. A box of one row is learned as that row. A box that another one contains is taken by it.
    All others stay, as many as that many rows would be expected to make; beyond that number the
    smallest boxes are taken apart into rows, if other boxes take all of these, or else merge with
    the most similar box of their class. Whatever grows or merges stays within `theta`, keeps its
    categories homogeneous within `delta` and overlaps no box of another class.

    Boxes of different models may overlap across classes from the start, as new boxes of online
    learning may; they stay, but no merge creates such an overlap. There may be more boxes than
    `max_boxes`, which only keeps new ones from being made.

    That is for models that decide by membership. Of `HyperboxClassifier` the boxes of all models
    are united: those of a class that are alike become one, the heaviest first, and the lightest are
    given up beyond `max_boxes`, fairly to rare classes. The relevance of the columns is averaged;
    their curves are joined, each part counting by how much it knows of them. What is decided from
    there on is best found from rows that no part has learned: withhold some, and give them as
    `tune`.

    Parameters
    ----------
    models : sequence of estimators
        Fitted, of one kind (`HyperboxClassifier`, `EIOLGFMM`, `ImprovedOnlineGFMM` or
        `AgglomerativeGFMM`), with the same parameters and the same columns. Each may have seen
        other categories, classes and ranges: those are united. They are not changed.
    tune : (X, y) or (X, y, sample_weight), optional
        Rows that no model has learned, shuffled. The merged model learns them: of
        `HyperboxClassifier` they find the relevance of the columns and the weight of the curves
        anew. No change is looked for among them. 600 do much of it; where parts have many rows, a
        tenth of these, 5,000 in all, does more.
    in_order : bool
        Whether the parts follow each other in time, each model having learned rows that came after
        those of the one before it. Then the boxes of later models are younger, and their relevance
        counts more. Otherwise the rows of all models are taken to have come by turns. It changes
        nothing for models without ages (`EIOLGFMM` and its kin).

    Returns
    -------
    estimator
        A new one, which predicts, goes on learning and can be saved as any other. Merging merged
        models works as well, so many parts can be merged in a tree.

    Raises
    ------
    TypeError
        If a model cannot be merged.
    ValueError
        If the models differ in a parameter, a column or a fixed range; it is named.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier, merge
    >>> from boxwise.datasets import loans
    >>> rows, labels = loans(2_000, function=1)
    >>> parts = [
    ...     HyperboxClassifier(max_boxes=200).fit(rows[i : i + 500], labels[i : i + 500])
    ...     for i in range(0, 2_000, 500)
    ... ]
    >>> clf = merge(parts)
    >>> len(clf.boxes_)
    200
    >>> clf.score(rows, labels) > 0.9
    True
    """
    models = [*models]
    if not models:
        raise ValueError("there are no models to merge")
    _check_tune(tune, models[0])
    fitted: Sequence[Model] = [_checked(model, models[0]) for model in models]
    first = models[0]
    for position, model in enumerate(fitted):
        _check_columns(model.schema, fitted[0].schema, position)
    names = [f"model {position}" for position in range(len(models))]
    check_kinds(models, names, "give categorical_features to all models")
    fitted = _with_common_kinds(models, fitted)
    settings = _common_settings(models, fitted)
    merged: Learner = clone(first)
    merged._model = join(fitted, settings, in_order=in_order)
    merged._settings(merged._model.schema)  # an estimate of alpha is known by the way it was found
    merged._announced = tuple(dict.fromkeys(c for model in models for c in model._announced))
    if tune is not None and isinstance(merged, OnlineLearner):
        X, y, *weights = tune
        with tuning(merged):
            merged.partial_fit(X, y, **({"sample_weight": weights[0]} if weights else {}))
    return merged


@contextmanager
def tuning(model: OnlineLearner) -> Iterator[None]:
    """Look for no change meanwhile: rows to tune with do not come in the order of time."""
    adapt = getattr(model, "adapt", False)
    if not adapt:
        yield
        return
    model.set_params(adapt=False)
    try:
        yield
    finally:
        model.set_params(adapt=adapt)
        model._configure_to_go_on(model._model)


def check_kinds(models: Sequence[HyperboxLearner], names: Sequence[str], remedy: str) -> None:
    """Raise ValueError if a column is numeric in one model and categorical in another.

    `names` says what to call each model, and `remedy` what to do about such a column.
    """
    first: dict[str, tuple[str, Kind]] = {}
    for name, model in zip(names, models, strict=True):
        for column in model._fitted().schema.columns:
            if column.kind == "unknown":
                continue
            other, kind = first.setdefault(column.name, (name, column.kind))
            if kind != column.kind:
                raise ValueError(
                    f"column {column.name!r} is {kind} in {other} and {column.kind} in {name}; "
                    f"{remedy}"
                )


def _check_tune(tune: Any, first: Any) -> None:
    if tune is None:
        return
    if not isinstance(tune, tuple) or len(tune) not in (2, 3):
        raise TypeError(f"tune must be a pair (X, y) of rows and labels, not {show(tune)}")
    if len(tune) == 3 and not has_fit_parameter(first, "sample_weight"):
        raise TypeError(f"{type(first).__name__} knows no weights of rows; give tune as (X, y)")
    if isinstance(first, HyperboxLearner) and not isinstance(first, OnlineLearner):
        raise TypeError(
            f"{type(first).__name__} learns all rows at once and cannot go on with those of tune; "
            "leave it out"
        )


def _checked(model: Any, first: Any) -> Model:
    if not isinstance(model, HyperboxLearner):
        raise TypeError(f"only estimators of boxwise can be merged, not {show(model)}")
    if type(model) is not type(first):
        raise TypeError(
            f"a {type(first).__name__} and a {type(model).__name__} cannot be merged: all models "
            "must be of one kind"
        )
    fitted = model._fitted()
    if not isinstance(fitted.settings, EntropySettings | EvidenceSettings):
        raise TypeError(
            f"{type(model).__name__} models cannot be merged: they let boxes grow into other "
            "classes and then contract them, so there is no rule that a merged box would keep to; "
            "use HyperboxClassifier, EIOLGFMM or ImprovedOnlineGFMM"
        )
    return fitted


def _with_common_kinds(
    models: Sequence[HyperboxLearner], fitted: Sequence[Model]
) -> Sequence[Model]:
    """Return the models; a column without a value in one of them has the kind it has in others."""
    kinds: dict[str, Kind] = {}
    for model in fitted:
        kinds |= {model.schema.names[j]: model.schema.columns[j].kind for j in model.schema.known}
    same = []
    for learner, model in zip(models, fitted, strict=True):
        names = model.schema.names
        found = {j: kinds[names[j]] for j in model.schema.unknown if names[j] in kinds}
        same.append(learner._with_kinds(model, found) if found else model)
    return same


def _common_settings(
    models: Sequence[HyperboxLearner], fitted: Sequence[Model]
) -> EntropySettings | EvidenceSettings:
    """Return the settings of all models; the parameters as they are now, not as once fitted."""
    settings = [m._settings(f.schema) for m, f in zip(models, fitted, strict=True)]
    first = {**asdict(settings[0]), **_beside(models[0])}
    for model, other in zip(models, settings, strict=True):
        for name, value in {**asdict(other), **_beside(model)}.items():
            if not _same(value, first[name]):
                name = "version" if name == "mean" and hasattr(model, "version") else name
                name = _PARAMETERS.get(name, name)
                a, b = (show(getattr(m, name)) for m in (models[0], model))
                if a == b:  # alpha="estimate", which found something else in every part
                    a, b = show(first[name]), show(value)
                raise ValueError(f"the models differ in {name}: {a} and {b}")
    assert isinstance(settings[0], EntropySettings | EvidenceSettings)
    return settings[0]


def _beside(model: HyperboxLearner) -> dict[str, Any]:
    """Return the parameters that the engine does not know of."""
    weights = {"class_weight": model.class_weight} if hasattr(model, "class_weight") else {}
    kept = {}
    if isinstance(model, ExplainedLearner):
        kept["immutable"] = model._immutable(model._fitted().schema)
    return {"unlabelled": model.unlabelled, **weights, **kept}


_PARAMETERS = {
    "mean": "condition",
    "priors": "class_prior",
    "monotone": "monotonic_cst",
}  # settings that are called otherwise


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    return bool(a == b)


def _check_columns(schema: Schema, first: Schema, position: int) -> None:
    if schema.named != first.named or schema.names != first.names:
        odd = [name for name in schema.names if name not in first.names]
        odd += [name for name in first.names if name not in schema.names]
        what = f"column {odd[0]!r}" if odd else "the order of the columns"
        raise ValueError(f"models 0 and {position} differ in {what}")
