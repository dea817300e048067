"""Draws _static/stream.png: three learners on a stream whose rule changes halfway.

python docs/make_stream_picture.py        (with the extras plot and river)
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.evaluate import prequential
from boxwise.evaluate.peers import peer

ROWS = 20_000
learners = {
    "boxwise": HyperboxClassifier(),
    "hoeffding-tree": peer("hoeffding-tree"),
    "adaptive-hoeffding-tree": peer("adaptive-hoeffding-tree"),
}
stream = LoanStream(ROWS, function=7, noise=0.05, drift_at=ROWS // 2, drift_to=3)
run = prequential(learners, stream, every=250)
ax = run.plot(marks={ROWS // 2: "the rule changes"})
ax.figure.savefig(Path(__file__).parent / "_static" / "stream.png", dpi=120)
