"""The confusion matrix, and its worst cells in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from boxwise.explain.text import class_text
from boxwise.report.markup import (
    Column,
    Section,
    bullets,
    paragraph,
    share_text,
    short,
    table,
    text,
)
from boxwise.report.subject import Subject

MOST_CLASSES = 20
MOST_PAIRS = 5


def confusions(subject: Subject) -> Section:
    """Return the section."""
    title = "Confusions"
    if subject.rows is None:
        none = "The confusions need labelled rows, and none were given."
        return Section("confusions", title, paragraph(none))
    counts = subject.rows.confusion.counts
    true: Counter[Hashable] = Counter()
    seen: Counter[Hashable] = Counter()
    for (truth, predicted), n in counts.items():
        true[truth] += n
        seen.update({truth: n, predicted: n})
    worst = bullets(pairs_text(counts, true, MOST_PAIRS))
    if not any(truth != predicted for truth, predicted in counts):
        worst = paragraph("Nothing: all of these rows are predicted correctly.")
    return Section("confusions", title, worst + _matrix(subject, counts, true, seen))


def pairs_text(
    counts: dict[tuple[Hashable, Hashable], int], true: Counter[Hashable], most: int
) -> list[str]:
    """Return the most frequent confusions as sentences."""
    wrong = [(n, *pair) for pair, n in counts.items() if pair[0] != pair[1]]
    wrong.sort(key=lambda pair: (-pair[0], str(pair[1]), str(pair[2])))
    return [
        f"<strong>{text(class_text(truth))}</strong> predicted as "
        f"<strong>{text(class_text(predicted))}</strong>: {n:,} of {true[truth]:,} rows "
        f"({share_text(n / true[truth])})"
        for n, truth, predicted in wrong[:most]
    ]


def _matrix(
    subject: Subject,
    counts: dict[tuple[Hashable, Hashable], int],
    true: Counter[Hashable],
    seen: Counter[Hashable],
) -> str:
    order: dict[Hashable, int] = {label: i for i, label in enumerate(subject.clf.classes_.tolist())}
    kept = {label for label, _ in seen.most_common(MOST_CLASSES)}
    labels = sorted(kept, key=lambda label: (order.get(label, len(order)), str(label)))
    lines = []
    for truth in labels:
        cells = [_cell(counts.get((truth, k), 0), true[truth], truth == k) for k in labels]
        lines.append([short(truth, 24), *cells, f"{true[truth]:,}"])
    head = [Column(short(k, 24), "number") for k in labels]
    left_out = len(seen) - len(labels)
    more = f", the {len(labels)} most frequent classes of {len(seen)}" if left_out else ""
    legend = paragraph(
        f"Rows of the table are true classes, columns predicted ones{more}. A deeper colour "
        "is a larger share of the row; blue is correct."
    )
    return legend + table(
        "True and predicted classes",
        [Column("true class"), *head, Column("all", "number")],
        lines,
        "heat",
    )


def _cell(n: int, whole: int, right: bool) -> str:
    share = n / whole if whole else 0.0
    kind = "right" if right else "wrong"
    words = f"{n:,}" if n else "·"
    title = f' title="{share_text(share)}"' if n else ""
    return f'<td class="number {kind}" style="--share:{share:.3f}"{title}>{words}</td>'
