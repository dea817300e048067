"""Model files."""

from boxwise.store.modelfile import ModelFileError, pack, read, unpack, write

__all__ = ["ModelFileError", "pack", "read", "unpack", "write"]
