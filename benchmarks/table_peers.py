"""Learners of whole tables to compare with, as people use them: default settings, nothing tuned.

Each is made for a table by the positions of its categorical columns and the number of all columns,
and takes an array of objects. LightGBM, CatBoost and interpret's EBM need the extra `bench`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

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


def lightgbm(categorical: list[int], n_columns: int) -> Any:
    from lightgbm import LGBMClassifier

    return Coded(LGBMClassifier(verbose=-1, n_jobs=1), categorical, "categorical_feature")


class Coded:
    """A learner that is told which columns are codes, behind the encoder of these columns."""

    def __init__(self, model: Any, categorical: list[int], argument: str) -> None:
        self.model, self.categorical, self.argument = model, categorical, argument
        self.encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)

    def fit(self, X: Any, y: Any) -> Coded:
        """Learn from an array of objects."""
        if self.categorical:
            self.encoder.fit(X[:, self.categorical])
        self.model.fit(self._coded(X), y, **{self.argument: self.categorical})
        self.classes_ = self.model.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        return self.model.predict(self._coded(X))

    def predict_proba(self, X: Any) -> Any:
        """Return rows by classes."""
        return self.model.predict_proba(self._coded(X))

    def _coded(self, X: Any) -> Any:
        coded = X.copy()
        if self.categorical:
            coded[:, self.categorical] = self.encoder.transform(X[:, self.categorical])
        return coded.astype(float)


class CatBoost:
    """CatBoost with text in the categorical columns, as it wants them."""

    def __init__(self, categorical: list[int], n_columns: int) -> None:
        self.categorical = categorical

    def fit(self, X: Any, y: Any) -> CatBoost:
        """Learn from an array of objects."""
        from catboost import CatBoostClassifier

        self.model = CatBoostClassifier(
            verbose=0, random_seed=0, thread_count=1, allow_writing_files=False
        )
        self.model.fit(X, y, cat_features=self.categorical)
        self.classes_ = self.model.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the class of each row."""
        return self.model.predict(X).ravel()

    def predict_proba(self, X: Any) -> Any:
        """Return rows by classes."""
        return self.model.predict_proba(X)


def ebm(categorical: list[int], n_columns: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    types = ["nominal" if j in categorical else "continuous" for j in range(n_columns)]
    return ExplainableBoostingClassifier(feature_types=types, random_state=0, n_jobs=1)


PEERS: dict[str, Method] = {
    "naive Bayes": lambda categorical, _: MixedNaiveBayes(categorical),
    "logistic regression": one_hot(LogisticRegression(max_iter=2000)),
    "decision tree": one_hot(DecisionTreeClassifier(random_state=0)),
    "5-NN": one_hot(KNeighborsClassifier()),
    "random forest": one_hot(RandomForestClassifier(random_state=0)),
    "gradient boosting": boosting,
    "LightGBM": lightgbm,
    "CatBoost": CatBoost,
    "EBM": ebm,
}
SLOW = ("CatBoost", "EBM")
