"""Data to learn from, made here: no file, no download."""

from boxwise.datasets.loans import LoanStream, loans

__all__ = ["LoanStream", "loans"]
