"""Labels that are numbers: a few are classes, many are more likely a quantity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from boxwise.files.chunk import Chunk
from boxwise.files.errors import InputError
from boxwise.files.numbers import is_number

QUESTIONED_ABOVE = 30
REFUSED_ABOVE = 1_000
"""Different numbers among the labels. Every class takes part in every decision, so that a learner
of thousands of them is slow, and hardly anyone has so many that are numbers."""

_REMEDY = "choose another --label, or make classes of them, such as low and high"


@dataclass
class NumberLabels:
    """Counts the different numbers among the labels of files, and remarks on many.

    Attributes
    ----------
    label : str
        The column of the labels.
    known : frozenset of str
        Classes that need no remark, as text: those of the model that goes on.
    tell : callable
        The warning goes there.
    """

    label: str
    known: frozenset[str]
    tell: Callable[[str], object]
    _found: set[object] = field(default_factory=set, init=False)
    _told: bool = field(default=False, init=False)

    def watch(self, first: Iterable[Chunk], rest: Iterator[Chunk]) -> Iterator[Chunk]:
        """Count the labels of the first rows at once, and return the rest, counted as it comes.

        Too many raise InputError before their chunk is handed over.
        """
        for chunk in first:
            self.count(chunk.columns[self.label], chunk.file)
        self.question()
        return self._counted(rest)

    def _counted(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            self.count(chunk.columns[self.label], chunk.file)
            self.question()
            yield chunk

    def count(self, labels: Iterable[object], file: str) -> None:
        """Count labels of a file; too many different numbers raise InputError."""
        texts = {cell for cell in labels if isinstance(cell, str | int | float)}
        for cell in texts - self._found:
            if type(cell) is not bool and str(cell) not in self.known and is_number(cell):
                self._found.add(cell)
        if len(self._found) > REFUSED_ABOVE:
            raise InputError(
                f"{file}, column {self.label!r}: more than {REFUSED_ABOVE:,} different "
                f"numbers, such as {self._examples()}, are no classes but a quantity; {_REMEDY}; "
                "if each of them is a class, give --classes-are-numbers"
            )

    def question(self) -> None:
        """Say once that the labels are many numbers, if they are."""
        if len(self._found) > QUESTIONED_ABOVE and not self._told:
            self._told = True
            self.tell(
                f"column {self.label!r} has {len(self._found):,} different numbers so far, and "
                f"each is a class of its own; if they are a quantity, {_REMEDY}; if not, "
                "--classes-are-numbers says so"
            )

    def _examples(self) -> str:
        return ", ".join(sorted(map(str, self._found))[:3])
