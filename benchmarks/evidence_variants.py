"""What else boxes that decide by evidence might do, beside what they do, on the paper's data sets.

    BOXWISE_DATA=... python -m benchmarks.evidence_variants       (14 minutes of processor time)
    BOXWISE_DATA=... python -m benchmarks.evidence_variants --repeats 1
    BOXWISE_DATA=... python -m benchmarks.evidence_variants --report   (the page anew, at once)

At most 2,500 rows of each data set, stratified 4-fold, repeated twice, the rows of a training fold
shuffled. Variants of the evidence itself are computed in NumPy over the engine's boxes and compared
with the same code without the variant, with the one choice of bandwidth, backoff and temperature
that the engine found best; variants of many models are compared with the engine. Writes
benchmarks/results/evidence_variants.csv (means by data set and variant) and evidence_variants.md.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks import paper_data
from benchmarks.evidence import read_options, score, write_table
from benchmarks.evidence_learned import RATES, Chooser, Plain, added_to, learners
from benchmarks.evidence_order import ByEvidence, Taken, who_took
from benchmarks.evidence_terms import Held, Rows, class_scores, replay, softmax
from benchmarks.evidence_variants_page import ENGINE, ONE, RESULTS, SMALL, tell
from boxwise import HyperboxClassifier

MOST_ROWS = 2500
ROWS_IN_PYTHON = 1000  # learning by evidence is in plain Python: for small data sets only
SLOW = ("molecular_biology", "abalone")  # with many boxes
PASSES = 3  # over the training rows, where there is more than one
Said = dict[str, tuple[Any, float]]  # by variant: probabilities, boxes


class Speaker:
    """Probabilities that are there already, for `score`."""

    def __init__(self, p: Any, classes: Any, n_boxes: float) -> None:
        self.p, self.classes_, self.n_boxes_ = p, classes, n_boxes

    def predict_proba(self, X: Any) -> Any:
        """Return rows by classes."""
        return self.p

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row."""
        return self.classes_[self.p.argmax(axis=1)]


def by_choice(held: Held, chooser: Chooser, test: Any) -> Any:
    """Return probabilities by the choice that was best."""
    h, a, t = chooser.choice
    terms = getattr(held, chooser.profile)
    said = []
    for i in test:
        asked = held.ask(i, h, a)
        logs = asked.size + terms(i, h).sum(axis=1) + asked.categories.sum(axis=1)
        said.append(class_scores(logs, held.label, len(held.rows.classes))[0] / t)
    return softmax(np.array(said))


def one_pass(rows: Rows, taken: Taken, choice: Any) -> tuple[Held, dict[str, Plain], list[Chooser]]:
    """Learn test-then-train: each row is tested on the boxes before it, and then taken.

    With the choice that is best in the end, from the first row on: the engine could not know it,
    so this flatters the variants, if anything.
    """
    h, a, t = choice
    held = Held(rows, len(taken))
    choosers, online = [Chooser(), Chooser("normal")], learners(held, t, a)
    for i, box in taken:
        for chooser in choosers:
            chooser.learn(held, i)
        asked = held.ask(i, h, a)
        for learner in online.values():
            learner.learn(asked)
        held.take(i, box)
    return held, online, choosers


def many_passes(held: Held, taken: Taken, choice: Any) -> dict[str, Plain]:
    """Learn on the boxes of the end, each row left out of its box while it is tested."""
    h, a, t = choice
    offline = learners(held, t, a)
    for _ in range(PASSES):
        for i, box in taken:
            held.drop(i, box)
            asked = held.ask(i, h, a)
            for learner in offline.values():
                learner.learn(asked)
            held.take(i, box)
    return offline


def in_numpy(rows: Rows, taken: Taken, choice: Any, test: Any) -> Said:
    """Return what the variants of the evidence say."""
    h, a, t = choice
    held, online, (even, normal) = one_pass(rows, taken, choice)
    if even.loss_of(choice) > even.loss_of(even.choice) + 1e-6:
        raise AssertionError(f"NumPy chooses {even.choice}, the engine {choice}")
    speakers = {ONE: Plain(held, t)}
    speakers |= {f"{name}, one pass": one for name, one in online.items()}
    offline = many_passes(held, taken, choice)
    speakers |= {f"{name}, {PASSES} passes": one for name, one in offline.items()}
    said: dict[str, list[Any]] = {name: [] for name in speakers}
    for i in test:
        asked = held.ask(i, h, a)
        for name, one in speakers.items():
            said[name].append(one.probabilities(asked))
    made = {name: np.array(p) for name, p in said.items()}
    made["Gaussian profile"] = by_choice(held, normal, test)
    better = min(even, normal, key=lambda one: one.loss_of(one.choice))
    made["Gaussian or even profile, by loss"] = by_choice(held, better, test)
    return {name: (p, held.n_boxes) for name, p in made.items()}


def taken_by_evidence(rows: Rows, train: Any, choice: Any, test: Any) -> Said:
    """Return what boxes say that were learned by evidence."""
    said = {}
    for name, by_size in (("n·e(x)", True), ("e(x)", False)):
        learner = ByEvidence(rows, len(train), choice[0], choice[1], by_size=by_size)
        taken = [learner.learn_row(int(i)) for i in train]
        held, chooser = Held(rows, len(train)), Chooser()
        for i, box in taken:
            chooser.learn(held, i)
            held.take(i, box)
        said[f"learned in the order of {name}"] = by_choice(held, chooser, test), held.n_boxes
    return said


def ensembles(X: Any, y: Any, categorical: list[int], train: Any, test: Any) -> Said:
    """Return what many models say together: the mean of their probabilities."""
    rng = np.random.default_rng(0)
    n, d = len(train), X.shape[1]
    everything = np.arange(d)

    def say(columns: Any, rows: Any, **settings: Any) -> tuple[Any, float]:
        kinds = [k for k, j in enumerate(columns) if j in categorical]
        clf = HyperboxClassifier(categorical_features=kinds, **settings)
        clf.fit(X[np.ix_(rows, columns)], y[rows])
        p = np.zeros((len(test), len(classes)))
        p[:, np.searchsorted(classes, clf.classes_)] = clf.predict_proba(X[np.ix_(test, columns)])
        return p, clf.n_boxes_

    classes = np.unique(y[train])
    size = max(1, round(0.7 * d))
    some = [say(np.sort(rng.choice(d, size, replace=False)), train) for _ in range(10)]
    bags = [say(everything, np.repeat(train, rng.poisson(1, n))) for _ in range(10)]
    orders = [say(everything, rng.permutation(train)) for _ in range(5)]
    whole = say(everything, train)
    small = say(everything, train, theta=0.1, delta=0.1)
    large = say(everything, train, theta=0.6, delta=0.6)
    groups = {
        ENGINE: [whole],
        'evidence, class_prior="auto"': [say(everything, train, class_prior="auto")],
        "5 models of 70 % of the columns": some[:5],
        "10 models of 70 % of the columns": some,
        "5 models, Poisson bags of rows": bags[:5],
        "10 models, Poisson bags of rows": bags,
        "5 models, rows in other orders": orders,
        "2 models, boxes of θ=δ=0.3 and 0.1": [whole, small],
        "3 models, boxes of θ=δ=0.6, 0.3 and 0.1": [whole, small, large],
    }
    return {
        name: (np.mean([p for p, _ in group], axis=0), sum(boxes for _, boxes in group))
        for name, group in groups.items()
    }


def corrected(p: Any, n_boxes: float, before: Any, rows: Rows, train: Any, test: Any) -> Said:
    """Return what the engine says with a linear model added, of one rate or several, by loss."""
    made, losses = added_to(before, p, rows, train, test)
    say = np.exp(0.4 * (losses.min() - losses))
    return {
        "linear model, rate 0.01": (made[RATES.index(0.01)], n_boxes),
        "linear models, weighed by loss": (np.tensordot(say / say.sum(), made, 1), n_boxes),
    }


def folds(name: str, repeats: int) -> Iterator[tuple[Any, Any, list[int], Any, Any]]:
    """Return rows, labels, categorical columns, and the rows to learn and to predict."""
    X, y, categorical = paper_data.load(name)
    some = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    X, y = X[some], y[some]
    split = RepeatedStratifiedKFold(n_splits=4, n_repeats=repeats, random_state=1).split(X, y)
    for k, (train, test) in enumerate(split):
        yield X, y, categorical, np.random.default_rng(k).permutation(train), test


def measure(name: str, repeats: int, fold: int) -> list[tuple[str, str, list[float]]]:
    """Return data set, variant and measures for one fold."""
    warnings.filterwarnings("ignore")
    X, y, categorical, train, test = [*folds(name, repeats)][fold]
    rows = Rows(X, y, categorical, train)
    clf = HyperboxClassifier(categorical_features=categorical).fit(X[train], y[train])
    choice = clf.bandwidth_, clf.backoff_, clf.temperature_
    taken, before = who_took(X, y, categorical, rows, train)
    check(X, y, categorical, rows, taken, choice, train, test)
    said = ensembles(X, y, categorical, train, test) | in_numpy(rows, taken, choice, test)
    said |= corrected(*said[ENGINE], before, rows, train, test)
    if len(y) <= ROWS_IN_PYTHON:
        said[SMALL] = said[ONE]
        said |= taken_by_evidence(rows, train, choice, test)
    print(f"  {name}, fold {fold + 1}", file=sys.stderr, flush=True)
    return [
        (name, variant, score(Speaker(p, rows.classes, n_boxes), X[test], y[test]))
        for variant, (p, n_boxes) in said.items()
    ]


def check(
    X: Any,
    y: Any,
    categorical: list[int],
    rows: Rows,
    taken: Any,
    choice: Any,
    train: Any,
    test: Any,
) -> None:
    """Fail unless this code says what the engine says, with one choice."""
    h, a, t = choice
    fixed = {"bandwidth": h, "backoff": a, "temperature": t, "forget": False}
    clf = HyperboxClassifier(categorical_features=categorical, **fixed).fit(X[train], y[train])
    held, some = replay(rows, taken), test[:50]
    plain = Plain(held, t)
    p = np.array([plain.probabilities(held.ask(i, h, a)) for i in some])
    apart = np.abs(p - clf.predict_proba(X[some])).max()
    if apart > 1e-9:
        raise AssertionError(f"NumPy and the engine are {apart:.1e} apart")


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_options("evidence_variants", arguments, repeats=2)
    if options.report:
        tell(options.repeats)
        return
    slow_first = sorted(paper_data.names(), key=lambda name: name not in SLOW)
    work = [
        delayed(measure)(name, options.repeats, fold)
        for name in slow_first
        for fold in range(4 * options.repeats)
    ]
    results = [row for part in Parallel(n_jobs=options.jobs)(work) for row in part]
    scores: dict[tuple[str, str], list[list[float]]] = {}
    for name, variant, measures in results:
        scores.setdefault((name, variant), []).append(measures)
    write_table({key: np.mean(scores[key], axis=0) for key in sorted(scores)}, RESULTS)
    tell(options.repeats)


if __name__ == "__main__":
    main()
