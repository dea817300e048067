"""A run may be stopped at any moment, run on any number of processes, and goes on where it was."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from boxwise import EIOLGFMM, ShindeGFMM, iol_pipeline
from boxwise.apps.cli import app
from boxwise.datasets import archive
from boxwise.learners.encoders import ENCODERS
from boxwise.learners.parameters import parameters_to_json
from boxwise.paper.experiment import METHODS
from boxwise.paper.job import Job, OtherRunError
from boxwise.paper.protocol import Protocol

WORK = ["mixed", "delta", "--datasets", "tic_tac_toe", "--seed", "3", "--quick"]  # 8 folds
QUICK = ["delta", "--datasets", "tic_tac_toe", "--quick"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("undisturbed")
    Job(folder, Protocol(1, seed=3, quick=True), ["mixed", "delta"], ["tic_tac_toe"]).run(n_jobs=1)
    return (folder / "results.csv").read_bytes()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_run_that_is_stopped_at_a_random_moment_goes_on_to_the_same_file(
    tmp_path, undisturbed, how, times
):
    results = tmp_path / "results.csv"
    command = [sys.executable, "-m", "boxwise.apps", "paper", *WORK, "--jobs", "2"]
    command += ["--out", str(tmp_path)]
    stops = 0
    for attempt in range(20):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        if stops < times and _wait_for_more(results, process):
            time.sleep(random.Random(attempt).uniform(0, 0.3))
            os.killpg(process.pid, how)
            told = process.communicate(timeout=120)[0].decode()
            stops += 1
            if how == signal.SIGINT:
                assert process.returncode in (130, 0), told
                assert "Traceback" not in told
            continue
        told = process.communicate(timeout=300)[0].decode()
        assert process.returncode == 0, told
        break
    assert stops > 0, "the run was never stopped"
    assert results.read_bytes() == undisturbed


def _wait_for_more(results, process) -> bool:
    """Wait until some more folds are stored; False if the run ended before."""
    before = results.stat().st_size if results.exists() else 0
    while process.poll() is None:
        if results.exists() and results.stat().st_size > before + 1000:
            return True
        time.sleep(0.02)
    return False


def test_the_number_of_processes_does_not_matter(tmp_path, undisturbed):
    job = Job(tmp_path, Protocol(1, seed=3, quick=True), ["mixed", "delta"], ["tic_tac_toe"])
    job.run(n_jobs=2)
    assert job.path.read_bytes() == undisturbed


def test_folds_that_are_done_are_not_run_again(tmp_path):
    job = Job(tmp_path, Protocol(1, quick=True), ["delta"], ["tic_tac_toe"])
    told = []
    job.run(n_jobs=1, report=lambda done, what: told.append((done, what)))
    assert told == [(i, "delta, tic_tac_toe") for i in range(1, 5)]
    del job  # and with it the lock
    again = Job(tmp_path, Protocol(1, quick=True), ["delta", "mixed"], ["tic_tac_toe"])
    assert (again.n_done, again.n_units) == (4, 8)
    told.clear()
    again.run(n_jobs=1, report=lambda done, what: told.append((done, what)))
    assert [done for done, _ in told] == [5, 6, 7, 8]


def test_a_folder_holds_one_kind_of_run(tmp_path):
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    with pytest.raises(OtherRunError, match="seed was 0, now 1; choose another folder"):
        Job(tmp_path, Protocol(seed=1), ["delta"], ["tic_tac_toe"])


def test_a_results_file_of_unknown_origin_is_left_alone(tmp_path):
    (tmp_path / "results.csv").write_text("mine")
    with pytest.raises(OtherRunError, match="choose another folder"):
        Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    assert (tmp_path / "results.csv").read_text() == "mine"


def test_a_run_keeps_others_out_of_its_folder(tmp_path):
    job = Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    with pytest.raises(OtherRunError, match="another run is writing to"):
        Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    del job
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"protocol": {}}', "\udcff"])
def test_a_damaged_note_is_told(tmp_path, text):
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    (tmp_path / "run.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(OtherRunError, match=r"run.json is damaged"):
        Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])


def test_results_of_another_version_are_not_mixed_with_ours(tmp_path):
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    note = tmp_path / "run.json"
    note.write_text(note.read_text().replace(version("numpy"), "1.26.0"))
    with pytest.raises(OtherRunError, match=r"numpy was '1\.26\.0', now"):
        Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])


def test_results_of_another_engine_are_not_mixed_with_ours(tmp_path, monkeypatch):
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    monkeypatch.setattr("boxwise.paper.job.engine_version", "0123456789abcdef")
    with pytest.raises(OtherRunError, match=r"engine was '[0-9a-f]{16}', now '0123456789abcdef'"):
        Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])


def test_results_of_other_parameters_are_not_mixed_with_ours(tmp_path, monkeypatch):
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    monkeypatch.setitem(METHODS, "v1", EIOLGFMM(version=1, gamma=2.0))
    with pytest.raises(OtherRunError, match=r"v1's gamma was 1\.0, now 2\.0; choose another"):
        Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    monkeypatch.setitem(METHODS, "v1", ShindeGFMM())
    with pytest.raises(OtherRunError, match=r"v1's class was 'EIOLGFMM'.*v1's version was 1"):
        Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])


def test_every_parameter_of_every_estimator_is_noted(tmp_path):
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    noted = json.loads((tmp_path / "run.json").read_text())["estimators"]
    encoding = {"scale", *ENCODERS, *(f"encode {encoder}" for encoder in ENCODERS)}
    assert METHODS.keys() == {"M1", "M2", "v1", "v2", "IOL"}
    assert noted.keys() == {*METHODS, *encoding}
    for name, method in METHODS.items():
        assert noted[name].keys() == {"class", *method.get_params()}
    assert noted["v2"]["version"] == 2


@pytest.mark.parametrize("encoder", ENCODERS)
def test_what_encodes_and_scales_is_what_is_noted(tmp_path, encoder):
    Job(tmp_path, Protocol(), ["delta"], ["tic_tac_toe"])
    noted = json.loads((tmp_path / "run.json").read_text())["estimators"]
    prepare = iol_pipeline(encoder, categorical_features=[0])[:-1]
    prepare.fit([["a"], ["b"], ["a"]], [0, 1, 1])
    encode, scale = prepare["encode"], prepare["scale"]
    used = {f"encode {encoder}": encode, encoder: encode._library_encoder, "scale": scale}
    for name, estimator in used.items():
        parameters = estimator.get_params()
        assert noted[name].keys() == {"class", *parameters}
        for of_the_data in ("categorical_features", "cols", "mapping"):
            parameters.pop(of_the_data, None)
        now = {"class": type(estimator).__name__, **parameters_to_json(parameters)}
        assert {**noted[name], **now} == noted[name]
    assert noted["scale"]["clip"] is True


def test_the_command_writes_results_and_report(tmp_path):
    done = CliRunner().invoke(app, ["paper", *QUICK, "--jobs", "1", "--out", str(tmp_path / "o")])
    assert done.exit_code == 0, done.output
    for name in ("results.csv", "report.html", "report.md", "run.json"):
        assert (tmp_path / "o" / name).stat().st_size > 0
    assert "4 of 4 folds" in done.output


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["gamma"], 2, "there is no experiment 'gamma'"),
        (["delta", "--datasets", "titanic"], 2, "there is no data set 'titanic'"),
        (["delta", "--scaling", "none"], 2, "there is no scaling 'none'"),
        (["delta", "--datasets", ""], 2, "there is no data set ''"),
        (["delta", "--seed", "-1"], 2, "--seed"),
        (["delta", "--seed", "1000001"], 2, "--seed"),
        (["delta", "--jobs", "0"], 2, "--jobs"),
        (["delta", "--datasets", "heart", "--data", "nowhere"], 1, "nowhere is not a folder"),
        (["delta", "--datasets", "heart"], 1, "data set 'heart' is not on this machine"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, monkeypatch, arguments, code, told):
    monkeypatch.delenv("BOXWISE_DATA", raising=False)
    monkeypatch.setattr(archive, "PAUSES", (0, 0))
    monkeypatch.setenv("BOXWISE_ARCHIVE", "http://127.0.0.1:9")
    monkeypatch.setenv("BOXWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    done = CliRunner().invoke(app, ["paper", *arguments, "--out", str(tmp_path / "o")])
    assert done.exit_code == code, done.output
    assert told in " ".join(done.output.split())
    assert not (tmp_path / "o").exists()


def test_a_folder_that_cannot_be_is_told(tmp_path):
    (tmp_path / "file").write_text("mine")
    done = CliRunner().invoke(app, ["paper", *QUICK, "--out", str(tmp_path / "file")])
    assert done.exit_code == 1
    assert "choose another folder with --out" in done.output


def test_an_experiment_without_a_data_set_is_told(tmp_path):
    arguments = ["paper", "find_alpha", "--datasets", "tic-tac-toe", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert "needs numeric columns" in done.output


def test_a_run_that_is_done_needs_no_data_for_its_report(tmp_path, monkeypatch):
    out = ["--out", str(tmp_path / "o"), "--jobs", "1"]
    assert CliRunner().invoke(app, ["paper", *QUICK, *out]).exit_code == 0
    monkeypatch.setattr("boxwise.apps.paper.load", lambda *_, **__: pytest.fail("asked for data"))
    (tmp_path / "o" / "report.md").unlink()
    assert CliRunner().invoke(app, ["paper", *QUICK, *out]).exit_code == 0
    assert (tmp_path / "o" / "report.md").exists()
