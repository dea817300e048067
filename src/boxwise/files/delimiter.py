"""Detection of the delimiter of a CSV file."""

from __future__ import annotations

from collections.abc import Sequence

CANDIDATES = (",", ";", "\t", "|")
_NAMES = {"\t": "tab", ",": "','", ";": "';'", "|": "'|'"}


def sniff(lines: Sequence[str]) -> str | None:
    r"""Return the delimiter of these lines, the first of which is the header.

    It is the one that occurs as often in the other lines as in the header, and more often than
    others; None if none occurs in the header.

    Examples
    --------
    >>> sniff(["name;size, in m;job\n", "a;1,5;x\n"])
    ';'
    """
    counts = {candidate: [_outside_quotes(line, candidate) for line in lines]
              for candidate in CANDIDATES}  # fmt: skip
    found = {candidate: times for candidate, times in counts.items() if times and times[0]}
    if not found:
        return None
    return max(found, key=lambda candidate: (_agreement(found[candidate]), found[candidate][0]))


def delimiter_name(delimiter: str) -> str:
    """Return a delimiter as messages name it."""
    return _NAMES.get(delimiter, repr(delimiter))


def _agreement(times: Sequence[int]) -> float:
    return sum(t == times[0] for t in times) / len(times)


def _outside_quotes(line: str, delimiter: str) -> int:
    return sum(part.count(delimiter) for part in line.split('"')[::2])
