"""The command line, run in this process."""

import csv

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from typer.testing import CliRunner

from boxwise.apps.cli import app


def boxwise(*arguments, given=None, columns=400):
    run = CliRunner(env={"COLUMNS": str(columns)}).invoke(app, [*map(str, arguments)], input=given)
    if run.exception is not None and not isinstance(run.exception, SystemExit):
        raise run.exception
    return run


def write_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path
