"""Ctrl-C, SIGTERM and readers that go away, as the installed command meets them."""

import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest

import boxwise as library
from tests.apps.running import boxwise as here  # in this process: it starts at once
from tests.e2e.command import BOXWISE, ENVIRONMENT, boxwise

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are different there")

HEADER = b"age,job,decision\n"


def rows(n, first=0):
    return b"".join(b"%d,cook,%s\n" % (i, b"yes" if i % 3 else b"no") for i in range(first, n))


class Slow:
    """The command, learning from a pipe that stays open."""

    def __init__(self, folder, *options):
        self.run = subprocess.Popen(
            [BOXWISE, "learn", "-", "--label", "decision", *options],
            cwd=folder,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def feed(self, data):
        """Write the data and wait until all of it was taken."""
        self.run.stdin.write(data)
        self.run.stdin.flush()
        deadline = time.monotonic() + 120
        while self._unread() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not self._unread()

    def stop(self, number):
        self.run.send_signal(number)
        errors = self.run.stderr.read().decode()
        self.run.wait(timeout=120)
        for pipe in (self.run.stdin, self.run.stdout, self.run.stderr):
            pipe.close()
        return self.run.returncode, errors

    def _unread(self):
        import array
        import fcntl
        import termios

        size = array.array("i", [0])
        fcntl.ioctl(self.run.stdin.fileno(), termios.FIONREAD, size)
        return size[0]


@pytest.mark.skipif(sys.platform != "linux", reason="a pipe does not tell what is unread")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_stream_leaves_a_model_with_all_rows_read_so_far(folder, number, code):
    slow = Slow(folder, "-o", "model.box")
    slow.feed(HEADER + rows(300) + b"99,coo")
    ended, errors = slow.stop(number)
    assert ended == code
    assert "stopped; 300 rows read so far are in model.box" in errors
    assert "Traceback" not in errors
    assert (folder / "model.box").read_bytes() == model_of(folder, 300)


@pytest.mark.skipif(sys.platform != "linux", reason="a pipe does not tell what is unread")
def test_a_stream_stopped_after_some_chunks_leaves_a_model_of_the_rows_it_tells(folder):
    slow = Slow(folder, "-o", "model.box")
    slow.feed(HEADER + rows(25_000) + b"99,coo")
    ended, errors = slow.stop(signal.SIGINT)
    assert ended == 130
    # Most of the rows are still to be learned when all are read: on a busy machine not all are.
    told = re.search(r"stopped; ([\d,]+) rows .*are in model.box \(rows up to ([\d,]+) ", errors)
    assert told[1] == told[2]
    n = int(told[1].replace(",", ""))
    assert 2000 <= n <= 25_000
    assert (folder / "model.box").read_bytes() == model_of(folder, n)


def model_of(folder, n):
    """Return the bytes of the model that has learned the first rows from a file."""
    (folder / "data.csv").write_bytes(HEADER + rows(n))
    done = here("learn", folder / "data.csv", "--label", "decision", "-o", folder / "same.box")
    assert done.exit_code == 0
    return (folder / "same.box").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="a pipe does not tell what is unread")
def test_a_model_that_was_stopped_goes_on_where_it_was(folder):
    slow = Slow(folder, "-o", "model.box")
    slow.feed(HEADER + rows(200))
    assert slow.stop(signal.SIGINT)[0] == 130
    more = HEADER + rows(500, first=200)
    run = boxwise(
        "learn", "-", "--label", "decision", "--into", "model.box", folder=folder, given=more
    )
    assert "300 rows more, 500 in all" in run.stdout
    whole = library.HyperboxClassifier(categorical_features=["job"])
    ages = [float(i) for i in range(500)]
    table = {"age": ages, "job": ["cook"] * 500}
    whole.partial_fit(table, ["yes" if i % 3 else "no" for i in range(500)])
    whole.save(folder / "whole.box")
    assert (folder / "model.box").read_bytes() == (folder / "whole.box").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="a pipe does not tell what is unread")
def test_stopped_before_the_first_row_nothing_is_written(folder):
    slow = Slow(folder, "-o", "model.box")
    slow.feed(HEADER)
    ended, errors = slow.stop(signal.SIGINT)
    assert ended == 130
    assert "stopped before a row was read; nothing was written" in errors
    assert os.listdir(folder) == []  # noqa: PTH208


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_predictions_that_were_stopped_leave_no_file(folder, number, code):
    (folder / "data.csv").write_bytes(HEADER + rows(300))
    learn = ("learn", folder / "data.csv", "--label", "decision", "-o", folder / "model.box", "-q")
    assert here(*learn).exit_code == 0
    with subprocess.Popen(
        [BOXWISE, "predict", "model.box", "-", "-o", "out.csv", "--chunk-rows", "10"],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        run.stdin.write(HEADER + rows(300))
        run.stdin.flush()
        deadline = time.monotonic() + 120
        while not [*folder.glob(".boxwise-*")] and time.monotonic() < deadline:
            time.sleep(0.02)
        run.send_signal(number)
        assert b"Traceback" not in run.stderr.read()
    assert run.returncode == code
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "model.box"]


def test_a_reader_that_goes_away_ends_the_output_silently(folder):
    (folder / "data.csv").write_bytes(HEADER + rows(20_000))
    learn = ("learn", folder / "data.csv", "--label", "decision", "-o", folder / "model.box")
    assert here(*learn, "--theta", "0.5").exit_code == 0
    with subprocess.Popen(
        [BOXWISE, "predict", "model.box", "data.csv", "-q", "--proba"],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdout.readline().startswith(b"row,prediction")
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 141


COLUMNS = 30


def table_of_many_classes(folder):
    """Write rows of thousands of classes, which take seconds to learn, and return their lines."""
    draw = random.Random(0)
    lines = [
        ",".join(f"{draw.random():.3f}" for _ in range(COLUMNS)) + f",k{draw.randrange(9000)}\n"
        for _ in range(10_000)
    ]
    header = ",".join(f"x{i}" for i in range(COLUMNS)) + ",decision\n"
    (folder / "many.csv").write_text(header + "".join(lines))
    return header, lines


def begun(folder, *arguments):
    """Start a command on the rows of many classes and wait until it has begun to learn."""
    run = subprocess.Popen(
        [BOXWISE, *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while line := run.stderr.readline():
        if "label" in line:  # the last one about the columns
            return run
    raise AssertionError(f"it ended before it began, with exit code {run.wait()}")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_learn_stops_soon_where_rows_take_long_and_saves_those_learned(folder, number, code):
    header, lines = table_of_many_classes(folder)
    run = begun(folder, "learn", "many.csv", "--label", "decision", "-o", "model.box")
    run.send_signal(number)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == code
    assert "those after them were not learned" in errors
    model = library.load(folder / "model.box")
    n = int(model._model.engine.snapshot()["rows"][0])  # boxes that made room took theirs with them
    assert 0 < n < len(lines)
    assert f"{n:,} rows are in model.box (rows up to {n:,} of the input)" in errors
    (folder / "first.csv").write_text(header + "".join(lines[:n]))
    same = here(
        *("learn", folder / "first.csv", "--label", "decision", "-o", folder / "same.box", "-q"),
    )
    assert same.exit_code == 0
    assert (folder / "model.box").read_bytes() == (folder / "same.box").read_bytes()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_evaluate_that_was_stopped_shows_and_writes_the_scores_so_far(folder, number, code):
    table_of_many_classes(folder)
    learn = ("evaluate", "many.csv", "--label", "decision", "--every", "1", "-o", "scores.csv")
    run = begun(folder, *learn)
    time.sleep(2)
    run.send_signal(number)
    shown, errors = run.communicate(timeout=120)
    assert run.returncode == code
    assert "stopped; the scores are those of the first" in errors
    assert "accuracy" in shown
    assert (folder / "scores.csv").read_text().startswith("learner,rows,")


def test_learn_at_once_stops_soon_and_writes_nothing(folder):
    table_of_many_classes(folder)
    learn = ("learn", "many.csv", "--label", "decision", "--algorithm", "agglo-2", "-o", "m.box")
    run = begun(folder, *learn, "--theta", "1")
    assert "at once" in run.stderr.readline()
    time.sleep(1)
    run.send_signal(signal.SIGTERM)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 143
    assert "nothing was written" in errors
    assert os.listdir(folder) == ["many.csv"]  # noqa: PTH208
