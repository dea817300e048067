"""Writes gallery/*.ipynb: the pages of the gallery as Jupyter notebooks, with their outputs.

python docs/make_notebooks.py
"""

import json
import re
from doctest import DocTestParser
from pathlib import Path

GALLERY = Path(__file__).parent / "gallery"
BLOCK = re.compile(r"^```python\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)


def notebook(page: str) -> str:
    """Return the notebook of a page, as JSON."""
    cells = []
    end = 0
    for block in BLOCK.finditer(page):
        cells += [*text_cell(page[end : block.start()]), *code_cells(block[1])]
        end = block.end()
    cells += text_cell(page[end:])
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def text_cell(text: str) -> list[dict]:
    """Return a cell of Markdown; none without text."""
    if not text.strip():
        return []
    return [{"cell_type": "markdown", "metadata": {}, "source": lines(text.strip())}]


def code_cells(block: str) -> list[dict]:
    """Return a cell for each run of examples that ends with an output."""
    cells, sources = [], []
    examples = DocTestParser().get_examples(block)
    for example in examples:
        sources.append(example.source)
        if example.want or example is examples[-1]:
            cells.append(code_cell("".join(sources).rstrip("\n"), example.want))
            sources = []
    return cells


def code_cell(source: str, output: str) -> dict:
    """Return a cell of code with what it prints or returns."""
    text = re.sub(r"^<BLANKLINE>$", "", output.rstrip("\n"), flags=re.MULTILINE)
    outputs = [{"name": "stdout", "output_type": "stream", "text": lines(text)}] if text else []
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": lines(source),
    }


def lines(text: str) -> list[str]:
    """Return text as a notebook holds it."""
    return text.splitlines(keepends=True)


def main() -> None:
    """Write all notebooks."""
    for page in sorted(GALLERY.glob("*.md")):
        if page.stem != "index":
            made = notebook(page.read_text(encoding="utf-8"))
            page.with_suffix(".ipynb").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
