"""CONTRIBUTING.md lists the packages as the import contracts of pyproject.toml have them."""

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
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


SRC = ROOT / "src"
OPTIONAL = runpy.run_path(str(ROOT / "conftest.py"))["OPTIONAL"]
ALWAYS = {"boxwise", "joblib", "narwhals", "numpy", "scipy", "sklearn"}
FILES = {
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SRC.rglob("*.py")
}


def imports_at_once(body: Sequence[ast.AST]) -> Iterator[str]:
    """Yield what is imported when a module is, not when a function is called or types checked."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imports_at_once(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imports_at_once([*ast.iter_child_nodes(node)])


@cache
def direct_imports(module: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the modules of boxwise and the other libraries that a module imports."""
    names = {module, *imports_at_once(ast.parse(FILES[module].read_text("utf-8")).body)}
    ours = {
        prefix
        for parts in (name.split(".") for name in names)
        for i in range(1, len(parts) + 1)
        if (prefix := ".".join(parts[:i])) in FILES
    }
    others = {name.partition(".")[0] for name in names} - ALWAYS - sys.stdlib_module_names
    return frozenset(ours), frozenset(others)


def needed_to_import(module: str) -> set[str]:
    """Return the optional libraries without which a module cannot be imported."""
    seen: set[str] = set()
    todo = {module}
    while todo:
        seen |= todo
        todo = set().union(*(direct_imports(name)[0] for name in todo)) - seen
    return set().union(*(direct_imports(name)[1] for name in seen))


def leaf_of(module: str) -> str | None:
    """Return the entry of OPTIONAL that a module belongs to."""
    path = FILES[module].relative_to(SRC / "boxwise")
    return next((p.as_posix() for p in (path, *path.parents) if p.as_posix() in OPTIONAL), None)


def test_modules_that_need_an_optional_library_are_listed_in_conftest() -> None:
    wanting = {module: needed_to_import(module) for module in FILES}
    unlisted = {
        module: missing
        for module, needed in wanting.items()
        if (missing := needed - {*OPTIONAL.get(leaf_of(module), ())})
    }
    assert not unlisted
    assert {leaf_of(module) for module, needed in wanting.items() if needed} == {*OPTIONAL}


def test_doctests_are_skipped_where_a_library_is_missing_and_run_elsewhere() -> None:
    script = (
        "import sys, pytest; sys.modules['psycopg'] = None; sys.exit(pytest.main(sys.argv[1:]))"
    )
    files = ["src/boxwise/database/postgresql.py", "src/boxwise/csv_writing.py"]
    run = subprocess.run(
        [sys.executable, "-c", script, "-p", "no:cacheprovider", "--collect-only", "-rs", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "src/boxwise/database/postgresql.py needs psycopg: not installed" in run.stdout
    assert "boxwise.csv_writing" in run.stdout
    assert "error" not in run.stdout
