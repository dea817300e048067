"""Runs the commands on the pages of docs/days, and writes what they print into the pages.

python docs/make_days.py [page ...]     (with the extras cli, plot, river, service and onnx)

A page is the source: its blocks of ``console`` hold commands, which begin with ``$`` and go on in
lines that begin with ``>``, each with what it prints. Beside each page a script with its commands
is written, and the pictures that the page shows go to _static.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
DAYS = DOCS / "days"
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"\(\.\./_static/day_(\w+)_(\w+\.png)\)")
END = "\x01"  # after the output of each command


class Step(NamedTuple):
    """A command, which may have several lines, and what it prints."""

    command: str
    output: str


def pages() -> list[Path]:
    """Return the page of each day."""
    return sorted(page for page in DAYS.glob("*.md") if page.stem != "index")


def steps_of(text: str) -> list[Step]:
    """Return the commands of a page, or of a block of it, with the outputs shown."""
    steps = []
    for block in BLOCK.findall(text):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first, *rest = example.splitlines(keepends=True)
            n = next((i for i, line in enumerate(rest) if not line.startswith("> ")), len(rest))
            command = first + "".join(line[2:] for line in rest[:n])
            steps.append(Step(command, "".join(rest[n:])))
    return steps


def script_of(text: str) -> str:
    """Return the script of a page: its headings as comments, and its commands."""
    parts = ["#!/usr/bin/env bash\n"]
    for piece in re.split(r"(?=^#+ )", text, flags=re.MULTILINE):
        commands = [step.command for step in steps_of(piece)]
        title = re.match(r"#+ (.*)\n", piece)
        if title is not None and (commands or len(parts) == 1):
            parts.append(f"\n# {title[1]}\n" if len(parts) > 1 else f"# {title[1]}\n")
        parts += commands
    return "".join(parts)


def run(text: str, folder: Path, timeout: float = 900) -> list[str]:
    """Run the commands of a page in a folder, one after the other; return what each prints."""
    mark = f"code=$?; printf '\\{ord(END):03o}'; (exit $code)"
    commands = "".join(f"{step.command}{mark}\n" for step in steps_of(text))
    shell = "exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n" + commands
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # More threads than free cores make the trees of scikit-learn slow, and nothing else here.
    settings = {"PATH": programs, "COLUMNS": "100", "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        ["bash", "-c", shell],
        cwd=folder,
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return ended.stdout.split(END)[:-1]


def refreshed(text: str, outputs: list[str]) -> str:
    """Return a page with these outputs."""
    left = iter(outputs)

    def block(found: re.Match[str]) -> str:
        shown = [shown_step(step.command, next(left)) for step in steps_of(found[0])]
        return f"```console\n{''.join(shown)}```\n"

    return BLOCK.sub(block, text)


def shown_step(command: str, output: str) -> str:
    """Return a command and its output as a terminal shows them."""
    prompted = "> ".join(command.splitlines(keepends=True))
    newline = "" if not output or output.endswith("\n") else "\n"
    return f"$ {prompted}{output}{newline}"


def make(page: Path) -> None:
    """Run a page, and write it, its script and its pictures."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        outputs = run(text, Path(folder))
        if len(outputs) < len(steps_of(text)):
            raise SystemExit(f"{page.name}: the shell ended after {len(outputs)} commands")
        for day, name in PICTURE.findall(text):
            shutil.copyfile(Path(folder, name), DOCS / "_static" / f"day_{day}_{name}")
    page.write_text(refreshed(text, outputs), encoding="utf-8")
    page.with_suffix(".sh").write_text(script_of(text), encoding="utf-8")


def main(names: list[str]) -> None:
    """Make the pages of these days, or all."""
    for page in pages():
        if not names or page.stem in names:
            print(page.stem)
            make(page)


if __name__ == "__main__":
    main(sys.argv[1:])
