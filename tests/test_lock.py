"""The lock file covers what pyproject.toml asks for; `make lock` renews it."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "ci.txt"
SPARK = (ROOT / "requirements" / "spark.txt", ROOT / "requirements" / "spark_build.txt")
COVERED = ("bench", "demo", "docs", "lint", "paper", "test")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def pinned(path: Path = LOCK) -> list[tuple[Requirement, str]]:
    """Return the requirements of a lock file, each with the hashes behind it."""
    text = re.sub(r"^(#|--).*\n|^ +#.*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
    entries = re.sub(r"\\\n\s+", "", text).split("\n")
    parts = [entry.partition(" --hash") for entry in entries if entry]
    return [(Requirement(name), sign + hashes) for name, sign, hashes in parts]


def asked() -> list[Requirement]:
    """Return what the build, the package and the covered extras ask for, our own extras aside."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = settings["project"]["optional-dependencies"]
    found = [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
    names, seen = [*COVERED], set()
    while names:
        if (name := names.pop()) in seen:
            continue
        seen.add(name)
        for requirement in map(Requirement, extras[name]):
            if requirement.name == "boxwise":
                names += requirement.extras
            else:
                found.append(str(requirement))
    return [Requirement(text) for text in sorted({*found})]


def test_lock_pins_one_version_of_everything_by_hash():
    entries = pinned()
    assert len(entries) > 50
    for requirement, hashes in entries:
        assert [part.operator for part in requirement.specifier] == ["=="], requirement
        assert requirement.url is None
        assert HASH.fullmatch(hashes.split()[0]) and hashes.count("sha256") == len(hashes.split())


def test_lock_names_no_index_and_builds_nothing():
    text = LOCK.read_text("utf-8")
    assert "://" not in text and "index-url" not in text and "find-links" not in text
    assert "\n--only-binary :all:\n" in text


@pytest.mark.parametrize("requirement", asked(), ids=str)
def test_lock_satisfies_what_pyproject_asks_for(requirement):
    name = canonicalize_name(requirement.name)
    versions = [str(p.specifier)[2:] for p, _ in pinned() if canonicalize_name(p.name) == name]
    assert versions, f"{requirement} is not locked; run make lock"
    assert all(requirement.specifier.contains(v, prereleases=True) for v in versions), versions


def test_spark_is_locked_by_hash_and_fits_its_extra():
    entries = [entry for path in SPARK for entry in pinned(path)]
    assert {requirement.name for requirement, _ in entries} == {"py4j", "pyspark", "setuptools"}
    assert all(HASH.fullmatch(hashes.strip()) for _, hashes in entries)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    versions = {r.name: str(r.specifier)[2:] for r, _ in [*entries, *pinned()]}
    for text in settings["project"]["optional-dependencies"]["spark"]:
        assert Requirement(text).specifier.contains(versions[Requirement(text).name])
