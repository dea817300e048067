"""The catalogue of the paper's data sets, read before any of them is downloaded."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

LABEL = "class"
"""The name of the last column of every table."""


@dataclass(frozen=True)
class Entry:
    """One data set of paper.toml, where the fields are explained."""

    name: str
    title: str
    label: str
    rows: int
    classes: int
    dropped: str
    columns: tuple[str, ...]
    numeric: tuple[str, ...]
    sha256: str
    page: int
    slug: str
    file: str | None = None
    layout: str = "commas"
    label_at: int = -1
    drop: tuple[int, ...] = ()
    note: str = ""

    @property
    def categorical(self) -> tuple[str, ...]:
        """The columns that are not numbers."""
        return tuple(column for column in self.columns if column not in self.numeric)

    def is_table(self, table: bytes) -> bool:
        """Whether these bytes are the data set, to the last one."""
        return sha256(table).hexdigest() == self.sha256


@cache
def catalogue() -> dict[str, Entry]:
    """Return the data sets by name, in alphabetical order."""
    text = files("boxwise.datasets").joinpath("paper.toml").read_text(encoding="utf-8")
    return {name: _entry(name, fields) for name, fields in tomllib.loads(text).items()}


def find(name: str) -> Entry:
    """Return the data set of this name, or say which names there are."""
    known = catalogue()
    if name in known:
        return known[name]
    near = get_close_matches(str(name), known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"there is no data set {name!r}; {hint}The names are {', '.join(known)}")


def _entry(name: str, fields: dict[str, Any]) -> Entry:
    plain: dict[str, Any] = {
        key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()
    }
    return Entry(name=name, **plain)
