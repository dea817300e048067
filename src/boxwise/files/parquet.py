"""Parquet, by way of pyarrow, which is imported here and nowhere else."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from boxwise.files.chunk import FIELD_LIMIT, Chunk
from boxwise.files.errors import InputError, RowError
from boxwise.files.stopping import Stop

# Names that pandas gives to an unnamed index when it writes one.
_INDEX = re.compile(r"__index_level_\d+__")
_TOO_LARGE = f"and so on: the value has more than {FIELD_LIMIT:,} bytes", "shorten it"
_NOT_UTF_8 = "is not UTF-8", "write it as UTF-8"


class ParquetFile:
    """Reads a Parquet file batch by batch, without the index that pandas may have written.

    Parameters
    ----------
    path : str
        The file.
    only : frozenset of str, optional
        The columns to read; all by default.
    drop : frozenset of str
        The columns to leave out.
    stop : Stop, optional
        Ends the reading early.
    dates : collection of str
        The columns that may hold dates.
    """

    unnamed: tuple[str, ...] = ()
    typed = True

    def __init__(
        self,
        path: str,
        only: frozenset[str] | None = None,
        drop: frozenset[str] = frozenset(),
        stop: Stop | None = None,
        dates: Collection[str] = (),
    ) -> None:
        self._path, self._stop = path, stop or Stop()
        self._arrow = _pyarrow()
        self.n_rows = 0
        try:
            self._file = self._arrow.parquet.ParquetFile(path)
        except (self._arrow.ArrowException, OSError) as error:
            raise self._damaged(error) from None
        schema = self._file.schema_arrow
        for name, times in Counter(schema.names).items():
            if times > 1:
                raise InputError(f"{path}: the column name {name!r} occurs twice; rename one")
        asked_for = only or frozenset()
        self.left_out = tuple(
            name for name in schema.names if _INDEX.fullmatch(name) and name not in asked_for
        )
        self.names = tuple(name for name in schema.names if name not in self.left_out)
        self._wanted = [
            name for name in self.names if name not in drop and (only is None or name in only)
        ]
        for name in self._wanted:
            dtype = schema.field(name).type
            if not (name in dates and self._is_time(dtype)):
                self._check_type(name, dtype)

    @property
    def share(self) -> float:
        """How much of the file was read, from 0 to 1."""
        total = self._file.metadata.num_rows
        return self.n_rows / total if total else 1.0

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Hand over the rows, at most so many at a time."""
        try:
            for batch in self._file.iter_batches(rows, columns=self._wanted):
                yield self._to_chunk(batch)
                if self._stop.requested:
                    return
        except (self._arrow.ArrowException, OSError) as error:
            raise self._damaged(error) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _to_chunk(self, batch: Any) -> Chunk:
        numbers: Any = range(self.n_rows + 1, self.n_rows + batch.num_rows + 1)
        self.n_rows += batch.num_rows
        wrong: dict[int, RowError] = {}
        for name in batch.schema.names:
            for i, (fault, value) in self._unusable(batch[name]).items():
                wrong.setdefault(i, self._error(fault, value, numbers[i], name))
        row_errors = [wrong[i] for i in sorted(wrong)]
        if wrong:
            kept = self._arrow.array([i for i in range(batch.num_rows) if i not in wrong], "int64")
            batch, numbers = batch.take(kept), [numbers[i] for i in kept.to_pylist()]
        columns = {name: self._values(batch[name]) for name in batch.schema.names}
        return Chunk(
            self._path, "row", numbers, numbers, columns, typed=self.typed, row_errors=row_errors
        )

    def _values(self, column: Any) -> list[object]:
        types = self._arrow.types
        if types.is_dictionary(column.type):  # whose Python values take very long
            column = column.cast(column.type.value_type)
        if types.is_decimal(column.type):
            column = column.cast(self._arrow.float64())
        if types.is_timestamp(column.type):  # Python has none that are finer
            in_microseconds = self._arrow.timestamp("us", column.type.tz)
            column = column.cast(in_microseconds, safe=False)
        return list(column.to_pylist())

    def _unusable(self, column: Any) -> dict[int, tuple[tuple[str, str], str]]:
        """Return the rows whose text cannot be used: what is wrong with it, and its beginning."""
        if not self._arrow.types.is_dictionary(column.type):
            return self._unusable_texts(column)
        texts = self._unusable_texts(column.dictionary)
        codes = column.indices.to_pylist() if texts else []
        return {i: texts[code] for i, code in enumerate(codes) if code in texts}

    def _unusable_texts(self, column: Any) -> dict[int, tuple[tuple[str, str], str]]:
        if not self._is_text(column.type):
            return {}
        found = {}
        for i in self._too_large(column):
            start = column.slice(i, 1).cast("large_binary")[0].as_py()[: 4 * 40]
            found[i] = _TOO_LARGE, start.decode(errors="replace")[:40]
        for i, value in self._not_utf_8(column):
            found.setdefault(i, (_NOT_UTF_8, value.decode(errors="replace")))
        return found

    def _too_large(self, column: Any) -> list[int]:
        lengths = self._arrow.compute.binary_length(column).fill_null(0).to_numpy()
        rows: list[int] = (lengths > FIELD_LIMIT).nonzero()[0].tolist()
        return rows

    def _not_utf_8(self, column: Any) -> list[tuple[int, bytes]]:
        raw = column.cast("large_binary")
        try:
            raw.cast("large_string")  # which looks at the bytes, as reading them has not
        except self._arrow.ArrowInvalid:
            return [(i, value) for i, value in enumerate(raw.to_pylist()) if not _is_utf_8(value)]
        return []

    def _error(self, fault: tuple[str, str], value: str, row: int, name: str) -> RowError:
        return RowError(*fault, self._path, row, unit="row", column=name, value=value)

    def _is_text(self, dtype: Any) -> bool:
        return bool(self._arrow.types.is_string(dtype) or self._arrow.types.is_large_string(dtype))

    def _is_time(self, dtype: Any) -> bool:
        return bool(self._arrow.types.is_timestamp(dtype) or self._arrow.types.is_date(dtype))

    def _check_type(self, name: str, dtype: Any) -> None:
        types = self._arrow.types
        if types.is_dictionary(dtype):
            dtype = dtype.value_type
        usable = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
        if self._is_text(dtype) or types.is_null(dtype) or any(test(dtype) for test in usable):
            return
        remedy = "convert the column, or leave it out with --drop"
        if self._is_time(dtype):
            chosen = shlex.quote(f"{name}:year,month,weekday,hour")
            remedy = (
                f"choose what matters about it with --date {chosen}, or leave it out with --drop"
            )
        raise InputError(
            f"{self._path}, column {name!r}: the type {dtype} is neither number nor text; {remedy}"
        )

    def _damaged(self, error: Exception) -> InputError:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return InputError(
            f"{self._path} is no Parquet file, or damaged or cut short ({reason}); "
            "copy or make it again"
        )


def _is_utf_8(value: bytes | None) -> bool:
    try:
        (value or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise InputError('Parquet files need pyarrow: pip install "boxwise[parquet]"') from None
    return pyarrow
