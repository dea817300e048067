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
GROUP = r" +\d+% 0\.\d\d +\d+% 0\.\d\d"
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


def test_a_line_comes_out_every_tenth_of_the_stream(alone):
    lines = re.findall(rf"^ +([\d,]+) +[\d,]+{GROUP}$", alone, re.M)
    assert lines == ["150", "300", "450", "600", "750", "900", "1,050", "1,200", "1,350", "1,500"]


def test_learners_of_river_stand_beside_ours(beside):
    assert len(re.findall(rf"^ +[\d,]+ +[\d,]+{GROUP * 3}$", beside, re.M)) == 10
    for name in ("boxwise", "hoeffding-tree", "naive-bayes"):
        assert re.search(rf"^{name} +0\.\d+ +0\.\d+ .* [\d,]+$", beside, re.M)


def test_ours_is_the_same_with_and_without_river(alone, beside):
    def scores(output):
        return re.search(r"^(boxwise .*) [\d,]+$", output, re.M).group(1).split()

    assert scores(alone) == scores(beside)


def test_without_river_it_says_so(alone, beside):
    said = 'River is not installed, so there is no comparison: pip install "boxwise'
    assert said in " ".join(alone.split())
    assert "pip install" not in beside


def test_the_summary_has_rows_boxes_throughput_and_scores(alone):
    summary = alone[alone.index("1,500 rows  ") :]
    assert re.search(r"accuracy +CBA +kappa +balanced +boxes +memory +rows/s", summary)


def test_two_boxes_are_told_in_words(alone):
    boxes = alone[alone.index("The largest box of each class") : alone.index("A new application")]
    rules = re.findall(r"^  \w.*(?:\n    .*)*", boxes, re.M)
    approved, declined = (" ".join(rule.split()) for rule in rules)
    assert re.fullmatch(r"IF .* THEN approved \(from \d+ rows\)", approved)
    assert re.fullmatch(r"IF .* THEN declined \(from \d+ rows\)", declined)
    assert all("education" in rule and rule.count(" AND ") < 5 for rule in (approved, declined))


def test_one_decision_is_explained_by_the_boxes_that_carried_it(alone):
    reasons = alone[alone.index("and the boxes behind its prediction") :]
    application, why, *boxes = re.findall(r"^  \w.*(?:\n    .*)*", reasons, re.M)
    assert "salary" in application
    decision, probability = re.match(r"  (\w+), with probability (0\.\d+)", why).groups()
    assert re.search(r"All [\d,]+\s+boxes\s+vote", why)
    boxes = [" ".join(box.split()) for box in boxes]
    told = [re.match(r"(0\.\d+) IF .* THEN (\w+) \(from", box).groups() for box in boxes]
    shares = [float(share) for share, _ in told]
    assert [label for _, label in told] == [decision] * 3
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= float(probability) + 0.02


def test_it_learns_something(alone):
    accuracy, cba = re.search(r"^boxwise +(0\.\d+) +(0\.\d+)", alone, re.M).groups()
    assert float(accuracy) > 0.55
    assert float(cba) > 0.5


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
    assert "1 row " in done.stdout


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
