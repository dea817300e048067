"""The same bytes from any number of workers, and when one is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import dask.dataframe as dd
import pytest
from distributed import Client, WorkerPlugin

from boxwise import dumps
from boxwise.dask import DaskHyperboxClassifier
from boxwise.learners import parts as scheme
from tests.dask.conftest import local_cluster, tables_of


@pytest.fixture(scope="module")
def table(loans) -> tuple[dd.DataFrame, dd.Series]:
    """Rows and labels in 20 partitions, which take two rounds of merging."""
    return tables_of(loans, 20)


def learned(client: Client, table: tuple[dd.DataFrame, dd.Series]) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheme, "FAN_IN", 8)
        clf = DaskHyperboxClassifier(max_boxes=100, tune_rows=60, client=client).fit(*table)
        clf.partial_fit(table[0].partitions[:3], table[1].partitions[:3])
    return dumps(clf.to_local())


@pytest.fixture(scope="module")
def undisturbed(two_workers, table) -> bytes:
    return learned(two_workers, table)


def test_model_has_the_same_bytes_with_one_worker_and_with_two(undisturbed, table):
    with local_cluster(1) as cluster, Client(cluster, set_as_default=False) as client:
        assert learned(client, table) == undisturbed


def test_model_has_the_same_bytes_with_threads_and_with_processes(client, undisturbed, table):
    assert learned(client, table) == undisturbed


def killing(folder: Path, name: str) -> WorkerPlugin:
    """Return a plugin that kills the worker at the end of the first attempt at a task."""

    class Killing(WorkerPlugin):
        def setup(self, worker: object) -> None:
            from boxwise.dask import tasks

            task = getattr(tasks, name)

            def killed_at_first(*args: object) -> object:
                done = task(*args)
                first = folder / name
                if (name != "learn_part" or args[0] == 3) and not first.exists():
                    first.write_text(f"killed {os.getpid()}")
                    os.kill(os.getpid(), signal.SIGKILL)
                return done

            setattr(tasks, name, killed_at_first)

    return Killing()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_workers_killed_while_they_learn_and_merge_cost_time_only(tmp_path, undisturbed, table):
    names = ("learn_part", "merge_parts", "finish")
    with local_cluster(2) as cluster, Client(cluster, set_as_default=False) as client:
        for name in names:
            client.register_plugin(killing(tmp_path, name), name=name)
        before = pids(client)
        assert learned(client, table) == undisturbed
        killed = {int((tmp_path / name).read_text().split()[1]) for name in names}
        assert len(killed) == len(names)
        assert before & killed
        assert not killed & pids(client)


def pids(client: Client) -> set[int]:
    return {*client.run(os.getpid).values()}


def test_predictions_of_processes_are_those_of_the_local_model(two_workers, loans, table):
    clf = DaskHyperboxClassifier(max_boxes=100, client=two_workers).fit(*table)
    local, rows = clf.to_local(), loans.drop(columns="decision")
    with two_workers.as_current():
        predicted = clf.predict(table[0]).compute()
        proba = clf.predict_proba(table[0]).compute()
        explained = clf.explain(table[0].partitions[:1], counterfactual=False).compute()
    assert predicted.tolist() == local.predict(rows).tolist()
    assert (proba == local.predict_proba(rows)).all()
    assert [*map(str, explained)] == [*map(str, local.explain(rows[:60], counterfactual=False))]
