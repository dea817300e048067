"""HyperboxClassifier on the partitions of dask collections.

Needs the extra `dask`: ``pip install "boxwise[dask]"``.
"""

try:
    import dask.array
    import dask.dataframe  # noqa: F401 - raises ImportError too if pyarrow is not there
    import distributed  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "boxwise.dask needs dask with arrays and data frames, and distributed: "
        'pip install "boxwise[dask]"'
    ) from missing

from boxwise.dask.classifier import DaskHyperboxClassifier

__all__ = ["DaskHyperboxClassifier"]
