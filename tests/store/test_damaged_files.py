"""No file, however damaged or forged, does more than raise ModelFileError."""

import copy
import hashlib
import json
import math
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier, load
from boxwise.core import Model
from boxwise.store import ModelFileError

NAN = math.nan


def signed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def edited(data: bytes, edit: Callable[[Any], Any]) -> bytes:
    """Change the header and sign the file anew. `edit` changes it or returns another."""
    length = int.from_bytes(data[12:20], "little")
    header = json.loads(data[20 : 20 + length])
    header = edit(header) or header
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    rest = data[20 + length : -32]
    return signed(data[:12] + len(text).to_bytes(8, "little") + text + rest)


def refused(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(ModelFileError) as error:
        load(path)
    text = str(error.value)
    assert isinstance(error.value, ValueError)
    assert text.startswith(str(path)) and len(text) > len(str(path)) + 10
    return text


def test_every_damaged_byte_is_noticed(saved: bytes, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    positions = {*range(64), *rng.integers(0, len(saved), 200), *range(len(saved) - 40, len(saved))}
    for position in sorted(positions):
        flipped = bytearray(saved)
        flipped[position] ^= 1 << int(rng.integers(8))
        text = refused(tmp_path / "m.box", bytes(flipped))
        if position < 8:
            assert "not a boxwise model file" in text
        else:
            version = position < 12 and "newer boxwise" in text
            assert version or "damaged" in text


def test_every_truncation_is_noticed(saved: bytes, tmp_path: Path) -> None:
    lengths = {*range(64), *range(64, len(saved), 37), *range(len(saved) - 40, len(saved))}
    for length in sorted(lengths):
        text = refused(tmp_path / "m.box", saved[:length])
        assert "cut short" in text or "not a boxwise model file" in text
    refused(tmp_path / "m.box", saved + b"\0")


def test_foreign_files_are_told_apart(
    clf: HyperboxClassifier, saved: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "m.box"
    with zipfile.ZipFile(tmp_path / "z", "w") as archive:
        archive.writestr("model", saved)
    foreign = [b"", b"hello\n", b"{}", pickle.dumps(clf), (tmp_path / "z").read_bytes()]
    for data in [*foreign, b"\x89PNG\r\n\x1a\n" + saved[8:], saved.replace(b"\r\n", b"\n", 1)]:
        assert "not a boxwise model file" in refused(path, data)


def test_other_versions_are_refused_by_name(saved: bytes, tmp_path: Path) -> None:
    future = signed(saved[:8] + (2).to_bytes(4, "little") + saved[12:-32])
    assert "newer boxwise (format 2" in refused(tmp_path / "m.box", future)
    refused(tmp_path / "m.box", signed(saved[:8] + bytes(4) + saved[12:-32]))


def test_a_file_that_is_not_there_is_an_ordinary_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.box")
    with pytest.raises(OSError):
        load(tmp_path)


ODD: list[Any] = [
    *(None, True, 0, -1, 1.5, NAN, math.inf, 10**30, 2**64 - 1, "", "abc", [], {}, [None], [[]]),
    *([1, 2, 3], ["a"], {"a": 1}, [[1], [2]], [{}], "word", -(2**63)),
]


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All the places in a JSON value."""
    if not isinstance(node, dict | list):
        return [path]
    children = node.items() if isinstance(node, dict) else enumerate(node)
    return [path, *(p for key, child in children for p in places(child, (*path, key)))]


def put(header: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    header = copy.deepcopy(header)
    node = header
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return header


def load_or_refuse(path: Path, data: bytes) -> HyperboxClassifier | None:
    path.write_bytes(data)
    try:
        return load(path)
    except ModelFileError as error:
        assert len(str(error)) > len(str(path)) + 10
        return None


OLD = Path(__file__).parent / "files" / "evidence.box"


@pytest.mark.filterwarnings("ignore:A column-vector y was passed", "ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:the model was learned with")
@pytest.mark.parametrize("version", ["now", "0.1"])
def test_a_header_with_anything_odd_in_any_place_raises_nothing_else(
    saved: bytes, tmp_path: Path, version: str
) -> None:
    if version == "0.1":
        saved = OLD.read_bytes()
    length = int.from_bytes(saved[12:20], "little")
    header = json.loads(saved[20 : 20 + length])
    refusals = 0
    for path in places(header):
        for value in ODD:
            data = edited(saved, lambda h, p=path, v=value: put(h, p, v) or b"null")
            model = load_or_refuse(tmp_path / "m.box", data)
            refusals += model is None
            if model is not None:  # accepted, so it must be usable
                assert len(model.boxes_) > 0
                model.save(tmp_path / "again.box")
    assert refusals > 500


def test_a_file_from_before_there_was_a_second_algorithm_loads(
    tmp_path: Path,
) -> None:
    def edit(header: Any) -> None:
        del header["content"]["settings"]["algorithm"]
        del header["content"]["settings"]["max_boxes"]
        del header["content"]["parameters"]["max_boxes"]

    saved = (Path(__file__).parent / "files" / "membership_v2.box").read_bytes()
    (tmp_path / "now.box").write_bytes(saved)
    (tmp_path / "then.box").write_bytes(edited(saved, edit))
    now, then = load(tmp_path / "now.box"), load(tmp_path / "then.box")
    assert type(then) is type(now) is EIOLGFMM
    assert then._model.to_state()[0] == now._model.to_state()[0]


def test_a_header_without_one_of_its_keys_is_refused(saved: bytes, tmp_path: Path) -> None:
    def without(header: Any, path: tuple[Any, ...]) -> Any:
        node = header
        for key in path[:-1]:
            node = node[key]
        del node[path[-1]]

    length = int.from_bytes(saved[12:20], "little")
    header = json.loads(saved[20 : 20 + length])
    for path in places(header)[1:]:
        if path[:2] == ("content", "parameters") and len(path) == 3:
            continue  # a parameter that is not there has its default
        if path[:2] == ("content", "announced") and len(path) == 3:
            continue
        data = edited(saved, lambda h, p=path: without(h, p))
        assert load_or_refuse(tmp_path / "m.box", data) is None, path


def resized(name: str, shape: list[int]) -> Callable[[Any], None]:
    def edit(header: Any) -> None:
        next(entry for entry in header["arrays"] if entry[0] == name)[2] = shape

    return edit


def retyped(name: str, dtype: Any) -> Callable[[Any], None]:
    def edit(header: Any) -> None:
        next(entry for entry in header["arrays"] if entry[0] == name)[1] = dtype

    return edit


def settings(**changes: Any) -> Callable[[Any], None]:
    return lambda header: header["content"]["settings"].update(changes)


def parameters(**changes: Any) -> Callable[[Any], None]:
    return lambda header: header["content"]["parameters"].update(changes)


def classes(values: list[Any]) -> Callable[[Any], None]:
    return lambda header: header["content"]["labels"]["columns"][0].update(values=values)


def values(edit: Callable[[list[Any]], Any]) -> Callable[[Any], None]:
    return lambda header: edit(header["content"]["schema"]["columns"][1]["values"]) and None


MALFORMED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "not JSON": (lambda _: b"{", "malformed"),
    "not text": (lambda _: b"\xff\xfe\xfd", "malformed"),
    "nested deeply": (lambda _: b"[" * 100_000, "malformed"),
    "long number": (lambda _: b"1" * 10_000, "malformed"),
    "unknown learner": (lambda h: h["content"].update(learner="Tree"), "no such learner"),
    "float4": (retyped("V", "f4"), "unknown form"),
    "object": (retyped("V", "O8"), "unknown form"),
    "dtype list": (retyped("V", ["f8"]), "malformed"),
    "same size": (retyped("V", "u8"), "'V' has another form"),
    "negative shape": (resized("V", [-1, -1]), "impossible shape"),
    "huge shape": (resized("V", [2**62, 4]), "impossible shape"),
    "product too large": (resized("V", [1000, 1000]), "announces more data than the file contains"),
    "three axes": (resized("V", [1, 1, 1]), "unknown form"),
    "true as length": (resized("V", [True, True]), "impossible shape"),
    "no array": (lambda h: h["arrays"].clear(), "more in the file"),
    "NaN theta": (settings(theta=NAN), "theta"),
    "infinite theta": (settings(theta=math.inf), "theta"),
    "delta above one": (settings(delta=1.5), "delta"),
    "no class prior": (settings(priors=[]), "class prior"),
    "huge class prior": (settings(priors=[1e308]), "class prior"),
    "text as class prior": (settings(priors="data"), "malformed"),
    "negative max_boxes": (settings(max_boxes=-1), "malformed"),
    "too few max_boxes": (settings(max_boxes=1), "more boxes than max_boxes"),
    "text as adapt": (settings(adapt="yes"), "malformed"),
    "text as theta": (settings(theta="1"), "malformed"),
    "NaN parameter": (parameters(theta=NAN), "theta"),
    "more settings": (settings(other=1), "malformed"),
    "unknown parameter": (parameters(x=1), "HyperboxClassifier has no parameter 'x'"),
    "parameters as list": (lambda h: h["content"].update(parameters=[]), "no mapping"),
    "text as announced": (lambda h: h["content"].update(announced="ab"), "no list"),
    "infinite class": (classes([["str", "no"], ["float", "inf"]]), "the label inf"),
    "fraction as class": (classes([["str", "no"], ["float", "1.5"]]), "the label 1.5"),
    "value twice": (values(lambda v: v.append(v[0]) or True), "already"),
    "value as another type": (values(lambda v: v.append(["int", "a"]) or True), "not a pair"),
    "NaN value": (values(lambda v: v.append(["float", "nan"]) or True), "not a pair"),
    "too few values": (values(lambda v: v.clear() or True), "does not have"),
    "next id": (lambda h: h["content"].update(next_id=0), "order of creation"),
    "negative id": (lambda h: h["content"].update(next_id=-1), "malformed"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_file_with_the_right_checksum_says_what_is_wrong(
    saved: bytes, tmp_path: Path, case: str
) -> None:
    edit, message = MALFORMED[case]
    text = refused(tmp_path / "m.box", edited(saved, edit))
    assert any(part in text for part in message.split("|")), text


@pytest.mark.parametrize("length", [2**64 - 1, 2**32, 0, 7])
def test_a_wrong_header_length_is_refused(saved: bytes, tmp_path: Path, length: int) -> None:
    forged = signed(saved[:12] + length.to_bytes(8, "little") + saved[20:-32])
    assert "the file is malformed" in refused(tmp_path / "m.box", forged)


def test_an_array_with_anything_odd_in_any_place_raises_nothing_else(
    table: pd.DataFrame, clf: HyperboxClassifier
) -> None:
    header, arrays = clf._model.to_state()
    refusals = 0
    for name, array in arrays.items():
        if name == "scales":
            continue
        odd = (NAN, math.inf, -1, 0, 0.5, 1, 2, 7, 1e18) if array.dtype == float else (-1, 0, 1, 99)
        for place in range(array.size):
            for value in odd:
                if value < 0 and array.dtype.kind == "u":
                    continue
                forged = array.copy()
                forged.flat[place] = value
                try:
                    model = Model.from_state(header, {**arrays, name: forged})
                except ValueError:
                    refusals += 1
                    continue
                clf._model = model  # accepted, so it must be usable
                assert np.isfinite(clf.predict_proba(table)).all()
                clf.partial_fit(table, ["no", "yes", "?", "no", "yes", "?"])
                Model.from_state(*clf._model.to_state())
    assert refusals > 500


def test_a_scale_with_anything_odd_in_any_place_raises_nothing_else(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    labels = ["no", "yes", "no", "no", "yes", "no"]
    clf = HyperboxClassifier(theta=0.5, scale="quantile").partial_fit(table, labels)
    header, arrays = clf._model.to_state()
    refusals = 0
    for place in range(len(arrays["scales"])):
        for value in (NAN, math.inf, -1.0, 0.0, 0.5, 1.0, 3.0, 300.0, 1e200, 2.0**60):
            forged = {**arrays, "scales": arrays["scales"].copy()}
            forged["scales"][place] = value
            try:
                model = Model.from_state(header, forged)
            except ValueError:
                refusals += 1
                continue
            clf._model = model  # accepted, so it must be usable
            assert len(clf.predict(table)) == len(table)
            clf.partial_fit(pd.concat([table] * 60), labels * 60)
    assert refusals > 60
    for cut in (arrays["scales"][:-1], arrays["scales"][:0], np.repeat(arrays["scales"], 2)):
        with pytest.raises(ValueError):
            Model.from_state(header, {**arrays, "scales": cut})
