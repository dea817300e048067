"""The watch over the engine's instructions fails when it should, and only then."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

FROM_ROOT = "benchmarks are found from the root of the source tree: python -m pytest"
baseline = pytest.importorskip("benchmarks.instructions.baseline", reason=FROM_ROOT)
command = pytest.importorskip("benchmarks.instructions.__main__", reason=FROM_ROOT)

OLD = baseline.Counts("gcc 12", "x86-64-v3", {"learn": 1_000, "predict": 2_000})


def changed(**cases: int) -> object:
    return replace(OLD, cases={**OLD.cases, **cases})


@pytest.mark.parametrize("now", [500, 1_000, 1_100])
def test_up_to_a_tenth_more_is_no_fault(now):
    assert baseline.faults(OLD, changed(learn=now)) == []


def test_more_than_a_tenth_more_is_a_fault_that_names_the_case_and_the_remedy():
    (fault,) = baseline.faults(OLD, changed(learn=1_101))
    assert fault.startswith("learn: 10.1% more")
    assert "--renew" in fault


def test_a_case_that_is_new_or_gone_is_a_fault():
    assert len(baseline.faults(OLD, changed(merge=5))) == 1
    assert len(baseline.faults(OLD, replace(OLD, cases={"learn": 1_000}))) == 1


@pytest.mark.parametrize("other", [{"compiler": "gcc 13"}, {"instructions": "x86-64"}])
def test_another_compiler_or_processor_is_only_reported(other):
    worse = replace(changed(learn=9_000), **other)
    assert baseline.faults(OLD, worse) == []
    assert any("+800.0%" in line for line in baseline.table(OLD, worse))


def test_counts_are_read_as_they_were_written(tmp_path):
    OLD.save(tmp_path / "counts.json")
    assert baseline.Counts.load(tmp_path / "counts.json") == OLD


@pytest.mark.parametrize(("now", "code"), [(1_099, 0), (1_101, 1)])
def test_the_command_fails_on_a_regression(monkeypatch, tmp_path, capsys, now, code):
    monkeypatch.setattr(command, "BASELINE", tmp_path / "baseline.json")
    monkeypatch.setattr(command, "build", lambda cmake: None)
    monkeypatch.setattr(command, "count", lambda driver: changed(learn=now))
    monkeypatch.setattr(shutil, "which", lambda name, path=None: name)
    OLD.save(command.BASELINE)
    assert command.main([]) == code
    assert command.main(["--renew"]) == 0
    assert command.main([]) == 0
    assert "new baseline" in capsys.readouterr().out


def test_without_valgrind_the_command_says_so(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    assert command.main([]) == 0
    assert "skipped" in capsys.readouterr().out


def test_the_total_of_a_dump_is_read_and_nothing_counted_is_an_error(tmp_path):
    dump = tmp_path / "dump"
    dump.write_text("desc: Trigger\nsummary: 7\n1 2\ntotals: 7\n")
    assert command.total(dump) == 7
    dump.write_text("totals: 0\n")
    with pytest.raises(SystemExit, match="counted nothing"):
        command.total(dump)


def test_the_committed_baseline_has_every_decision_and_both_kinds_of_call():
    counts = baseline.Counts.load(command.BASELINE)
    for decision in ("membership", "evidence"):
        for what in ("learn", "predict"):
            assert any(c.startswith(decision) and c.endswith(what) for c in counts.cases)
