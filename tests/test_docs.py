"""The documentation is true: its examples run, and what it names is there."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

import boxwise
from boxwise import EIOLGFMM, HyperboxClassifier
from tests.measured import without_measurements

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FOLDERS = ("", "days/", "gallery/", "tutorials/", "relatives/")
PAGES = [ROOT / "README.md", *(p for f in FOLDERS for p in sorted(DOCS.glob(f"{f}*.md")))]
NEED_DATA = {"japanese_credit.md"}
# Which are not among the requirements of the tests.
NEED_LIBRARY = {
    "drift.md": "river",
    "duckdb.md": "duckdb",
    "mlflow.md": "mlflow",
    "onnx.md": "onnxruntime",
    "pipeline.md": "shap",
    "ray.md": "ray",
    "service.md": "fastapi",
    "spark.md": "pyspark",
}
# Hundreds of fits each, of what has tests of its own.
SLOW = {"tuning.md", "japanese_credit.md"}
MAP = re.compile(r"^\| \((\d+)\) \|[^|]*\|([^|]*)\|([^|]*)\|$", re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def codes_in(markdown: str) -> list[str]:
    return re.findall(r"`([^`]+)`", markdown)


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=[pytest.mark.long] if p.name in SLOW else []) for p in PAGES],
    ids=lambda page: page.name,
)
def test_the_examples_on_the_page_give_the_output_shown(page):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    if page.name in NEED_DATA and "BOXWISE_DATA" not in os.environ:
        pytest.skip("BOXWISE_DATA does not name the folder of the paper's data sets")
    if page.name in NEED_LIBRARY:
        pytest.importorskip(NEED_LIBRARY[page.name])
    if page.name == "spark.md" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java to run Spark")
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.failed == 0


def shell_examples(page: Path) -> list[tuple[str, str]]:
    """Return the commands on a page, but for installation, and the output shown for each."""
    examples = []
    blocks = re.findall(r"^```(sh|console)\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE)
    for kind, block in blocks:
        if kind == "console":
            commands = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            examples += [command.partition("\n")[::2] for command in commands]
        elif not block.startswith("pip "):
            examples.append((block.rstrip(), ""))
    return examples


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="shows what a shell on Linux says")
def test_the_commands_of_the_terminal_tutorial_give_the_output_shown(tmp_path):
    pytest.importorskip("typer")
    pytest.importorskip("rich")
    examples = shell_examples(DOCS / "tutorials" / "terminal.md")
    mark = "code=$?; printf '\\001'; (exit $code)"  # ends the output, and leaves $? as it was
    script = "exec 2>&1\n" + "".join(f"{command}\n{mark}\n" for command, _ in examples)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": programs, "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    given = run.stdout.split("\x01")[:-1]
    assert len(given) == len(examples) > 10
    for (command, shown), output in zip(examples, given, strict=True):
        assert without_measurements(output) == without_measurements(shown), command


def test_no_example_is_without_the_prompts_that_make_it_run():
    for page in PAGES:
        for block in re.findall(r"^```python\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE):
            assert block.startswith(">>> "), f"{page.name}:\n{block}"


BOTH = (HyperboxClassifier, EIOLGFMM)
PARAMETERS = [(learner, name) for learner in BOTH for name in inspect.signature(learner).parameters]


@pytest.mark.parametrize(("learner", "name"), PARAMETERS)
def test_every_parameter_is_described_with_its_learner_and_default(learner, name):
    page = text_of(DOCS / "parameters.md")
    default = inspect.signature(learner).parameters[name].default
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    defaults = [inspect.signature(each).parameters.get(name) for each in BOTH]
    shared = all(other is not None and other.default == default for other in defaults)
    of = "both" if shared else f"`{learner.__name__}`"
    assert f"| `{name}` | `{shown}` | {of} |" in page, "the table at the top does not list it so"
    assert f"\n## {name}\n" in page, "it has no section of its own"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_names_a_parameter_that_left(page):
    if page.name != "modelfile.md":  # which tells how files that have them are read
        text = text_of(page)
        assert not re.findall(r"decision=|--decision|--condition\b|`decision`", text)
        assert not re.findall(r"\bforget=|--(?:no-)?forget\b|\b(?:bandwidth|backoff)=", text)
        assert not re.findall(r"\b(?:bandwidth|backoff|temperature|reach|memory)_\b", text)


@pytest.mark.parametrize("name", boxwise.__all__)
def test_every_public_name_is_on_a_page_of_the_reference(name):
    pages = "\n".join(text_of(page) for page in (DOCS / "reference").glob("*.md"))
    assert re.search(rf"^\.\. auto\w+:: boxwise\.{name}$", pages, re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [*PAGES, ROOT / "SECURITY.md", *sorted((DOCS / "reference").glob("*.md"))],
    ids=lambda page: page.name,
)
def test_every_relative_link_leads_to_a_file(page):
    prose = re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if not re.match(r"[a-z]+:|#", target):
            assert (page.parent / target.partition("#")[0]).exists(), target


def native_files() -> dict[str, str]:
    """Return the text of the native sources by file name; files of one name are joined."""
    texts: dict[str, str] = {}
    for path in sorted((ROOT / "native").rglob("*.?pp")):
        if path.parent.name != "tests":
            texts[path.name] = texts.get(path.name, "") + text_of(path)
    return texts


def named_in_files(cell: str, files: Collection[str]) -> list[tuple[str, str]]:
    """Return each name in a cell of the map with the file named after it."""
    found, names = [], []
    for code in codes_in(cell):
        if code in files:
            found += [(name, code) for name in names]
            names = []
        else:
            names.append(code)
    assert not names, f"no file is named after {names}"
    return found


def is_in(text: str, qualified: str) -> bool:
    """Whether C++ code defines the name, by its whole name or within its class or namespace."""
    scope, _, name = qualified.rpartition("::")
    inside = rf"\b(?:class|struct|namespace) (?:\w+::)*{scope}\b"
    return bool(
        re.search(rf"\b{qualified}\b", text)
        or ((not scope or re.search(inside, text)) and re.search(rf"\b{name}\b", text))
    )


def test_the_map_from_equation_to_code_has_all_equations_and_names_what_is_there():
    rows = MAP.findall(text_of(DOCS / "algorithm.md"))
    assert [int(number) for number, _, _ in rows] == [*range(1, 16)]
    pages = sorted((ROOT / "src" / "boxwise" / "reference").glob("*.py"))
    reference = "\n".join(text_of(page) for page in pages)
    native = native_files()
    for _, python, cpp in rows:
        for name in codes_in(python):
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", reference), name
        for name, file in named_in_files(cpp, native):
            assert is_in(native[file], name), f"{name} is not in {file}"
