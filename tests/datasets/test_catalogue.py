"""What is pinned about the data sets is complete, and agrees with itself."""

import re
from pathlib import Path

import pytest

from boxwise.datasets import load, names
from boxwise.datasets.catalogue import catalogue

ENTRIES = [*catalogue().values()]
PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_there_are_fourteen_and_eleven_have_columns_of_both_kinds():
    assert len(names()) == 14
    assert names() == sorted(names())
    mixed = [*names(mixed_only=True)]
    assert len(mixed) == 11
    assert {*names()} - {*mixed} == {"molecular_biology", "nursery", "tic_tac_toe"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_agrees_with_itself(entry):
    assert len({*entry.columns, "class"}) == len(entry.columns) + 1
    assert [c for c in entry.columns if c in entry.numeric] == [*entry.numeric]
    assert re.fullmatch("[0-9a-f]{64}", entry.sha256)
    assert entry.layout in ("commas", "blanks", "sequence")
    assert entry.label_at not in entry.drop
    assert (entry.file is None) == (entry.name == "tic_tac_toe")


def test_a_name_that_is_nearly_right_is_suggested():
    with pytest.raises(ValueError, match=r"no data set 'Abalone'; did you mean 'abalone'\?"):
        load("Abalone")


@pytest.mark.parametrize("name", ["iris", "", None, 3])
def test_for_any_other_name_all_names_are_listed(name):
    with pytest.raises(ValueError, match=r"The names are abalone, australian, .*, zoo$"):
        load(name)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_documentation_lists_it_as_it_is(entry):
    address = f"https://archive.ics.uci.edu/dataset/{entry.page}/{entry.slug}"
    kinds = f"{len(entry.numeric)} | {len(entry.categorical)}"
    row = f"| `{entry.name}` | [{entry.title}]({address}) | {entry.rows:,} | {kinds} | "
    assert f"{row}{entry.classes} | {entry.dropped} |\n" in PAGE.read_text(encoding="utf-8")
