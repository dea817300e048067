"""Data to learn from: a stream that is made here, and the data sets of the paper."""

from boxwise.datasets.dataset import Dataset
from boxwise.datasets.errors import DatasetError
from boxwise.datasets.loans import LoanStream, loans
from boxwise.datasets.paper import load, names

__all__ = ["Dataset", "DatasetError", "LoanStream", "load", "loans", "names"]
