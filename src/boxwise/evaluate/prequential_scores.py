"""The scores and costs of a learner at one point of a stream."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import nan

from boxwise.evaluate.confusion import Confusion


@dataclass(frozen=True)
class Scores:
    """Scores of the same predictions; nan where there are none to score.

    Attributes
    ----------
    accuracy, cba, kappa, balanced_accuracy, macro_f1 : float
        As `Confusion` defines them.
    auc, log_loss, brier : float
        Macro AUC, log-loss and Brier score; nan unless probabilities were asked for. AUC is
        computed of all rows, at the end of a run.
    """

    accuracy: float
    cba: float
    kappa: float
    balanced_accuracy: float
    macro_f1: float = nan
    auc: float = nan
    log_loss: float = nan
    brier: float = nan

    @classmethod
    def of(cls, confusion: Confusion) -> Scores:
        """Return the scores of what was counted."""
        return cls(
            confusion.accuracy,
            confusion.cba,
            confusion.kappa,
            confusion.balanced_accuracy,
            confusion.macro_f1,
        )


@dataclass(frozen=True)
class Point:
    """The scores and costs of a learner at one point of a stream.

    Attributes
    ----------
    learner : str
        Its name.
    rows : int
        The rows of the stream so far: those scored, those not predicted and those without a label.
    scored : int
        The rows whose prediction was compared with the label.
    unpredicted : int
        The rows for which the learner had no prediction, because it had learned nothing yet.
    unlabelled : int
        The rows without a label.
    overall, recent : Scores
        The scores over all rows scored, and over the last of them: as many as the window holds.
    boxes : int or None
        How many boxes the model has, if it is made of boxes.
    memory : int or None
        The bytes of the model. Of a River model it is measured at the end of a run only.
    seconds : float
        The time spent in the learner, predicting and learning.
    rows_per_second : float
        The rows handed to the learner, by these seconds.
    """

    learner: str
    rows: int
    scored: int
    unpredicted: int
    unlabelled: int
    overall: Scores
    recent: Scores
    boxes: int | None
    memory: int | None
    seconds: float
    rows_per_second: float

    def to_row(self) -> dict[str, object]:
        """Return it as one flat row of a table."""
        row = asdict(self)
        scores = row.pop("overall")
        recent = {f"recent_{name}": value for name, value in row.pop("recent").items()}
        del recent["recent_auc"]  # never computed
        costs = {name: row.pop(name) for name in ("boxes", "memory", "seconds", "rows_per_second")}
        return {**row, **scores, **recent, **costs}
