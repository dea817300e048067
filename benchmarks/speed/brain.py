"""Against hyperbox-brain's EIOL-GFMM: the same rows of the loan stream, learned and predicted.

Both make the same boxes and predict the same classes, and the share of equal predictions is kept.
Theirs grows with the square of the rows, so it is not repeated where it is slow.
"""

from __future__ import annotations

import numpy as np

from benchmarks.report import scaled_table, seconds
from benchmarks.speed.record import Record
from boxwise import EIOLGFMM

CASES = (  # rows, theta = delta, times
    (1_000, 0.1, 3),
    (1_000, 0.5, 3),
    (2_000, 0.1, 2),
    (2_000, 0.5, 2),
    (4_000, 0.1, 1),
    (4_000, 0.5, 1),
    (8_000, 0.1, 1),
    (8_000, 0.5, 1),
)
PREDICTED = 1_000


def run(record: Record) -> None:
    for rows, size, times in record.profile.pick(CASES, ((500, 0.1, 1), (1_000, 0.5, 1))):
        compare(record, rows, size, times)


def compare(record: Record, rows: int, size: float, times: int) -> None:
    from hbbrain.mixed_data.eiol_gfmm import ExtendedImprovedOnlineGFMM

    X, y, categorical = scaled_table(rows + PREDICTED)
    alpha = 1 - len(categorical) / X.shape[1]
    unseen, X, y = X[rows:], X[:rows], y[:rows]
    ours = EIOLGFMM(size, size, categorical_features=categorical, feature_range=(0, 1))
    learn = []
    for _ in range(times):  # taking turns; ours more often, for it is easily disturbed
        theirs = ExtendedImprovedOnlineGFMM(size, 1, size, alpha)  # anew: its fit goes on
        learn.append((seconds(theirs.fit, X, y, categorical), seconds(ours.fit, X, y, repeat=5)))
    predict = seconds(theirs.predict, unseen), seconds(ours.predict, unseen, repeat=5)
    slow, fast = (min(column) for column in zip(*learn, strict=True))
    record.add(
        rows=rows,
        size=size,
        boxes=len(ours.boxes_),
        boxes_theirs=len(theirs.V),
        **ratios((slow, fast), predict, PREDICTED),
        same=float(np.mean(theirs.predict(unseen) == ours.predict(unseen))),
    )


def ratios(
    learn: tuple[float, float], predict: tuple[float, float], predicted: int
) -> dict[str, float]:
    """Return the seconds of theirs and ours, those to predict by the row, and their ratios."""
    found = {}
    for what, (slow, fast), rows in (("learn", learn, 1), ("predict", predict, predicted)):
        found |= {
            f"{what}_theirs": slow / rows,
            f"{what}_ours": fast / rows,
            f"{what}_ratio": slow / fast,
        }
    return found
