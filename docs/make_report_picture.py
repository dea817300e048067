"""Draws _static/report.png, the top of a report in a browser.

python docs/make_report_picture.py        (with the extras cli and plot, and chromium)
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.report import write_report

PICTURE = Path(__file__).parent / "_static" / "report.png"

X, y = LoanStream(2_000, function=7, noise=0.05, seed=1).table()
X_new, y_new = LoanStream(1_000, function=7, noise=0.05, seed=2).table()
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder, "loans.html")
    write_report(HyperboxClassifier().fit(X, y), page, X_new, y_new, name="loans.box")
    browser = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars"]
    size = ["--window-size=1100,1150", f"--user-data-dir={folder}/profile"]
    subprocess.run([*browser, *size, f"--screenshot={PICTURE}", page.as_uri()], check=True)
