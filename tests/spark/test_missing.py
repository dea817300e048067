"""Without PySpark, the error says what to install, and nothing else of boxwise needs it."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules[{missing!r}] = None
import boxwise
try:
    import boxwise.spark
except ModuleNotFoundError as error:
    print(error.name, error)
"""


@pytest.mark.parametrize("missing", ["pyspark", "pyarrow"])
def test_spark_says_what_to_install(missing):
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(missing=missing)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith(f"{missing} boxwise.spark needs PySpark")
    assert 'pip install "boxwise[spark]"' in run.stdout
