"""Parquet: what is read, and what is said about what cannot be."""

import datetime
import decimal
import sys

import pytest

from boxwise.files import FileSet, InputError, ReadOptions
from boxwise.files.chunk import FIELD_LIMIT

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def make(tmp_path):
    def make_file(columns, name="data.parquet"):
        path = tmp_path / name
        pq.write_table(pa.table(columns), path)
        return str(path)

    return make_file


def columns_of(path, rows=10_000, **options):
    return [chunk.columns for chunk in FileSet([path], ReadOptions(**options)).chunks(rows)]


def test_values_keep_their_types_and_nothing_is_missing(make):
    columns = {
        "whole": [1, None, 3],
        "real": [1.5, 2.5, None],
        "word": ["x", None, "z"],
        "flag": [True, None, False],
        "nothing": pa.array([None, None, None], pa.null()),
    }
    path = make(columns)
    assert columns_of(path) == [{**columns, "nothing": [None, None, None]}]


def test_decimals_and_dictionaries_are_plain_values(make):
    path = make(
        {
            "price": [decimal.Decimal("1.50"), None],
            "word": pa.array(["x", "y"]).dictionary_encode(),
        }
    )
    assert columns_of(path) == [{"price": [1.5, None], "word": ["x", "y"]}]


def test_rows_come_in_batches_and_are_numbered_over_them(make):
    chunks = list(FileSet([make({"a": [*range(5)]})]).chunks(2))
    assert [chunk.columns["a"] for chunk in chunks] == [[0, 1], [2, 3], [4]]
    assert [[*chunk.lines] for chunk in chunks] == [[1, 2], [3, 4], [5]]
    assert {chunk.unit for chunk in chunks} == {"row"}


def test_it_is_known_by_its_content(make):
    assert columns_of(make({"a": [1]}, "data.csv")) == [{"a": [1]}]


@pytest.mark.parametrize("value", [datetime.date(2024, 5, 1), [1, 2], {"a": 1}])
def test_a_column_of_another_type_is_refused_unless_it_is_left_out(make, value):
    path = make({"a": [1], "odd": [value]})
    with pytest.raises(InputError, match=r"column 'odd': the type .* is neither number nor text"):
        columns_of(path)
    assert columns_of(path, drop=frozenset({"odd"})) == [{"a": [1]}]
    assert columns_of(path, only=frozenset({"a"})) == [{"a": [1]}]


def plain(column):
    return column


def dictionary(column):
    return column.dictionary_encode()


@pytest.mark.parametrize("encode", [plain, dictionary])
def test_a_huge_text_is_a_bad_row(make, encode):
    words = pa.array(["x", "z" * (FIELD_LIMIT + 1), "y"])
    path = make({"a": [1, 2, 3], "word": encode(words)})
    (chunk,) = FileSet([path]).chunks()
    assert chunk.columns == {"a": [1, 3], "word": ["x", "y"]}
    assert [*chunk.lines] == [1, 3]
    (error,) = chunk.row_errors
    assert "row 2, column 'word': 'zzzz" in str(error)


@pytest.mark.parametrize("encode", [plain, dictionary])
def test_text_that_is_not_utf_8_is_a_bad_row(make, encode):
    words = pa.array([b"x", b"half \xed\xa0\x80", None], pa.binary()).view(pa.string())
    (chunk,) = FileSet([make({"a": [1, 2, 3], "word": encode(words)})]).chunks()
    assert chunk.columns == {"a": [1, 3], "word": ["x", None]}
    (error,) = chunk.row_errors
    assert "row 2, column 'word': 'half " in str(error)
    assert "is not UTF-8" in str(error)


def test_if_no_row_can_be_used_there_is_none(make):
    (chunk,) = FileSet([make({"word": ["z" * (FIELD_LIMIT + 1)]})]).chunks()
    assert (chunk.columns, len(chunk.row_errors)) == ({"word": []}, 1)


def test_an_index_of_pandas_is_no_column_unless_it_is_asked_for(make):
    path = make({"a": [1, 2], "__index_level_0__": [5, 7]})
    files = FileSet([path])
    assert (files.names, files.left_out) == (("a",), ("__index_level_0__",))
    assert columns_of(path) == [{"a": [1, 2]}]
    assert columns_of(path, drop=frozenset({"__index_level_0__"})) == [{"a": [1, 2]}]
    assert columns_of(path, only=frozenset({"__index_level_0__"})) == [
        {"__index_level_0__": [5, 7]}
    ]


@pytest.mark.parametrize("length", [4, 100, -10])
def test_a_damaged_file_is_refused(make, tmp_path, length):
    data = open(make({"a": [*range(1000)]}), "rb").read()  # noqa: PTH123, SIM115
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(data[:length])
    with pytest.raises(InputError, match=r"cut\.parquet is no Parquet file, or damaged"):
        columns_of(str(cut))


def test_a_file_damaged_inside_is_refused(make, tmp_path):
    path = make({"a": [*range(100_000)]})
    data = bytearray(open(path, "rb").read())  # noqa: PTH123, SIM115
    data[4:400] = bytes(396)
    (tmp_path / "hole.parquet").write_bytes(data)
    with pytest.raises(InputError, match=r"hole\.parquet is no Parquet file, or damaged"):
        columns_of(str(tmp_path / "hole.parquet"))


def test_without_pyarrow_it_says_what_to_install(make, monkeypatch):
    path = make({"a": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r'pip install "boxwise\[parquet\]"'):
        columns_of(path)


def test_it_cannot_come_from_standard_input(monkeypatch):
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"PAR1...")))
    with pytest.raises(InputError, match="cannot be read from standard input"):
        FileSet(["-"])
