"""Draws _static/demo.svg, the terminal output of `boxwise demo`.

python docs/make_demo_picture.py        (with the extra demo)

The final scores are left out: they include times, which differ from run to run.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

WIDTH = 92
PICTURE = Path(__file__).parent / "_static" / "demo.svg"
INK, GREY, BLUE, ORANGE = "#1f2933", "#6b7785", "#1f6fb4", "#b4491f"
# A light window with a border of its own, which is legible on a light and on a dark page.
LIGHT = TerminalTheme((251, 252, 253), (31, 41, 51), [(31, 41, 51)] * 8)
TABLE_LINE = re.compile(r"^ *[\d,]+ +[\d,]+ +\d+% ")
BOXWISE_COLUMNS = (14, 36)


def demo_output() -> str:
    """Return the output of the demo without the final scores."""
    run = subprocess.run(
        [sys.executable, "-m", "boxwise.apps", "demo"],
        env={**os.environ, "COLUMNS": str(WIDTH), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    table = run.stdout.partition("\n50,000 rows")[0]
    newcomer = run.stdout.partition("\nA new application")[2]
    return f"{table}\nA new application{newcomer}"


def coloured(line: str) -> Text:
    """Return a line in which the columns of boxwise and the change are highlighted."""
    text = Text(line, style=INK)
    if TABLE_LINE.match(line):
        text.stylize(GREY)
        text.stylize(f"bold {BLUE}", *BOXWISE_COLUMNS)
    elif "rule changes here" in line:
        text.stylize(f"bold {ORANGE}")
    elif line.startswith(("   rows", "    ")) and "boxes" in line.split()[:2]:
        text.stylize(f"bold {INK}")
    text.highlight_regex(r"\b(approved|declined)\b", f"bold {BLUE}")
    return text


def main() -> None:
    """Write the picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ boxwise demo", style=f"bold {INK}"))
    for line in demo_output().splitlines():
        console.print(coloured(line))
    picture = console.export_svg(title="boxwise demo", theme=LIGHT, unique_id="demo")
    # No fonts from the network: a page that shows the picture as an image does not load them.
    picture = re.sub(r"@font-face \{.*?\}\n", "", picture, flags=re.DOTALL)
    picture = re.sub(r"[ \t]+$", "", picture, flags=re.MULTILINE)
    picture = picture.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")
    picture = picture.replace('stroke="rgba(255,255,255,0.35)"', 'stroke="#c9d0d8"')
    PICTURE.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
