"""The workflows run only what was reviewed: a tag can be moved, a commit cannot."""

import re
from pathlib import Path

import pytest

WORKFLOWS = sorted((Path(__file__).parents[1] / ".github" / "workflows").glob("*.y*ml"))
USES = re.compile(r"^\s*(?:-\s+)?uses:\s*(.*)$", re.MULTILINE)
PINNED = re.compile(r"[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def test_workflows_are_there():
    if not WORKFLOWS:
        pytest.skip("the source distribution has no workflows")
    assert sum(len(USES.findall(path.read_text("utf-8"))) for path in WORKFLOWS) > 5


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_pins_every_action_by_commit_and_names_its_version(path):
    used = USES.findall(path.read_text("utf-8"))
    assert [action for action in used if not PINNED.fullmatch(action)] == []
