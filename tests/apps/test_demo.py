"""The demo, run as a user runs it."""

import os
import re
import subprocess
import sys

import pytest

from boxwise.apps.demo import main


def run_demo(*arguments, before=""):
    """Run the demo in a process of its own; `before` is Python to run first."""
    code = f"{before}\nimport runpy\nrunpy.run_module('boxwise.apps.demo', run_name='__main__')"
    command = (
        [sys.executable, "-c", code] if before else [sys.executable, "-m", "boxwise.apps.demo"]
    )
    return subprocess.run(
        [*command, *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "1000", "PYTHONUTF8": "1"},
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def output():
    done = run_demo("--rows", "1500", "--seed", "1")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_line_comes_out_every_tenth_of_the_stream(output):
    lines = re.findall(
        r"^ +([\d,]+) +[\d,]+ +[\d,]+ +[\d.]+% +0\.\d{3} +[\d.]+% +0\.\d{3}$", output, re.M
    )
    assert lines == ["150", "300", "450", "600", "750", "900", "1,050", "1,200", "1,350", "1,500"]


def test_the_summary_has_rows_boxes_throughput_and_scores(output):
    summary = output[output.index("1,500 rows in") :]
    assert re.search(r"throughput [\d,]+ rows/s", summary)
    assert re.search(r"[\d,]+ boxes", summary)
    assert re.search(r"accuracy [\d.]+%, CBA 0\.\d{3}", summary)


def test_two_boxes_are_told_in_words(output):
    boxes = output[output.index("The largest box of each kind") :].splitlines()[1:3]
    assert boxes[0].strip().startswith("approved")
    assert boxes[1].strip().startswith("declined")
    assert all("salary" in box and "education" in box for box in boxes)


def test_one_decision_is_explained_by_the_box_that_made_it(output):
    application, why, box = output[output.index("and why it is decided so") :].splitlines()[1:4]
    assert "salary" in application
    assert re.search(r"of [\d,]+ boxes it belongs most to this one, with membership 0\.\d+", why)
    assert box.split(",")[0].strip() == why.split(":")[0].strip()  # of the class decided for


def test_it_learns_something(output):
    accuracy, cba = re.search(r"Overall accuracy ([\d.]+)%, CBA (0\.\d+)", output).groups()
    assert float(accuracy) > 55
    assert float(cba) > 0.5


def test_no_bar_and_no_control_codes_without_a_terminal(output):
    assert "\x1b" not in output
    assert "\r" not in output


def test_a_single_row_will_do():
    done = run_demo("--rows", "1")
    assert done.returncode == 0, done.stderr
    assert "1 rows in" in done.stdout


@pytest.mark.parametrize("rows", ["0", "-5", "many"])
def test_a_wrong_number_of_rows_is_refused(rows, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--rows", rows])
    assert "--rows" in capsys.readouterr().err


def test_without_rich_it_says_what_to_install():
    done = run_demo("--rows", "10", before="import sys; sys.modules['rich'] = None")
    assert done.returncode == 1
    assert 'pip install "boxwise[cli]"' in done.stderr
    assert "Traceback" not in done.stderr
