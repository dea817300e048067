"""CONTRIBUTING.md lists the packages as the import contracts of pyproject.toml have them."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
if not PAGE.exists():
    pytest.skip("the source distribution has no CONTRIBUTING.md", allow_module_level=True)
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]
(LAYERS,) = ([*c["layers"]] for c in CONTRACTS if c["type"] == "layers")
(INDEPENDENT,) = (
    {name.removeprefix("boxwise.") for name in c["modules"]}
    for c in CONTRACTS
    if c["type"] == "independence"
)


def layers_on_the_page() -> list[set[str]]:
    """Return the packages that each row of the table names."""
    section = PAGE.read_text("utf-8").partition("## Where things are")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [set(re.findall(r"`(\w+)`", row)) for row in rows]


def test_table_of_packages_equals_the_layers_of_the_import_contract() -> None:
    assert layers_on_the_page() == [set(re.findall(r"\w+", layer)) for layer in LAYERS]


def test_every_package_is_in_a_contract_and_on_the_page() -> None:
    package = ROOT / "src" / "boxwise"
    found = {
        path.stem
        for path in package.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert found - {"__init__"} == set().union(*layers_on_the_page(), INDEPENDENT)
    assert all(f"`{name}`" in PAGE.read_text("utf-8") for name in INDEPENDENT)
