"""JSON Lines: one object per line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

from boxwise.files.chunk import CHUNK_SIZE, FIELD_LIMIT, Chunk, gather
from boxwise.files.errors import InputError, RowError
from boxwise.files.json_objects import DECODER, KeyTwiceError, is_broken
from boxwise.files.lines import BadLine, Lines
from boxwise.files.source import Source
from boxwise.files.stopping import ReadingStopped

HEAD_ROWS = 10_000
"""The columns are the keys of so many rows at the beginning."""

_Row = tuple[int, int, dict[str, Any]]
_HALF = "has half of a character (a lone surrogate)"
_WHOLE = "write the whole character"
_ONE_OBJECT = 'write one object per line, such as {"age": 31, "job": "cook"}'


class JsonLinesFile:
    """Reads a file of JSON objects, one per line. A key that a row lacks is a missing value.

    Parameters
    ----------
    source : Source
        The bytes.
    only : frozenset of str, optional
        The keys to look at; all by default.
    drop : frozenset of str
        The keys to leave out.
    """

    unnamed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    typed = True

    def __init__(
        self,
        source: Source,
        only: frozenset[str] | None = None,
        drop: frozenset[str] = frozenset(),
    ) -> None:
        self._source, self._only, self._drop = source, only, drop
        self._lines = Lines(source)
        self.n_rows = 0
        self._rest = self._records()
        self._head = self._read_head()
        if not self.n_rows:
            raise InputError(f"{source.name} is empty; {_ONE_OBJECT}")
        rows = (record[2] for record in self._head if not isinstance(record, RowError))
        self.names = tuple(dict.fromkeys(key for row in rows for key in row))

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Hand over the rows, at most so many at a time."""
        records = chain(self._head, self._known(self._rest))
        self._head = []
        for batch, row_errors in gather(records, rows, lambda: self._lines.taken):
            yield Chunk(
                self._source.name,
                "line",
                [row for row, _, _ in batch],
                [line for _, line, _ in batch],
                {name: [values.get(name) for _, _, values in batch] for name in self.names},
                typed=self.typed,
                row_errors=row_errors,
            )

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _read_head(self) -> list[_Row | RowError]:
        head: list[_Row | RowError] = []
        with suppress(ReadingStopped):
            for record in self._rest:
                head.append(record)
                if len(head) >= HEAD_ROWS or self._lines.taken >= CHUNK_SIZE:
                    break
        return head

    def _records(self) -> Iterator[_Row | RowError]:
        while True:
            self._lines.since.clear()
            try:
                text = next(self._lines)
            except StopIteration:
                return
            except BadLine as error:
                self.n_rows += 1
                yield self._error(error.problem, error.remedy)
                continue
            if text.isspace():
                continue
            self.n_rows += 1
            yield self._parse(text)

    def _known(self, records: Iterator[_Row | RowError]) -> Iterator[_Row | RowError]:
        """Refuse rows with a key that no earlier row had."""
        names = frozenset(self.names)
        for record in records:
            if not isinstance(record, RowError) and self._only is None:
                others = record[2].keys() - names - self._drop
                yield self._new_key(min(others), record) if others else record
            else:
                yield record

    def _parse(self, text: str) -> _Row | RowError:
        try:
            values = DECODER.decode(text)
        except json.JSONDecodeError as error:
            return self._error(f"is no JSON ({error})", _ONE_OBJECT, value=text.rstrip())
        except RecursionError:
            return self._error("is nested too deeply", _ONE_OBJECT, value=text.rstrip())
        except KeyTwiceError as error:
            return self._error("the row has this key twice", "leave one out", column=error.args[0])
        except ValueError:  # Python reads no more digits than these
            return self._error(
                f"has a whole number of more than {sys.get_int_max_str_digits():,} digits",
                "correct it, or write it as text",
                value=text.rstrip(),
            )
        if not isinstance(values, dict):
            return self._error("is no object", _ONE_OBJECT, value=text.rstrip())
        if len(text) > FIELD_LIMIT:
            for key, value in values.items():
                if isinstance(value, str) and len(value) > FIELD_LIMIT:
                    return self._too_large(key, value)
        if "\\u" in text:  # text of UTF-8 has no half of a character, unless by such an escape
            for key, value in values.items():
                if is_broken(key):
                    return self._error(f"its name {_HALF}", _WHOLE, column=key)
                if is_broken(value):
                    return self._error(_HALF, _WHOLE, column=key, value=value)
        return self.n_rows, self._lines.number, values

    def _too_large(self, key: str, value: str) -> RowError:
        return self._error(
            f"and so on: the value has more than {FIELD_LIMIT:,} characters",
            "shorten it",
            column=key,
            value=value[:40],
        )

    def _new_key(self, key: str, record: _Row) -> RowError:
        return RowError(
            f"the key is not among those of the first {HEAD_ROWS:,} rows, which are the columns",
            "leave it out with --drop, or begin with rows that have it",
            self._source.name,
            record[1],
            column=key,
        )

    def _error(self, problem: str, remedy: str, **where: Any) -> RowError:
        return RowError(problem, remedy, self._source.name, self._lines.number, **where)
