"""Models, changes, curves and rules as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boxwise.learners.base.parameters import parameters_to_json
from boxwise.schema import Schema
from boxwise.service.live import LiveModel, finite
from boxwise.service.problems import Problem, refused
from boxwise.service.spelling import as_known

if TYPE_CHECKING:
    from boxwise.service.served import Served, Shadow

MOST_VALUES = 200  # of a categorical column that are listed


def model_description(served: Served) -> dict[str, Any]:
    """Return what ``GET /v1/model`` says."""
    live = served.live
    estimator = live.estimator
    return {
        "name": served.name,
        "version": served.version,
        "rows": live.rows,
        "position": served.position,
        "boxes": live.model.n_boxes,
        "max_boxes": getattr(estimator, "max_boxes", None),
        "classes": _plain(estimator.classes_),
        "columns": _columns(live),
        "learner": type(estimator).__name__,
        "parameters": parameters_to_json(estimator.get_params()),
        "created": served.created,
        "checkpoint": {"position": served.checkpoint.position, "at": served.checkpoint.at},
        "shadow": None if served.shadow is None else _shadow(served, served.shadow),
        "store": served.store.kind,
        "trouble": served.trouble,
    }


def _shadow(served: Served, shadow: Shadow) -> dict[str, Any]:
    scores, ours = shadow.scores.summary(), served.scores.summary()
    names = ("accuracy", "cba", "log_loss")
    return {
        "created": shadow.created,
        "rows": shadow.live.rows,
        "boxes": shadow.live.model.n_boxes,
        "learner": type(shadow.live.estimator).__name__,
        "parameters": parameters_to_json(shadow.live.estimator.get_params()),
        **{name: scores[name] for name in names},
        "model": {name: ours[name] for name in names},
        "failed": shadow.failed,
    }


def _columns(live: LiveModel) -> list[dict[str, Any]]:
    schema: Schema = live.model.described_schema()
    relevance: list[float | None] = [None] * schema.n_features
    if live.decides_by_evidence:
        relevance = [finite(x) for x in live.estimator.relevance_.tolist()]
    relevance += [None] * (schema.n_features - len(relevance))
    described = []
    for column, relevant in zip(schema.columns, relevance, strict=False):
        item: dict[str, Any] = {"name": column.name, "kind": column.kind, "relevance": relevant}
        if column.vocabulary is not None:
            item["values"] = column.vocabulary.values[:MOST_VALUES]
        elif column.kind == "numeric":
            ends = [finite(x) for x in column.range or ()]
            item["range"] = ends if ends and None not in ends else None
        described.append(item)
    return described


def change_items(served: Served) -> list[dict[str, Any]]:
    """Return the alarms and what became of them, the oldest first."""
    return [
        {
            "row": one.row,
            "event": one.event,
            "before": finite(one.before),
            "after": finite(one.after),
            "boxes": one.boxes,
            "columns": [[name, finite(factor)] for name, factor in one.columns],
            "text": str(one),
            "at": served.changed_at.get((one.row, one.event)),
        }
        for one in getattr(served.live.estimator, "changes_", ())
    ]


def curve_items(live: LiveModel) -> list[dict[str, Any]]:
    """Return the curves of the columns; none of a model that has none."""
    if not getattr(live.estimator, "additive", False) or not live.model.classes:
        return []
    names = ("classes", "values", "contributions", "lately", "rows")
    return [
        {
            "column": curve.column,
            "kind": curve.kind,
            **{name: _plain(getattr(curve, name)) for name in names},
            "missing": _curve_point(curve.missing),
            "others": None if curve.others is None else _curve_point(curve.others),
            "n_others": curve.n_others,
            "importance": finite(curve.importance),
        }
        for curve in live.estimator.curves()
    ]


def _curve_point(point: Any) -> dict[str, Any]:
    return {
        "contributions": _plain(point.contributions),
        "lately": _plain(point.lately),
        "rows": finite(point.rows),
    }


def rule_items(live: LiveModel, limit: int) -> list[dict[str, Any]]:
    """Return the rules of the boxes with the most rows."""
    if not live.model.classes:
        return []
    return [
        {
            "label": rule.label,
            "rows": finite(rule.rows),
            "conditions": [str(condition) for condition in rule.conditions],
            "text": rule.in_words(),
        }
        for rule in live.estimator.rules().sort("rows")[:limit]
    ]


def explanations(live: LiveModel, rows: list[Any], *, counterfactual: bool) -> list[dict[str, Any]]:
    """Return why the model decides on rows as it does."""
    if not live.explains or not live.model.classes:
        why = "it has learned no class yet" if live.explains else "show its boxes with /v1/rules"
        raise Problem(
            409, f"decisions of this {type(live.estimator).__name__} cannot be explained: {why}"
        )
    rows = as_known(rows, live.model.schema)
    try:
        found = live.estimator.explain(rows, counterfactual=counterfactual)
    except (ValueError, TypeError, OverflowError) as error:
        raise refused(error) from None
    return [{"text": str(why), "explanation": why.to_dict()} for why in found]


def _plain(values: Any) -> list[Any]:
    found: list[Any] = values.tolist() if isinstance(values, np.ndarray) else [*values]
    return found
