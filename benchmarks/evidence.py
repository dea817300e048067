"""HyperboxClassifier and EIOLGFMM beside what people use today, on the paper's 14 data sets.

    BOXWISE_DATA=... python -m benchmarks.evidence              (about half an hour on two cores)
    BOXWISE_DATA=... python -m benchmarks.evidence --repeats 1
    python -m benchmarks.evidence --report        (makes the report again, from evidence.csv)

Stratified 4-fold, repeated 10 times, the rows of a training fold shuffled; one setting for all data
sets, nothing tuned on any. Writes benchmarks/results/evidence.csv (means by data set and method),
evidence.md (averages, ranks, tests) and evidence_cd.png.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks import paper_data
from benchmarks.report import FOLDER, Report
from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.evaluate import (
    AverageRanks,
    average_ranks,
    class_balanced_accuracy,
    friedman_test,
    plot_cd_diagram,
)

LEAST = 1e-7  # a probability below this counts as this in the log-loss
MEASURES = ("cba", "balanced_accuracy", "log_loss", "boxes")
Method = Callable[[list[int], int], Any]


class MixedNaiveBayes:
    """Gaussian for the numbers and categorical for the rest: the sum of what both say."""

    def __init__(self, categorical: list[int]) -> None:
        self.categorical = categorical

    def fit(self, X: Any, y: Any) -> MixedNaiveBayes:
        """Learn from an array of objects, numbers and text."""
        numbers, codes = self._split(X, learn=True)
        self.parts = []
        if numbers.shape[1]:
            self.parts.append((GaussianNB().fit(numbers, y), 0))
        if codes.shape[1]:
            sizes = codes.max(axis=0) + 2
            self.parts.append((CategoricalNB(min_categories=sizes).fit(codes, y), 1))
        self.classes_, counts = np.unique(y, return_counts=True)
        self.prior = np.log(counts / counts.sum())
        return self

    def predict_proba(self, X: Any) -> Any:
        """Return rows by classes."""
        tables = self._split(X, learn=False)
        joint = sum(part.predict_joint_log_proba(tables[i]) - self.prior for part, i in self.parts)
        joint = joint + self.prior
        p = np.exp(joint - joint.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _split(self, X: Any, *, learn: bool) -> tuple[Any, Any]:
        numbers = np.delete(X, self.categorical, axis=1).astype(float)
        values = X[:, self.categorical]
        if learn:
            self.encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
            self.encoder.fit(values) if values.shape[1] else None
        if not values.shape[1]:
            return numbers, np.empty((len(X), 0), int)
        codes = self.encoder.transform(values).astype(int)
        unseen = np.array([len(c) for c in self.encoder.categories_])
        return numbers, np.where(codes < 0, unseen, codes)


def one_hot(model: Any) -> Method:
    def make(categorical: list[int], n_columns: int) -> Any:
        numbers = [j for j in range(n_columns) if j not in categorical]
        return make_pipeline(
            ColumnTransformer([
                ("numbers", StandardScaler(), numbers),
                ("categories", OneHotEncoder(handle_unknown="ignore"), categorical),
            ]),
            model,
        )  # fmt: skip

    return make


def boosting(categorical: list[int], n_columns: int) -> Any:
    numbers = [j for j in range(n_columns) if j not in categorical]
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return make_pipeline(
        ColumnTransformer(
            [("categories", codes, categorical), ("numbers", "passthrough", numbers)]
        ),
        HistGradientBoostingClassifier(
            categorical_features=[*range(len(categorical))], random_state=0
        ),
    )


def paper(**parameters: Any) -> Method:
    return lambda categorical, _: EIOLGFMM(**parameters, categorical_features=categorical)


def ours(**parameters: Any) -> Method:
    return lambda categorical, _: HyperboxClassifier(**parameters, categorical_features=categorical)


BOXES = {"theta": 0.3, "delta": 0.3}  # the default; version 2 of EIOLGFMM makes the same ones
FIXED = {"bandwidth": 0.2, "backoff": 2.0, "temperature": 1.0, "forget": False}
DEFAULT = "HyperboxClassifier"
SMALL = "EIOLGFMM v1 0.1/0.1"
METHODS: dict[str, Method] = {
    SMALL: paper(theta=0.1, delta=0.1, version=1),
    "EIOLGFMM v2 0.3/0.3": paper(**BOXES, version=2),
    f"{DEFAULT}, h=0.2, a=2": ours(**BOXES, **FIXED),
    DEFAULT: ours(**BOXES),
    f"{DEFAULT}, balanced": ours(**BOXES, class_prior="auto"),
    f"{DEFAULT}, 256 boxes": ours(**BOXES, max_boxes=256),
    f"{DEFAULT}, 256 boxes, balanced": ours(**BOXES, max_boxes=256, class_prior="auto"),
    f"{DEFAULT}, by rank": ours(**BOXES, scale="quantile"),
    "naive Bayes": lambda categorical, _: MixedNaiveBayes(categorical),
    "logistic regression": one_hot(LogisticRegression(max_iter=2000)),
    "decision tree": one_hot(DecisionTreeClassifier(random_state=0)),
    "5-NN": one_hot(KNeighborsClassifier()),
    "random forest": one_hot(RandomForestClassifier(random_state=0)),
    "gradient boosting": boosting,
}
OTHERS = [name for name in METHODS if not name.startswith(("EIOLGFMM", DEFAULT))]
CONTEST = [SMALL, DEFAULT, *OTHERS]  # of the diagram
Means = dict[tuple[str, str], Any]  # measures by data set and method


def measure(name: str, repeat: int) -> list[tuple[str, str, list[float]]]:
    """Return data set, method and measures for the four folds of one repetition."""
    warnings.filterwarnings("ignore")
    X, y, categorical = paper_data.load(name)
    folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=repeat + 1, random_state=0).split(X, y)
    rows = []
    for train, test in [*folds][-4:]:
        train = np.random.default_rng(repeat).permutation(train)
        for method, make in METHODS.items():
            model = make(categorical, X.shape[1]).fit(X[train], y[train])
            rows.append((name, method, score(model, X[test], y[test])))
    return rows


def score(model: Any, X: Any, y: Any) -> list[float]:
    p, predicted = model.predict_proba(X), model.predict(X)
    place = {label: k for k, label in enumerate(model.classes_)}
    own = [p[i, place[label]] if label in place else 0.0 for i, label in enumerate(y)]
    return [
        class_balanced_accuracy(y, predicted),
        balanced_accuracy_score(y, predicted),
        float(-np.log(np.maximum(own, LEAST)).mean()),
        getattr(model, "n_boxes_", np.nan),
    ]


def read_options(module: str, arguments: Sequence[str] | None, repeats: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{module}")
    parser.add_argument("--repeats", type=int, default=repeats)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--report", action="store_true")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    options = read_options("evidence", arguments, repeats=10)
    repeats = options.repeats
    if options.report:
        tell(read_table("evidence.csv"), repeats)
        return
    names = paper_data.names()
    work = [delayed(measure)(name, repeat) for name in names for repeat in range(repeats)]
    results = [row for part in Parallel(n_jobs=options.jobs, verbose=50)(work) for row in part]
    means = {
        (name, method): np.mean([m for n, k, m in results if (n, k) == (name, method)], axis=0)
        for name in names
        for method in METHODS
    }
    write_table(means, "evidence.csv")
    tell(means, repeats)


def read_table(file_name: str) -> Means:
    with (FOLDER / file_name).open(newline="") as file:
        return {
            (row["dataset"], row["method"]): np.array([float(row[m]) for m in MEASURES])
            for row in csv.DictReader(file)
        }


def write_table(means: Means, file_name: str) -> None:
    with (FOLDER / file_name).open("w", newline="") as file:
        csv.writer(file).writerows(
            [["dataset", "method", *MEASURES]]
            + [[*key, *(f"{value:.4f}" for value in values)] for key, values in means.items()]
        )


def ranks(means: Means, methods: list[str], measure: str) -> AverageRanks:
    k = MEASURES.index(measure)
    names = dict.fromkeys(name for name, _ in means)
    scores = [[means[name, method][k] for method in methods] for name in names]
    return average_ranks(np.array(scores), methods=methods, larger_is_better=measure != "log_loss")


def tell(means: Means, repeats: int) -> None:
    names = [*dict.fromkeys(name for name, _ in means)]
    report = Report(
        "HyperboxClassifier and EIOLGFMM", f"python -m benchmarks.evidence --repeats {repeats}"
    )
    report.say(
        f"The paper's 14 data sets, {repeats} × 4 stratified folds, one setting for all: averages "
        "over the data sets. `HyperboxClassifier` has θ = δ = 0.3 and decides by evidence, "
        "`EIOLGFMM` has the version, θ and δ in its name and decides by membership. Class balanced "
        "accuracy and balanced accuracy: more is better; "
        "log-loss: less is better. In brackets the average rank (1 is best of 7): of each of ours "
        f"beside the six others, of these beside `{DEFAULT}`. "
        '"Balanced" is `class_prior="auto"`: how far the sizes of the classes are taken out '
        "follows the class balanced accuracy so far, which none of the other methods is told of.\n"
    )
    cube = np.array([[means[name, method] for method in METHODS] for name in names])
    report.say("| | CBA | balanced accuracy | log-loss | boxes |")
    report.say("|---|--:|--:|--:|--:|")
    for m, method in enumerate(METHODS):
        field = [DEFAULT if method in OTHERS else method, *OTHERS]
        cells = [
            f"{cube[:, m, k].mean():.3f} "
            f"({ranks(means, field, measure).ranks[field.index(method)]:.2f})"
            for k, measure in enumerate(MEASURES[:3])
        ]
        n_boxes = cube[:, m, 3].mean()
        report.say(
            f"| {method} | {' | '.join(cells)} | {'' if np.isnan(n_boxes) else f'{n_boxes:,.0f}'} |"
        )
    by_cba = ranks(means, CONTEST, "cba")
    report.say(
        f"\nThe methods of the diagram, by class balanced accuracy: {friedman_test(by_cba)}."
    )
    report.say("\nClass balanced accuracy by data set:\n")
    report.say("| | " + " | ".join(METHODS) + " |")
    report.say("|---|" + "--:|" * len(METHODS))
    for i, name in enumerate(names):
        best = cube[i, :, 0].max()
        cells = [f"**{v:.3f}**" if v == best else f"{v:.3f}" for v in cube[i, :, 0]]
        report.say(f"| {name} | {' | '.join(cells)} |")
    report.write("evidence.md")
    ax = plot_cd_diagram(by_cba)
    ax.figure.savefig(FOLDER / "evidence_cd.png", dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
