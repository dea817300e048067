"""Several files as one, missing values, and the names of columns."""

import json

import pytest

from boxwise.files import FileSet, InputError, ReadOptions, check_names


def test_files_are_read_in_order_with_their_columns_in_any(write):
    paths = [write("a,b\n1,x\n2,y\n", "one.csv"), write("b;a\nz;3\n", "two.csv")]
    chunks = list(FileSet(paths).chunks())
    assert [chunk.columns for chunk in chunks] == [
        {"a": ["1", "2"], "b": ["x", "y"]},
        {"a": ["3"], "b": ["z"]},
    ]
    assert [chunk.file for chunk in chunks] == paths


def test_rows_are_numbered_over_all_files_and_bad_ones_keep_their_number(write):
    paths = [write("a,b\n1,x\n2\n3,z\n", "one.csv"), write("a,b\n4,x\n", "two.csv")]
    files = FileSet(paths)
    assert [chunk.rows for chunk in files.chunks(2)] == [[1], [3], [4]]
    assert files.rows == 4


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("a,c", r"two\.csv has other columns than .*one\.csv: it lacks 'b' and has 'c' besides"),
        ("a", r"it lacks 'b';"),
        ("a,b,c", r"it has 'c' besides"),
    ],
)
def test_files_with_other_columns_are_refused_and_both_are_named(write, header, words):
    row = ",".join("1" for _ in header.split(","))
    paths = [write("a,b\n1,x\n", "one.csv"), write(f"{header}\n{row}\n", "two.csv")]
    with pytest.raises(InputError, match=words):
        list(FileSet(paths).chunks())


def test_columns_that_do_not_matter_may_differ(write):
    paths = [write("a,b\n1,x\n", "one.csv"), write("a,c\n2,x\n", "two.csv")]
    for options in (ReadOptions(drop=frozenset("bc")), ReadOptions(only=frozenset("a"))):
        chunks = FileSet(paths, options).chunks()
        assert [chunk.columns for chunk in chunks] == [{"a": ["1"]}, {"a": ["2"]}]


def test_files_with_and_without_types_are_not_mixed(write):
    paths = [write("a\n1\n", "one.csv"), write('{"a": 1}\n', "two.jsonl")]
    with pytest.raises(InputError, match=r"two\.jsonl and .*one\.csv cannot be read together"):
        list(FileSet(paths).chunks())


def test_marks_of_missing_values_count_with_spaces_around_them(write):
    path = write("a,b\n ? ,NA\n1, \nNA,?x\n")
    (chunk,) = FileSet([path], missing=["?", "NA"]).chunks()
    assert chunk.columns == {"a": [None, "1", None], "b": [None, None, "?x"]}


def test_marks_count_in_files_with_types_too(write):
    rows = [{"a": "?", "b": 1}, {"a": "x", "b": [1]}, {"a": "", "b": "?"}]
    path = write("".join(json.dumps(row) + "\n" for row in rows), "x.jsonl")
    (chunk,) = FileSet([path], missing=["?"]).chunks()
    assert chunk.columns == {"a": [None, "x", None], "b": [1, [1], None]}


def test_an_unnamed_column_may_be_left_out(write):
    path = write(",b\n1,x\n")
    (chunk,) = FileSet([path], ReadOptions(drop=frozenset({"column 1"}))).chunks()
    assert chunk.columns == {"b": ["x"]}


def test_the_share_of_what_was_read_rises_to_one(write):
    paths = [write("a,b\n" + "1,x\n" * 50, f"{i}.csv") for i in range(3)]
    files = FileSet(paths)
    shares = [files.share for _ in files.chunks(10)]
    assert shares == sorted(shares)
    assert files.share == 1.0


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("Class", "has no label column 'Class'; did you mean 'class'?"),
        ("clas", "did you mean 'class'?"),
        ("zzz", "it has 'age', 'class'"),
    ],
)
def test_a_column_that_is_not_there_is_named_with_those_like_it(wanted, words):
    with pytest.raises(InputError) as caught:
        check_names(["age", "class"], [wanted], "data.csv", "label column")
    assert words in str(caught.value)


def test_a_bad_row_of_a_later_file_names_that_file(write):
    paths = [write("a,b\n1,x\n", "one.csv"), write("a,b\n1\n", "two.csv")]
    *_, last = FileSet(paths).chunks()
    assert "two.csv, line 2" in str(last.row_errors[0])
