"""A fuzzer for model files: mutated ones must load, or raise ModelFileError and nothing else.

Most mutants get a new checksum, so that the mutation is met by what lies behind it: the header,
the arrays, the engine. A mutant that loads is used: it must predict, go on learning and save
itself, and what it saved must load again.

Run it with ``scripts/fuzz.sh``, or ``python fuzz/model_file.py --seconds 600 --seed 1``.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from boxwise import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
    load,
)
from boxwise.store import ModelFileError

PREFIX, DIGEST = 20, 32
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**31, 2**32, 2**63, 2**64 - 1, 2**64, 10**40, 1.5, -0.0, 1e308),
    *(float("nan"), float("inf"), "", "x", "size", "nan", "\ud800", "\0", [], {}, [[]], [None]),
    *(["str", "a"], ["float", "inf"], ["none", None], {"a": 1}, [0, 1], "from_dtype", "data", "f8"),
]
ODD_WORDS = [struct.pack("<Q", v) for v in (0, 1, 2, 2**31, 2**32 - 1, 2**63, 2**64 - 1)] + [
    struct.pack("<d", v) for v in (float("nan"), float("inf"), -float("inf"), 1e150, 1e151, 5e-324)
]
ROWS: dict[str, list[list[Any]]] = {
    "mixed": [[1.0, "a", True], [2.0, "b", False], [None, None, True], [4.0, "a", None]],
    "numbers": [[1.0, 5.0], [2.0, 6.0], [3.0, -1.0], [0.5, 0.5]],
    "words": [["a", 1], ["b", 2], ["c", None], ["a", 2.5]],
}


def seeds(folder: Path) -> list[tuple[bytes, list[list[Any]]]]:
    """Write valid files of several kinds; return each with rows that its model takes."""
    found = []
    for name, rows in ROWS.items():
        listed = [1, 2] if name == "mixed" else [0, 1] if name == "words" else None
        for unlabelled, labels in (None, ["p", "q", "p", "r"]), (-1, [-1, 2, 3, -1]):
            for learner in (EIOLGFMM, HyperboxClassifier):
                clf = learner(
                    theta=0.3, delta=0.6, categorical_features=listed, unlabelled=unlabelled
                )
                clf.partial_fit(rows, labels, classes=["later"] if unlabelled is None else [9])
                clf.save(folder / "seed.box")
                found.append(((folder / "seed.box").read_bytes(), rows))
    for clf in (OnlineGFMM(), ImprovedOnlineGFMM()):
        clf.set_params(theta=0.3).fit(ROWS["numbers"], ["p", "q", "p", "r"])
        clf.save(folder / "seed.box")
        found.append(((folder / "seed.box").read_bytes(), ROWS["numbers"]))
    for name, listed in (("mixed", [1, 2]), ("words", [0, 1])):
        for clf in (ShindeGFMM(), CastilloGFMM(eta=0.9), AgglomerativeGFMM(delta=0.9)):
            clf.set_params(theta=0.9, categorical_features=listed)
            clf.fit(ROWS[name], ["p", "q", "p", "r"]).save(folder / "seed.box")
            found.append(((folder / "seed.box").read_bytes(), ROWS[name]))
    many = [[float(i % 7), f"v{i}", i % 3 == 0] for i in range(90)]  # more than 64 values: sparse
    for scale, class_prior in ("range", "data"), ("quantile", "auto"):
        for clf in (
            EIOLGFMM(theta=0.5, delta=0.4, version=2, alpha=0.5, scale=scale),
            HyperboxClassifier(theta=0.5, delta=0.4, scale=scale, class_prior=class_prior),
        ):
            clf.fit(many, [f"c{i % 4}" for i in range(90)]).save(folder / "seed.box")
            found.append(((folder / "seed.box").read_bytes(), ROWS["mixed"]))
    return found


def signed(body: bytes) -> bytes:
    """Append the checksum."""
    return body + hashlib.sha256(body).digest()


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List every place in a JSON value."""
    if not isinstance(node, dict | list):
        return [path]
    children = node.items() if isinstance(node, dict) else enumerate(node)
    return [path, *(p for key, child in children for p in places(child, (*path, key)))]


def mutate_header(data: bytes, rng: random.Random) -> bytes:
    """Change some places of the header, and sign the file anew."""
    length = int.from_bytes(data[12:PREFIX], "little")
    header = json.loads(data[PREFIX : PREFIX + length])
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        path = rng.choice(places(header))
        if not path:
            continue
        node = header
        for key in path[:-1]:
            node = node[key]
        action = rng.random()
        if action < 0.15:
            del node[path[-1]]
        elif action < 0.3:
            source: Any = header
            for key in rng.choice(places(header)):
                source = source[key]
            node[path[-1]] = copy.deepcopy(source)
        elif action < 0.45 and type(node[path[-1]]) in (int, float):
            node[path[-1]] += rng.choice([-1, 1, 8, 0.5, 2**20])
        else:
            node[path[-1]] = copy.deepcopy(rng.choice(ODD))
    text = json.dumps(header).encode()
    return signed(data[:12] + struct.pack("<Q", len(text)) + text + data[PREFIX + length : -DIGEST])


def mutate_arrays(data: bytes, rng: random.Random) -> bytes:
    """Change some words of the arrays, and sign the file anew."""
    begin = PREFIX + int.from_bytes(data[12:PREFIX], "little")
    body = bytearray(data[:-DIGEST])
    for _ in range(rng.choice([1, 1, 2, 5])):
        size = rng.choice([1, 4, 8])
        at = begin + rng.randrange(max((len(body) - begin) // size, 1)) * size
        if rng.random() < 0.5:
            body[at : at + size] = rng.choice(ODD_WORDS)[:size]
        elif rng.random() < 0.5 and at + size <= len(body):
            value = int.from_bytes(body[at : at + size], "little") + rng.choice([-1, 1, 2])
            body[at : at + size] = (value % 256**size).to_bytes(size, "little")
        else:
            body[at : at + size] = body[begin + rng.randrange(8) * 8 :][:size]
    return signed(bytes(body))


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat or insert bytes anywhere; sign the file anew more often than not."""
    body = bytearray(data[:-DIGEST])
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(body) + 1)
        action = rng.random()
        if action < 0.6 and at < len(body):
            body[at] ^= 1 << rng.randrange(8)
        elif action < 0.8:
            del body[at : at + rng.choice([1, 8, 64])]
        else:
            body[at:at] = body[rng.randrange(len(body)) :][: rng.choice([1, 8, 64])]
        if not body:
            return b""
    return signed(bytes(body)) if rng.random() < 0.8 else bytes(body) + data[-DIGEST:]


def use(path: Path, rows: list[list[Any]]) -> str:
    """Load a file and, if it loads, use the model in every way; say how far that went."""
    try:
        clf = load(path)
    except ModelFileError as error:
        text = str(error)
        assert len(text) > len(str(path)) + 5, "an error without an explanation"
        return "refused"
    memberships = clf.membership(rows)
    assert not np.isnan(memberships).any()
    assert clf.boxes_.n_samples.min(initial=1) > 0
    for i in range(len(clf.boxes_)):
        clf.boxes_.describe(i)
    use_labels(clf, rows)
    clf.save(path)
    load(path)
    return "loaded"


def use_labels(clf: HyperboxClassifier, rows: list[list[Any]]) -> None:
    """Predict, if there is a class to predict, and go on learning."""
    try:
        predicted = clf.predict(rows)
    except ValueError as error:
        assert "no row with a label" in str(error), error
        return
    probabilities = clf.predict_proba(rows)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert clf.classes_[probabilities.argmax(axis=1)].tolist() == predicted.tolist()
    if not hasattr(clf, "partial_fit"):
        return
    try:
        clf.partial_fit(rows, predicted)
    except OverflowError:  # a box is full
        pass
    except ValueError as error:  # the parameters are valid, but not those of the boxes
        assert "scale is" in str(error), error


def main() -> int:
    """Fuzz until the time is up; keep the first file that breaks a promise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz/broken.box"))
    options = parser.parse_args()
    seed = random.randrange(2**32) if options.seed is None else options.seed
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    warnings.simplefilter("ignore")
    outcomes: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "mutant.box")
        originals = seeds(Path(name))
        for data, rows in originals:
            path.write_bytes(data)
            assert use(path, rows) == "loaded", "a seed does not load"
        while time.monotonic() < end:
            data, rows = rng.choice(originals)
            mutant = rng.choice([mutate_header, mutate_arrays, mutate_arrays, mutate_bytes])(
                data, rng
            )
            path.write_bytes(mutant)
            try:
                outcomes[use(path, rows)] += 1
            except Exception:
                options.keep.parent.mkdir(parents=True, exist_ok=True)
                options.keep.write_bytes(mutant)
                traceback.print_exc()
                print(f"broken by {options.keep}, after {outcomes.total()} files", file=sys.stderr)
                return 1
    print(f"{outcomes.total()} files: {dict(outcomes)}; nothing else came out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
