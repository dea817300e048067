"""Broken files, given to the command: what it says, and what it leaves."""

import gzip

import pytest

from tests.apps.running import boxwise

HEADER = b"age,job,decision\n"
GOOD = HEADER + b"31,cook,yes\n44,smith,no\n"


LEARN = ("--label", "decision", "-o", "model.box")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def learn(folder, content, *options):
    (folder / "data.csv").write_bytes(content)
    return boxwise("learn", "data.csv", *LEARN, *options)


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
def test_a_broken_file_is_named_and_no_model_is_written(folder, content, options, words):
    run = learn(folder, content, *options)
    assert run.exit_code == 1
    assert words in run.stderr
    assert run.stdout == ""
    assert not (folder / "model.box").exists()


def test_a_number_that_is_none_is_found_far_into_the_file(folder):
    rows = b"".join(b"%d,cook,yes\n" % age for age in range(12_000))
    run = learn(folder, HEADER + rows + b"old,cook,yes\n")
    assert run.exit_code == 1
    assert "data.csv, line 12002, column 'age': 'old' is not a number" in run.stderr


def test_bad_rows_are_skipped_or_reported_if_asked(folder):
    bad = GOOD + b"7,x\n8,\0,no\n9,caf\xe9,no\n52,smith,no\n"
    skipped = learn(folder, bad, "--on-error", "skip", "-q")
    assert (skipped.exit_code, skipped.stdout, skipped.stderr) == (3, "", "")
    model = (folder / "model.box").read_bytes()
    reported = learn(folder, bad, "--on-error", "report")
    assert reported.exit_code == 3
    assert "3 rows were left out" in reported.stderr
    assert all(f"data.csv, line {n}" in reported.stderr for n in (4, 5, 6))
    assert learn(folder, GOOD + b"52,smith,no\n").exit_code == 0
    assert (folder / "model.box").read_bytes() == model


def test_an_error_leaves_the_model_that_was_there(folder):
    assert learn(folder, GOOD).exit_code == 0
    before = (folder / "model.box").read_bytes()
    (folder / "more.csv").write_bytes(GOOD + b"7,x\n")
    more = ("learn", "more.csv", "--label", "decision", "--into", "model.box")
    assert boxwise(*more).exit_code == 1
    assert (folder / "model.box").read_bytes() == before


def test_what_is_no_file_is_named(folder):
    for name, words in ((".", ". is a folder"), ("nothing.csv", "there is no file 'nothing.csv'")):
        run = boxwise("learn", name, *LEARN)
        assert run.exit_code == 1
        assert words in run.stderr


def test_a_place_that_cannot_be_written_is_found_out_before_the_work(folder):
    (folder / "data.csv").write_bytes(GOOD)
    (folder / "taken.box").mkdir()
    for target, words in (
        ("no/folder/model.box", "there is no folder"),
        ("taken.box", "is a folder; give the name of a file"),
    ):
        run = boxwise("learn", "data.csv", "--label", "decision", "-o", target)
        assert run.exit_code == 1
        assert words in run.stderr
        assert "columns of" not in run.stderr


def test_a_damaged_model_file_is_named_by_every_command(folder):
    assert learn(folder, GOOD).exit_code == 0
    whole = (folder / "model.box").read_bytes()
    (folder / "model.box").write_bytes(whole[:100] + b"?" + whole[101:])
    for arguments in (
        ("predict", "model.box", "data.csv"),
        ("inspect", "model.box"),
        ("learn", "data.csv", "--label", "decision", "--into", "model.box"),
    ):
        run = boxwise(*arguments)
        assert run.exit_code == 1
        assert "model.box: the file is damaged or cut short" in run.stderr
