"""Onln-GFMM-M1: the plain page does what is worked out by hand."""

from __future__ import annotations

from collections.abc import Hashable
from math import inf, sqrt
from typing import Any

import pytest

from boxwise.reference.castillo import Bound, BoundBox, Castillo, Distances

UNSET = Bound.UNSET
LINE = {"a": 0, "b": 2, "c": 5, "d": 8, "e": 10}  # of ten rows, how many are of class 1


def on_a_line(places: dict[str, int]) -> Distances:
    """Values whose distance is the difference of their places, over ten."""
    rows = [(v, int(i < ones)) for v, ones in places.items() for i in range(10)]
    return Distances([v for v, _ in rows], [c for _, c in rows])


def learner(r: int = 1, theta: float = 0.3, eta: float = 1.0, n: int = 1) -> Castillo:
    m = Castillo(theta, eta, [1.0] * n, [(0.0, 1.0)] * n, growing=False)
    m.d = [on_a_line(LINE) for _ in range(r)]
    return m


def put(m: Castillo, low: float, high: float, bounds: str, label: Hashable) -> BoundBox:
    """Add a box: its bounds are written 'ac b' for a to c in the first feature, b in the second."""
    pairs = [(*word, UNSET)[:2] for word in bounds.split()]
    box = BoundBox([low], [high], [{} for _ in pairs], 1, label)
    box.E, box.F = [p[0] for p in pairs], [p[1] for p in pairs]
    m.boxes.append(box)
    return box


def bounds(box: BoundBox) -> str:
    return " ".join("".join(box.bounds(j)) for j in range(len(box.E)))


def test_values_are_as_far_as_their_class_frequencies():
    d = Distances(list("aabbbbcc"), [0, 0, 0, 1, 1, 1, 1, 1])
    assert d.P == {"a": [1.0, 0.0], "b": [0.25, 0.75], "c": [0.0, 1.0]}
    assert d("a", "c") == 1.0 == d("c", "a")
    assert d("a", "b") == pytest.approx(0.75)
    assert d("b", "c") == pytest.approx(0.25)
    assert d("a", "a") == 0.0


def test_three_classes_span_a_triangle():
    d = Distances(list("aabbcc"), [0, 0, 1, 1, 1, 2])
    # (1, 0, 0), (0, 1, 0) and (0, .5, .5): sqrt 2, sqrt 1.5, sqrt .5
    assert d("a", "b") == 1.0
    assert d("a", "c") == pytest.approx(sqrt(1.5) / sqrt(2))
    assert d("b", "c") == pytest.approx(0.5)


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], [0, 0, 0, 1]])
def test_exactly_two_values_have_distance_one_even_if_their_frequencies_are_equal(labels):
    assert Distances(list("aabb"), labels)("a", "b") == 1.0


def test_values_that_all_have_the_same_frequencies_have_distance_zero():
    d = Distances(list("abcabc"), [0, 0, 0, 1, 1, 1])
    assert d("a", "b") == d("b", "c") == 0.0
    assert Distances(list("aa"), [0, 1])("a", "a") == 0.0


def test_values_that_no_labelled_row_has_are_one_away_from_all_others():
    d = Distances(list("aabcuw"), [0, 1, 1, 0, None, None])
    assert list(d.P) == ["a", "b", "c"]
    assert d("u", "a") == d("a", "u") == d("u", "w") == d("a", "never") == 1.0
    assert d("u", "u") == 0.0


def test_rows_without_a_label_do_not_count():
    d = Distances(["a", "a", "b", "c", "b"], [0, None, 1, 0, None])
    assert d.P == {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 0.0]}


def test_a_missing_category_is_a_value_of_its_own():
    d = Distances([None, "a", "b", None], [0, 0, 1, 1])
    assert d.P[None] == [0.5, 0.5]
    assert d(None, "a") == d("b", None) == 0.5


def test_prepare_takes_each_column_by_itself():
    m = Castillo(0.3, 0.5, [1.0])
    m.prepare([([0.1], [0.1], ["a", "x"], 0), ([0.2], [0.2], ["b", "x"], 1)])
    assert [list(d.P) for d in m.d] == [["a", "b"], ["x"]]
    assert m.d[0]("a", "b") == 1.0


@pytest.mark.parametrize(
    ("pair", "value", "expected"),
    [("a", "a", 1.0), ("ac", "c", 1.0), ("a", "b", 0.8), ("ac", "b", 0.7), ("bc", "e", 0.2)],
)
def test_membership_falls_with_the_distance_from_the_further_bound(pair, value, expected):
    m = learner()
    box = put(m, 0.1, 0.1, pair, 0)
    assert m.membership(box, [0.1], [0.1], [value]) == pytest.approx(expected)


def test_membership_is_the_least_over_both_kinds_of_features():
    m = learner(r=2)
    box = put(m, 0.1, 0.1, "a b", 0)
    assert m.membership(box, [0.5], [0.5], ["a", "b"]) == pytest.approx(0.6)
    assert m.membership(box, [0.2], [0.2], ["b", "b"]) == pytest.approx(0.8)
    assert m.membership(box, [0.2], [0.2], ["b", "e"]) == pytest.approx(0.2)
    assert m.membership(box, [0.2], [0.2], ["b", "never"]) == 0.0


@pytest.mark.parametrize("number", [0.15, 0.1])
def test_a_row_inside_a_box_changes_nothing_but_its_counts(number):
    m = learner()
    box = put(m, 0.1, 0.2, "ac", 0)
    m.learn([number], [number], ["c"], 0)
    assert len(m.boxes) == 1
    assert (box.V, box.W, bounds(box), box.n, box.D) == ([0.1], [0.2], "ac", 2, [{"c": 1}])


def test_a_value_with_the_frequencies_of_the_bound_is_inside_too():
    m = learner()
    m.d = [on_a_line({"a": 0, "b": 0, "e": 10})]
    box = put(m, 0.1, 0.2, "a", 0)
    m.learn([0.15], [0.15], ["b"], 0)
    assert (bounds(box), box.n) == ("a", 2)


@pytest.mark.parametrize(
    ("pair", "value", "eta", "expected"),
    [
        ("a", "b", 0.3, "ab"),  # F was not set: it becomes the value
        ("a", "c", 0.3, None),  # too far
        ("bc", "d", 0.7, "bd"),  # further than F from E, within eta: the new F
        ("bc", "d", 0.4, "dc"),  # too far from E, near F: the new E
        ("bc", "a", 0.3, "ac"),  # no further from E than F is: the new E
        ("bc", "e", 0.4, None),  # too far from both
        ("ad", "c", 1.0, None),  # between the bounds: refused
        ("ad", "a", 0.0, "ad"),  # a bound already
        ("ad", "d", 0.0, "ad"),
        ("a", "a", 0.0, "a"),  # stays alone
        ("bb", "c", 0.3, "bc"),
    ],
)
def test_how_a_box_grows_among_categories(pair, value, eta, expected):
    m = learner(eta=eta)
    box = put(m, 0.1, 0.1, pair, 0)
    m.learn([0.2], [0.2], [value], 0)
    assert bounds(box) == (expected or pair)
    assert len(m.boxes) == (1 if expected else 2)
    assert ([0.2] if expected else [0.1]) == box.W


def test_every_feature_must_allow_a_box_to_grow():
    m = learner(r=2, eta=0.3)
    put(m, 0.1, 0.1, "a b", 0)
    m.learn([0.2], [0.2], ["b", "e"], 0)
    assert [bounds(box) for box in m.boxes] == ["a b", "b e"]


def test_a_new_box_has_its_values_as_lone_bounds():
    m = learner(r=2)
    m.learn([0.2], [0.3], ["b", "e"], None)
    assert m.boxes == [
        BoundBox([0.2], [0.3], [{"b": 1}, {"e": 1}], 1, None, ["b", "e"], [UNSET] * 2)
    ]


def grown(m: Castillo, others: list[tuple[Any, ...]], own: str, value: str) -> BoundBox:
    """Let a box of class 1, the youngest, grow to [.2, .25] beside others of class 0."""
    for other in others:
        put(m, *other)
    box = put(m, 0.25, 0.25, own, 1)
    m.learn([0.2], [0.2], value.split(), 1)
    assert len(m.boxes) == len(others) + 1
    return box


@pytest.mark.parametrize("high", [0.15, 0.3])
def test_a_shared_bound_is_replaced_wherever_the_intervals_lie(high):
    m = learner()
    box = grown(m, [(0.1, high, "ac", 0)], "c", "d")
    # c and d are .3 apart; of the values no further from d, e (.2) is the furthest.
    assert bounds(box) == "ed"
    assert ([0.2], [0.25], [high]) == (box.V, box.W, m.boxes[0].W)


def test_the_bound_that_stays_may_take_the_place_of_the_other():
    m = learner()
    m.d = [on_a_line({"a": 0, "c": 5, "d": 8})]
    assert bounds(grown(m, [(0.1, 0.15, "ac", 0)], "c", "d")) == "dd"


def test_if_both_bounds_are_shared_both_are_replaced_the_lower_first():
    # d and e are .2 apart. d gives way to c2, .15 from e; e to c1, .2 from c2.
    m = learner()
    m.d = [Distances(*_percent({"a": 0, "c1": 65, "c2": 85, "d": 80, "e": 100}))]
    box = BoundBox([0.25], [0.25], [{}], 1, 1, ["d"], [UNSET])
    other = BoundBox([0.1], [0.15], [{}], 1, 0, ["e"], ["d"])
    m.boxes = [other, box]
    m.learn([0.2], [0.2], ["e"], 1)
    assert (box.E, box.F) == (["c2"], ["c1"])


def _percent(places: dict[str, int]) -> tuple[list[str], list[int]]:
    rows = [(v, int(i < ones)) for v, ones in places.items() for i in range(100)]
    return [v for v, _ in rows], [c for _, c in rows]


@pytest.mark.parametrize(("high", "cut"), [(0.22, 0.21), (0.15, 0.15)])
def test_without_a_replacement_intervals_are_cut_where_they_overlap(high, cut):
    m = learner()
    box = grown(m, [(0.1, high, "c", 0)], "c", "c")
    assert bounds(box) == "c"  # a lone bound: no other value is at distance 0
    assert [pytest.approx(cut)] == m.boxes[0].W
    assert [pytest.approx(cut + 1e-5 if cut < high else 0.2)] == box.V


def test_a_lone_bound_gives_way_to_a_value_of_the_same_frequencies_and_stays_alone():
    m = learner()
    m.d = [on_a_line({"a": 0, "b": 5, "c": 5, "e": 10})]
    box = grown(m, [(0.1, 0.22, "b", 0)], "b", "b")
    assert (box.E, box.F, m.boxes[0].W) == (["c"], [UNSET], [0.22])


def test_the_feature_in_which_the_box_shrinks_least_is_changed():
    # First: c to d, .3 apart, becomes e to d, .2. Second: a to e, 1 apart, becomes a to d, .8.
    assert bounds(grown(learner(r=2), [(0.1, 0.15, "c e", 0)], "c a", "d e")) == "ed ae"
    # Second: b to c, .3 apart, becomes b to a, .2 apart: a tie, and the first feature is taken.
    assert bounds(grown(learner(r=2), [(0.1, 0.15, "c c", 0)], "c b", "d c")) == "ed bc"


def test_boxes_that_share_no_bound_in_some_feature_are_left_alone():
    box = grown(learner(r=2), [(0.1, 0.3, "c a", 0)], "c b", "d b")
    assert bounds(box) == "cd b"


def test_of_values_as_far_the_one_seen_first_is_taken():
    m = learner()
    for first, second in (("x", "y"), ("y", "x")):
        m.d = [on_a_line({"a": 0, first: 3, second: 3, "b": 5, "d": 8, "e": 10})]
        m.boxes = []
        assert bounds(grown(m, [(0.1, 0.15, "de", 0)], "b", "d")) == f"b{first}"


@pytest.mark.parametrize(
    ("interval", "before", "expected"),
    [
        ((0.9, 0.95), True, "bx"),  # far away: in nobody's way
        ((0.1, 0.3), True, "by"),  # only its categories keep it apart: x would undo that
        ((0.1, 0.3), False, "by"),  # comes later, and x has to give way again
    ],
)
def test_a_replacement_does_not_undo_what_keeps_another_box_apart(interval, before, expected):
    m = learner()
    # b and d are .3 apart; x is .3 from b too, y .2.
    m.d = [on_a_line({"a": 0, "b": 5, "d": 8, "x": 2, "y": 3, "e": 10})]
    others = [(*interval, "x", 0), (0.1, 0.15, "ad", 0)]
    assert bounds(grown(m, others if before else others[::-1], "b", "d")) == expected


def test_a_box_for_which_bounds_were_replaced_stays_apart_though_it_is_far_away():
    m = learner()
    m.d = [on_a_line({"a": 0, "b": 5, "d": 8, "x": 2, "y": 3, "e": 10})]
    # d gives way to x for the first, x to y for the second: d, though as far from b, is not taken.
    others = [(0.9, 0.95, "ad", 0), (0.9, 0.95, "ex", 0)]
    assert bounds(grown(m, others, "b", "d")) == "by"


def test_a_box_with_a_number_it_has_never_seen_takes_no_part_in_overlap():
    m = learner()
    assert bounds(grown(m, [(inf, -inf, "ac", 0)], "c", "d")) == "cd"


@pytest.mark.parametrize("label", [None, 1])
def test_a_box_without_a_class_is_parted_from_all_others(label):
    m = learner()
    box = put(m, 0.25, 0.25, "c", None)
    put(m, 0.1, 0.15, "a", 0)
    put(m, 0.9, 0.95, "c", None)
    m.learn([0.2], [0.2], ["d"], label)
    assert (box.label, bounds(box)) == (label, "ed")


def test_without_categories_it_is_onln_gfmm():
    m = Castillo(0.5, 0.5, [1.0], [(0.0, 1.0)], growing=False)
    m.prepare([([0.1], [0.1], [], 0), ([0.3], [0.3], [], 1)])
    for x, label in [(0.1, 0), (0.3, 1), (0.35, 0)]:
        m.learn([x], [x], [], label)
    assert [(b.V, b.W) for b in m.boxes] == [([0.1], [pytest.approx(0.29999)]), ([0.3], [0.3])]


def test_ties_go_to_the_nearest_centre_and_without_numbers_to_most_samples():
    m = learner()
    put(m, 0.1, 0.5, "c", 0)
    put(m, 0.4, 0.6, "c", 1)
    m.classes = [0, 1]
    assert [m.predict([x], [x], ["c"]) for x in (0.39, 0.45)] == [0, 1]
    m = learner(n=0)
    for values, n in (("c", 1), ("cd", 3)):
        put(m, 0.0, 0.0, values, len(m.boxes))
        m.boxes[-1].V, m.boxes[-1].W, m.boxes[-1].n = [], [], n
    m.classes = [0, 1]
    assert m.predict([], [], ["c"]) == 1
