"""Learn, go on learning, predict, inspect: files in, files out, by the installed command."""

import csv
import gzip
import io
import json
import os
import sys
from itertools import islice

import pytest

from tests.apps.running import boxwise as here  # in this process: it starts at once
from tests.e2e.command import BOXWISE, bare_interpreter, boxwise, megabytes_of
from tests.e2e.conftest import ROWS, write_csv

LEARN = ("--label", "decision", "--theta", "0.3", "--delta", "1", "--categorical", "zip_code")


def test_from_a_file_to_predictions_and_back_to_the_labels(folder, loans, loans_csv):
    learned = boxwise("learn", loans_csv.name, *LEARN, "-o", "a model.box", folder=folder)
    assert learned.returncode == 0
    assert learned.stdout.startswith(f"a model.box: {ROWS} rows, ")
    assert "categorical  education, car, zip_code" in learned.stderr
    assert "\x1b" not in learned.stdout + learned.stderr

    predicted = boxwise("predict", "a model.box", "loans.csv", folder=folder)
    assert predicted.returncode == 0
    assert predicted.stderr == ""
    rows = list(csv.DictReader(io.StringIO(predicted.stdout)))
    assert [int(row["row"]) for row in rows] == [*range(1, ROWS + 1)]
    right = sum(row["prediction"] == loan[-1] for row, loan in zip(rows, loans[1:], strict=True))
    assert right > 0.8 * ROWS

    inspected = boxwise("inspect", "a model.box", "--json", folder=folder)
    assert json.loads(inspected.stdout)["rows"] == ROWS


def test_two_files_standard_input_and_gzip_give_the_same_model(folder, loans, loans_csv):
    write_csv(folder / "one.csv", loans[:150])
    write_csv(folder / "two.csv", [loans[0], *loans[150:]])
    packed = gzip.compress(loans_csv.read_bytes())
    one = here("learn", folder / "one.csv", *LEARN, "-o", folder / "3.box", "-q")
    assert one.exit_code == 0
    runs = [
        boxwise("learn", "one.csv", "two.csv", *LEARN, "-o", "1.box", "-q", folder=folder),
        boxwise("learn", "-", *LEARN, "-o", "2.box", "-q", folder=folder, given=packed),
        boxwise("learn", "two.csv", "--into", "3.box", "--label", "decision", "-q", folder=folder),
    ]
    assert [(run.returncode, run.stdout, run.stderr) for run in runs] == [(0, "", "")] * 3
    whole = here("learn", folder / "loans.csv", *LEARN, "-o", folder / "0.box", "-q")
    assert whole.exit_code == 0
    assert len({(folder / f"{i}.box").read_bytes() for i in range(4)}) == 1


def test_help_has_examples_and_exit_codes(folder):
    shown = boxwise("learn", "--help", folder=folder)
    assert shown.returncode == 0
    assert "boxwise learn loans.csv --label decision -o loans.box" in shown.stdout
    assert "Exit codes:" in shown.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such terminal")
def test_a_terminal_gets_a_bar_and_the_same_model(folder, loans_csv):
    import pty
    import subprocess

    boxwise("learn", "loans.csv", *LEARN, "-o", "quiet.box", folder=folder)
    master, terminal = pty.openpty()
    shown = b""
    with subprocess.Popen(
        [BOXWISE, "learn", "loans.csv", *LEARN, "-o", "bar.box"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as run:
        os.close(terminal)
        while True:
            try:
                block = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            shown += block
    os.close(master)
    assert run.returncode == 0
    assert b"400 rows, " in shown
    assert b" boxes" in shown
    assert (folder / "bar.box").read_bytes() == (folder / "quiet.box").read_bytes()


needs_streams = pytest.mark.skipif(
    "BOXWISE_DATA" not in os.environ, reason="BOXWISE_DATA does not name the folder of the data"
)


def flights() -> str:
    path = os.path.join(os.environ["BOXWISE_DATA"], "streams", "nyc_flights.csv.gz")  # noqa: PTH118
    if not os.path.exists(path):  # noqa: PTH110
        pytest.skip("the streams are not among the data")
    return path


FLIGHTS = ("--label", "class", "--theta", "0.5", "--delta", "1", "-q")


@needs_streams
def test_half_the_flights_and_then_the_rest_give_the_model_of_the_whole(folder):
    with gzip.open(flights(), "rb") as file:
        header, *rows = islice(file, 60_001)
    (folder / "whole.csv.gz").write_bytes(gzip.compress(header + b"".join(rows), 1))
    (folder / "first.csv").write_bytes(header + b"".join(rows[:30_000]))
    (folder / "rest.csv").write_bytes(header + b"".join(rows[30_000:]))
    whole = ("learn", "whole.csv.gz", *FLIGHTS, "-o", "whole.box")
    assert boxwise(*whole, folder=folder).returncode == 0
    half = ("learn", "first.csv", *FLIGHTS, "-o", "half.box", "--chunk-rows", "3333")
    assert boxwise(*half, folder=folder).returncode == 0
    rest = ("learn", "rest.csv", "--label", "class", "--into", "half.box")
    more = boxwise(*rest, folder=folder)
    assert "60,000 in all" in more.stdout
    assert (folder / "half.box").read_bytes() == (folder / "whole.box").read_bytes()


@pytest.mark.long
@needs_streams
@pytest.mark.skipif(sys.platform == "win32", reason="sizes of processes are not told there")
def test_learning_all_flights_takes_less_than_300_mb(folder):
    """With the default settings, which make 107,919 boxes; the libraries alone take 175 MB."""
    command = [BOXWISE, "learn", flights(), "--label", "class", "-o", "model.box", "-q"]
    code, megabytes, errors = megabytes_of(command, folder)
    assert (code, errors) == (0, "")
    assert megabytes - bare_interpreter(folder) < 300
