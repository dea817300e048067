"""Model files."""

from boxwise.store.modelfile import ModelFileError, read, write

__all__ = ["ModelFileError", "read", "write"]
