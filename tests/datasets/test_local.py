"""Data sets in a folder of the user's and in the cache, whole and damaged."""

import gzip
import os
import re
import sys
from pathlib import Path

import pytest

from boxwise.datasets import DatasetError, load
from boxwise.datasets.local import cache_file

from .garden import GARDEN, TABLE, ZIP

FILE = "garden.csv.gz"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "data"
    (path / "paper").mkdir(parents=True)
    (path / "paper" / FILE).write_bytes(gzip.compress(TABLE))
    return path


def test_a_folder_is_read_whether_named_by_argument_or_environment(monkeypatch, garden, folder):
    assert len(load("garden", folder=folder).X) == 3
    assert len(load("garden", folder=str(folder)).X) == 3
    monkeypatch.setenv("BOXWISE_DATA", str(folder))
    assert len(load("garden").X) == 3


def test_the_folder_may_be_the_one_that_holds_the_files(garden, folder):
    assert len(load("garden", folder=folder / "paper").X) == 3


def test_nothing_is_kept_of_what_is_in_a_folder(garden, folder, cache):
    load("garden", folder=folder)
    assert not cache.exists()


def test_what_is_not_in_the_folder_is_downloaded(tmp_path, garden, archive):
    archive.put(garden, ZIP)
    assert len(load("garden", folder=tmp_path, archive=archive.url).X) == 3


def test_a_cache_serves_as_a_folder_elsewhere(monkeypatch, tmp_path, garden, archive, cache):
    archive.put(garden, ZIP)
    load("garden", archive=archive.url)
    monkeypatch.setenv("BOXWISE_CACHE", str(tmp_path / "other"))
    assert len(load("garden", folder=cache.parent).X) == 3
    assert len(archive.asked) == 1


def test_a_folder_that_does_not_exist_is_an_error(tmp_path, garden):
    with pytest.raises(DatasetError, match="missing is not a folder; correct folder="):
        load("garden", folder=tmp_path / "missing")


def test_another_table_in_the_folder_is_refused_with_both_checksums(garden, folder):
    path = folder / "paper" / FILE
    path.write_bytes(gzip.compress(TABLE + b"1,red,2,loam,10\n"))
    told = f"{re.escape(str(path))} is damaged, .* expected sha256 {garden.sha256} "
    with pytest.raises(DatasetError, match=told + r"\(uncompressed\), found [0-9a-f]{64}$"):
        load("garden", folder=folder)


@pytest.mark.parametrize(
    "content",
    [b"", b"height,colour", gzip.compress(TABLE)[:-9], gzip.compress(TABLE)[:20] + bytes(60)],
    ids=["empty", "not compressed", "cut", "spoiled"],
)
def test_a_file_in_the_folder_that_is_no_gzip_file_is_refused(garden, folder, content):
    (folder / "paper" / FILE).write_bytes(content)
    with pytest.raises(DatasetError, match=r"garden.csv.gz is damaged, .*, found "):
        load("garden", folder=folder)


@pytest.mark.parametrize(
    "content",
    [b"", b"nonsense", gzip.compress(b"another table")],
    ids=["empty", "not compressed", "another table"],
)
def test_a_damaged_file_in_the_cache_is_told_and_fetched_anew(garden, archive, cache, content):
    cache.mkdir(parents=True)
    (cache / FILE).write_bytes(content)
    archive.put(garden, ZIP)
    with pytest.warns(UserWarning, match=r"garden.csv.gz is damaged.*; it is fetched anew") as told:
        assert len(load("garden", archive=archive.url).X) == 3
    assert told[0].filename == __file__
    assert gzip.decompress((cache / FILE).read_bytes()) == TABLE


@pytest.mark.filterwarnings("ignore:.*it is fetched anew")
def test_a_cache_that_cannot_be_written_is_told_and_the_data_are_there(
    monkeypatch, tmp_path, garden, archive
):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("BOXWISE_CACHE", str(tmp_path / "file"))
    archive.put(garden, ZIP)
    with pytest.warns(UserWarning, match="could not be kept .* set BOXWISE_CACHE to a folder"):
        assert len(load("garden", archive=archive.url).X) == 3


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_cache_that_may_only_be_read_is_told_and_the_data_are_there(garden, archive, cache):
    cache.mkdir(parents=True)
    cache.chmod(0o500)
    archive.put(garden, ZIP)
    with pytest.warns(UserWarning, match="could not be kept"):
        assert len(load("garden", archive=archive.url).X) == 3
    cache.chmod(0o700)
    assert [*cache.iterdir()] == []


def test_a_failure_while_writing_leaves_nothing_behind(monkeypatch, garden, archive, cache):
    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    archive.put(garden, ZIP)
    with pytest.warns(UserWarning, match="No space left"):
        assert len(load("garden", archive=archive.url).X) == 3
    assert [*cache.iterdir()] == []


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"BOXWISE_CACHE": "/c", "XDG_CACHE_HOME": "/x"}, "/c"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/boxwise"),
        ("linux", {}, "/home/ann/.cache/boxwise"),
        ("darwin", {}, "/home/ann/Library/Caches/boxwise"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/boxwise/Cache"),
        ("win32", {}, "/home/ann/AppData/Local/boxwise/Cache"),
    ],
)
def test_the_cache_is_where_the_system_has_it(monkeypatch, platform, environment, expected):
    for name in ("BOXWISE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann"))
    assert cache_file(GARDEN) == Path(expected, "paper", FILE)


def test_without_a_home_the_error_says_what_to_set(monkeypatch, garden):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("BOXWISE_CACHE")
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(DatasetError, match="set BOXWISE_CACHE"):
        load("garden")
