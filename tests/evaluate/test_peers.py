"""River's learners beside ours."""

import sys

import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.evaluate import prequential
from boxwise.evaluate.peers import has_river, peer, peer_names

river = pytest.importorskip("river")


@pytest.mark.parametrize("name", peer_names())
def test_every_peer_learns_mixed_rows_with_gaps(name):
    def holed():
        for n, (x, y) in enumerate(LoanStream(250, function=3)):
            yield {k: None if n % 5 == i else v for i, (k, v) in enumerate(x.items())}, y

    (row,) = prequential({name: peer(name)}, holed()).summary()
    assert row["scored"] == 249
    assert row["memory"] > 0


def test_text_is_nominal_to_a_hoeffding_tree():
    tree = peer("hoeffding-tree")
    stream = [({"job": job}, job in "ab") for job in "abcd" * 200]
    (row,) = prequential({"tree": tree}, stream, window=100).summary()
    assert row["recent_accuracy"] == 1


@pytest.mark.parametrize(
    "told_by", [lambda n: {"job": "abcd"[n % 4]}, lambda n: {"age": 30.0 + n % 4 + n % 3 / 10}]
)
def test_naive_bayes_learns_from_numbers_and_from_text(told_by):
    stream = [(told_by(n), n % 4 == 0) for n in range(400)]
    (row,) = prequential({"bayes": peer("naive-bayes")}, stream, window=100).summary()
    assert row["recent_accuracy"] == 1


def test_naive_bayes_of_numbers_alone_is_rivers():
    from river.naive_bayes import GaussianNB

    numbers = [
        ({"salary": x["salary"], "loan": x["loan"]}, y) for x, y in LoanStream(500, function=7)
    ]
    ours, theirs = prequential(
        {"peer": peer("naive-bayes"), "river": GaussianNB()}, numbers
    ).summary()
    assert ours["accuracy"] == theirs["accuracy"]


def test_the_scores_are_those_of_rivers_own_evaluation():
    from river import evaluate, metrics, tree

    stream = LoanStream(2000, function=3, noise=0.05)
    result = prequential({"tree": peer("hoeffding-tree")}, stream).summary()[0]
    theirs = metrics.Accuracy() + metrics.CohenKappa() + metrics.BalancedAccuracy()
    evaluate.progressive_val_score(stream, tree.HoeffdingTreeClassifier(), theirs)
    wanted = [metric.get() for metric in theirs]
    assert [result["accuracy"], result["kappa"], result["balanced_accuracy"]] == pytest.approx(
        wanted
    )


def test_rivers_pipelines_and_data_sets_go_side_by_side_with_ours():
    from river import datasets, linear_model, preprocessing

    pipeline = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    learners = {"ours": HyperboxClassifier(0.3), "pipeline": pipeline}
    ours, theirs = prequential(learners, datasets.Phishing(), limit=600).summary()
    assert ours["rows"] == theirs["rows"] == 600
    assert min(ours["accuracy"], theirs["accuracy"]) > 0.7
    assert theirs["memory"] > 0
    assert theirs["boxes"] is None


def test_an_unknown_name_lists_the_known():
    with pytest.raises(ValueError, match=r"no learner 'svm'; there are hoeffding-tree, .*arf"):
        peer("svm")


def test_without_river_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    assert not has_river()
    with pytest.raises(ImportError, match=r'pip install "boxwise\[river\]"'):
        peer("arf")


@pytest.mark.parametrize("name", peer_names())
def test_the_class_that_a_peer_predicts_is_its_most_probable(name):
    learner = peer(name)
    for x, y in LoanStream(300, function=7, noise=0.05):
        p = learner.predict_proba_one(x)
        assert sum(p.values()) == pytest.approx(1) if p else learner.predict_one(x) is None
        if p:
            assert p[learner.predict_one(x)] == max(p.values())
        learner.learn_one(x, y)


def test_probabilities_of_naive_bayes_of_numbers_alone_are_rivers():
    from river.naive_bayes import GaussianNB

    ours, theirs = peer("naive-bayes"), GaussianNB()
    for x, y in LoanStream(300, function=7):
        numbers = {"salary": x["salary"], "loan": x["loan"]}
        assert ours.predict_proba_one(numbers) == pytest.approx(theirs.predict_proba_one(numbers))
        ours.learn_one(numbers, y)
        theirs.learn_one(numbers, y)
