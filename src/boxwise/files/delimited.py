"""CSV and its kin: a header, a delimiter, quotes."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence

from boxwise.files.chunk import FIELD_LIMIT, Chunk, gather
from boxwise.files.delimiter import delimiter_name, sniff
from boxwise.files.errors import InputError, RowError
from boxwise.files.lines import BadLine, Lines
from boxwise.files.numbers import is_number
from boxwise.files.source import Source

_REREAD = 16  # times what the file has: so much may be read again because of stray quotes
_SAMPLE = 50  # lines by which the delimiter is found
_UNNAMED = "column {}"
_Row = tuple[int, int, list[str]]


class DelimitedFile:
    """Reads a CSV file.

    Parameters
    ----------
    source : Source
        The bytes.
    delimiter : str, optional
        One character; if it is not given, one of ``,`` ``;`` tab and ``|`` that fits.

    Attributes
    ----------
    raw : str
        The text of the latest of the `records`.
    """

    typed = False
    left_out: tuple[str, ...] = ()

    def __init__(self, source: Source, delimiter: str | None = None) -> None:
        self._source = source
        self._lines = Lines(source)
        sample = self._lines.peek(_SAMPLE)
        if not any(line.strip() for line in sample):
            raise InputError(f"{source.name} is empty; it needs a header and rows")
        self._delimiter = delimiter or sniff(sample) or ","
        self._reader = csv.reader(self._lines, delimiter=self._delimiter, strict=True)
        self._reread = 0
        self._alone_to = 0  # the last of the lines that are read as a row each
        self.n_rows = 0
        self.raw = ""
        self.names = self._read_header(sample)

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Hand over the rows, at most so many at a time."""
        nothing = [()] * len(self.names)
        for batch, row_errors in gather(self.records(), rows, lambda: self._lines.taken):
            columns = zip(*(cells for _, _, cells in batch), strict=True) if batch else nothing
            yield Chunk(
                self._source.name,
                "line",
                [row for row, _, _ in batch],
                [line for _, line, _ in batch],
                dict(zip(self.names, map(list, columns), strict=True)),
                typed=self.typed,
                row_errors=row_errors,
            )

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _read_header(self, sample: Sequence[str]) -> tuple[str, ...]:
        try:
            cells = next(filter(None, self._reader))
        except BadLine as error:
            raise InputError(
                f"{self._source.name}, line {self._lines.number}: {error.problem}; {error.remedy}"
            ) from None
        except csv.Error as error:
            raise InputError(
                f"{self._source.name}: the header in line {self._lines.number} cannot be read "
                f"({error}); check its quotes"
            ) from None
        found = [cell.strip() for cell in cells]
        self._check_header(found, sample)
        names = _all_named(found)
        self.unnamed = tuple(n for n, in_file in zip(names, found, strict=True) if not in_file)
        return names

    def _check_header(self, names: Sequence[str], sample: Sequence[str]) -> None:
        file = self._source.name
        if len(names) == 1:
            other = sniff(sample) or self._delimiter
            if other != self._delimiter:
                raise InputError(
                    f"{file} has one column only with the delimiter "
                    f"{delimiter_name(self._delimiter)}; it looks like {delimiter_name(other)}: "
                    f"use --delimiter {delimiter_name(other)}"
                )
        if all(map(is_number, names)):
            raise InputError(
                f"{file} has no header: its first line holds numbers only; "
                "put a line with the names of the columns before it"
            )
        for name in (n for n, times in Counter(names).items() if n and times > 1):
            where = [str(j) for j, other in enumerate(names, start=1) if other == name]
            raise InputError(
                f"{file}: the name {name!r} is that of columns {', '.join(where[:-1])} and "
                f"{where[-1]}; rename them so that each name occurs once"
            )

    @property
    def waits(self) -> bool:
        """Whether the next record may have to be waited for."""
        return not self._lines.ready

    def records(self) -> Iterator[_Row | RowError]:
        """Yield each row, its number and line before it, or why it cannot be read; once only."""
        reader, lines, width = self._reader, self._lines, len(self.names)
        while True:
            lines.since.clear()
            line = lines.number + 1
            try:
                cells = next(reader) if line > self._alone_to else self._next_line_alone()
            except StopIteration:
                return
            except (BadLine, csv.Error) as error:
                self.n_rows += 1
                self.raw = _raw(lines.since, error)
                yield self._fault(error, line)
                if isinstance(error, csv.Error):
                    self._give_back(lines.since[1:], line)
                continue
            if not cells:  # a blank line
                continue
            self.n_rows += 1
            self.raw = "".join(lines.since)
            if len(cells) == width:
                yield self.n_rows, line, cells
            else:
                yield self._ragged(cells, line)

    def _next_line_alone(self) -> list[str]:
        return next(csv.reader([next(self._lines)], delimiter=self._delimiter, strict=True))

    def _give_back(self, taken: Sequence[str], line: int) -> None:
        """Give the lines another chance that the stray quote of a line before has taken with it.

        If each of them does the same, the time would be quadratic; so after a while no row may go
        on over several of them.
        """
        fresh = self._lines.taken - self._reread
        self._lines.give_back(taken)
        self._reread += sum(map(len, taken))
        if self._reread > _REREAD * (fresh + FIELD_LIMIT):
            self._alone_to = max(self._alone_to, line + len(taken))

    def _fault(self, error: BadLine | csv.Error, line: int) -> RowError:
        if isinstance(error, BadLine):
            return self._bad_line(error, line)
        if "field limit" in str(error):
            return self._too_large(self._lines.since, line)
        if "unexpected end" in str(error):
            alone = line <= self._alone_to
            return self._error(
                f"a quote is not closed until the end of the {'line' if alone else 'file'}",
                "close it, or double it if it belongs to the value",
                line,
                self._last_column(self._lines.since),
            )
        return self._error(
            "a quoted value goes on after its last quote",
            "double the quotes that belong to the value, or give the right --delimiter",
            line,
        )

    def _bad_line(self, error: BadLine, line: int) -> RowError:
        since = [*self._lines.since, error.before]
        if len(error.before) > FIELD_LIMIT:
            cells = self._parse(since)
            if any(len(cell) > FIELD_LIMIT for cell in cells):
                return self._too_large(since, line)
        return self._error(error.problem, error.remedy, line, self._last_column(since))

    def _too_large(self, lines: Sequence[str], line: int) -> RowError:
        cells = self._parse(lines)
        j = next((j for j, cell in enumerate(cells) if len(cell) > FIELD_LIMIT), len(cells) - 1)
        problem = f"and so on: the value has more than {FIELD_LIMIT:,} characters"
        if len(lines) > 1:
            problem += f" and goes on to line {self._lines.number}"
        return RowError(
            problem,
            "shorten it; if it should end sooner, look for a quote that is not closed",
            self._source.name,
            line,
            column=self._name(j),
            value=cells[j][:40],
        )

    def _ragged(self, cells: Sequence[str], line: int) -> RowError:
        few = len(cells) < len(self.names)
        values = "1 value" if len(cells) == 1 else f"{len(cells)} values"
        return self._error(
            f"has {values}, but the header has {len(self.names)} columns",
            "leave a field empty for a missing value"
            if few
            else "put quotes around a value that holds the delimiter "
            f"{delimiter_name(self._delimiter)}",
            line,
            value=self._delimiter.join(cells),
        )

    def _error(
        self, problem: str, remedy: str, line: int, column: str | None = None, value: str = ""
    ) -> RowError:
        shown = {"value": value} if value else {}
        return RowError(problem, remedy, self._source.name, line, column=column, **shown)

    def _last_column(self, lines: Sequence[str]) -> str | None:
        return self._name(max(0, len(self._parse(lines)) - 1))

    def _name(self, j: int) -> str | None:
        return self.names[j] if 0 <= j < len(self.names) else None

    def _parse(self, lines: Sequence[str]) -> list[str]:
        """Return the cells of a row that cannot be read properly, as far as they go."""
        # The limit is one of the whole process, and here, where nothing is asked of it, in the way;
        # so it is lifted for this one row.
        usual = csv.field_size_limit(2**31 - 1)
        try:
            return next(csv.reader(lines, delimiter=self._delimiter), [])
        finally:
            csv.field_size_limit(usual)


def _raw(since: Sequence[str], error: BadLine | csv.Error) -> str:
    """Return the text of a row that cannot be read; further lines that it took are given back."""
    return "".join([*since, error.before]) if isinstance(error, BadLine) else "".join(since[:1])


def _all_named(found: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a header, with new ones where it has none."""
    taken = frozenset(found)
    names = []
    for j, name in enumerate(found, start=1):
        new = name or _UNNAMED.format(j)
        while not name and new in taken:
            new = f"unnamed {new}"
        names.append(new)
    return tuple(names)
