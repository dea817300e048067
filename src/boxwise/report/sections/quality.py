"""The scores of the model on the rows given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from boxwise.core.words import counted
from boxwise.evaluate import Assessment, Reliability, reliability
from boxwise.explain import FEW_ROWS, by_evidence, rows_learned
from boxwise.report.markup import (
    Column,
    Section,
    bar,
    figure_text,
    paragraph,
    share_text,
    short,
    table,
    text,
    with_interval,
)
from boxwise.report.rows import LabelledRows
from boxwise.report.subject import Subject

BINS = 10


def quality(subject: Subject) -> Section:
    """Return the section."""
    rows, assessment = subject.rows, subject.assessment
    if rows is None or assessment is None:
        summary = paragraph(
            "No rows were given, so the quality of the model is unknown. Use labelled rows, "
            "preferably rows that the model has not learned: <code>--data</code> and "
            "<code>--label</code> on the command line, <code>X</code> and <code>y</code> in Python."
        )
        return Section("quality", "Quality", summary)
    parts = [_which_rows(rows), _caution(subject, rows), _scores(assessment), _by_class(assessment)]
    parts += [_calibration(subject, rows), _few_rows(subject, rows)]
    return Section("quality", "Quality", "".join(parts))


def _which_rows(rows: LabelledRows) -> str:
    used, labelled = len(rows), rows.given - rows.unlabelled
    parts = [f"Measured on {counted(used, 'row', 'rows')}"]
    if used < labelled:
        parts[0] += f", drawn at random from {labelled:,}"
    parts[0] += "."
    if rows.unlabelled:
        left = counted(rows.unlabelled, "row", "rows")
        verb = "was" if rows.unlabelled == 1 else "were"
        parts.append(f"{left} without a label {verb} skipped.")
    if rows.new_classes:
        names = ", ".join(short(label) for label in rows.new_classes[:5])
        more = ", …" if len(rows.new_classes) > 5 else ""
        parts.append(
            f"Rows of classes that the model has not learned ({names}{more}) count as wrong."
        )
    return paragraph(*parts)


def _caution(subject: Subject, rows: LabelledRows) -> str:
    learned = rows_learned(subject.model)
    same = (
        f" The model has learned {counted(learned, 'row', 'rows')}, as many as were given: "
        "they may be the same."
        if rows.given == learned
        else ""
    )
    return paragraph(
        "<strong>Caution:</strong> if the model has learned these rows, all scores on this page "
        f"are better than on new rows.{same}",
        kind="caution",
    )


def _scores(found: Assessment) -> str:
    meanings = {
        "cba": ("Class balanced accuracy (CBA)",
                "every class has the same weight; misses and false alarms both lower it"),
        "accuracy": ("Accuracy", "the share of correct predictions"),
        "balanced_accuracy": ("Balanced accuracy", "the mean recall of the classes"),
        "macro_f1": ("Macro F1", "the mean over the classes of F1"),
        "auc": ("AUC", "how well probabilities rank each class above the others; 0.5 is chance"),
        "log_loss": ("Log-loss", "penalises wrong certainty; 0 is best"),
        "brier": ("Brier score", "the squared error of the probabilities; 0 is best"),
    }  # fmt: skip
    lines = []
    for name, (title, meaning) in meanings.items():
        figure = found.figures[name]
        lines.append([title, with_interval(figure), meaning])
    head = [Column("score"), Column("", "number"), Column("meaning", "words")]
    return table("Scores", head, lines) + paragraph(
        "Below each score is its 95% interval, from a bootstrap over the rows.", kind="soft"
    )


def _by_class(found: Assessment) -> str:
    true: Counter[Hashable] = Counter()
    predicted: Counter[Hashable] = Counter()
    for (truth, prediction), n in found.confusion.counts.items():
        true[truth] += n
        predicted[prediction] += n
    lines = []
    for label in sorted(true.keys() | predicted.keys(), key=lambda k: (-true.get(k, 0), str(k))):
        n, m = true[label], predicted[label]
        right = found.confusion.counts.get((label, label), 0)
        f1, auc = (figure_text(found.by_class[label][name].value) for name in ("f1", "auc"))
        shares = _share(right, n), _share(right, m)
        lines.append([short(label), f"{n:,}", f"{m:,}", *shares, f1, auc])
    head = [
        Column("class"),
        Column("rows", "number"),
        Column("predicted", "number"),
        Column("recall", "bars"),
        Column("precision", "bars"),
        Column("F1", "number"),
        Column("AUC", "number"),
    ]
    return table("By class", head, lines, "stack")


def _share(part: int, whole: int) -> str:
    return bar(part / whole, share_text(part / whole)) if whole else "–"


def _calibration(subject: Subject, rows: LabelledRows) -> str:
    found = reliability(rows.labels, rows.probabilities, subject.model.classes, n_bins=BINS)
    if by_evidence(subject.model):
        verdict = (
            "The probabilities are well calibrated"
            if found.error < 0.05
            else "The probabilities are poorly calibrated"
        )
    else:
        verdict = "These are shares of memberships, not probabilities"
    sure, right = (_mean(found, values) for values in (found.confidence, found.accuracy))
    summary = paragraph(
        f"<strong>Calibration.</strong> {verdict}: confidence and accuracy differ by "
        f"{100 * found.error:.1f} points on average (expected calibration error "
        f"{found.error:.3f}). The mean confidence is {share_text(sure)}, the accuracy "
        f"{share_text(right)}."
    )
    return summary + _bins(found)


def _few_rows(subject: Subject, rows: LabelledRows) -> str:
    """Say how many rows are like few that were learned, and how many of them are right."""
    if not by_evidence(subject.model):
        return ""
    few = subject.model.supports(rows.known) < FEW_ROWS
    right = rows.predicted == rows.codes
    n = int(few.sum())
    many = counted(n, "row has", "rows have") if n else "No row has"
    summary = f"<strong>Few rows like this.</strong> {many} a "
    summary += f"support of less than {FEW_ROWS} learned rows"
    shares = [share_text(float(right[some].mean())) for some in (few, ~few) if some.any()]
    if n and len(shares) == 2:
        summary += f"; {shares[0]} of them are predicted correctly, {shares[1]} of the others"
    return paragraph(f"{summary}.")


def _mean(found: Reliability, values: NDArray[np.float64]) -> float:
    return float(np.average(np.nan_to_num(values), weights=found.count))


def _bins(found: Reliability) -> str:
    lines = []
    for k in np.flatnonzero(found.count).tolist():
        low, high = found.edges[k], found.edges[k + 1]
        confidence, right = float(found.confidence[k]), float(found.accuracy[k])
        lines.append(
            [
                text(f"{low:.0%} to {high:.0%}"),
                f"{found.count[k]:,}",
                bar(confidence, share_text(confidence), "soft"),
                bar(right, share_text(right)),
            ]
        )
    head = [
        Column("confidence"),
        Column("rows", "number"),
        Column("mean confidence", "bars"),
        Column("accuracy", "bars"),
    ]
    return table("Confidence and accuracy", head, lines)
