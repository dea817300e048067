"""Commands that take groups of options."""

from dataclasses import dataclass, field
from inspect import signature

from boxwise.apps.options.groups import expanded


@dataclass
class Group:
    first: int = 1
    second: str = "two"
    found: list[str] = field(init=False)


def command(data: str, flag: bool = False, *, group: Group) -> None:
    """Do something."""
    group.found = [data, str(flag), str(group.first), group.second]
    command.seen = group  # type: ignore[attr-defined]


def test_expanded_puts_the_fields_in_place_of_the_group():
    parameters = signature(expanded(command)).parameters
    assert [*parameters] == ["data", "flag", "first", "second"]
    assert (parameters["first"].default, parameters["second"].annotation) == (1, str)


def test_expanded_hands_over_the_group():
    expanded(command)(data="a", flag=True, first=2, second="b")
    assert command.seen.found == ["a", "True", "2", "b"]
