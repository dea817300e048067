"""Changes while learning: told line by line, marked in plots, shown in reports, run at alarms."""

import re
import sys
from time import monotonic

import pytest

import boxwise as library
from boxwise.apps import change_watch
from boxwise.apps.change_watch import ChangeWatch
from boxwise.datasets import LoanStream
from boxwise.learners.changes import Change
from tests.apps.running import boxwise, write_csv

ALARM = Change(7553, "alarm", 0.08, 0.31, 0, ())
REPLACED = Change(7600, "replaced", 0.9, 0.2, 40, (("age", 2.0),))
DROPPED = Change(9100, "dropped", 0.2, 0.4, 30, ())
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")


def drifting(n):
    stream = [*LoanStream(n, function=1, seed=1), *LoanStream(n, function=2, seed=2)]
    return [{**row, "decision": label} for row, label in stream]


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("loans") / "loans.csv", drifting(1500))


@pytest.fixture(scope="module")
def model(loans):
    path = loans.parent / "loans.box"
    run = boxwise("learn", loans, "--label", "decision", "-o", path)
    assert run.exit_code == 0, run.stderr
    return path, run.stderr


def told(stderr):
    return re.findall(r"^boxwise: (row [\d,]+: .+)$", stderr, re.MULTILINE)


def test_learn_tells_every_change_once_unless_quiet(loans, model, tmp_path):
    path, stderr = model
    changes = library.load(path).changes_
    assert {"alarm", "replaced"} <= {change.event for change in changes}
    assert told(stderr) == [str(change) for change in changes]
    target = ("--label", "decision", "-o", tmp_path / "m.box")
    assert boxwise("learn", loans, *target, "-q").stderr == ""
    assert not told(boxwise("learn", loans, *target, "--no-adapt").stderr)


def test_learn_more_does_not_tell_earlier_changes_again(model, tmp_path):
    few = write_csv(tmp_path / "few.csv", drifting(1500)[-20:])
    path = model[0]
    run = boxwise("learn", few, "--label", "decision", "--into", path, "-o", tmp_path / "m.box")
    assert run.exit_code == 0
    assert not told(run.stderr)
    assert "20 rows more, 3,020 in all" in run.stdout  # although boxes were evicted


def test_evaluate_tells_changes_and_marks_them_in_the_plot(loans, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "run.svg"
    run = boxwise("evaluate", loans, "--label", "decision", "--plot", picture)
    assert run.exit_code == 0, run.stderr
    lines = told(run.stderr)
    assert any(": alarm: errors rose from" in line for line in lines)
    drawn = picture.read_text(encoding="utf-8")
    assert 'id="change-alarm"' in drawn
    assert 'id="change-replaced"' in drawn
    quiet = boxwise("evaluate", loans, "--label", "decision", "-q")
    assert quiet.stderr == ""


@posix_only
@pytest.mark.parametrize("command", ["learn", "evaluate"])
def test_the_command_is_run_at_alarms_and_replacements_with_what_happened(
    loans, model, tmp_path, command
):
    log = tmp_path / "log"
    script = f'echo "$BOXWISE_ROW $BOXWISE_EVENT $BOXWISE_BEFORE $BOXWISE_AFTER" >> {log}'
    target = ("-o", tmp_path / "m.box") if command == "learn" else ()
    options = ("--label", "decision", "--alarm-command", script, "-q", *target)
    run = boxwise(command, loans, *options)
    assert run.exit_code == 0, run.stderr
    expected = [
        f"{change.row} {change.event} {change.before:.6g} {change.after:.6g}"
        for change in library.load(model[0]).changes_
        if change.event != "dropped"
    ]
    assert log.read_text().splitlines() == expected


@posix_only
def test_a_failing_command_is_told_and_learning_goes_on(loans, tmp_path):
    target = ("--label", "decision", "-o", tmp_path / "m.box")
    run = boxwise("learn", loans, *target, "--alarm-command", "exit 7")
    assert run.exit_code == 0
    assert "boxwise: --alarm-command ended with 7\n" in run.stderr
    assert (tmp_path / "m.box").exists()


@posix_only
def test_a_command_that_hangs_is_stopped_with_all_it_started(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(change_watch, "LONGEST_WAIT", 0.3)
    late, started = tmp_path / "late", monotonic()
    ChangeWatch(f"(sleep 2; touch {late}) & wait", quiet=True).tell([ALARM])
    assert monotonic() - started < 2
    assert "took longer than 0 seconds and was stopped" in capsys.readouterr().err
    ChangeWatch("sleep 2.2", quiet=True)._run("sleep 0.1", ALARM)
    assert not late.exists()


def test_no_command_is_run_or_waited_for_once_learning_was_stopped(tmp_path):
    ran, started = tmp_path / "ran", monotonic()
    signals = iter([False, False, True])
    watch = ChangeWatch(f"touch {ran}; sleep 9", quiet=True, stopped=lambda: next(signals, True))
    watch.tell([ALARM, ALARM])
    assert monotonic() - started < 5
    ran.unlink(missing_ok=True)
    watch.tell([ALARM, ALARM, ALARM])
    assert not ran.exists()


def test_lines_say_what_happened(capsys):
    watch = ChangeWatch(None, quiet=False)
    watch.tell([ALARM])
    watch.tell([ALARM, REPLACED, DROPPED])
    assert capsys.readouterr().err.splitlines() == [
        "boxwise: row 7,553: alarm: errors rose from 8.0% to 31.0%",
        "boxwise: row 7,600: replaced: log-loss 0.900 before, 0.200 now; "
        "what matters now: age more",
        "boxwise: row 9,100: the challenger is dropped",
    ]


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("learn", ("--algorithm", "eiol-gfmm"), "EIOLGFMM raises no alarms"),
        ("learn", ("--no-adapt",), "without --adapt there are no alarms"),
        ("evaluate", ("--algorithm", "eiol-gfmm"), "it is for --algorithm hyperbox"),
        ("evaluate", ("--cv", "3"), "alarms are raised row by row"),
    ],
)
def test_a_command_that_would_never_run_is_wrong_usage(loans, tmp_path, command, options, words):
    target = ("-o", tmp_path / "m.box") if command == "learn" else ()
    wanted = ("--label", "decision", "--alarm-command", "true", *options, *target)
    run = boxwise(command, loans, *wanted)
    assert run.exit_code == 2
    assert words in run.stderr
    assert not (tmp_path / "m.box").exists()


def test_a_report_lists_the_changes(model, tmp_path):
    page = tmp_path / "page.html"
    assert boxwise("report", model[0], "-o", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "Changes while learning" in text
    for change in library.load(model[0]).changes_:
        assert f'<th scope="row">{change.row:,}</th>' in text
    assert "<dd>3,000</dd>" in text  # rows learned, not those that the boxes hold by now


def test_inspect_counts_all_rows_that_were_learned(model):
    assert "learned     3,000 rows, " in boxwise("inspect", model[0]).stdout


def test_changes_are_told_although_the_model_keeps_the_latest_only(capsys):
    watch = ChangeWatch(None, quiet=False)
    watch.skip([ALARM, REPLACED])
    watch.tell([REPLACED, DROPPED])
    watch.tell([REPLACED, DROPPED])
    assert told(capsys.readouterr().err) == [str(DROPPED)]
