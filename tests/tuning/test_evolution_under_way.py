"""What evolve tells while it searches, and what is left of it when it is stopped."""

from __future__ import annotations

import logging
import os
import signal
import threading
import warnings
from typing import Any

import pytest

from boxwise.tuning.trials import Trials
from tests.tuning.evolving import loan_table, outcome, points, run, unbeaten

pytest.importorskip("optuna")


def test_nothing_is_logged_printed_warned_of_or_left_changed(capfd, monkeypatch):
    logger = logging.getLogger("optuna")
    logged: list[logging.LogRecord] = []
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", logged.append)
    level = logger.getEffectiveLevel()
    assert level <= logging.INFO
    logger.addHandler(handler)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(space={"gamma": [1.0, [1.0] * 6], "theta": (0.1, 1)}, n_trials=30)
    logger.removeHandler(handler)
    assert logged == []
    assert capfd.readouterr() == ("", "")
    assert logger.getEffectiveLevel() == level


def test_progress_is_told_in_fits():
    told: list[tuple[int, int]] = []
    run(n_trials=25, progress=lambda *n: told.append(n))
    assert told[-1] == (75, 75)
    assert {total for _, total in told} == {75}
    done = [n for n, _ in told]
    assert done == sorted(done)
    assert {30, 60} <= {*done}, "the end of each generation"


def interrupt_generation(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    whole = Trials.run
    calls = []

    def interrupted(self: Trials, candidates: Any, **arguments: Any) -> Any:
        calls.append(candidates)
        if len(calls) == number:
            raise KeyboardInterrupt
        return whole(self, candidates, **arguments)

    monkeypatch.setattr(Trials, "run", interrupted)


def test_an_interrupt_keeps_what_the_finished_generations_found(monkeypatch):
    whole = run(n_trials=20)
    interrupt_generation(monkeypatch, 3)
    with pytest.warns(UserWarning, match=r"stopped after 20 of 400 trials"):
        cut = run(n_trials=400, refit=True)
    assert outcome(cut) == outcome(whole)
    assert cut.best_estimator_.predict(loan_table(5)[0]).shape == (5,)
    states = [t.state.name for t in cut.study_.trials]
    assert states == ["COMPLETE"] * 20 + ["FAIL"] * 10


def test_an_interrupt_of_the_first_generation_goes_on_to_the_caller(monkeypatch):
    interrupt_generation(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        run()


def test_progress_may_stop_the_search(monkeypatch):
    whole = Trials.run

    def silent(self: Trials, candidates: Any, *, n_jobs: Any, report: Any) -> Any:
        return whole(self, candidates, n_jobs=n_jobs)  # so that only ends of generations are told

    def stop(done: int, total: int) -> None:
        if done >= 90:
            raise KeyboardInterrupt

    monkeypatch.setattr(Trials, "run", silent)
    with pytest.warns(UserWarning, match="stopped after 30 of 400 trials"):
        cut = run(n_trials=400, progress=stop)
    assert len(cut.study_.trials) == 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # at the end there is nothing left to stop
        assert outcome(run(n_trials=30, progress=stop)) == outcome(cut)


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_ctrl_c_ends_the_search():
    presses: list[threading.Timer] = []

    def press(done: int, total: int) -> None:
        if done >= 60 and not presses:
            presses.append(threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)))
            presses[0].start()

    with pytest.warns(UserWarning, match="stopped after"):
        evolution = run(n_trials=1_000_000, progress=press)
    assert points(evolution.front_) == unbeaten(points(evolution.candidates_))
    assert {t.state.name for t in evolution.study_.trials} <= {"COMPLETE", "FAIL"}
