"""The cost of decisions by different thresholds."""

from __future__ import annotations

from math import inf

from boxwise.evaluate import CostReport
from boxwise.report.markup import Column, Section, paragraph, short, table, text
from boxwise.report.subject import Subject

TITLE = "Thresholds and costs"


def costs(subject: Subject) -> Section | None:
    """Return the section; none if no costs were given."""
    found = subject.assessment
    if found is None or (found.cost is None and found.no_cost is None):
        return None
    if found.cost is None:
        return Section("costs", TITLE, paragraph(f"No costs: {text(found.no_cost)}."))
    return Section("costs", TITLE, _content(found.cost))


def _content(cost: CostReport) -> str:
    label = short(cost.positive)
    names = {
        "best": "<strong>cheapest</strong>",
        "0.5": "0.5",
        "calibrated": "cheapest if the probabilities are calibrated",
        "always": f"always {label}",
        "never": f"never {label}",
    }
    lines = []
    for decision in cost.decisions:
        fixed = decision.name in ("always", "never") or decision.threshold == inf
        threshold = "–" if fixed else f"{decision.threshold:.4g}"
        lines.append(
            [
                names[decision.name],
                threshold,
                f"{decision.false_negatives:,}",
                f"{decision.false_positives:,}",
                f"{decision.cost:,.6g}",
                f"{decision.cost / cost.rows:.4f}",
            ]
        )
    head = [
        Column("decision"),
        Column("threshold", "number"),
        Column("missed", "number"),
        Column("false alarms", "number"),
        Column("cost", "number"),
        Column("per row", "number"),
    ]
    strong = f"<strong>{label}</strong>"
    summary = paragraph(
        f"A row of {strong} that is missed costs {cost.costs.fn:g}, another row predicted as "
        f"{strong} (a false alarm) costs {cost.costs.fp:g}. {cost.positives:,} of {cost.rows:,} "
        f"rows are of {strong}. A row is predicted as {strong} if its probability is at least the "
        "threshold."
    )
    return summary + table("Cost of errors", head, lines, "stack") + _held_out(cost)


def _held_out(cost: CostReport) -> str:
    if cost.held_out is None:
        return ""
    chosen, plain = cost.held_out
    return paragraph(
        "The cheapest threshold was chosen on these very rows. Chosen on the first half of them "
        f"and used on the second half, it costs {chosen:.4f} per row; 0.5 costs {plain:.4f} there."
    )
