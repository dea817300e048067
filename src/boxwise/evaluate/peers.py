"""Learners of River to compare with, by name."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from importlib.util import find_spec
from math import exp, log
from typing import Any

Row = dict[Any, Any]


def peer(name: str) -> Any:
    """Return a new learner of River, for `prequential`.

    Parameters
    ----------
    name : str
        One of `peer_names`.

    Returns
    -------
    learner
        With River's own parameters. It takes rows of numbers, text and None as they are: to River
        a value that is missing is one that the row does not have.

    Examples
    --------
    >>> from boxwise.evaluate.peers import peer
    >>> tree = peer("hoeffding-tree")
    >>> tree.learn_one({"age": 23, "job": None}, "declined")
    >>> tree.predict_one({"age": 25, "job": "student"})
    'declined'
    """
    if name not in _MAKERS:
        raise ValueError(f"there is no learner {name!r}; there are {', '.join(peer_names())}")
    if not has_river():
        raise ImportError(f'{name} is a learner of River: pip install "boxwise[river]"')
    learner = _MAKERS[name]()
    return learner if isinstance(learner, _PresentOnly) else _PresentOnly(learner)


def peer_names() -> list[str]:
    """Return the names that `peer` knows."""
    return [*_MAKERS]


def has_river() -> bool:
    """Whether River is installed."""
    return find_spec("river") is not None


def _hoeffding_tree() -> Any:
    from river.tree import HoeffdingTreeClassifier

    return HoeffdingTreeClassifier()


def _adaptive_hoeffding_tree() -> Any:
    from river.tree import HoeffdingAdaptiveTreeClassifier

    return HoeffdingAdaptiveTreeClassifier(seed=0)


def _arf() -> Any:
    from river.forest import ARFClassifier

    return ARFClassifier(seed=0)


def _srp() -> Any:
    from river.ensemble import SRPClassifier

    return SRPClassifier(seed=0)


def _amf() -> Any:
    from numbers import Number

    from river.compose import SelectType
    from river.forest import AMFClassifier

    return _encoded(SelectType(Number), AMFClassifier(seed=0))


def logistic_regression(rate: float | None = None) -> Any:
    """Return River's online logistic regression, for several classes one against the rest.

    Parameters
    ----------
    rate : float, optional
        The learning rate; River's own without it.
    """
    from numbers import Number

    from river.compose import Pipeline, SelectType
    from river.linear_model import LogisticRegression
    from river.multiclass import OneVsRestClassifier
    from river.optim import SGD
    from river.preprocessing import StandardScaler

    model = LogisticRegression() if rate is None else LogisticRegression(optimizer=SGD(rate))
    numbers = Pipeline(SelectType(Number), StandardScaler())
    return _PresentOnly(_encoded(numbers, OneVsRestClassifier(model)))


def _encoded(numbers: Any, learner: Any) -> Any:
    """Return a pipeline for a learner that takes numbers only."""
    from river.compose import Pipeline, SelectType, TransformerUnion
    from river.preprocessing import OneHotEncoder

    categories = Pipeline(SelectType(str), OneHotEncoder())
    return Pipeline(TransformerUnion(numbers, categories), learner)


def _no_change() -> Any:
    from river.dummy import NoChangeClassifier

    return NoChangeClassifier()


def _majority() -> Any:
    from river.dummy import PriorClassifier

    return PriorClassifier()


_MAKERS: dict[str, Callable[[], Any]] = {
    "hoeffding-tree": _hoeffding_tree,
    "adaptive-hoeffding-tree": _adaptive_hoeffding_tree,
    "naive-bayes": lambda: _NaiveBayes(),
    "logistic-regression": logistic_regression,
    "arf": _arf,
    "srp": _srp,
    "amf": _amf,
    "no-change": _no_change,
    "majority": _majority,
}


class _PresentOnly:
    """A learner that is shown only those values of a row that are there."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def predict_one(self, x: Row) -> Any:
        return self.learner.predict_one(_present(x))

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        return dict(self.learner.predict_proba_one(_present(x)))

    def learn_one(self, x: Row, y: Hashable) -> None:
        self.learner.learn_one(_present(x), y)

    @property
    def _raw_memory_usage(self) -> int:
        return int(self.learner._raw_memory_usage)


def _present(x: Row) -> Row:
    if None not in x.values():
        return x
    return {name: value for name, value in x.items() if value is not None}


class _NaiveBayes:
    """River's naive Bayes for numbers and its naive Bayes for counts, their evidence added.

    River has none for mixed data. `GaussianNB` alone cannot take text, and after one-hot encoding
    it takes each 0 or 1 for a number with a normal distribution, which is slower and mostly worse.
    The one in the leaves of Hoeffding trees takes text, but a value that a class never had does not
    speak against the class.
    """

    def __init__(self) -> None:
        from river import naive_bayes

        bayes: Any = naive_bayes
        self.numbers, self.categories = bayes.GaussianNB(), bayes.MultinomialNB()

    def predict_one(self, x: Row) -> Any:
        joint = self._joint_log_likelihood(x)
        return max(joint, key=lambda k: joint[k]) if joint else None

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        joint = self._joint_log_likelihood(x)
        most = max(joint.values(), default=0.0)
        parts = {k: exp(value - most) for k, value in joint.items()}
        return {k: part / sum(parts.values()) for k, part in parts.items()}

    def _joint_log_likelihood(self, x: Row) -> dict[Any, float]:
        numbers, categories = _by_kind(x)
        counts = self.categories.class_counts
        if not counts:
            return {}
        by_numbers = self.numbers.joint_log_likelihood(numbers)
        by_categories = self.categories.joint_log_likelihood(categories)
        # Both hold the share of the class in the rows; it counts once.
        return {k: by_numbers[k] + by_categories[k] - log(n) for k, n in counts.items()}

    def learn_one(self, x: Row, y: Hashable) -> None:
        numbers, categories = _by_kind(x)
        self.numbers.learn_one(numbers, y)
        self.categories.learn_one(categories, y)

    @property
    def _raw_memory_usage(self) -> int:
        return int(self.numbers._raw_memory_usage + self.categories._raw_memory_usage)


def _by_kind(x: Row) -> tuple[Row, Row]:
    """Return the numbers of a row, and of each category that it has, one."""
    numbers, categories = {}, {}
    for name, value in x.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            numbers[name] = value
        else:
            categories[name, value] = 1
    return numbers, categories
