"""The simulated cluster does all the work it is to do, and no faster than it can."""

import pytest

simulation = pytest.importorskip(
    "benchmarks.distribution_simulation",
    reason="benchmarks are found from the root of the source tree: python -m pytest",
)

MERGING = {2: 0.1, 4: 0.2, 8: 0.4}


def cluster(**other):
    settings = {
        "rows": 1_000_000,
        "partitions": 100,
        "rows_per_second": 1_000.0,
        "model_bytes": 1_000_000,
        "merging": MERGING,
        "bytes_per_second": 1e8,
        "starting": 2.0,
    }
    return simulation.Cluster(**{**settings, **other})


def test_one_worker_does_everything_one_after_the_other():
    run = simulation.simulated(cluster(), 1, 4)
    merges = 25 + 7 + 2 + 1
    models = 100 + 25 + 7 + 2
    merging = sum(cluster().merging_seconds(k) for k in [4] * 25 + [4] * 6 + [1, 4, 3, 2])
    overhead = simulation.OVERHEAD * (100 + merges)
    assert run.seconds == pytest.approx(2 + 1_000 + merging + models / 100 + overhead)
    assert run.n_bytes == models * 1_000_000


@pytest.mark.parametrize("fan_in", [2, 8, 100])
def test_more_workers_are_faster_but_not_than_their_number(fan_in):
    seconds = [simulation.simulated(cluster(), w, fan_in).seconds for w in (1, 2, 10, 100)]
    assert seconds == sorted(seconds, reverse=True)
    assert all(seconds[0] / s <= w for s, w in zip(seconds, (1, 2, 10, 100), strict=True))


def test_merging_at_once_is_one_task_after_all_others():
    run = simulation.simulated(cluster(), 10, 100)
    assert run.n_bytes == 100 * 1_000_000
    assert run.tail >= cluster().merging_seconds(100) / (1 + 2 * simulation.SPREAD) + 1.0


def test_merging_takes_what_was_measured_and_goes_on_in_a_line():
    seconds = cluster().merging_seconds
    assert [seconds(k) for k in (1, 2, 3, 8)] == pytest.approx([0, 0.1, 0.15, 0.4])
    assert seconds(100) == pytest.approx(5.0)


def test_a_single_partition_needs_no_merging():
    run = simulation.simulated(cluster(partitions=1), 5, 8)
    assert (run.n_bytes, run.tail) == (0, 0)
