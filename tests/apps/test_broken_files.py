"""Broken files, given to the command: what it says, and what it leaves."""

import gzip

import pytest

from tests.apps.running import boxwise

HEADER = b"age,job,decision\n"
GOOD = HEADER + b"31,cook,yes\n44,smith,no\n"


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (GOOD.replace(b",", b";"), ("--delimiter", ","), "looks like ';': use --delimiter ';'"),
        (GOOD.replace(b"decision", b"Decisions"), (), "did you mean 'Decisions'?"),
        (GOOD + b"7,x\n", (), "data.csv, line 4: '7,x' has 2 values, but the header has 3"),
        (GOOD + b"7,c\0k,no\n", (), "data.csv, line 4, column 'job': byte 4 of the line is NUL"),
        (GOOD + b"7,caf\xe9,no\n", (), "column 'job': byte 6 of the line, 0xE9, is not UTF-8"),
        (GOOD + b"7,cook,\n", (), "line 4, column 'decision': the label is missing"),
        (b"", (), "data.csv is empty"),
        (HEADER, (), "data.csv has columns but no rows"),
        (gzip.compress(GOOD * 99)[:-9], (), "the gzip data is damaged or cut short"),
        (b"PAR1" + bytes(50), (), "is no Parquet file, or damaged or cut short"),
    ],
    ids=["delimiter", "label", "ragged", "nul", "latin", "no label", "empty", "header",
         "gzip", "parquet"],
)  # fmt: skip
def test_a_broken_file_is_named_and_no_model_is_written(tmp_path, content, options, words):
    (tmp_path / "data.csv").write_bytes(content)
    model = tmp_path / "model.box"
    run = boxwise("learn", tmp_path / "data.csv", "--label", "decision", "-o", model, *options)
    assert run.exit_code == 1
    assert words in run.stderr
    assert run.stdout == ""
    assert not model.exists()
