"""JSON Lines: what is read, and what is said about what cannot be."""

import io
import json
import sys

import pytest

from boxwise.files import FileSet, InputError, ReadOptions
from boxwise.files.chunk import FIELD_LIMIT


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["data.jsonl", "data.ndjson", "data.json", "data", "data.txt"])
def test_values_keep_their_types(read, name):
    rows = [{"a": 1, "b": "x", "c": True}, {"a": 2.5, "b": None, "c": False}]
    assert read(lines(*rows), name) == rows


def test_the_format_may_be_given(read):
    assert read(lines({"a": 1}), "data.csv", format="jsonl") == [{"a": 1}]


def test_a_key_that_a_row_lacks_is_missing_and_order_does_not_matter(read):
    assert read(lines({"a": 1}, {"b": 2, "a": 3}), "x.jsonl") == [
        {"a": 1, "b": None},
        {"a": 3, "b": 2},
    ]


def test_blank_lines_are_no_rows(write):
    (chunk,) = FileSet([write('\n{"a": 1}\n  \n{"a": 2}\n', "x.jsonl")]).chunks()
    assert chunk.lines == [2, 4]


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        ("[1, 2]", None, "is no object"),
        ("3", None, "is no object"),
        ("null", None, "is no object"),
        ("{'a': 1}", None, "is no JSON"),
        ('{"a": 1', None, "is no JSON"),
        ("[" * 100_000, None, "is nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", None, "has a whole number of more than 4,300 digits"),
        ('{"a": 1, "b": 2, "a": 3}', "a", "the row has this key twice"),
        (r'{"a": 1, "b": "\ud800"}', "b", "has half of a character"),
        (r'{"a": 1, "b\udfff": 2}', "b\udfff", "its name has half of a character"),
        ('{"a": "\0"}', None, "is NUL"),
        (json.dumps({"b": "z" * (FIELD_LIMIT + 1)}), "b", "more than 131,072 characters"),
    ],
    ids=["list", "number", "null", "python", "cut", "deep", "digits", "twice", "surrogate",
         "surrogate key", "nul", "field"],
)  # fmt: skip
def test_a_bad_row_is_named_and_the_others_are_read(faults_of, line, column, words):
    read, (error,) = faults_of('{"a": 1, "b": 2}\n' + line + '\n{"a": 3, "b": 4}\n', "x.jsonl")
    assert read == [1, 3]
    assert (error.line, error.column) == (2, column)
    assert words in error.problem
    assert "set_int_max_str_digits" not in str(error)
    assert len(str(error)) < 500


def test_a_character_in_two_halves_is_whole(read):
    assert read(r'{"a": "\ud83d\ude00"}' + "\n", "x.jsonl") == [{"a": "\U0001f600"}]


@pytest.mark.parametrize("name", ["data", "data.txt", "-"])
def test_a_byte_order_mark_does_not_hide_the_format(write, monkeypatch, name):
    content = b"\xef\xbb\xbf" + lines({"a": 1}, {"a": 2}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    (chunk,) = FileSet([name if name == "-" else write(content, name)]).chunks()
    assert chunk.columns == {"a": [1, 2]}


def test_a_new_key_late_in_the_file_is_a_bad_row(write, monkeypatch):
    monkeypatch.setattr("boxwise.files.jsonlines.HEAD_ROWS", 2)
    path = write(lines({"a": 1}, {"a": 2}, {"a": 3, "new": 4}), "x.jsonl")
    (chunk,) = FileSet([path]).chunks()
    assert chunk.columns == {"a": [1, 2]}
    assert "line 3, column 'new': the key is not among" in str(chunk.row_errors[0])
    for options in (ReadOptions(drop=frozenset({"new"})), ReadOptions(only=frozenset({"a"}))):
        assert [c.columns for c in FileSet([path], options).chunks()] == [{"a": [1, 2, 3]}]


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_rows_is_refused(write, content):
    with pytest.raises(InputError, match=r"x\.jsonl is empty"):
        FileSet([write(content, "x.jsonl")])
