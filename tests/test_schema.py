"""Schema: columns, vocabularies that grow, and exact round trips."""

import contextlib
import copy
import datetime
import json
import pickle
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxwise.schema import Column, Schema, Vocabulary


def job_schema() -> Schema:
    return Schema(
        [
            Column("age", "continuous"),
            Column("job", "categorical", Vocabulary(["cook", None])),
            Column("size", "continuous"),
            Column("town", "categorical", Vocabulary()),
        ],
        named=True,
    )


def test_positions_and_names_are_split_by_kind() -> None:
    schema = job_schema()
    assert schema.n_features == 4
    assert schema.names == ("age", "job", "size", "town")
    assert schema.continuous == (0, 2)
    assert schema.categorical == (1, 3)
    assert schema.continuous_names == ("age", "size")
    assert schema.categorical_names == ("job", "town")
    assert schema.vocabularies[0].values == ["cook", None]


def test_repr_lists_columns_and_kinds() -> None:
    assert repr(job_schema()) == (
        "Schema(4 columns: age (numeric), job (categorical, 2 values), size (numeric), "
        "town (categorical, 0 values))"
    )
    wide = Schema([Column(f"x{j}", "continuous") for j in range(1000)], named=False)
    assert repr(wide).startswith("Schema(1000 columns: x0 (numeric), ")
    assert repr(wide).endswith(", ...)")
    assert len(repr(Vocabulary(range(1000)))) < 60


def test_vocabulary_numbers_values_by_first_appearance() -> None:
    vocabulary = Vocabulary(["b", None, "a"])
    assert vocabulary.codes == {"b": 0, None: 1, "a": 2}
    assert len(vocabulary) == 3


def test_equal_numbers_are_one_category() -> None:
    vocabulary = Vocabulary([1])
    assert vocabulary.codes[1.0] == vocabulary.codes[True] == 0
    with pytest.raises(ValueError, match="already"):
        vocabulary.append(1.0)


def test_absorb_appends_after_the_known_values() -> None:
    schema = job_schema()
    schema.absorb([["smith"], ["Oslo", None]])
    assert schema.vocabularies[0].codes == {"cook": 0, None: 1, "smith": 2}
    assert schema.vocabularies[1].values == ["Oslo", None]


@pytest.mark.parametrize(
    ("additions", "error", "words"),
    [
        ([["smith"]], ValueError, "2 categorical columns, but additions for 1"),
        ([["smith"], ["Oslo", "Oslo"]], ValueError, "column 'town': 'Oslo' is in the vocabulary"),
        ([["smith"], [datetime.date(2020, 1, 1)]], TypeError, "column 'town'.*convert.*to text"),
        ([["smith"], [float("nan")]], TypeError, "column 'town': nan"),
        ([["cook"], []], ValueError, "column 'job': 'cook'"),
    ],
)
def test_absorb_refuses_as_a_whole(
    additions: list[list[object]], error: type[Exception], words: str
) -> None:
    schema = job_schema()
    with pytest.raises(error, match=words):
        schema.absorb(additions)
    assert schema == job_schema()


def test_schemas_differ_by_names_kinds_and_vocabularies() -> None:
    grown = job_schema()
    grown.absorb([["smith"], []])
    assert job_schema() == job_schema()
    assert grown != job_schema()
    named = Schema([Column("x0", "continuous")], named=True)
    assert named != Schema([Column("x0", "continuous")], named=False)
    assert named != "x0"


def test_schema_survives_pickle_and_copy() -> None:
    schema = job_schema()
    assert pickle.loads(pickle.dumps(schema)) == schema
    twin = copy.deepcopy(schema)
    twin.absorb([["smith"], []])
    assert "smith" not in schema.vocabularies[0].codes


def category_values() -> st.SearchStrategy[object]:
    return st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text())


@given(st.lists(category_values(), unique=True), st.text())
def test_json_round_trip_keeps_values_and_types(values: list[object], name: str) -> None:
    schema = Schema(
        [Column(name, "categorical", Vocabulary(values)), Column(name + "!", "continuous")],
        named=True,
    )
    text = json.dumps(schema.to_dict(), allow_nan=False)
    back = Schema.from_dict(json.loads(text))
    assert back == schema
    assert [type(v) for v in back.vocabularies[0].values] == [type(v) for v in values]


def test_look_alike_values_stay_distinct() -> None:
    for value in (1, 1.0, True, "1"):
        schema = Schema([Column("c", "categorical", Vocabulary([value]))], named=True)
        back = Schema.from_dict(schema.to_dict()).vocabularies[0].values[0]
        assert back == value
        assert type(back) is type(value)


def test_to_dict_names_the_column_and_value_it_cannot_write() -> None:
    schema = Schema([Column("c", "categorical", Vocabulary([(1, 2)]))], named=True)
    with pytest.raises(TypeError, match=r"column 'c': \(1, 2\).*convert the column to text"):
        schema.to_dict()


def categorical(*values: object) -> dict[str, object]:
    column = {"name": "c", "kind": "categorical", "values": list(values)}
    return {"named": True, "columns": [column]}


def deeply_nested() -> list[object]:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"named": True},
        {"named": 1, "columns": [{"name": "a", "kind": "continuous"}]},
        {"named": True, "columns": []},
        {"named": True, "columns": {}},
        {"named": True, "columns": [None]},
        {"named": True, "columns": [{"name": "a"}]},
        {"named": True, "columns": [{"name": 1, "kind": "continuous"}]},
        {"named": True, "columns": [{"name": ["a"], "kind": "categorical", "values": []}]},
        {"named": True, "columns": [{"name": "a", "kind": "ordinal"}]},
        {"named": True, "columns": [{"name": "a", "kind": ["continuous"]}]},
        {"named": True, "columns": [{"name": "a", "kind": "continuous", "values": []}]},
        {"named": True, "columns": [{"name": "a", "kind": "categorical"}]},
        {"named": True, "columns": [{"name": "a", "kind": "categorical", "values": "ab"}]},
        {"named": True, "columns": [{"name": "a", "kind": "continuous"}] * 2},
        {"named": False, "columns": [{"name": "a", "kind": "continuous"}]},
        {"named": True, "columns": [{"name": "a", "kind": "continuous"}], "more": 1},
        categorical("a"),
        categorical(["str"]),
        categorical(["str", 1]),
        categorical(["int", 1.0]),
        categorical(["int", True]),
        categorical(["float", 1.0]),
        categorical(["float", "nan"]),
        categorical(["float", "one"]),
        categorical(["float", "1e1"]),
        categorical(["none", 0]),
        categorical([["str"], "a"]),
        categorical(["date", "2020-01-01"]),
        categorical(["str", "a"], ["str", "a"]),
        categorical(["int", 1], ["float", "1.0"]),
        categorical(["str", ["a"]]),
        categorical(deeply_nested()),
        deeply_nested(),
    ],
)
def test_from_dict_refuses_what_to_dict_would_not_write(data: object) -> None:
    with pytest.raises(ValueError):
        Schema.from_dict(data)


def junk() -> st.SearchStrategy[object]:
    words = st.sampled_from(
        ["named", "columns", "name", "kind", "values", "categorical", "continuous", "str", "int"]
    )
    leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), words)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner) | st.dictionaries(words, inner),
        max_leaves=20,
    )


@given(junk(), junk())
def test_from_dict_raises_nothing_but_value_error(columns: object, whole: object) -> None:
    for data in (whole, {"named": True, "columns": columns}, {"named": True, "columns": [columns]}):
        with contextlib.suppress(ValueError):
            Schema.from_dict(data)


@pytest.mark.parametrize("kind", ["continuous", "categorical"])
def test_vocabulary_goes_with_categorical_columns_only(kind: str) -> None:
    wrong = Vocabulary() if kind == "continuous" else None
    with pytest.raises(ValueError, match="column 'a'"):
        Column("a", kind, wrong)  # type: ignore[arg-type]


def test_a_code_found_during_absorb_has_its_value() -> None:
    schema = Schema([Column("c", "categorical", Vocabulary())], named=True)
    vocabulary = schema.vocabularies[0]
    wrong: list[int] = []
    done = threading.Event()

    def look_up() -> None:
        while not done.is_set():
            code = vocabulary.codes.get(len(vocabulary.values) - 1)
            if code is not None and vocabulary.values[code] != code:
                wrong.append(code)

    reader = threading.Thread(target=look_up)
    reader.start()
    for value in range(20_000):
        schema.absorb([[value]])
    done.set()
    reader.join()
    assert not wrong
