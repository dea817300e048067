"""Writing a text file at once or not at all."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a file to write, which appears, or is replaced, only when all is written."""
    target = path.resolve()
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, prefix=".boxwise-", delete=False
    ) as out:
        part = Path(out.name)
        try:
            yield out  # type: ignore[misc]
            out.close()
            part.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
            part.replace(target)
        except BaseException:
            out.close()
            with contextlib.suppress(OSError):
                part.unlink()
            raise
