"""The paper's data sets themselves; those that need the files skip without BOXWISE_DATA."""

import gzip

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from boxwise import HyperboxClassifier
from boxwise.datasets import Dataset, load, names
from boxwise.datasets.catalogue import find
from boxwise.datasets.dataset import from_table

from .garden import GARDEN, TABLE, zipped
from .raw_files import raw_form

every_file = pytest.mark.parametrize("name", [name for name in names() if name != "tic_tac_toe"])


@pytest.mark.parametrize("name", names())
def test_a_data_set_is_as_it_is_described(paper_folder, name):
    data, entry = load(name, folder=paper_folder), find(name)
    assert data.name == name
    assert len(data.X) == len(data.y) == entry.rows
    assert len(np.unique(data.y)) == entry.classes
    assert [*data.X[0]] == [*entry.columns]
    for row in data.X:
        assert all(type(row[column]) is float for column in data.continuous)
        assert all(type(row[column]) is str for column in data.categorical)
    for said in (
        entry.title,
        f"{entry.rows} rows",
        f"dataset/{entry.page}/",
        "Licence",
        "Left out",
    ):
        assert said in data.description


@every_file
def test_the_raw_file_of_the_archive_becomes_the_table(paper_folder, archive, cache, name):
    entry = find(name)
    table = gzip.decompress((paper_folder / "paper" / f"{name}.csv.gz").read_bytes())
    raw = raw_form(entry, table)
    assert raw != table
    archive.put(entry, zipped(**{entry.file.replace(".", "__"): raw, "Index": b""}))
    downloaded = load(name, archive=archive.url)
    assert downloaded.X == load(name, folder=paper_folder).X
    assert gzip.decompress((cache / f"{name}.csv.gz").read_bytes()) == table


def test_the_rings_of_an_abalone_are_in_order(paper_folder):
    rings = np.unique(load("abalone", folder=paper_folder).y)
    assert rings.dtype.kind == "i"
    assert rings.tolist() == [*range(1, 28), 29]


def test_the_estimator_finds_the_kinds_of_columns_by_itself(paper_folder):
    for name in names(mixed_only=True):
        data = load(name, folder=paper_folder)
        schema = HyperboxClassifier().partial_fit(data.X[:50], data.y[:50]).schema_
        kinds = {column.name: column.kind for column in schema.columns}
        assert tuple(n for n, kind in kinds.items() if kind == "continuous") == data.continuous
        assert tuple(n for n, kind in kinds.items() if kind == "categorical") == data.categorical


@pytest.mark.parametrize("explicit", [False, True])
def test_estimators_and_scikit_learn_take_it_as_it_is(explicit):
    data = load("tic_tac_toe")
    features = {"categorical_features": data.categorical_features} if explicit else {}
    scores = cross_val_score(HyperboxClassifier(delta=0.1, **features), data.X, data.y, cv=3)
    assert scores.shape == (3,)
    clf = HyperboxClassifier(**features).fit(data.X, data.y)
    assert clf.feature_names_in_.tolist() == [*data.categorical]


def test_data_frames_can_be_made_of_it():
    data = from_table(GARDEN, TABLE)
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert pandas.DataFrame(data.X).columns.tolist() == [*GARDEN.columns]
    assert polars.DataFrame(data.X).columns == [*GARDEN.columns]


def test_labels_are_whole_numbers_only_if_all_are():
    assert from_table(GARDEN, TABLE).y.tolist() == [10, 2, 10]
    mixed = from_table(GARDEN, TABLE.replace(b",2\n", b",2b\n"))
    assert mixed.y.tolist() == ["10", "2b", "10"]


def test_it_is_frozen_and_shows_itself_in_one_line():
    data = from_table(GARDEN, TABLE)
    assert isinstance(data, Dataset)
    assert repr(data) == "Dataset('garden', 3 rows, 2 numeric and 2 categorical columns)"
    with pytest.raises(AttributeError):
        data.name = "park"


def test_a_note_ends_the_description(paper_folder):
    described = load("australian", folder=paper_folder).description
    assert described.splitlines()[-1] == "Note: A5 has 14 values; the paper says 15."
