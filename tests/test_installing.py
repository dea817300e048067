"""The pages on installing agree with pyproject.toml; one place says what is not published."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGE = ROOT / "docs" / "install.md"
if not PAGE.exists():
    pytest.skip("the documentation is not here", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_page_lists_every_extra():
    rows = re.findall(r"^\| (`.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(PROJECT["optional-dependencies"])


def test_page_says_of_every_python_whether_it_is_tested():
    rows = re.findall(r"^\| (3\.\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    prefix = "Programming Language :: Python :: 3."
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if c.startswith(prefix)]
    assert rows == named


def test_only_the_readme_says_how_to_install_before_publication():
    pages = [README, *(ROOT / "docs").rglob("*.md")]
    checkout = re.compile(r'pip install (\.|"\.\[)|not (yet )?published')
    named = {p for p in pages if "_build" not in p.parts and checkout.search(p.read_text("utf-8"))}
    assert named <= {README}
    before, start, rest = README.read_text("utf-8").partition("<!-- install -->")
    inside, end, after = rest.partition("<!-- /install -->")
    assert start and end and "pip install boxwise" in inside
    assert not checkout.search(before + after)
