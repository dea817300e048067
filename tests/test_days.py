"""The pages of docs/days show what their commands print, and their scripts hold these commands."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.measured import without_measurements

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(page for page in (DOCS / "days").glob("*.md") if page.stem != "index")
NEEDED = ("typer", "rich", "matplotlib", "pandas", "river", "fastapi", "onnx", "onnxruntime")
# Learners of other packages, whose scores change with their versions.
PEERS = r"(?:logistic-regression|random-forest|hist-gradient-boosting|naive-bayes|arf|adaptive-\S+)"
SCORES_OF_PEERS = re.compile(rf"^({PEERS}) .*\n(?: +[±\d].*\n)?", re.MULTILINE)
BLOCK = re.compile(r"^```.*?^```\n", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def days():
    spec = importlib.util.spec_from_file_location("make_days", DOCS / "make_days.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def comparable(output: str) -> str:
    """Return an output without what other machines and other versions of peers change."""
    output = re.sub(r"\d\.\d MB, loads", "MB, loads", without_measurements(output.rstrip("\n")))
    output = re.sub(r" +(\d+|-)$", r" \1", output, flags=re.MULTILINE)
    return SCORES_OF_PEERS.sub(r"\1\n", output)


def test_there_are_three_days():
    assert [page.stem for page in PAGES] == ["breast_cancer", "phishing", "solar_flares"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_script_is_that_of_the_page(days, page):
    script = page.with_suffix(".sh").read_text("utf-8")
    assert script == days.script_of(page.read_text("utf-8")), "run make days"
    assert script.startswith("#!/usr/bin/env bash\n# ")


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the commands are those of a shell on Linux")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_of_a_day_print_what_the_page_shows(days, page, tmp_path):
    for name in NEEDED:
        pytest.importorskip(name)
    text = page.read_text("utf-8")
    steps, outputs = days.steps_of(text), days.run(text, tmp_path)
    assert len(outputs) == len(steps) > 10
    for step, output in zip(steps, outputs, strict=True):
        assert comparable(output) == comparable(step.output), step.command


@pytest.mark.parametrize("page", [*PAGES, DOCS / "days" / "index.md"], ids=lambda page: page.stem)
def test_figures_in_the_text_are_among_the_outputs(days, page):
    shown = " ".join(one.read_text("utf-8") for one in (PAGES if page.stem == "index" else [page]))
    outputs = " ".join(step.output for step in days.steps_of(shown))
    figures = re.findall(r"-?\d+\.\d{3,4}\b", BLOCK.sub("", page.read_text("utf-8")))
    derived = {"0.012"}  # a difference of two outputs
    assert {figure for figure in figures if figure not in outputs} <= derived


def test_commands_of_several_lines_are_read_and_written_alike(days):
    block = "```console\n$ cat << 'END'\n> a\n> > b\n> END\na\n> b\n$ true\n```\n"
    first, second = days.steps_of(block.replace("a\n> b\n$", "a\n$"))
    assert first.command == "cat << 'END'\na\n> b\nEND\n"
    assert (first.output, second.command, second.output) == ("a\n", "true\n", "")
    assert days.shown_step(*first) == "$ cat << 'END'\n> a\n> > b\n> END\na\n"
    assert days.refreshed(block, ["x", ""]).endswith("> END\nx\n$ true\n```\n")
