"""The page about the command line is true: its examples run, and it has every option."""

import re
import shlex
from pathlib import Path

import pytest

from tests.apps.running import boxwise
from tests.measured import without_measurements

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
COMMANDS = (
    "learn", "predict", "explain", "evaluate", "inspect", "rules", "report", "merge", "consume",
    "serve", "plot", "demo", "live",
)  # fmt: skip


def examples():
    """Return the commands on the page, each with the lines it is said to give."""
    text = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = example.partition("\n")
            yield command, output


def test_the_examples_on_the_page_give_the_output_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = 0
    for command, output in examples():
        program, *arguments = shlex.split(command)
        if program == "cat":  # how the page shows a file
            Path(arguments[0]).write_text(output)
        elif program == "echo":
            assert output == f"{code}\n", command
        else:
            assert program == "boxwise"
            run = boxwise(*arguments)
            code = run.exit_code
            assert without_measurements(run.output) == without_measurements(output), command


def options_of(command):
    import typer

    from boxwise.apps.cli import app

    for parameter in typer.main.get_command(app).commands[command].params:
        for option in parameter.opts:
            if option.startswith("--"):
                yield option


@pytest.mark.parametrize(
    ("command", "option"), [(c, option) for c in COMMANDS for option in options_of(c)]
)
def test_every_option_is_on_the_page(command, option):
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"\n## {command.capitalize()}\n")[2].partition("\n## ")[0]
    assert re.search(rf"{re.escape(option)}[`, ]", section)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_exit_code_of_a_command_is_on_the_page(command):
    table = PAGE.read_text(encoding="utf-8").partition("\n## Exit codes\n")[2]
    told = re.findall(r"^ +(\d+) +\w", boxwise(command, "--help").output, re.MULTILINE)
    assert told
    for code in told:
        assert re.search(rf"^\|[^|]*\b{code}\b", table, re.MULTILINE)
