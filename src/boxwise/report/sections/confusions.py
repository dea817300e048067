"""What the model confuses: a table of what was taken for what, and the worst of it in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from boxwise.explain.in_words import class_in_words
from boxwise.report.markup import (
    Column,
    Section,
    bullets,
    paragraph,
    share_in_words,
    short,
    table,
    text,
)
from boxwise.report.subject import Subject

MOST_CLASSES = 20
MOST_PAIRS = 5


def confusions(subject: Subject) -> Section:
    """Return the section."""
    title = "What it confuses"
    if subject.rows is None:
        none = "The confusions need labelled rows, and none were given."
        return Section("confusions", title, paragraph(none))
    counts = subject.rows.confusion.counts
    true: Counter[Hashable] = Counter()
    seen: Counter[Hashable] = Counter()
    for (truth, said), n in counts.items():
        true[truth] += n
        seen.update({truth: n, said: n})
    worst = bullets(pairs_in_words(counts, true, MOST_PAIRS))
    if not any(truth != said for truth, said in counts):
        worst = paragraph("Nothing: all of these rows are predicted correctly.")
    return Section("confusions", title, worst + _matrix(subject, counts, true, seen))


def pairs_in_words(
    counts: dict[tuple[Hashable, Hashable], int], true: Counter[Hashable], most: int
) -> list[str]:
    """Return the most frequent confusions as sentences."""
    wrong = [(n, truth, said) for (truth, said), n in counts.items() if truth != said]
    wrong.sort(key=lambda pair: (-pair[0], str(pair[1]), str(pair[2])))
    return [
        f"<strong>{text(class_in_words(truth))}</strong> predicted as "
        f"<strong>{text(class_in_words(said))}</strong>: {n:,} of {true[truth]:,} rows "
        f"({share_in_words(n / true[truth])})"
        for n, truth, said in wrong[:most]
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
        cells = [_cell(counts.get((truth, said), 0), true[truth], truth == said) for said in labels]
        lines.append([short(truth, 24), *cells, f"{true[truth]:,}"])
    head = [Column(short(said, 24), "number") for said in labels]
    left_out = len(seen) - len(labels)
    more = f", the {len(labels)} most frequent classes of {len(seen)}" if left_out else ""
    said = paragraph(
        f"Rows of the table are true classes, columns predicted ones{more}. A deeper colour "
        "is a larger share of the row; blue is correct."
    )
    return said + table(
        "True and predicted classes",
        [Column("true class"), *head, Column("all", "number")],
        lines,
        "heat",
    )


def _cell(n: int, whole: int, right: bool) -> str:
    share = n / whole if whole else 0.0
    kind = "right" if right else "wrong"
    words = f"{n:,}" if n else "·"
    told = f' title="{share_in_words(share)}"' if n else ""
    return f'<td class="number {kind}" style="--share:{share:.3f}"{told}>{words}</td>'
