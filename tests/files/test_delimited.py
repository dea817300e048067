"""CSV: what is read, and what is said about what cannot be."""

import csv
import io
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise.files import FileSet, InputError, source
from boxwise.files.chunk import FIELD_LIMIT
from boxwise.files.lines import LINE_LIMIT
from tests.files.conftest import times_longer

ROWS = [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiter_line_ends_and_byte_order_mark_are_found_out(read, delimiter, end, mark):
    lines = [delimiter.join(cells) for cells in (("a", "b"), ("1", "x"), ("2", "y"))]
    assert read(mark + end.join(lines)) == ROWS
    assert read(mark + end.join(lines) + end) == ROWS


@pytest.mark.parametrize(
    ("header", "row", "names"),
    [
        ("name;size, in m", "a;15", ["name", "size, in m"]),
        ('"a;b","c"', "1,2", ["a;b", "c"]),
        ("a|b,c|d", "1|2|3", ["a", "b,c", "d"]),
        ("only", "1", ["only"]),
        (" a , b ", "1,2", ["a", "b"]),
    ],
)
def test_the_delimiter_is_the_one_that_fits_header_and_rows(write, header, row, names):
    assert [*FileSet([write(f"{header}\n{row}\n")]).names] == names


def test_a_given_delimiter_is_used(read):
    assert read("a:b\n1:x\n2:y\n", delimiter=":") == ROWS


def test_tsv_by_its_name(read):
    assert read("a\tb\n1\tx\n2\ty\n", "data.tsv") == ROWS


def test_quotes_hold_delimiters_quotes_and_line_ends(read):
    text = 'a,b\n"1,5","say ""no"""\n"two\nlines",y\n'
    assert read(text) == [{"a": "1,5", "b": 'say "no"'}, {"a": "two\nlines", "b": "y"}]


def test_blank_lines_are_no_rows_and_lines_are_counted(write):
    path = write('\na,b\n\n1,"x\nx"\n\n2,y\n')
    (chunk,) = FileSet([path]).chunks()
    assert chunk.rows == [1, 2]
    assert chunk.lines == [4, 7]


@pytest.mark.parametrize("blank", ["\n", "\r\n"])
@pytest.mark.parametrize("times", [1, 2, 60])
def test_blank_lines_before_the_header_do_not_hide_the_delimiter(write, monkeypatch, blank, times):
    monkeypatch.setattr(source, "BLOCK", 16)
    (chunk,) = FileSet([write(blank * times + "size;y\n1,5;A\n2,5;B\n")]).chunks()
    assert chunk.columns == {"size": ["1,5", "2,5"], "y": ["A", "B"]}
    assert chunk.lines == [times + 2, times + 3]


def test_a_column_without_a_name_takes_none_that_is_there(read):
    rows = read("column 2,,y\n1,9,A\n", drop=frozenset({"unnamed column 2"}))
    assert rows == [{"column 2": "1", "y": "A"}]


def test_a_blank_line_is_no_row_in_one_column_either_but_quotes_are(write):
    (chunk,) = FileSet([write('a\n1\n\n""\n3\n\n')]).chunks()
    assert (chunk.rows, chunk.lines) == ([1, 2, 3], [2, 4, 5])
    assert chunk.columns == {"a": ["1", None, "3"]}


def test_empty_fields_are_missing(read):
    assert read("a,b\n,x\n2,\n") == [{"a": None, "b": "x"}, {"a": "2", "b": None}]


@given(
    table=st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
                         max_size=5), min_size=2, max_size=2),
        min_size=1, max_size=8),
    block=st.integers(4, 12),
    rows=st.integers(1, 5),
)  # fmt: skip
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_csv_writes_is_read_back_however_it_is_cut(write, monkeypatch, table, block, rows):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["first", "second"], *table])
    monkeypatch.setattr(source, "BLOCK", block)
    read = [
        list(cells)
        for chunk in FileSet([write(text.getvalue())]).chunks(rows)
        for cells in zip(*chunk.columns.values(), strict=True)
    ]
    # A mark of a missing value is what is left without the spaces around it.
    assert read == [[cell if cell.strip() else None for cell in row] for row in table]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "data.csv is empty"),
        (b"\n\n", "is empty; it needs a header and rows"),
        (b"1,2\n3,4\n", "has no header: its first line holds numbers only"),
        (b"a,b,a\n1,2,3\n", "the name 'a' is that of columns 1 and 3"),
        (b",b\n1,2\n", "column 1 has no name in the header; name it, or leave it out with --drop"),
        (b"a,\xff\n1,2\n", "line 1: byte 3 of the line, 0xFF, is not UTF-8"),
        (b'a,"b\n1,2\n', "the header in line 2 cannot be read"),
        (b"column 2,,y\n1,9,A\n", "unnamed column 2 has no name in the header; name it, or leave"),
        (b",,\n1,2,3\n", "column 1 has no name in the header"),
        ("a,b\n1,2\n".encode("utf-16"), "is text in UTF-16; convert it to UTF-8"),
        ("a,b\n1,2\n".encode("utf-32"), "is text in UTF-32; .* iconv -f UTF-32"),
        (b"\0\0\xfe\xff\0\0\0a", "is text in UTF-32"),
    ],
)
def test_a_file_without_a_usable_header_is_refused_whatever_becomes_of_rows(write, content, words):
    with pytest.raises(InputError, match=words):
        FileSet([write(content)])


def test_the_wrong_delimiter_is_named_with_the_right_one(read):
    with pytest.raises(InputError, match=r"one column only.*',';.*looks like ';': use --delimiter"):
        read("a;b\n1;2\n", delimiter=",")
    with pytest.raises(InputError, match=r"one column only.*tab; it looks like ','"):
        read("a,b\n1,2\n", "data.tsv")


def test_a_bad_row_says_where_it_is_and_what_to_do(faults_of):
    _, (error,) = faults_of("a,b\n1,2\n3\n")
    assert "data.csv, line 3: '3' has 1 value, but the header has 2 columns; leave" in str(error)


def test_a_file_of_bad_rows_is_not_held_at_once(write):
    chunks = [*FileSet([write("a,b\n" + "1\n" * 7)]).chunks(3)]
    assert [(chunk.n_rows, len(chunk.row_errors)) for chunk in chunks] == [(0, 3), (0, 3), (0, 1)]
    assert chunks[0].columns == {"a": [], "b": []}


@pytest.mark.parametrize(
    ("line", "column", "value", "words"),
    [
        (b"3", None, "'3'", "has 1 value, but the header has 2 columns"),
        (b"3,4,5", None, "'3,4,5'", "has 3 values"),
        (b"3,\0", "b", None, "byte 3 of the line is NUL"),
        (b"\xe9,4", "a", None, "byte 1 of the line, 0xE9, is not UTF-8"),
        (b"3,caf\xe9", "b", None, "byte 6 of the line, 0xE9, is not UTF-8"),
        (b'3,"4" 5', None, None, "a quoted value goes on after its last quote"),
        (b"3," + b"z" * (FIELD_LIMIT + 1), "b", "'" + "z" * 40 + "'", "more than 131,072 char"),
        (b"z" * (LINE_LIMIT + 1) + b",4", "a", "'" + "z" * 40 + "'", "more than 131,072 char"),
        (b"3," * LINE_LIMIT + b"4", None, None, "the line is more than 8 MB long"),
    ],
    ids=["few", "many", "nul", "latin", "latin2", "quote", "field", "long field", "long line"],
)
def test_a_bad_row_is_named_and_the_others_are_read(faults_of, line, column, value, words):
    lines, (error,) = faults_of(b"a,b\n1,2\n" + line + b"\n5,6\n")
    assert lines == [2, 4]
    assert (error.line, error.column, error.value) == (3, column, value)
    assert words in error.problem
    assert error.remedy
    assert len(str(error)) < 400


def test_a_stray_quote_costs_its_own_line_only(faults_of):
    lines, (error,) = faults_of('a,b\n1,2\n3,"4\n5,6\n7,8\n')
    assert lines == [2, 4, 5]
    assert (error.line, error.column) == (3, "b")
    assert "a quote is not closed until the end of the file" in error.problem


def test_a_stray_quote_in_a_long_file_costs_its_own_line_only(faults_of):
    good = [f"{i},{'x' * 1000}" for i in range(300)]
    lines, (error,) = faults_of("\n".join(["a,b", *good[:100], '0,"x', *good[100:]]))
    assert len(lines) == 300
    assert (error.line, error.column) == (102, "b")
    assert "goes on to line" in error.problem


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("block", range(4, 45))
def test_lines_are_counted_after_a_long_one_however_it_is_cut(faults_of, monkeypatch, end, block):
    monkeypatch.setattr("boxwise.files.lines.LINE_LIMIT", 20)
    monkeypatch.setattr(source, "BLOCK", block)
    lines, _ = faults_of(end.join(["a,b", "1," + "z" * 40, "3,4", "5,6"]))
    assert lines[-2:] == [3, 4]


@pytest.mark.parametrize(("line", "lines"), [('""x', 3000), ('a","b', 400)])
def test_many_stray_quotes_take_no_more_time_each_than_few(faults_of, line, lines):
    def read(lines):
        _, row_errors = faults_of("a,b\n" + f"{line}\n" * lines)
        assert [error.line for error in row_errors] == [*range(2, lines + 2)]

    assert times_longer(read, lines) < 25


def test_after_too_many_stray_quotes_lines_are_rows(faults_of, monkeypatch):
    monkeypatch.setattr("boxwise.files.delimited._REREAD", 0)
    lines, row_errors = faults_of('a,b\n1,2\n3,"4\n5,6\n7,"8\n\n9,0\n')
    assert lines == [2, 4, 7]
    assert [error.line for error in row_errors] == [3, 5]
    assert "a quote is not closed until the end of the line" in row_errors[1].problem


def test_many_columns_take_no_more_time_each_than_few(write):
    def open_it(columns):
        assert len(FileSet([write(",".join(f"name{i}" for i in range(columns)))]).names) == columns

    assert times_longer(open_it, 2500) < 25


def test_the_size_of_a_chunk_is_bounded_in_bytes_too(write, monkeypatch):
    monkeypatch.setattr("boxwise.files.chunk.CHUNK_SIZE", 1000)
    path = write("a,b\n" + f"1,{'x' * 400}\n" * 10)
    assert [chunk.n_rows for chunk in FileSet([path]).chunks()] == [3, 3, 3, 1]


def test_csvs_own_limit_is_left_as_it_was(faults_of: Any) -> None:
    before = csv.field_size_limit()
    faults_of(b"a,b\n1," + b"z" * (FIELD_LIMIT + 1) + b"\n")
    assert csv.field_size_limit() == before == FIELD_LIMIT
