"""The provenance of the results in the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class About:
    """The settings, the versions and the machine that made the results.

    Parameters
    ----------
    seed : int
        Where the random numbers began.
    repeats : int
        How often the rows were cut into four folds.
    quick : bool
        Whether grids were thinned out.
    scaling : str
        "dataset" when numeric columns were scaled by all rows, "fold" when by those to learn.
    order : str
        "file" when rows were learned in the order of their file, else "shuffled".
    versions : mapping of str to str
        The versions of boxwise, of Python and of the libraries it used.
    machine : str
        Its cores and architecture.
    seconds : float
        The seconds of computing.

    Examples
    --------
    >>> from boxwise.paper.report import About
    >>> about = About(
    ...     seed=0, repeats=10, quick=False, scaling="dataset", order="file",
    ...     versions={"Python": "3.12.4", "boxwise": "0.1.0"},
    ...     machine="2 cores, x86_64", seconds=4020.0,
    ... )
    >>> about.duration
    '1 h 07 min'
    """

    seed: int
    repeats: int
    quick: bool
    scaling: str
    order: str
    versions: Mapping[str, str]
    machine: str
    seconds: float

    @property
    def duration(self) -> str:
        """The time it took, in words."""
        minutes, seconds = divmod(round(self.seconds), 60)
        hours, minutes = divmod(minutes, 60)
        if hours:
            return f"{hours} h {minutes:02d} min"
        return f"{minutes} min {seconds:02d} s"
