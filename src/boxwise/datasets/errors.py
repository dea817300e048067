"""What is raised when a data set cannot be had."""


class DatasetError(OSError):
    """A data set that is damaged, that cannot be fetched, or that is not what it should be."""
