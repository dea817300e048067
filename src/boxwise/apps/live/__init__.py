"""Streams that ``consume`` and ``serve`` learn from."""
