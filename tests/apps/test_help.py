"""What the commands say of themselves."""

import pytest

from tests.apps.running import boxwise

COMMANDS = [
    "learn",
    "predict",
    "explain",
    "evaluate",
    "inspect",
    "plot",
    "rules",
    "report",
    "merge",
    "consume",
    "serve",
    "demo",
    "live",
    "paper",
]


def test_the_list_of_commands_is_in_whole_sentences():
    shown = boxwise("--help", columns=100).stdout
    commands = shown.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in commands] == COMMANDS
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_terminal_of_80_columns(command):
    shown = boxwise(command, "--help", columns=80).stdout
    assert 60 < max(map(len, shown.splitlines())) <= 80


def test_commands_that_read_files_are_used_alike():
    usage = [boxwise(command, "--help").stdout.splitlines()[0] for command in ("learn", "evaluate")]
    assert usage[0].replace("learn", "evaluate") == usage[1]
