"""The notebooks of the gallery are those of its pages, and run from the first cell to the last."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(page for page in (DOCS / "gallery").glob("*.md") if page.stem != "index")
NEEDED = {"drift": ["river"], "pipeline": ["onnx", "onnxruntime", "shap"]}


def made(page: Path) -> str:
    spec = importlib.util.spec_from_file_location("make_notebooks", DOCS / "make_notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.notebook(page.read_text("utf-8"))


def test_gallery_has_three_notebooks():
    assert [page.stem for page in PAGES] == ["credit", "drift", "pipeline"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebook_is_that_of_the_page(page):
    text = page.with_suffix(".ipynb").read_text("utf-8")
    assert text == made(page), "run python docs/make_notebooks.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebook_runs_and_gives_the_outputs_shown(page):
    pytest.importorskip("pandas")
    for name in NEEDED.get(page.stem, []):
        pytest.importorskip(name)
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in json.loads(page.with_suffix(".ipynb").read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            run("".join(cell["source"]), names)
        shown = "".join("".join(output["text"]) for output in cell["outputs"])
        assert printed.getvalue().rstrip("\n") == shown


def run(source: str, names: dict[str, object]) -> None:
    """Run a cell; a value on its last line is printed."""
    *body, last = [*io.StringIO(source)] or [""]
    try:
        value = compile(last, "cell", "eval")
    except SyntaxError:
        exec(source, names)
        return
    exec("".join(body), names)
    found = eval(value, names)
    if found is not None:
        print(repr(found))
