"""A report as a test reads it: parsed, and checked to be whole and harmless."""

from __future__ import annotations

import json
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "source"}
ADDRESSES = ("src", "href", "srcset", "action", "data", "poster", "formaction")


class Page(HTMLParser):
    """The elements of a page; it fails on one that is not closed, or not open."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: dict[str, list[str]] = {}
        self._open: list[tuple[str, str | None]] = []
        self.feed(html.replace("<wbr>", ""))  # where a name may be broken
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs)
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self._open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}>"
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        if any(tag in ("script", "style") for tag, _ in self._open):
            key = "code" if self._open[-1][1] is None else self._open[-1][1]
            self.pieces.setdefault(key, []).append(data)
            return
        for _, name in self._open:
            if name is not None:
                self.pieces.setdefault(name, []).append(data)
        self.pieces.setdefault("all", []).append(data)

    def text(self, name: str = "all") -> str:
        """Return the text under the element with this id, with single spaces."""
        return " ".join(" ".join(self.pieces.get(name, [])).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def rules(self):
        return json.loads("".join(self.pieces["rule-data"]))


def read(html: str) -> Page:
    """Parse a page, and check what must hold of every one."""
    page = Page(html)
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.elements:
        for name in ADDRESSES:
            value = attributes.get(name)
            if value is None:
                continue
            assert value.startswith(("#", "data:")), (tag, value)
            if value.startswith("#"):
                assert value[1:] in ids, value
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        assert "url(" not in (attributes.get("style") or "")
    # The search and the rules it searches: nothing else is a script.
    assert [a.get("type") for a in page.all("script")] in (
        [None],
        ["application/json", None],
    )
    assert page.all("html")[0]["lang"] == "en"
    for image in page.all("img"):
        assert image["alt"]
    for name in ("nan", "None", "inf"):
        assert f" {name} " not in f" {page.text()} ", name
    return page
