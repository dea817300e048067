"""Draws _static/demo.svg, the terminal output of `boxwise demo`.

python docs/make_demo_picture.py        (with the extra demo)

The speed is left out: it differs from run to run.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from boxwise.apps.commands import demo
from boxwise.apps.demo import screen

WIDTH, HEIGHT = 92, 24
PICTURE = Path(__file__).parent / "_static" / "demo.svg"
PAPER, INK = (251, 252, 253), (31, 41, 51)
RED, GREEN, YELLOW, BLUE, MAGENTA = (
    (192, 57, 33), (35, 122, 71), (176, 122, 16), (31, 111, 180), (142, 79, 158),
)  # fmt: skip
# A light window with a border of its own, which is legible on a light and on a dark page.
LIGHT = TerminalTheme(PAPER, INK, [INK, RED, GREEN, YELLOW, BLUE, MAGENTA, BLUE, INK])


def demo_output() -> Console:
    """Return a console that has recorded the demo."""
    console = Console(record=True, width=WIDTH, height=HEIGHT, file=io.StringIO(), highlight=False)
    console.print(Text("$ boxwise demo", style="bold"))

    def without_speed(point: screen.Point) -> str:
        return cost(point).rpartition(", ")[0]

    cost, screen.cost_text = screen.cost_text, without_speed
    screen.Console = lambda **options: console  # type: ignore[misc,assignment]
    demo.demo()
    return console


def main() -> None:
    """Write the picture."""
    picture = demo_output().export_svg(title="boxwise demo", theme=LIGHT, unique_id="demo")
    # No fonts from the network: a page that shows the picture as an image does not load them.
    picture = re.sub(r"@font-face \{.*?\}\n", "", picture, flags=re.DOTALL)
    picture = re.sub(r"[ \t]+$", "", picture, flags=re.MULTILINE)
    picture = picture.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")
    picture = picture.replace('stroke="rgba(255,255,255,0.35)"', 'stroke="#c9d0d8"')
    PICTURE.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
