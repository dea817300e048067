"""From a fitted estimator to a page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from boxwise.atomic_files import check_writable, writing_text
from boxwise.progress import follow
from boxwise.report.page import page
from boxwise.report.relevance import Shuffled, shuffled
from boxwise.report.sections.changes import changes
from boxwise.report.sections.confusions import confusions
from boxwise.report.sections.costs import costs as costs_section
from boxwise.report.sections.curves import curves
from boxwise.report.sections.decisions import decisions
from boxwise.report.sections.groups import groups as groups_section
from boxwise.report.sections.learned import learned
from boxwise.report.sections.quality import quality
from boxwise.report.sections.relevance import relevance
from boxwise.report.sections.rules import rules_section, short_rules
from boxwise.report.sections.strongest import strongest
from boxwise.report.sections.summary import summary
from boxwise.report.subject import Subject, subject

MAX_ROWS = 20_000


def report_html(
    clf: Any,
    X: Any = None,
    y: Any = None,
    upper: Any = None,
    *,
    name: str | None = None,
    first_row: int = 0,
    max_rows: int = MAX_ROWS,
    groups: Mapping[str, Any] | None = None,
    cost: Any = None,
    positive: Any = None,
    progress: bool | None = None,
) -> str:
    """Return a page on a model: what it learned, how good it is, and why it decides.

    The page is one piece of HTML that loads nothing, neither when it is opened nor later. Without
    rows it shows what the model itself knows, and says what is missing. Pictures are in it if
    matplotlib is installed.

    Parameters
    ----------
    clf : estimator
        A fitted one of boxwise.
    X, y : table and labels, optional
        Rows to measure the model on, best ones that it has not learned.
    upper : table, optional
        As in `fit`.
    name : str, optional
        The title of the page; the name of the estimator's class by default.
    first_row : int, default=0
        The number by which the page calls the first row.
    max_rows : int, default=20000
        Of more rows, so many are drawn at random, always the same.
    groups : mapping of str to array-like, optional
        Columns with a value for each row, which divide the rows into groups to compare.
    cost : mapping, str or Costs, optional
        The costs of errors, such as ``"fn=5,fp=1"``: the threshold that costs least is shown.
    positive : label, optional
        The positive class, of which groups and costs speak; of two classes the second in order by
        default.
    progress : bool or None, default=None
        True shows bars, False none; None shows them on a terminal.

    Returns
    -------
    str

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.report import report_html
    >>> rows = [{"age": 23, "job": "cook"}, {"age": 25, "job": "cook"}, {"age": 47, "job": "smith"}]
    >>> clf = HyperboxClassifier().fit(rows, ["no", "no", "yes"])
    >>> html = report_html(clf, rows, ["no", "no", "yes"], name="Staff")
    >>> "<title>Staff</title>" in html and "http://" not in html.replace("http://www.w3.org", "")
    True
    """
    about = subject(
        clf,
        X,
        y,
        upper,
        name=name,
        first_row=first_row,
        max_rows=max_rows,
        quality={"groups": groups, "cost": cost, "positive": positive},
    )
    found = _shuffled(about, progress)
    few = short_rules(about, progress)
    sections = [
        learned(about),
        changes(about),
        quality(about),
        confusions(about),
        groups_section(about),
        costs_section(about),
        relevance(about, found),
        curves(about),
        rules_section(about, few),
        strongest(about),
        decisions(about),
    ]
    shown = [section for section in sections if section is not None]
    html = page(about.name, summary(about, found), shown)
    # Half of a surrogate pair is no text in any file; its escape is one, also within the JSON.
    return html.encode(errors="backslashreplace").decode()


def write_report(
    clf: Any, path: str | os.PathLike[str], X: Any = None, y: Any = None, **options: Any
) -> None:
    """Write a page on a model to a file, which appears, or is replaced, when it is complete.

    A pipe or a device is written into; a link stays, and the file it points to is replaced.

    Parameters
    ----------
    clf, X, y
        As in `report_html`.
    path : path
        The file.
    **options
        The other parameters of `report_html`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.report import write_report
    >>> clf = HyperboxClassifier().fit([{"age": 23}, {"age": 47}], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "report.html")
    ...     write_report(clf, path)
    ...     path.stat().st_size < 1_000_000
    True
    """
    check_writable(path)
    html = report_html(clf, X, y, **options)
    with writing_text(path) as out:
        out.write(html)


def _shuffled(about: Subject, progress: bool | None) -> Shuffled | None:
    if about.rows is None:
        return None
    columns = len(about.model.schema.known)
    with follow(progress, columns, "shuffling", "columns") as tell:
        return shuffled(about.rows, tell)
