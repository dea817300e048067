"""The demo, run as a user runs it."""

import os
import re
import signal
import subprocess
import sys
from time import sleep

import pytest

from tests.apps.running import boxwise

ENTRY = "from boxwise.apps.entry import main; main()"
WITHOUT_RIVER = "import sys; sys.modules['river'] = None"


def command(*arguments, before=""):
    """Return the command; `before` is Python to run first."""
    return [sys.executable, "-c", f"{before}\n{ENTRY}", "demo", *arguments]


def run_demo(*arguments, before=""):
    return subprocess.run(
        command(*arguments, before=before),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1"},
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def alone():
    done = run_demo("--rows", "1500", "--seed", "1", before=WITHOUT_RIVER)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def beside():
    pytest.importorskip("river")
    done = run_demo("--rows", "1500", "--seed", "1")
    assert done.returncode == 0, done.stderr
    return done.stdout


def chart_of(output, name):
    """Return the upper and the lower line of a chart, and the two figures beside it."""
    lines = output.splitlines()
    (k,) = [i for i, line in enumerate(lines) if line.startswith(f"{name}  ")]
    lower = re.match(rf"{name} +(\S.*?) +(\d+%) +(\d+%)$", lines[k])
    return lines[k - 1][16:], lower.group(1), lower.group(2, 3)


def test_the_chart_has_a_column_for_each_part_of_the_stream_and_the_change(alone):
    upper, lower, _ = chart_of(alone, "boxwise")
    assert len(lower) == 80 - 16 - 14 - 1
    assert lower.index("┊") == upper.index("┊") == 48 // 2
    assert {*lower} <= {*"▁▂▃▄▅▆▇█┊"}
    axis = next(line for line in alone.splitlines() if "the rule changes" in line)
    assert axis[16 + 48 // 2] == "▲"
    assert axis.endswith(" 1,500")


def test_learners_of_river_stand_beside_ours(beside):
    for name in ("boxwise", "hoeffding-tree", "naive-bayes"):
        _, lower, _ = chart_of(beside, name)
        assert lower.index("┊") == 48 // 2


def test_ours_is_the_same_with_and_without_river(alone, beside):
    assert chart_of(alone, "boxwise") == chart_of(beside, "boxwise")


def test_without_river_it_says_so(alone, beside):
    said = 'River is not installed, so there is no comparison: pip install "boxwise'
    assert said in " ".join(alone.split())
    assert "pip install" not in beside


def test_the_cost_is_said(alone):
    said = r"^boxwise: class balanced accuracy 0\.\d+, [\d,]+ boxes, [\d,]+ kB, [\d,]+ rows/s$"
    assert re.search(said, alone, re.M)


def test_one_decision_is_explained_by_the_boxes_that_contribute_most(alone):
    reasons = " ".join(alone[alone.index("A new application") :].split())
    assert "salary" in reasons
    said = re.search(r"Prediction: (\w+), probability (0\.\d+)\. All [\d,]+ boxes vote", reasons)
    decision, probability = said.groups()
    told = re.findall(r"(0\.\d+) IF .*? THEN (\w+) \(from \d+ rows?\)", reasons)
    assert [label for _, label in told] == [decision] * 3
    shares = [float(share) for share, _ in told]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= float(probability) + 0.02
    assert re.search(r"It would be \w+ \(\d+%\) with ", reasons)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_it_is_coloured_and_fits_on_80_by_24():
    shown = on_a_terminal("--rows", "1500", "--seed", "1")
    assert "\x1b[1;34m" in shown  # ours is bold blue
    final = shown[shown.rindex("accuracy of the last") :]
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", final)
    assert len(plain.splitlines()) + 3 <= 23  # with the introduction; the prompt is below


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_without_colour_a_terminal_shows_the_same():
    shown = on_a_terminal("--rows", "500", NO_COLOR="1")
    assert "▲ the rule changes" in shown
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown)


def test_a_terminal_of_ascii_has_a_chart_too():
    done = subprocess.run(
        command("--rows", "500", before=WITHOUT_RIVER),
        capture_output=True,
        env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"^ the rule changes" in done.stdout
    assert done.stdout.isascii()


def on_a_terminal(*arguments, **environment):
    """Return what the demo writes to a terminal of 80 × 24."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    given = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    demo = subprocess.Popen(
        command(*arguments),
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**given, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
    )
    os.close(follower)
    parts = []
    try:
        while part := os.read(leader, 4096):
            parts.append(part)
    except OSError:  # the other end was closed
        pass
    os.close(leader)
    assert demo.wait(timeout=60) == 0
    return b"".join(parts).decode()


def test_it_learns_something(alone):
    _, _, (now, every) = chart_of(alone, "boxwise")
    assert int(now.rstrip("%")) > 55 and int(every.rstrip("%")) > 55


@pytest.mark.parametrize("which", ["alone", "beside"])
def test_without_a_terminal_it_is_plain_text_of_80_columns(which, request):
    output = request.getfixturevalue(which)
    assert "\x1b" not in output
    assert "\r" not in output
    assert all(len(line) <= 80 for line in output.splitlines())


def test_a_file_to_practise_on_is_written_instead(tmp_path):
    from boxwise.datasets import LoanStream

    path = tmp_path / "loans.csv"
    done = boxwise("demo", "--csv", path, "--rows", "1100", "--seed", "7")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    header, *lines = path.read_text().splitlines()
    assert header.endswith("years,loan,decision")
    rows = [*LoanStream(1100, function=3, seed=7)]
    assert lines == [",".join(map(str, [*row.values(), label])) for row, label in rows]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    done = boxwise("demo", "--csv", tmp_path / "nowhere" / "loans.csv")
    assert done.exit_code == 1
    assert "there is no folder" in done.stderr


def test_a_single_row_will_do():
    done = boxwise("demo", "--rows", "1")
    assert done.exit_code == 0, done.stderr
    assert "1 box, " in done.stdout


@pytest.mark.parametrize("rows", ["0", "-5", "many"])
def test_a_wrong_number_of_rows_is_refused(rows):
    done = boxwise("demo", "--rows", rows)
    assert done.exit_code == 2
    assert "--rows" in done.stderr


def test_without_rich_it_says_what_to_install():
    before = "import sys; sys.modules['rich'] = None"
    done = run_demo("--rows", "10", before=before)
    assert done.returncode == 1
    assert 'pip install "boxwise[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send there")
def test_ctrl_c_ends_it_without_a_traceback():
    demo = subprocess.Popen(
        command("--rows", "10000000"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    demo.stdout.readline()
    sleep(0.5)
    demo.send_signal(signal.SIGINT)
    _, errors = demo.communicate(timeout=60)
    assert demo.returncode == 130
    assert "Traceback" not in errors
