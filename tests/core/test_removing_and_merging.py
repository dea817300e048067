"""Taking boxes out and joining them, beside the reference whose list is edited the same way."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from boxwise._native import EntropyEngine as Engine
from boxwise.reference import EIOL, Box

NAN = math.nan


class Pair:
    """An engine and the reference, fed the same samples and edits."""

    def __init__(self, n: int, r: int, mean: bool, theta: float = 0.3, delta: float = 0.6) -> None:
        self.n, self.r = n, r
        gamma = [1.0] * n
        alpha = n / (n + r)
        self.engine = Engine(r, theta, delta, alpha, gamma, mean, [NAN] * n, [NAN] * n, [True] * n)
        self.model = EIOL(theta, delta, alpha, gamma, "mean" if mean else "each")
        self.created = 0
        self.ids: list[int] = []  # of the reference's boxes, in their order

    def learn(self, numbers: list[float], codes: list[int], label: int) -> None:
        before = len(self.model.boxes)
        self.model.learn(
            [math.inf if math.isnan(x) else x for x in numbers],
            [-math.inf if math.isnan(x) else x for x in numbers],
            codes,
            None if label < 0 else label,
        )
        X = np.array([numbers]).reshape(1, self.n)
        self.engine.learn(
            X, X, np.array([codes], np.int32).reshape(1, self.r), np.array([label], np.int32)
        )
        if len(self.model.boxes) > before:
            self.ids.append(self.created)
            self.created += 1

    def remove(self, position: int) -> None:
        self.engine.remove(self.ids.pop(position))
        del self.model.boxes[position]

    def merge(self, kept: int, other: int) -> None:
        self.engine.merge(self.ids[kept], self.ids[other])
        a, b = self.model.boxes[kept], self.model.boxes[other]
        self.model.boxes[kept] = Box(
            [min(x, y) for x, y in zip(a.V, b.V, strict=True)],
            [max(x, y) for x, y in zip(a.W, b.W, strict=True)],
            [
                {value: d.get(value, 0) + e.get(value, 0) for value in {**d, **e}}
                for d, e in zip(a.D, b.D, strict=True)
            ],
            a.n + b.n,
            a.label,
        )
        del self.model.boxes[other], self.ids[other]

    def check(self) -> None:
        state = self.engine.snapshot()
        assert state["id"].tolist() == self.ids
        assert self.engine.n_boxes == len(self.ids)
        first = state["first"].tolist()
        for i, box in enumerate(self.model.boxes):
            unset = [v > w for v, w in zip(box.V, box.W, strict=True)]
            expected = [NAN if u else v for u, v in zip(unset, box.V, strict=True)]
            np.testing.assert_array_equal(state["V"][i], expected)
            expected = [NAN if u else w for u, w in zip(unset, box.W, strict=True)]
            np.testing.assert_array_equal(state["W"][i], expected)
            assert state["n"][i] == box.n
            assert state["label"][i] == (-1 if box.label is None else box.label)
            for j, d in enumerate(box.D):
                held = slice(first[i * self.r + j], first[i * self.r + j + 1])
                codes, times = state["code"][held].tolist(), state["times"][held].tolist()
                assert dict(zip(codes, times, strict=True)) == d
                assert codes == sorted(codes)

    def check_predictions(self, samples: list[tuple[list[float], list[int]]]) -> None:
        X = np.array([numbers for numbers, _ in samples]).reshape(len(samples), self.n)
        codes = np.array([c for _, c in samples], np.int32).reshape(len(samples), self.r)
        memberships = self.engine.memberships(X, X, codes)
        for row, (x, values) in enumerate(samples):
            for i, box in enumerate(self.model.boxes):
                assert memberships[row, i] == self.model.membership(box, x, x, values)
        if any(box.label is not None for box in self.model.boxes):
            expected = [self.model.predict(x, x, values) for x, values in samples]
            assert self.engine.predict(X, X, codes).tolist() == expected
            assert self.engine.probabilities(X, X, codes).argmax(axis=1).tolist() == expected


def random_sample(random: Random, pair: Pair, vocabulary: int) -> tuple[list[float], list[int]]:
    numbers = [NAN if random.random() < 0.05 else random.random() for _ in range(pair.n)]
    return numbers, [random.randrange(vocabulary) for _ in range(pair.r)]


def mergeable(pair: Pair, random: Random) -> tuple[int, int] | None:
    boxes = pair.model.boxes
    pairs = [
        (i, k)
        for i in range(len(boxes))
        for k in range(len(boxes))
        if i != k and boxes[i].label == boxes[k].label
    ]
    return random.choice(pairs) if pairs else None


@pytest.mark.parametrize("mean", [False, True], ids=["each", "mean"])
@pytest.mark.parametrize("vocabulary", [3, 200], ids=["dense", "sparse"])
@pytest.mark.parametrize(("n", "r"), [(2, 1), (0, 2), (2, 0)])
def test_learning_goes_on_as_in_the_reference(n: int, r: int, vocabulary: int, mean: bool) -> None:
    for seed in range(2):
        random = Random(seed)
        pair = Pair(n, r, mean)
        seen = 0
        for step in range(150):
            action = random.random()
            if action < 0.1 and pair.ids:
                pair.remove(random.randrange(len(pair.ids)))
            elif action < 0.2 and (chosen := mergeable(pair, random)):
                pair.merge(*chosen)
            else:
                numbers, codes = random_sample(random, pair, vocabulary)
                label = random.randrange(-1, min(seen + 1, 3))
                seen = max(seen, label + 1)
                pair.learn(numbers, codes, label)
            if step % 10 == 9:
                pair.check()
        samples = [random_sample(random, pair, vocabulary + 5) for _ in range(20)]
        pair.check_predictions([(x, c) for x, c in samples if not any(map(math.isnan, x))])


@pytest.mark.parametrize("mean", [False, True], ids=["each", "mean"])
@pytest.mark.parametrize("vocabulary", [5, 300], ids=["dense", "sparse"])
def test_several_blocks_of_boxes_are_as_in_the_reference(vocabulary: int, mean: bool) -> None:
    random = Random(9)
    pair = Pair(2, 2, mean, theta=0.02, delta=0.1)
    for step in range(700):
        numbers, codes = random_sample(random, pair, vocabulary)
        pair.learn(numbers, codes, 1 if step and random.random() < 0.1 else 0)
    for _ in range(20):
        pair.remove(random.randrange(len(pair.ids)))
        same = [i for i, box in enumerate(pair.model.boxes) if box.label == 0]
        pair.merge(*random.sample(same, 2))
    assert sum(box.label == 0 for box in pair.model.boxes) > 512  # two blocks
    for _ in range(20):
        pair.learn(*random_sample(random, pair, vocabulary), random.randrange(-1, 2))
    pair.check()
    samples = [random_sample(random, pair, vocabulary + 5) for _ in range(30)]
    pair.check_predictions([(x, c) for x, c in samples if not any(map(math.isnan, x))])


def test_merging_adds_up_a_dense_and_a_sparse_part() -> None:
    pair = Pair(1, 1, mean=False, delta=0.0)
    for code in range(60):
        pair.learn([0.5], [code], 0)
    pair.merge(3, 58)
    pair.learn([0.5], [500], 0)  # from here on the column is sparse
    pair.merge(60 - 1, 3)
    pair.merge(0, len(pair.ids) - 1)
    pair.check()
    assert pair.model.boxes[0].D == [{0: 1, 500: 1, 3: 1, 58: 1}]
    pair.learn([0.5], [58], 0)
    pair.check()


def test_merging_fills_in_a_feature_that_one_box_has_never_seen() -> None:
    pair = Pair(2, 0, mean=False, theta=0.0)
    pair.learn([0.0, 0.0], [], 0)
    pair.learn([1.0, NAN], [], 0)
    pair.learn([2.0, 5.0], [], 0)
    pair.merge(1, 2)
    pair.check()
    state = pair.engine.snapshot()
    assert state["V"].tolist() == [[0, 0], [1, 5]]
    assert state["W"].tolist() == [[0, 0], [2, 5]]


def test_a_merged_box_beyond_theta_still_takes_what_it_contains() -> None:
    pair = Pair(1, 0, mean=False, theta=0.1)
    for x in 0.0, 10.0, 5.0:
        pair.learn([x], [], 0)
    pair.merge(0, 1)
    pair.learn([2.0], [], 0)
    pair.check()
    assert pair.engine.snapshot()["n"].tolist() == [3, 1]


def test_what_blocked_before_is_forgotten_with_its_box() -> None:
    pair = Pair(1, 0, mean=False, theta=1.0)
    for x, label in (0.0, 0), (1.0, 1), (0.5, 1), (0.6, 0):
        pair.learn([x], [], label)
    assert len(pair.ids) == 3
    pair.remove(1)
    pair.learn([0.7], [], 0)
    pair.check()


def test_removing_every_box_of_a_class_takes_it_out_of_predictions() -> None:
    pair = Pair(1, 0, mean=False)
    for x, label in (0.0, 0), (1.0, 1):
        pair.learn([x], [], label)
    pair.remove(0)
    pair.check()
    X = np.array([[0.0]]), np.array([[0.0]]), np.empty((1, 0), np.int32)
    assert pair.engine.predict(*X).tolist() == [1]
    assert pair.engine.probabilities(*X).tolist() == [[0, 1]]
    assert pair.engine.n_classes == 2
    pair.remove(0)
    with pytest.raises(ValueError, match="no row with a label"):
        pair.engine.predict(*X)
    pair.learn([0.3], [], 0)
    pair.check()
    assert pair.ids == [2]  # numbers are not used twice


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        ("remove", (9,), "no box 9"),
        ("merge", (0, 9), "no box 9"),
        ("merge", (9, 0), "no box 9"),
        ("merge", (0, 0), "with itself"),
        ("merge", (0, 1), "different classes"),
        ("merge", (0, 2), "different classes"),
    ],
)
def test_impossible_edits_are_refused_and_change_nothing(
    call: str, arguments: Any, message: str
) -> None:
    pair = Pair(1, 1, mean=False, theta=0.0)
    for x, label in (0.0, 0), (1.0, 1), (2.0, -1):
        pair.learn([x], [0], label)
    with pytest.raises(ValueError, match=message):
        getattr(pair.engine, call)(*arguments)
    pair.check()


def test_a_merge_beyond_the_largest_count_is_refused() -> None:
    engine = Engine(0, 0.1, 0.1, 0.5, [1.0], False, [NAN], [NAN], [True])
    engine.restore(
        V=np.array([[0.0], [1.0]]),
        W=np.array([[0.0], [1.0]]),
        n=np.array([2**32 - 1, 1], np.uint32),
        label=np.zeros(2, np.int32),
        id=np.array([0, 1], np.uint64),
        first=np.zeros(1, np.uint64),
        code=np.empty(0, np.int32),
        times=np.empty(0, np.uint32),
        n_classes=1,
        next_id=2,
    )
    with pytest.raises(OverflowError, match="4,294,967,295"):
        engine.merge(0, 1)
    assert engine.snapshot()["n"].tolist() == [2**32 - 1, 1]
