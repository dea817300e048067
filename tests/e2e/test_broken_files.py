"""Broken files, given to the installed command: what it says, how it ends, what it leaves."""

import os
import subprocess
import sys

import pytest

from tests.e2e.command import BOXWISE, bare_interpreter, boxwise, megabytes_of

LEARN = ("--label", "decision", "-o", "model.box")
HEADER = b"age,job,decision\n"
GOOD = HEADER + b"31,cook,yes\n44,smith,no\n"


def learn(folder, content, *options, name="data.csv"):
    (folder / name).write_bytes(content)
    return boxwise("learn", name, *LEARN, *options, folder=folder)


# What it says of other broken files: tests/apps/test_broken_files.py.
def test_a_broken_file_is_named_and_no_model_is_written(folder):
    run = learn(folder, GOOD + b"7,x\n")
    assert run.returncode == 1
    assert "data.csv, line 4: '7,x' has 2 values, but the header has 3" in run.stderr
    assert run.stdout == ""
    assert not (folder / "model.box").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="sizes of processes are not told there")
@pytest.mark.parametrize(("policy", "code"), [("stop", 1), ("skip", 3)])
def test_a_field_of_100_mb_is_refused_without_being_held(folder, policy, code):
    with (folder / "big.csv").open("wb") as file:
        file.write(GOOD + b"50,")
        for _ in range(100):
            file.write(b"z" * 1_000_000)
        file.write(b",no\n61,cook,yes\n")
    command = [BOXWISE, "learn", "big.csv", *LEARN, "--on-error", policy]
    ended, megabytes, errors = megabytes_of(command, folder)
    assert ended == code
    assert "big.csv, line 4, column 'job': 'zzzz" in errors
    assert "more than 131,072 characters" in errors
    assert len(errors) < 1000
    assert megabytes - bare_interpreter(folder) < 300  # most of it is libraries


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind this user"
)
def test_a_folder_without_permission_is_named(folder):
    (folder / "data.csv").write_bytes(GOOD)
    (folder / "locked").mkdir(mode=0o555)
    arguments = ("learn", "data.csv", "--label", "decision", "-o", "locked/model.box")
    run = boxwise(*arguments, folder=folder)
    assert run.returncode == 1
    assert "may not be written to" in run.stderr


def test_half_a_character_is_a_bad_row_and_harms_no_command_after_it(folder):
    rows = b'{"a": 1, "decision": "x"}\n{"a": 1, "decision": "\\ud800"}\n'
    run = learn(folder, rows, "--on-error", "skip", name="data.jsonl")
    assert run.returncode == 3
    assert "line 2, column 'decision': '\\ud800' has half of a character" in run.stderr
    predicted = boxwise("predict", "model.box", "data.jsonl", "--on-error", "skip", folder=folder)
    assert (predicted.returncode, predicted.stdout) == (3, "row,prediction\n1,x\n")
    assert boxwise("inspect", "model.box", folder=folder).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="files are told apart by other means there")
def test_a_file_that_comes_from_standard_input_is_not_overwritten(folder):
    assert learn(folder, GOOD).returncode == 0
    with (folder / "data.csv").open("rb") as given:
        run = subprocess.run(
            [BOXWISE, "predict", "model.box", "-", "-o", "data.csv"],
            cwd=folder,
            stdin=given,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert run.returncode == 2
    assert "data.csv is a file to read" in run.stderr
    assert (folder / "data.csv").read_bytes() == GOOD
