"""The error for a data set that is not available."""


class DatasetError(OSError):
    """A data set that is damaged, that cannot be fetched, or that is not what it should be."""
