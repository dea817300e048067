"""One or several files as one stream of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from boxwise.files.chunk import CHUNK_ROWS, Chunk, Reader
from boxwise.files.dated import names_with_parts, with_parts
from boxwise.files.errors import InputError
from boxwise.files.formats import ReadOptions, open_file
from boxwise.files.parquet import ParquetFile
from boxwise.files.source import STANDARD_INPUT, shown_name
from boxwise.files.stopping import ReadingStopped


class FileSet:
    r"""Reads files with the same columns, one after the other, chunk by chunk.

    Parameters
    ----------
    paths : sequence of str
        The files; ``-`` is standard input.
    manner : ReadOptions, optional
        How to read them.
    missing : iterable of str
        Texts that stand for a missing value, besides the empty one. Spaces around them do not
        matter.

    Attributes
    ----------
    names : tuple of str
        The columns of the first file, without those to drop, and with the parts of dates in their
        place.
    source_of : dict of str to str
        The column of the file that each of these is, or is a part of.
    all_names : tuple of str
        The columns of the first file.
    left_out : tuple of str
        Those of them that are no data, such as an index that pandas has written.
    first : str
        How messages call the first file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "jobs.csv")
    ...     _ = path.write_text("age;job\n31;cook\n?;smith\n")
    ...     for chunk in FileSet([str(path)], missing=["?"]).chunks():
    ...         print(chunk.columns, chunk.lines)
    {'age': ['31', None], 'job': ['cook', 'smith']} [2, 3]
    """

    def __init__(
        self, paths: Sequence[str], options: ReadOptions | None = None, missing: Iterable[str] = ()
    ) -> None:
        if not paths:
            raise InputError("there is no file to read")
        if paths.count(STANDARD_INPUT) > 1:
            raise InputError("standard input (-) can be read once only")
        self._paths, self._options = paths, options or ReadOptions()
        self._marks = frozenset(text.strip() for text in missing) | {""}
        self._reader, self._source = open_file(paths[0], self._options)
        self._rows_before = 0
        self._index = 0
        self._sizes = [_size(path) for path in paths]
        self._typed = self._reader.typed
        self.first = shown_name(paths[0])
        self.left_out = self._reader.left_out
        self.all_names = (*self._reader.names, *self.left_out)
        self._in_file = self._without_dropped(self._reader.names)
        self._parts = names_with_parts(self._in_file, self._options.dates)
        self.names = tuple(name for names in self._parts.values() for name in names)
        self.source_of = {part: name for name, names in self._parts.items() for part in names}
        try:
            check_names(self._in_file, self._options.dates, self.first, "column of dates")
            if len(self.source_of) < len(self.names):
                raise InputError(f"{self.first} has columns with the names of parts of dates")
            self._check_unnamed()
        except InputError:
            self.close()
            raise

    @property
    def rows(self) -> int:
        """How many rows were met so far, those that cannot be used included."""
        return self._rows_before + self._reader.n_rows

    @property
    def share(self) -> float | None:
        """How much was read, from 0 to 1; None if the size is not known."""
        sizes = [size for size in self._sizes if size is not None]
        if len(sizes) < len(self._sizes) or not sum(sizes):
            return None
        if isinstance(self._reader, ParquetFile):
            here = self._reader.share * (self._sizes[self._index] or 0)
        else:
            here = self._source.taken if self._source is not None else 0
        return min(1.0, (sum(sizes[: self._index]) + here) / sum(sizes))

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
        """Hand over the rows of all files, at most so many at a time; once only."""
        for i, path in enumerate(self._paths):
            if i > 0:
                try:
                    self._open_next(path, i)
                except ReadingStopped:
                    return
            try:
                for chunk in self._reader.chunks(rows):
                    yield self._marked(chunk)
            finally:
                self._reader.close()

    def reread(self, names: Iterable[str]) -> FileSet | None:
        """Return these columns of the same files, from the first row on; None if a file is a pipe.

        Standard input is one, too: its rows come once.
        """
        if any(_size(path) is None for path in self._paths):
            return None
        only = frozenset(self.source_of[name] for name in names)
        dates = {name: parts for name, parts in self._options.dates.items() if name in only}
        options = replace(self._options, only=only, dates=dates)
        return FileSet(self._paths, options, self._marks)

    def check_columns(self) -> None:
        """Raise the error of the first file that cannot be read together with the first one."""
        for path in self._paths[1:]:
            if self._options.stop.requested:
                raise ReadingStopped
            reader, _ = open_file(path, self._options)
            try:
                self._check_like_first(path, reader)
            finally:
                reader.close()

    def close(self) -> None:
        """Close the file that is read, if it was not read to its end."""
        self._reader.close()

    def _open_next(self, path: str, i: int) -> None:
        if self._options.stop.requested:
            raise ReadingStopped
        self._rows_before += self._reader.n_rows
        self._index = i
        self._reader, self._source = open_file(path, self._options)
        self._check_like_first(path, self._reader)

    def _check_like_first(self, path: str, reader: Reader) -> None:
        if self._typed != reader.typed:
            raise InputError(
                f"{shown_name(path)} and {self.first} cannot be read together: one of them tells "
                "numbers from text and the other does not; convert one of them"
            )
        names = self._without_dropped(reader.names)
        only = self._options.only
        expected = set(self._in_file) if only is None else only & set(self._in_file)
        lacking = expected - set(names)
        extra = set(names) - expected if only is None else set()
        if lacking or extra:
            raise _other_columns(self.first, shown_name(path), lacking, extra)

    def _check_unnamed(self) -> None:
        for name in self._reader.unnamed:
            if name in self._in_file and self._options.only is None:
                raise InputError(
                    f"{self.first}: {name} has no name in the header; "
                    f"name it, or leave it out with --drop {name!r}"
                )

    def _without_dropped(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in self._options.drop)

    def _marked(self, chunk: Chunk) -> Chunk:
        only = self._options.only
        names = [name for name in self._in_file if only is None or name in only]
        columns = {name: _mark(chunk.columns[name], self._marks) for name in names}
        rows = [row + self._rows_before for row in chunk.rows]
        return with_parts(replace(chunk, rows=rows, columns=columns), self._options.dates)


def check_names(names: Iterable[str], wanted: Iterable[str], file: str, what: str) -> None:
    """Raise InputError for the first wanted column that is not among the names."""
    names = list(names)
    there = frozenset(names)
    for name in wanted:
        if name not in there:
            raise InputError(f"{file} has no {what} {name!r}; {_suggest(name, names)}")


def _suggest(name: str, names: Sequence[str]) -> str:
    folded = {other.lower(): other for other in names}
    near = [folded[n] for n in get_close_matches(name.lower(), folded, n=3)]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    return f"it has {shown}"


def _mark(cells: list[object], marks: frozenset[str]) -> list[object]:
    """Return the column with None for every text that means missing."""
    try:
        distinct = set(cells)
    except TypeError:  # nested values, which are refused later
        return [None if isinstance(c, str) and c.strip() in marks else c for c in cells]
    missing = {text for text in distinct if isinstance(text, str) and text.strip() in marks}
    return [None if cell in missing else cell for cell in cells] if missing else cells


def _other_columns(first: str, path: str, lacking: Set[str], extra: Set[str]) -> InputError:
    parts = []
    if lacking:
        parts.append(f"lacks {', '.join(map(repr, sorted(lacking)[:5]))}")
    if extra:
        parts.append(f"has {', '.join(map(repr, sorted(extra)[:5]))} besides")
    return InputError(
        f"{path} has other columns than {first}: it {' and '.join(parts)}; "
        "files read together need the same columns"
    )


def _size(path: str) -> int | None:
    file = Path(path)
    return file.stat().st_size if path != STANDARD_INPUT and file.is_file() else None
