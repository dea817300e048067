"""The tasks that run on the workers, by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from boxwise import HyperboxClassifier, dumps
from boxwise.dask import graphs, tasks
from boxwise.dask.partitions import Partition
from boxwise.learners.saved import loads
from tests.dask.conftest import rows_and_labels

PARAMETERS = HyperboxClassifier(max_boxes=100).get_params()


def part_of(frame, number=0, n_withheld=10):
    X, y = rows_and_labels(frame)
    return tasks.learn_part(number, (X, y, None), PARAMETERS, None, n_withheld)


@pytest.mark.parametrize(("rows", "n"), [(600, 16), (600, 1_000), (600, 2), (7, 3), (0, 5)])
def test_withheld_rows_are_spread_over_the_partitions(rows, n):
    quotas = graphs._quotas(rows, n)
    assert sum(quotas) == rows
    assert max(quotas) - min(quotas) <= 1
    spread = np.flatnonzero(quotas) if rows < n else np.arange(n)
    assert len(spread) < 2 or np.ptp(np.diff(spread)) <= 1


def test_only_partition_withholds_nothing():
    assert graphs._quotas(600, 1) == [0]


def test_part_does_not_learn_the_rows_that_it_withholds(loans):
    part = part_of(loans[:200], n_withheld=15)
    (withheld,) = part.withheld
    learned = loans[:200].drop(index=withheld.X.index)
    assert len(learned) == 185
    assert part.model == dumps(HyperboxClassifier(max_boxes=100).fit(*rows_and_labels(learned)))
    assert withheld.y == loans.loc[withheld.X.index, "decision"].tolist()


def test_part_withholds_a_tenth_at_most(loans):
    assert len(part_of(loans[:200], n_withheld=50).withheld[0].y) == 20
    assert part_of(loans[:9], n_withheld=50).withheld == ()


def test_partitions_withhold_different_rows_always_the_same(loans):
    first, again, other = (part_of(loans[:200], number) for number in (0, 0, 1))
    assert first.withheld[0].X.equals(again.withheld[0].X)
    assert first.model == again.model
    assert not first.withheld[0].X.index.equals(other.withheld[0].X.index)


def test_withheld_rows_have_their_weights(loans):
    X, y = rows_and_labels(loans[:100])
    weights = np.arange(100) % 4
    part = tasks.learn_part(0, (X, y, weights), PARAMETERS, None, 5)
    (withheld,) = part.withheld
    assert withheld.sample_weight == weights[withheld.X.index].tolist()
    assert 0 not in withheld.sample_weight
    learned = loads(part.model).boxes_.n_samples.sum()
    assert learned + sum(withheld.sample_weight) == weights.sum()


def test_merging_skips_partitions_without_rows(loans):
    part = part_of(loans[:200], 3)
    assert tasks.merge_parts([None, None]) is None
    assert tasks.merge_parts([None, part]) == part
    both = tasks.merge_parts([part, None, part_of(loans[200:400], 5)])
    assert both.partition == 3
    assert [len(rows.y) for rows in both.withheld] == [10, 10]


def test_withheld_rows_of_all_parts_are_shuffled(loans):
    parts = [part_of(part, i) for i, (_, part) in enumerate(loans.groupby("education"))]
    ((_, labels, *_),) = tasks._shuffled([rows for part in parts for rows in part.withheld])
    ((_, again, *_),) = tasks._shuffled([rows for part in parts for rows in part.withheld])
    in_order = [label for part in parts for label in part.withheld[0].y]
    assert sorted(labels) == sorted(in_order)
    assert labels.tolist() == again.tolist() != in_order


def test_withheld_categories_stay_what_they_are_beside_others(loans):
    codes = loans[["salary", "decision"]].assign(code=[*range(100, 112)] * 100)
    parts = []
    for number, part in enumerate((codes[:600], codes[600:].query("code > 105"))):
        category = part.assign(code=part["code"].astype("category"))
        category.loc[category.index[::2], "code"] = None
        parts.append(part_of(category, number, n_withheld=40))
    ((X, *_),) = tasks._shuffled([rows for part in parts for rows in part.withheld])
    present = [value for value in X["code"] if value == value and value is not None]
    assert {type(value) for value in present} == {int}
    assert len(present) < len(X)


def test_no_change_is_looked_for_in_parts_and_withheld_rows(loans, monkeypatch):
    merged = []

    def finished(part, *args):
        merged.append(loads(part.model))
        return finish(part, *args)

    finish = tasks.finish
    monkeypatch.setattr(tasks, "finish", finished)
    partitions = [
        Partition(number, (*rows_and_labels(part), None))
        for number, part in enumerate((loans[:600], loans[600:]))
    ]
    graph = graphs.learned(partitions, PARAMETERS, 60)
    learned = loads(graph.compute(scheduler="synchronous"))
    assert not merged[0].adapt
    assert learned.adapt


def test_balanced_weights_beyond_the_limit_are_scaled():
    counts = [{"a": (300_000.0, 1.0)}, {"a": (1.0, 1.0), "b": (1.0, 1.0)}]
    weights = tasks.balanced_weights(counts)
    assert weights["b"] == pytest.approx(10_000)
    assert weights["b"] <= 10_000
    assert weights["b"] / weights["a"] == pytest.approx(300_001)
    assert tasks.balanced_weights([{"a": (3.0, 1.0)}, {"b": (1.0, 1.0)}, {}]) == {
        "a": pytest.approx(2 / 3),
        "b": 2.0,
    }
