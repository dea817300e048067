"""A table of staff, and a model that was learned from it by the command line."""

from tests.apps.running import boxwise, write_csv


def rows(n):
    for i in range(n):
        age, job = 20 + i % 50, ("cook", "smith", "nurse")[i % 3]
        yield {"age": age, "job": job, "pay": "high" if age > 45 or job == "nurse" else "low"}


def learned(folder, n):
    """Return the model file and the file of the rows."""
    data = write_csv(folder / "staff.csv", [*rows(n)])
    model = folder / "staff.box"
    assert boxwise("learn", data, "--label", "pay", "-o", model, "-q").exit_code == 0
    return model, data
