"""The tasks that run on the workers, by themselves."""

from __future__ import annotations

import numpy as np

from boxwise import HyperboxClassifier, dumps
from boxwise.dask import tasks
from boxwise.learners.parts import withheld_places
from boxwise.learners.saved import loads
from tests.dask.conftest import rows_and_labels

PARAMETERS = HyperboxClassifier(max_boxes=100).get_params()


def part_of(frame, number=0, most_withheld=10):
    X, y = rows_and_labels(frame)
    return tasks.learn_part(number, (X, y, None), PARAMETERS, None, most_withheld)


def test_part_does_not_learn_the_rows_that_it_withholds(loans):
    part = part_of(loans[:200], most_withheld=15)
    (withheld,) = part.withheld
    assert withheld.X.index.tolist() == withheld_places(200, 0, 15).tolist()
    learned = loans[:200].drop(index=withheld.X.index)
    assert 185 <= len(learned) < 195
    assert part.model == dumps(HyperboxClassifier(max_boxes=100).fit(*rows_and_labels(learned)))
    assert withheld.y == loans.loc[withheld.X.index, "decision"].tolist()


def test_part_withholds_a_tenth_at_most(loans):
    assert 19 <= len(part_of(loans[:200], most_withheld=50).withheld[0].y) <= 20
    assert part_of(loans[:9], most_withheld=50).withheld == ()


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
    assert all(5 <= len(rows.y) <= 10 for rows in both.withheld)
    assert len(both.withheld) == 2


def test_withheld_rows_of_all_parts_are_shuffled(loans):
    parts = [part_of(part, i) for i, (_, part) in enumerate(loans.groupby("education"))]
    _, labels = tasks._tuning_rows([rows for part in parts for rows in part.withheld])
    _, again = tasks._tuning_rows([rows for part in parts for rows in part.withheld])
    in_order = [label for part in parts for label in part.withheld[0].y]
    assert sorted(labels) == sorted(in_order)
    assert labels.tolist() == again.tolist() != in_order


def test_withheld_categories_stay_what_they_are_beside_others(loans):
    codes = loans[["salary", "decision"]].assign(code=[*range(100, 112)] * 100)
    parts = []
    for number, part in enumerate((codes[:600], codes[600:].query("code > 105"))):
        category = part.assign(code=part["code"].astype("category"))
        category.loc[category.index[::2], "code"] = None
        parts.append(part_of(category, number, most_withheld=40))
    X, _ = tasks._tuning_rows([rows for part in parts for rows in part.withheld])
    present = [value for value in X["code"] if value == value and value is not None]
    assert {type(value) for value in present} == {int}
    assert len(present) < len(X)
