"""Draws the pictures of the gallery, with the code of its pages.

python docs/make_gallery_pictures.py        (with the extras plot, shap and river)
"""

import re
from doctest import DocTestParser
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import shap

DOCS = Path(__file__).parent


def names_of(page: str) -> dict:
    """Run the examples of a page; return what they define."""
    text = (DOCS / "gallery" / page).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    names: dict = {}
    for example in DocTestParser().get_examples(code):
        exec(example.source, names)
    return names


drift = names_of("drift.md")["result"].plot(marks={3000: "another rule"})
drift.figure.savefig(DOCS / "_static" / "gallery_drift.png", dpi=110)
plt.close("all")

found = names_of("pipeline.md")["found"]
shap.plots.beeswarm(found.to_shap()[:, :, 0], show=False, plot_size=(8, 3.4))
plt.savefig(DOCS / "_static" / "gallery_beeswarm.png", dpi=110, bbox_inches="tight")
