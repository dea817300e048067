"""Model files: nothing is lost in one, and writing one is all or nothing."""

import copy
import errno
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from boxwise import EIOLGFMM, HyperboxClassifier, dumps, load, loads
from boxwise.store import ModelFileError, modelfile

NAN = math.nan


def test_a_loaded_model_goes_on_learning_to_the_identical_file(
    clf: HyperboxClassifier, table: pd.DataFrame, tmp_path: Path
) -> None:
    clf.save(tmp_path / "a.box")
    twin = load(tmp_path / "a.box")
    twin.save(tmp_path / "b.box")
    assert (tmp_path / "b.box").read_bytes() == (tmp_path / "a.box").read_bytes()
    more = table.assign(size=[7.0, NAN, 3.0, 0.0, 9.0, 9.5], word=list("xyzabc"))
    for model, name in (clf, "a.box"), (twin, "b.box"):
        model.partial_fit(more, ["new", "yes", "no", "?", "?", "new"]).save(tmp_path / name)
    assert (tmp_path / "b.box").read_bytes() == (tmp_path / "a.box").read_bytes()
    assert twin.classes_.tolist() == clf.classes_.tolist() == ["later", "new", "no", "yes"]
    np.testing.assert_array_equal(twin.predict_proba(more), clf.predict_proba(more))


@pytest.mark.parametrize("columns", [["size"], ["word"], ["size", "word", "flag"]])
def test_every_kind_of_model_comes_back(
    columns: list[str], table: pd.DataFrame, tmp_path: Path
) -> None:
    X = table[columns]
    clf = HyperboxClassifier().fit(X, [1, 2, 3, 1, 2, 3])
    clf.save(tmp_path / "m.box")
    twin = load(tmp_path / "m.box")
    assert twin.predict(X).tolist() == clf.predict(X).tolist()
    assert twin.boxes_.counts == clf.boxes_.counts
    assert twin.feature_names_in_.tolist() == columns


def test_a_model_of_unnamed_columns_and_of_unlabelled_rows_comes_back(tmp_path: Path) -> None:
    HyperboxClassifier(unlabelled=-1).fit([[1.0, "a"]], [-1]).save(tmp_path / "m.box")
    twin = load(tmp_path / "m.box")
    assert twin.classes_.tolist() == []
    assert not hasattr(twin, "feature_names_in_")
    assert twin.partial_fit([[1.0, "a"]], [5]).predict([[1.0, "a"]]).tolist() == [5]


def test_categories_and_labels_keep_their_types(tmp_path: Path) -> None:
    values = ["1", 2, 3.5, True, None, float("inf"), -0.0, 2**70, "", "naïve\n☃", "a\0"]
    rows = np.array(values, dtype=object)[:, None]
    labels = np.array(["x", 7, False, 2**70, "ü"] + ["x"] * (len(values) - 5), dtype=object)
    clf = HyperboxClassifier(delta=0, categorical_features=[0]).partial_fit(rows, labels)
    clf.save(tmp_path / "m.box")
    twin = load(tmp_path / "m.box")
    found = twin.schema_.vocabularies[0].values
    assert [(type(v), repr(v)) for v in found] == [(type(v), repr(v)) for v in values]
    assert [(type(v), v) for v in twin.classes_] == [(type(v), v) for v in clf.classes_]
    assert twin.predict(rows).tolist() == labels.tolist()


def test_text_that_is_no_valid_unicode_is_kept_too(tmp_path: Path) -> None:
    rows = [["\ud800"], ["caf\udce9"]]  # as os.listdir gives names that it cannot decode
    HyperboxClassifier(delta=0).fit(rows, ["a", "b"]).save(tmp_path / "m.box")
    assert load(tmp_path / "m.box").predict(rows).tolist() == ["a", "b"]


PARAMETERS: list[dict[str, Any]] = [
    {"theta": np.float32(0.5), "delta": np.float64(0.25), "alpha": np.float64(0.5)},
    {"theta": 1, "alpha": "auto", "version": 2},
    {"gamma": [2]},
    {"gamma": (2.5,)},
    {"gamma": np.array([2.5])},
    {"gamma": [np.float32(2.5)]},
    {"categorical_features": ["word", "flag"]},
    {"categorical_features": (1, 2)},
    {"categorical_features": [np.int64(1), np.int64(2)]},
    {"categorical_features": np.array([False, True, True])},
    {"categorical_features": [False, True, True]},
    {"categorical_features": pd.Index(["word", "flag"])},
    {"categorical_features": pd.Series([False, True, True])},
    {"categorical_features": range(1, 3)},
    {"categorical_features": {"word", "flag"}},
    {"feature_range": (0, 10)},
    {"feature_range": [np.float32(0), np.int64(10)]},
    {"feature_range": {"size": (0, 10)}},
    {"feature_range": {"size": np.array([0, 10])}},
    {"feature_range": {0: (0, 10)}},
    {"unlabelled": NAN},
    {"unlabelled": np.int64(-1)},
    {"unlabelled": "?"},
    {"unlabelled": pd.NA},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=range(len(PARAMETERS)))
def test_parameters_come_back_so_that_the_model_can_be_fitted_again(
    parameters: dict[str, Any], table: pd.DataFrame, tmp_path: Path
) -> None:
    y = ["a", "b", "a", "b", "a", "b"]
    clf = EIOLGFMM(**parameters).fit(table, y)
    clf.save(tmp_path / "a.box")
    twin = load(tmp_path / "a.box")
    assert twin.get_params().keys() == clf.get_params().keys()
    for name, value in parameters.items():
        if isinstance(value, int | float | str | np.generic):
            found = twin.get_params()[name]
            assert found == value or (math.isnan(found) and math.isnan(value))
    clone(twin).fit(table, y).save(tmp_path / "b.box")
    assert (tmp_path / "b.box").read_bytes() == (tmp_path / "a.box").read_bytes()


def remains(folder: Path, data: bytes) -> bool:
    return [p.name for p in folder.iterdir()] == ["good.box"] and (
        folder / "good.box"
    ).read_bytes() == data


def test_saving_over_a_file_replaces_it(saved: bytes, tmp_path: Path) -> None:
    HyperboxClassifier().fit([[1.0]], ["a"]).save(tmp_path / "good.box")
    assert load(tmp_path / "good.box").predict([[1.0]]).tolist() == ["a"]
    assert [p.name for p in tmp_path.iterdir()] == ["good.box"]


@pytest.mark.parametrize("path_type", [str, Path])
def test_any_kind_of_path_will_do(clf: HyperboxClassifier, tmp_path: Path, path_type: Any) -> None:
    path = path_type(tmp_path / "é model.box")
    clf.save(path)
    assert len(load(path).boxes_) == len(clf.boxes_)


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
def test_a_disk_error_leaves_the_old_file_and_nothing_else(
    saved: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    if call == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    elif call == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        opened = os.fdopen

        def half_written(*args: Any) -> Any:
            file = opened(*args)
            file.write(b"half")
            file.flush()
            file.close()
            raise OSError(errno.ENOSPC, "no space left on device")

        monkeypatch.setattr(os, "fdopen", half_written)
    with pytest.raises(OSError, match="no space left"):
        HyperboxClassifier().fit([[1.0]], ["a"]).save(tmp_path / "good.box")
    assert remains(tmp_path, saved)


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_else(
    saved: bytes, tmp_path: Path
) -> None:
    strange = HyperboxClassifier().fit([[1.0]], ["a"]).set_params(unlabelled=object())
    with pytest.raises(TypeError, match="object"):
        strange.save(tmp_path / "good.box")
    assert remains(tmp_path, saved)


def test_a_folder_is_no_place_to_write_a_file(saved: bytes, tmp_path: Path) -> None:
    clf = HyperboxClassifier().fit([[1.0]], ["a"])
    with pytest.raises(IsADirectoryError, match="is a folder"):
        clf.save(tmp_path)
    with pytest.raises(OSError):
        clf.save(tmp_path / "none" / "m.box")
    assert remains(tmp_path, saved)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_read_only_folder_is_an_ordinary_error(saved: bytes, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only to root")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            HyperboxClassifier().fit([[1.0]], ["a"]).save(tmp_path / "good.box")
        assert remains(tmp_path, saved)
    finally:
        tmp_path.chmod(0o700)


def test_an_existing_files_permissions_are_kept(saved: bytes, tmp_path: Path) -> None:
    (tmp_path / "good.box").chmod(0o640)
    HyperboxClassifier().fit([[1.0]], ["a"]).save(tmp_path / "good.box")
    assert (tmp_path / "good.box").stat().st_mode & 0o777 == 0o640


def test_the_longest_file_name_that_the_system_takes_will_do(
    clf: HyperboxClassifier, tmp_path: Path
) -> None:
    path = tmp_path / ("n" * 251 + ".box")
    path.write_bytes(b"")
    clf.save(path)
    assert len(load(path).boxes_) == len(clf.boxes_)


def test_the_same_model_gives_the_same_bytes_and_packing_undoes_itself(
    clf: HyperboxClassifier, saved: bytes
) -> None:
    content, arrays = modelfile.unpack(saved)
    assert modelfile.pack(content, arrays) == saved
    for array in arrays.values():
        assert array.dtype.isnative and array.flags.writeable


def test_dumps_gives_the_bytes_of_the_file_and_loads_reads_them(
    clf: HyperboxClassifier, saved: bytes, table: pd.DataFrame
) -> None:
    assert dumps(clf) == saved
    for data in (saved, bytearray(saved), memoryview(saved)):
        twin = loads(data)
        assert dumps(twin) == saved
    np.testing.assert_array_equal(twin.predict_proba(table), clf.predict_proba(table))


def test_what_is_no_model_is_refused_by_dumps_and_loads(saved: bytes) -> None:
    with pytest.raises(TypeError, match="only estimators of boxwise have a model file, not 3"):
        dumps(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"from bytes, not 'model.box'; load\(\) takes a path"):
        loads("model.box")  # type: ignore[arg-type]
    with pytest.raises(ModelFileError, match=r"^the file is damaged or cut short"):
        loads(saved[:-1])
    with pytest.raises(ModelFileError, match=r"^the file is malformed: 'parameters'"):
        loads(modelfile.pack({"learner": "HyperboxClassifier"}, {}))


def test_a_link_stays_a_link_and_what_it_points_to_is_written(
    clf: HyperboxClassifier, tmp_path: Path
) -> None:
    link, target = tmp_path / "link.box", tmp_path / "real.box"
    link.symlink_to(target)
    clf.save(link)
    assert link.is_symlink()
    assert len(load(target).boxes_) == len(clf.boxes_)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_replaced_by_a_file(clf: HyperboxClassifier, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        clf.save(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_what_could_not_be_loaded_is_not_saved(clf: HyperboxClassifier, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="alpha"):
        copy.deepcopy(clf).set_params(alpha=7).save(tmp_path / "m.box")
    assert not [*tmp_path.iterdir()]
