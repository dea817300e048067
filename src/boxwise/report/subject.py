"""The subject of a report: a fitted estimator and, if given, labelled rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boxwise.core import Model
from boxwise.evaluate import Assessment
from boxwise.inputs import columns_by_position
from boxwise.plot.view import View
from boxwise.report.rows import LabelledRows
from boxwise.rules import RuleSet


@dataclass(frozen=True)
class Subject:
    """The model, its rows and its rules.

    Attributes
    ----------
    clf : estimator
        The fitted estimator.
    view : View
        Its boxes, column by column.
    model : Model
        The model itself.
    name : str
        What the page calls it.
    rows : LabelledRows or None
        The rows to measure it on.
    first_row : int
        The number of the first row, by which rows are called.
    assessment : Assessment or None
        Its quality on the rows.
    rules, no_rules
        The rules, measured if there are rows; or why there are none.
    """

    clf: Any
    view: View
    model: Model
    name: str
    rows: LabelledRows | None
    first_row: int
    rules: RuleSet | None
    no_rules: str | None
    assessment: Assessment | None = None


def subject(
    clf: Any,
    X: Any,
    y: Any,
    upper: Any,
    *,
    name: str | None,
    first_row: int,
    max_rows: int,
    quality: Mapping[str, Any],
) -> Subject:
    """Read what the page is about; `quality` are the groups, costs and positive class."""
    view = View(clf)  # it refuses what is no fitted estimator of boxes
    if (X is None) != (y is None):
        raise ValueError("a report measures rows with labels: give both X and y, or none")
    if max_rows < 1:
        raise ValueError(f"max_rows must be at least 1, not {max_rows}")
    if X is None and any(value is not None and value != {} for value in quality.values()):
        raise ValueError("groups, cost and positive need labelled rows: give X and y")
    model: Model = clf._fitted()
    rows = None
    if X is not None:
        rows = LabelledRows(model, X, y, upper, clf.unlabelled, max_rows)
    rules, no_rules = _rules(clf, rows)
    shown = type(clf).__name__ if name is None else name
    assessment = None if rows is None else rows.assess(**quality)
    return Subject(clf, view, model, shown, rows, first_row, rules, no_rules, assessment)


def _rules(clf: Any, rows: LabelledRows | None) -> tuple[RuleSet | None, str | None]:
    try:
        rules: RuleSet = clf.rules()
    except ValueError as error:
        return None, str(error)
    if rows is None:
        return rules, None
    with columns_by_position():
        return rules.measure(rows.table(), rows.labels, rows.upper()), None
