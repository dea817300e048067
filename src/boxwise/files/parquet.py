"""Parquet, by way of pyarrow, which is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from boxwise.files.chunk import Chunk
from boxwise.files.delimited import FIELD_LIMIT
from boxwise.files.errors import InputError, RowError
from boxwise.files.stopping import Stop


class ParquetFile:
    """Reads a Parquet file batch by batch.

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
    """

    unnamed: tuple[str, ...] = ()
    typed = True

    def __init__(
        self,
        path: str,
        only: frozenset[str] | None = None,
        drop: frozenset[str] = frozenset(),
        stop: Stop | None = None,
    ) -> None:
        self._path, self._stop = path, stop or Stop()
        self._arrow = _pyarrow()
        self.n_rows = 0
        try:
            self._file = self._arrow.parquet.ParquetFile(path)
        except (self._arrow.ArrowException, OSError) as error:
            raise self._damaged(error) from None
        schema = self._file.schema_arrow
        self.names = tuple(schema.names)
        for name in self.names:
            if self.names.count(name) > 1:
                raise InputError(f"{path}: the column name {name!r} occurs twice; rename one")
        self._wanted = [
            name for name in self.names if name not in drop and (only is None or name in only)
        ]
        for name in self._wanted:
            self._check_type(name, schema.field(name).type)

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
                if self._stop.asked:
                    return
        except (self._arrow.ArrowException, OSError) as error:
            raise self._damaged(error) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _to_chunk(self, batch: Any) -> Chunk:
        numbers: Any = range(self.n_rows + 1, self.n_rows + batch.num_rows + 1)
        self.n_rows += batch.num_rows
        too_large = self._too_large(batch)
        faults = [
            self._fault(numbers[i], name, batch[name][i].as_py())
            for i, name in sorted(too_large.items())
        ]
        if too_large:
            kept = [i for i in range(batch.num_rows) if i not in too_large]
            batch, numbers = batch.take(self._arrow.array(kept)), [numbers[i] for i in kept]
        columns = {name: self._values(batch[name]) for name in batch.schema.names}
        return Chunk(self._path, "row", numbers, numbers, columns, typed=self.typed, faults=faults)

    def _values(self, column: Any) -> list[object]:
        types = self._arrow.types
        if types.is_dictionary(column.type):  # whose Python values take very long
            column = column.cast(column.type.value_type)
        if types.is_decimal(column.type):
            column = column.cast(self._arrow.float64())
        return list(column.to_pylist())

    def _too_large(self, batch: Any) -> dict[int, str]:
        """Return the rows with a text over the limit, and the column it is in."""
        found: dict[int, str] = {}
        for name in batch.schema.names:
            if not self._is_text(batch[name].type):
                continue
            lengths = self._arrow.compute.binary_length(batch[name]).fill_null(0).to_numpy()
            if lengths.max(initial=0) > FIELD_LIMIT:
                for i in (lengths > FIELD_LIMIT).nonzero()[0].tolist():
                    found.setdefault(i, name)
        return found

    def _fault(self, row: int, name: str, value: str) -> RowError:
        return RowError(
            f"and so on: the value has more than {FIELD_LIMIT:,} bytes",
            "shorten it",
            self._path,
            row,
            unit="row",
            column=name,
            value=value[:40],
        )

    def _is_text(self, dtype: Any) -> bool:
        return bool(self._arrow.types.is_string(dtype) or self._arrow.types.is_large_string(dtype))

    def _check_type(self, name: str, dtype: Any) -> None:
        types = self._arrow.types
        if types.is_dictionary(dtype):
            dtype = dtype.value_type
        usable = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
        if self._is_text(dtype) or types.is_null(dtype) or any(test(dtype) for test in usable):
            return
        raise InputError(
            f"{self._path}, column {name!r}: the type {dtype} is neither number nor text; "
            f"convert the column, or leave it out with --drop"
        )

    def _damaged(self, error: Exception) -> InputError:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return InputError(
            f"{self._path} is no Parquet file, or damaged or cut short ({reason}); "
            "copy or make it again"
        )


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise InputError('Parquet files need pyarrow: pip install "boxwise[parquet]"') from None
    return pyarrow
