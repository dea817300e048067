"""Rules to read, to sort, to filter, to predict with, to write and to read back."""

import json
import pickle

import numpy as np
import pytest

from boxwise import EIOLGFMM, CastilloGFMM, HyperboxClassifier, load
from boxwise.rules import Between, NoneOf, OneOf, Rule, RuleSet
from boxwise.schema import Column, Schema, Vocabulary

ROWS = [
    {"age": 20, "job": "cook"},
    {"age": 24, "job": "cook"},
    {"age": 22, "job": "smith"},
    {"age": 60, "job": "cook"},
    {"age": None, "job": None},
]
LABELS = ["no", "no", "no", "yes", "yes"]


@pytest.fixture
def clf():
    return EIOLGFMM(delta=1.0).fit(ROWS, LABELS)


@pytest.fixture
def rules(clf):
    return clf.rules(ROWS, LABELS)


def ruleset(*rules, classes=("no", "yes"), **options):
    columns = [
        Column("age", "numeric", range=(0.0, 100.0)),
        Column("job", "categorical", Vocabulary(["cook", "smith", None])),
    ]
    return RuleSet(rules, Schema(columns, named=True), classes, **options)


def test_rules_say_what_they_cover_and_how_rightly(rules):
    assert str(rules).splitlines() == [
        "IF age between 20 and 24 AND job in {cook, smith} THEN no (covers 3 rows, 100% right)",
        "IF age is 60 AND job in {cook, missing} THEN yes (covers 2 rows, 100% right)",
    ]


def test_conditions_that_do_not_bind_are_left_out():
    rows = [{"age": a, "job": j} for a in (20, 30) for j in ("cook", "smith")]
    clf = HyperboxClassifier(theta=1.0, delta=1.0).fit(rows, ["no"] * 4)
    (rule,) = clf.rules()
    assert rule.conditions == ()
    assert str(rule) == "ALWAYS no (from 4 rows)"
    (rule,) = clf.rules(full=True)
    assert [type(c) for c in rule.conditions] == [Between, OneOf]


def test_rare_values_are_left_out_but_never_the_most_frequent():
    rows = [{"job": "cook"}] * 9 + [{"job": "smith"}] + [{"job": "nurse"}]
    clf = HyperboxClassifier(delta=1.0).fit(rows, ["no"] * 10 + ["yes"])
    (rule, _) = clf.rules(min_share=0.2)
    assert rule.conditions == (OneOf("job", ("cook",), (9,)),)
    (rule, _) = clf.rules()
    assert rule.conditions == (OneOf("job", ("cook", "smith"), (9, 1)),)
    (rule, _) = clf.rules(min_share=1)
    assert rule.conditions[0].values == ("cook",)
    with pytest.raises(ValueError, match="min_share must be from 0 to 1, not 2"):
        clf.rules(min_share=2)


def test_a_missing_number_is_covered_and_a_missing_category_is_a_value():
    rules = ruleset(
        Rule((Between("age", 20, 30),), "no"), Rule((OneOf("job", ("cook",)),), "yes", rank=1)
    )
    X = [{"age": None, "job": None}, {"age": 25, "job": "cook"}, {"age": 9, "job": "new"}]
    assert rules.covers(X).tolist() == [[True, False], [True, True], [False, False]]


def test_none_of_covers_values_never_seen():
    rules = ruleset(Rule((NoneOf("job", ("cook", None)),), "no"))
    X = [{"age": 1, "job": j} for j in ("cook", "smith", None, "new")]
    assert rules.covers(X).ravel().tolist() == [False, True, False, True]


def test_of_the_rules_that_cover_a_row_the_lowest_rank_decides_in_any_order():
    wide, narrow = (
        Rule((Between("age", 0, 50),), "no", 1),
        Rule((Between("age", 20, 30),), "yes", 0),
    )
    rules = ruleset(wide, narrow)
    X = [{"age": 25, "job": "cook"}, {"age": 40, "job": "cook"}]
    assert rules.predict(X).tolist() == ["yes", "no"]
    assert rules.sort("rank").predict(X).tolist() == ["yes", "no"]


def test_a_row_that_no_rule_covers_goes_to_the_nearest():
    rules = ruleset(
        Rule((Between("age", 0, 10), OneOf("job", ("cook",))), "no", 0),
        Rule((Between("age", 90, 100), OneOf("job", ("smith",))), "yes", 1),
    )
    X = [
        {"age": 80, "job": "cook"},  # one condition fails of the first, two of the second
        {"age": 80, "job": None},  # two and two, but it is nearer to 90
        {"age": 50, "job": None},  # as near to both
    ]
    assert rules.predict(X).tolist() == ["no", "yes", "no"]


def test_fidelity_is_the_share_of_rows_that_the_model_decides_alike(clf, rules):
    X = [{"age": a, "job": j} for a in (18, 23, 40, 58, 99) for j in ("cook", "smith", "new")]
    same = np.mean(rules.predict(X) == clf.predict(X))
    assert rules.fidelity(X) == same


def test_sorting_and_filtering(rules):
    assert [r.rows for r in rules.sort("rows", descending=False)] == sorted(r.rows for r in rules)
    assert {r.label for r in rules.filter(label="yes")} == {"yes"}
    none = rules.filter(lambda rule: False)
    assert len(none) == len(none.measure(ROWS, LABELS)) == 0
    with pytest.raises(ValueError, match="there are no rules to predict with"):
        none.predict(ROWS)
    assert all(r.covered >= 2 for r in rules.filter(min_covered=2))
    assert all("age" in str(r) for r in rules.filter(column="age"))
    with pytest.raises(ValueError, match="there is no class 'maybe'; there are 'no', 'yes'"):
        rules.filter(label="maybe")
    with pytest.raises(ValueError, match="there is no column 'wage'; there are age, job"):
        rules.filter(column="wage")
    with pytest.raises(ValueError, match="by must be one of 'rank'"):
        rules.sort("beauty")


def test_rules_come_back_from_json_and_pickle_without_their_model(rules):
    for back in (RuleSet.from_json(rules.to_json()), pickle.loads(pickle.dumps(rules))):
        assert back == rules
        assert back.predict(ROWS).tolist() == rules.predict(ROWS).tolist()
        with pytest.raises(ValueError, match=r"without their model; make them anew"):
            back.fidelity(ROWS)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"},
        {"classes": [[]]},
        {"classes": ["no"]},
        {"rules": [{}]},
        {"schema": {}},
        {"ranges": {"age": [None, 1]}},
    ],
)
def test_json_that_is_something_else_is_refused(rules, change):
    content = json.loads(rules.to_json()) | change
    with pytest.raises(ValueError, match=r"not what RuleSet\.to_json writes"):
        RuleSet.from_json(json.dumps(content))
    with pytest.raises(ValueError, match=r"not what RuleSet\.to_json writes"):
        RuleSet.from_json("{")


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content["ranges"].update(age=[]),
        lambda content: content["ranges"].update(age=[10**400, 1]),
        lambda content: content["ranges"].update(age=[5.0, 1.0]),
        lambda content: content["ranges"].update(age=[float("nan"), 1.0]),
        lambda content: content["rules"][0]["if"][0].update(at_least=float("nan")),
        lambda content: content["rules"][0]["if"][0].update(at_least=99.0, at_most=1.0),
    ],
)
def test_ruleset_from_json_refuses_forged_numbers(rules, edit):
    content = json.loads(rules.to_json())
    edit(content)
    with pytest.raises(ValueError, match=r"^this is not what RuleSet\.to_json writes: "):
        RuleSet.from_json(json.dumps(content))


def test_ruleset_from_json_refuses_deep_nesting():
    with pytest.raises(ValueError, match=r"^this is not what RuleSet\.to_json writes: "):
        RuleSet.from_json("[" * 100_000)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_rules_as_tables(rules, backend):
    pytest.importorskip(backend)
    frame = rules.to_frame(backend)
    assert frame.shape[0] == len(rules)


def test_markdown_and_html_cannot_be_broken_by_values():
    rows = [{"a|b": "x|<b>"}, {"a|b": "y"}]
    rules = HyperboxClassifier().fit(rows, ["<i>", "b"]).rules()
    assert "x\\|&lt;b&gt;" in rules.to_markdown() and "<i>" not in rules.to_markdown()
    assert "&lt;b&gt;" in rules.to_html() and "<i>" not in rules.to_html()


@pytest.mark.parametrize("labels", [[0, 1], [True, False], ["a", 1]], ids=str)
def test_labels_of_any_type(labels):
    clf = HyperboxClassifier(0.1).fit([[0.0], [1.0]], labels)
    rules = clf.rules([[0.0], [1.0]], labels)
    assert rules.predict([[0.0], [1.0]]).tolist() == labels
    assert RuleSet.from_json(rules.to_json()) == rules
    assert "IF x0 is 0 THEN " in {rule.text()[:16] for rule in rules}


def test_boxes_without_a_class_are_no_rules():
    clf = HyperboxClassifier(unlabelled=-1).fit([[0.0], [0.5], [1.0]], [-1, 1, -1])
    assert clf.rules([[0.0], [0.5], [1.0]], [-1, 1, -1])[0].covered is not None
    assert all(rule.label == 1 for rule in clf.rules())


def test_a_loaded_model_gives_the_same_rules(clf, tmp_path):
    clf.save(tmp_path / "m.box")
    assert load(tmp_path / "m.box").rules() == clf.rules()


def test_boxes_that_are_bounded_by_distances_between_categories_have_no_rules():
    clf = CastilloGFMM().fit([[0.0, "a"], [1.0, "b"]], ["x", "y"])
    with pytest.raises(ValueError, match="which no rule can say"):
        clf.rules()


def test_rows_with_labels_or_none(clf):
    with pytest.raises(ValueError, match="give both X and y, or none"):
        clf.rules(ROWS)


def test_rules_of_rows_with_fractional_weight_survive_json():
    rows = [{"job": "cook"}, {"job": "smith"}]
    clf = HyperboxClassifier().partial_fit(rows, ["p", "q"], sample_weight=[0.5, 1.5])
    rules = clf.rules(full=True)
    assert str(RuleSet.from_json(rules.to_json())) == str(rules)
