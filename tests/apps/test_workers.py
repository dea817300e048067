"""Work in several processes: order, news, errors, and processes that die."""

import os
import signal
import sys
import time

import pytest

from boxwise.apps.jobs.workers import WorkerDiedError, WorkStopped, results_in_order
from boxwise.files import InputError, RowError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are different there")


def square(task, tell):
    tell(f"at {task}")
    time.sleep(0.3 if task == 1 else 0)  # the first is the last to be done
    return task * task, os.getpid()


def failing(task, tell):
    if task == 2:
        raise RowError("is wrong", "correct it", "b.csv", 7, column="age", value="abc")
    return task


def odd_error(task, tell):
    class Local(Exception):  # noqa: N818
        pass

    raise Local("of this process only")


def dying(task, tell):
    if task == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return task


def slow(task, tell):
    tell(os.getpid())
    time.sleep(600)


def done(work, tasks, n=2, news=lambda task, content: None, stopped=lambda: False):
    return [*results_in_order(work, tasks, n, news=news, stopped=stopped)]


def test_results_come_in_the_order_of_the_tasks_and_news_before_them():
    told = []
    results = done(square, [1, 2, 3], news=lambda task, content: told.append((task, content)))
    assert [result for result, _ in results] == [1, 4, 9]
    assert 1 <= len({process for _, process in results} - {os.getpid()}) <= 2
    assert sorted(told) == [(0, "at 1"), (1, "at 2"), (2, "at 3")]


def test_there_are_no_more_processes_than_asked_for():
    assert len({process for _, process in done(square, [1, 2, 3], n=1)}) == 1


def test_an_error_of_a_task_is_raised_here_as_it_was():
    with pytest.raises(RowError, match=r"b\.csv, line 7, column 'age': 'abc' is wrong") as error:
        done(failing, [1, 2, 3])
    assert (error.value.file, error.value.line, error.value.column) == ("b.csv", 7, "age")


def test_an_error_that_cannot_be_sent_is_told_in_words():
    with pytest.raises(RuntimeError, match="Local: of this process only"):
        done(odd_error, [1])


def test_a_process_that_is_killed_is_an_error_with_its_task():
    with pytest.raises(WorkerDiedError) as error:
        done(dying, [1, 2, 3])
    assert (error.value.task, error.value.exit_code) == (1, -signal.SIGKILL)


def test_a_stop_ends_all_processes():
    processes = []
    with pytest.raises(WorkStopped):
        done(
            slow,
            [1, 2],
            news=lambda task, process: processes.append(process),
            stopped=lambda: len(processes) == 2,
        )
    assert not any(is_running(process) for process in processes)


def test_an_error_ends_all_other_processes():
    processes = []

    def news(task, process):
        processes.append(process)
        if len(processes) == 2:
            raise InputError("enough")

    with pytest.raises(InputError, match="enough"):
        done(slow, [1, 2], news=news)
    assert not any(is_running(process) for process in processes)


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
