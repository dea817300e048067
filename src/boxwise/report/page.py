"""The page around the sections: one file that loads nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from boxwise.report.markup import Section, text


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """Return the page; the title is text, all else HTML."""
    style, script = _file("style.css"), _file("search.js")
    contents = "".join(f'<li><a href="#{s.id}">{s.title}</a></li>' for s in sections)
    body = "\n".join(
        f'<section id="{s.id}" aria-labelledby="{s.id}-title">\n'
        f'<h2 id="{s.id}-title" tabindex="-1">{s.title}</h2>\n{s.content}\n</section>'
        for s in sections
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{text(title)}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p class="soft">boxwise report</p>
<h1>{text(title)}</h1>
</header>
<nav aria-label="Contents"><ul>{contents}</ul></nav>
<main id="content">
{lead}
{body}
</main>
<script>{script}</script>
</body>
</html>
"""


def _policy(script: str) -> str:
    """Return what the browser is to allow: nothing from elsewhere, no script but the page's own."""
    digest = b64encode(sha256(script.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src "
        f"'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def _file(name: str) -> str:
    return files("boxwise.report").joinpath(name).read_text(encoding="utf-8")
