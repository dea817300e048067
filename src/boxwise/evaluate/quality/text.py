"""An assessment as text, in 80 columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import inf, isnan
from typing import TYPE_CHECKING

from boxwise.evaluate.quality.resampling import Figure

if TYPE_CHECKING:
    from boxwise.evaluate.confusion import Confusion
    from boxwise.evaluate.quality.assessment import Assessment
    from boxwise.evaluate.quality.groups import Group, GroupComparison, Key
    from boxwise.evaluate.quality.thresholds import CostReport, Decision

NAME = 16  # characters of the first column
WIDTH = 80
MOST_IN_MATRIX = 6  # classes
MOST_LINES = 20  # groups or classes
MOST_PAIRS = 10  # confusions, if there are too many classes for a matrix
SUMMARY = {"AUC": "auc", "log-loss": "log_loss", "Brier": "brier", "macro F1": "macro_f1"}
BY_CLASS = {"precision": "precision", "recall": "recall", "F1": "f1", "AUC": "auc"}
# Heading, width, whether it is of the positive class, and the figure.
OF_GROUPS_WITH_POSITIVE = (
    ("selected", 9, True, "selection_rate"),
    ("recall", 7, True, "recall"),
    ("FPR", 7, True, "false_positive_rate"),
    ("precision", 10, True, "precision"),
    ("accuracy", 9, False, "accuracy"),
    ("AUC", 7, True, "auc"),
    ("Brier", 7, False, "brier"),
)
OF_GROUPS = (
    ("accuracy", 10, False, "accuracy"),
    ("balanced", 10, False, "balanced_accuracy"),
    ("macro F1", 10, False, "macro_f1"),
    ("AUC", 7, False, "auc"),
    ("log-loss", 10, False, "log_loss"),
    ("Brier", 7, False, "brier"),
)

Lines = list[str]


def assessment_text(found: Assessment) -> str:
    """Return all of an assessment but the figures of rare groups and classes."""
    blocks = [quality_table({f"{found.rows:,} rows": found}), details_text(found)]
    blocks += [group_table(its) for its in found.groups.values()]
    blocks += [cost_table(found)]
    return "\n\n".join(block for block in blocks if block)


def quality_table(assessments: Mapping[str, Assessment]) -> str:
    """Return AUC, log-loss, Brier score and macro F1 of each learner, with intervals."""
    if not assessments:
        return ""
    first = next(iter(assessments.values()))
    width = max(NAME + 8, *(len(name) + 2 for name in assessments))
    lines = [f"{'':<{width}}" + "".join(f"{head:>14}" for head in SUMMARY)]
    for name, found in assessments.items():
        its = [found.figures[figure] for figure in SUMMARY.values()]
        lines.append(f"{name:<{width}}" + "".join(f"{number(f.value):>14}" for f in its))
        lines.append(" " * width + "".join(f"{interval(f):>14}" for f in its))
    lines.append(f"({first.level:.0%} intervals: {first.intervals})")
    lines += sample_note(first)
    return "\n".join(line.rstrip() for line in lines)


def sample_note(found: Assessment) -> Lines:
    """Say that some figures are of a sample, if they are."""
    if found.sampled == found.rows:
        return []
    return [
        f"(AUC, intervals, groups and costs: a random sample of {found.sampled:,} of "
        f"{found.rows:,} rows)"
    ]


def details_text(found: Assessment) -> str:
    """Return the figures of each class, and the confusion matrix."""
    true = class_sizes(found.confusion)
    labels = sorted(found.labels, key=lambda label: -true.get(label, 0))
    lines = [f"{'class':<{NAME}}{'rows':>8}" + "".join(f"{head:>14}" for head in BY_CLASS)]
    for label in labels[:MOST_LINES]:
        its = [found.by_class[label][figure] for figure in BY_CLASS.values()]
        cells = "".join(f"{number(f.value):>14}" for f in its)
        lines.append(f"{short(label):<{NAME}}{true.get(label, 0):>8,}{cells}")
        lines.append(" " * (NAME + 8) + "".join(f"{interval(f):>14}" for f in its))
    lines += _more(labels, "classes")
    return "\n".join(line.rstrip() for line in [*lines, "", *_confusions(found, true)])


def class_sizes(confusion: Confusion) -> dict[Hashable, int]:
    """Return how many rows are of each class."""
    sizes: dict[Hashable, int] = {}
    for (truth, _), n in confusion.counts.items():
        sizes[truth] = sizes.get(truth, 0) + n
    return sizes


def _confusions(found: Assessment, true: Mapping[Hashable, int]) -> Lines:
    counts, labels = found.confusion.counts, found.labels
    if len(labels) <= MOST_IN_MATRIX:
        longest = max(len(" ".join(str(label).split())) for label in labels)
        width = max(10, min(longest + 2, (WIDTH - NAME) // len(labels)))
        head = "".join(f"{short(label, width - 1):>{width}}" for label in labels)
        lines = [f"{'true, predicted':<{NAME}}{head}"]
        for truth in labels:
            cells = "".join(f"{counts.get((truth, k), 0):>{width},}" for k in labels)
            lines.append(f"{short(truth):<{NAME}}{cells}")
        return lines
    wrong = sorted(((n, *pair) for pair, n in counts.items() if pair[0] != pair[1]), key=_by_count)
    return ["most frequent confusions"] + [
        f"  {short(truth, 20)} predicted as {short(predicted, 20)}: {n:,} of {true[truth]:,}"
        for n, truth, predicted in wrong[:MOST_PAIRS]
    ]


def _by_count(pair: tuple[int, Hashable, Hashable]) -> tuple[int, str, str]:
    return -pair[0], str(pair[1]), str(pair[2])


def group_table(comparison: GroupComparison) -> str:
    """Return the groups of a column, and the differences between them."""
    positive = comparison.positive
    head = f"groups of {short(comparison.column, 24)}"
    if positive is not None:
        head += f" (selected: predicted as {short(positive, 20)})"
    columns = OF_GROUPS if positive is None else OF_GROUPS_WITH_POSITIVE
    lines = [head, _line("", "rows", [name for name, *_ in columns], columns)]
    for group in comparison.groups[:MOST_LINES]:
        cells = [number(_of(group, positive if own else None, key)) for *_, own, key in columns]
        name = f"{short(group.value, NAME - 3)}{' *' if group.small else ''}"
        lines.append(_line(name, f"{group.rows:,}", cells, columns))
    lines += _more(comparison.groups, "groups")
    lines += _differences(comparison, columns)
    if any(group.small for group in comparison.groups):
        lines.append("* fewer than 50 rows: not compared with other groups")
    return "\n".join(line.rstrip() for line in lines)


def _differences(
    comparison: GroupComparison, columns: Sequence[tuple[str, int, bool, str]]
) -> Lines:
    if not comparison.differences:
        return ["(no two groups are large enough to be compared)"]
    positive = comparison.positive
    keys: list[Key] = [(positive if own else None, key) for *_, own, key in columns]
    found = [comparison.differences.get(key) for key in keys]
    its = [Figure(float("nan")) if d is None else d.figure for d in found]
    lines = [
        _line("difference", "", [number(f.value) for f in its], columns),
        _line(f"  {comparison.level:.0%} from", "", [number(f.low) for f in its], columns),
        _line("  to", "", [number(f.high) for f in its], columns),
    ]
    selection = comparison.differences.get((positive, "selection_rate"))
    if positive is not None and selection is not None and not isnan(selection.ratio.value):
        ratio = selection.ratio
        between = f"{short(selection.lowest, 12)} / {short(selection.highest, 12)}"
        spread = interval(ratio)
        spread = f" ({spread})" if spread else ""
        lines.append(f"ratio of the selection rates: {number(ratio.value)}{spread}, {between}")
    return lines


def _of(group: Group, label: Hashable | None, figure: str) -> float:
    its = group.figures if label is None else group.by_class[label]
    return its[figure].value


def _line(
    name: str, rows: str, cells: Sequence[str], columns: Sequence[tuple[str, int, bool, str]]
) -> str:
    widths = [width for _, width, *_ in columns]
    shown = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"{name:<{NAME}}{rows:>7}{shown}"


def cost_table(found: Assessment) -> str:
    """Return the costs of decisions by different thresholds, or why there are none."""
    if found.cost is not None:
        return cost_text(found.cost)
    return "" if found.no_cost is None else f"no costs: {found.no_cost}"


def cost_text(cost: CostReport) -> str:
    """Return the costs of decisions by different thresholds."""
    label = short(cost.positive, 20)
    lines = [
        f"cost of errors: {cost.costs}",
        f"positive: {label}, {cost.positives:,} of {cost.rows:,} rows",
        f"{'':<32}{'threshold':>10}{'fn':>8}{'fp':>8}{'cost':>12}{'per row':>10}",
    ]
    names = {
        "best": "best",
        "0.5": "0.5",
        "calibrated": "fp/(fn+fp), if calibrated",
        "always": f"always {label}",
        "never": f"never {label}",
    }
    lines += [_decision(names[d.name], d, cost) for d in cost.decisions]
    if cost.held_out is not None:
        chosen, plain = cost.held_out
        where = "the second half" if cost.chosen_on == "the first half" else "each fold"
        lines.append(f"chosen on {cost.chosen_on}, used on {where}: {chosen:.4f} per row")
        lines.append(f"0.5 on the same rows: {plain:.4f} per row")
    return "\n".join(lines)


def _decision(name: str, decision: Decision, cost: CostReport) -> str:
    fixed = decision.name in ("always", "never")
    t = "" if fixed else "-" if decision.threshold == inf else f"{decision.threshold:.4g}"
    return (
        f"{name:<32}{t:>10}{decision.false_negatives:>8,}{decision.false_positives:>8,}"
        f"{decision.cost:>12,.6g}{decision.cost / cost.rows:>10.4f}"
    )


def number(value: float) -> str:
    """Return a figure with three decimals, or a dash where there is none."""
    return "-" if isnan(value) else f"{value:.3f}"


def interval(figure: Figure) -> str:
    """Return the interval of a figure; nothing where there is none."""
    if isnan(figure.low):
        return ""
    return f"{figure.low:.3f}–{figure.high:.3f}"


def short(name: object, most: int = NAME - 1) -> str:
    """Return a name on one line, cut if it is long."""
    text = " ".join(str(name).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _more(items: Sequence[object], what: str) -> Lines:
    left = len(items) - MOST_LINES
    return [f"... and {left:,} more {what}"] if left > 0 else []
