"""Draws the picture of tutorials/japanese_credit.md: python docs/make_credit_picture.py

Needs the data set, see datasets.md. The model and the applicant are those of the page.
"""

from __future__ import annotations

import numpy as np
from make_model_pictures import save

from boxwise import HyperboxClassifier
from boxwise.datasets import load
from boxwise.plot import plot_box

ROWS = 500
APPLICANT = 617
COLUMNS = ("A9", "A10", "A8", "A15", "A3", "A14", "A4", "A5", "A6")


def main() -> None:
    """Write credit_box.png."""
    data = load("japanese_credit")
    order = np.random.default_rng(0).permutation(len(data.y))
    rows = [data.X[i] for i in order]
    decisions = np.where(data.y == "+", "granted", "refused")[order]
    past, known = rows[:ROWS], decisions[:ROWS]
    clf = HyperboxClassifier().partial_fit(past, known)
    carried = clf.responsibilities(rows[APPLICANT : APPLICANT + 1])[0]
    most = int(carried.argmax())
    print(clf.boxes_, f"box {most} carried {carried[most]:.0%}")
    save(plot_box(clf, most, COLUMNS, X=past, labels=known, row=rows[APPLICANT]), "credit_box.png")


if __name__ == "__main__":
    main()
