"""The data sets of the paper, by name."""

from __future__ import annotations

import os

from boxwise.datasets import tic_tac_toe
from boxwise.datasets.archive import fetch
from boxwise.datasets.catalogue import Entry, catalogue, find
from boxwise.datasets.dataset import Dataset, from_table
from boxwise.datasets.local import in_cache, in_folder, keep


def names(*, mixed_only: bool = False) -> list[str]:
    """Return the names of the paper's data sets.

    Parameters
    ----------
    mixed_only : bool, default=False
        Leave out those without numeric columns, so that all have columns of both kinds.

    Returns
    -------
    list of str
        14 names, or 11, in alphabetical order.

    Examples
    --------
    >>> from boxwise.datasets import names
    >>> len(names())
    14
    >>> sorted(set(names()) - set(names(mixed_only=True)))
    ['molecular_biology', 'nursery', 'tic_tac_toe']
    """
    entries = catalogue().values()
    return [e.name for e in entries if not mixed_only or (e.continuous and e.categorical)]


def load(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    archive: str | None = None,
    timeout: float = 20.0,
) -> Dataset:
    """Load a data set of the paper.

    It is taken from `folder`; if it is not there, from the cache; if it is not there either, it is
    downloaded from the UCI archive, converted, and put into the cache. Wherever it comes from, its
    checksum is verified. Tic-tac-toe is enumerated and needs no file.

    Parameters
    ----------
    name : str
        One of `names`.
    folder : path, optional
        A folder that holds ``paper/<name>.csv.gz`` or ``<name>.csv.gz``; unless given, the one
        that the environment variable ``BOXWISE_DATA`` names, if any.
    archive : str, optional
        The address of the archive; unless given, that in the environment variable
        ``BOXWISE_ARCHIVE``, else UCI's. It has the data sets as ``<page>/<slug>.zip``.
    timeout : float, default=20.0
        The seconds after which an attempt to download is given up. There are three.

    Returns
    -------
    Dataset
        Rows, labels, columns, and a description.

    Raises
    ------
    ValueError
        If there is no data set of this name.
    DatasetError
        If a file in `folder` is damaged, or if the data set cannot be downloaded. The message says
        what to do.

    Notes
    -----
    The cache is the folder that ``BOXWISE_CACHE`` names, else ``XDG_CACHE_HOME/boxwise``, else the
    usual place of the system, for example ``~/.cache/boxwise``.

    The addresses and formats of the archive were written down without access to it, from copies of
    its files and from public code that downloads them. If one is wrong you get an error, never
    another table: the checksums are those of tables that were compared with independent copies.

    Examples
    --------
    >>> from boxwise.datasets import load
    >>> data = load("tic_tac_toe")
    >>> data.X[0]["middle_middle"], str(data.y[0])
    ('o', 'positive')
    >>> print(data.description)  # doctest: +ELLIPSIS
    Tic-Tac-Toe Endgame
    958 rows, 0 numeric and 9 categorical columns, 2 classes
    Class: whether x has won (positive) or not (negative)
    ...
    >>> load("tictactoe")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: there is no data set 'tictactoe'; did you mean 'tic_tac_toe'? The names are ...
    """
    entry = find(name)
    return from_table(entry, _table(entry, folder, archive, timeout))


def _table(
    entry: Entry, folder: str | os.PathLike[str] | None, archive: str | None, timeout: float
) -> bytes:
    if entry.file is None:
        return tic_tac_toe.table(entry)
    here = in_folder(entry, folder) or in_cache(entry)
    if here is not None:
        return here
    table = fetch(entry, archive, timeout)
    keep(entry, table)
    return table
