"""From a file of the archive to the table: names dropped, gaps left out, numbers made plain."""

from dataclasses import replace

import pytest

from boxwise.datasets import DatasetError
from boxwise.datasets.recipes import convert

from .garden import GARDEN, RAW, TABLE


def test_a_raw_file_becomes_the_table():
    assert convert(GARDEN, RAW) == TABLE


def test_the_ends_of_lines_do_not_matter():
    assert convert(GARDEN, RAW.replace(b"\n", b"\r\n")) == TABLE
    assert convert(GARDEN, RAW.rstrip()) == TABLE


def test_values_may_be_divided_by_blanks():
    entry = replace(GARDEN, layout="blanks", label_at=-1, drop=())
    raw = b"1.50  red 03\tloam 10 \n0.25 blue 12 sand 2\n2.0 red 0 loam 10"
    assert convert(entry, raw) == TABLE


def test_a_sequence_is_taken_letter_by_letter():
    entry = replace(GARDEN, columns=("a", "b", "c"), layout="sequence", label_at=0, drop=(1,))
    assert convert(entry, b"EI,   NAME-1,     CAG\nN,NAME-2,TTN\n") == (
        b"a,b,c,class\nC,A,G,EI\nT,T,N,N\n"
    )


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        (b"00202", b"202"), (b"00000", b"0"), (b"70.0", b"70"), (b"100", b"100"), (b"0", b"0"),
        (b"25.00", b"25.00"), (b"0.0850", b"0.0850"), (b"A10", b"A10"), (b"10.0x", b"10.0x"),
    ],
)  # fmt: skip
def test_only_whole_numbers_are_written_anew(raw, plain):
    entry = replace(GARDEN, columns=("a",), label_at=-1, drop=())
    assert convert(entry, raw + b",yes\n") == b"a,class\n" + plain + b",yes\n"


def test_a_line_with_too_few_values_is_named():
    with pytest.raises(DatasetError, match=r"'garden': line 2 of garden.data has 2 values, not 6"):
        convert(GARDEN, b"rose,1.5,10,red,3,loam\nrose,1.5\n")


def test_bytes_that_are_no_text_do_not_stop_it():
    assert convert(GARDEN, RAW.replace(b"rose", b"ros\xff")) == TABLE
