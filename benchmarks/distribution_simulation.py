"""A cluster that learns partitions and merges their models, simulated event by event.

In: the rates of one worker. Out: the time, the bytes of models that travel, and how long merging
goes on after the last partition was learned.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

OVERHEAD = 0.01  # seconds of a task, besides its work
SPREAD = 0.2  # workers are up to this much faster or slower


@dataclass(frozen=True)
class Cluster:
    """What is learned, and how fast a worker of average speed is.

    Attributes
    ----------
    merging : mapping
        Seconds to merge so many models, as measured; in between and beyond it is linear.
    starting : float
        Seconds until a worker can begin.
    """

    rows: int
    partitions: int
    rows_per_second: float
    model_bytes: int
    merging: Mapping[int, float]
    bytes_per_second: float
    starting: float

    def merging_seconds(self, models: int) -> float:
        """Return how long it takes to merge so many models that are there."""
        counts = sorted(self.merging)
        if models <= counts[-1]:
            times = [self.merging[k] for k in counts]
            return float(np.interp(models, [1, *counts], [0.0, *times]))
        a, b = counts[-2:]
        slope = (self.merging[b] - self.merging[a]) / (b - a)
        return self.merging[b] + slope * (models - b)


@dataclass(frozen=True)
class Outcome:
    """What a run costs."""

    seconds: float
    tail: float  # seconds of them after the last partition was learned
    n_bytes: int  # of models that travelled


@dataclass
class _Group:
    """Models that are merged into one, which goes into the next group, if there is one."""

    waits_for: int
    size: int
    next: int | None


def simulated(cluster: Cluster, workers: int, fan_in: int, seed: int = 0) -> Outcome:
    """Return what it costs to learn all partitions and to merge their models by `fan_in`.

    A worker that is free merges the oldest group whose models are all there; if there is none, it
    learns the next partition. All models of a group travel to the worker that merges it.
    """
    speeds = np.random.default_rng(seed).uniform(1 - SPREAD, 1 + SPREAD, workers)
    speeds = speeds / speeds.mean()
    groups, group_of = _tree(cluster.partitions, fan_in)
    learn = cluster.rows / cluster.partitions / cluster.rows_per_second
    idle = [*range(workers)][::-1]
    partitions, ready = [*range(cluster.partitions)][::-1], list[int]()
    running: list[tuple[float, int, int | None]] = []  # end, worker, group that gets the model
    now, learned, n_bytes = cluster.starting, 0.0, 0
    while True:
        while idle and (ready or partitions):
            worker = idle.pop()
            if ready:
                group = groups[heapq.heappop(ready)]
                travel = group.size * cluster.model_bytes
                n_bytes += travel
                took = travel / cluster.bytes_per_second
                took += cluster.merging_seconds(group.size) / speeds[worker]
                heapq.heappush(running, (now + took + OVERHEAD, worker, group.next))
            else:
                took = learn / speeds[worker] + OVERHEAD
                to = group_of(partitions.pop())
                heapq.heappush(running, (now + took, worker, to))
                learned = max(learned, now + took)
        if not running:
            return Outcome(now, now - learned, n_bytes)
        now, worker, to = heapq.heappop(running)
        idle.append(worker)
        if to is not None:
            groups[to].waits_for -= 1
            if not groups[to].waits_for:
                heapq.heappush(ready, to)


def _tree(partitions: int, fan_in: int) -> tuple[list[_Group], Callable[[int], int | None]]:
    """Return the groups of all levels, and the group of a partition."""
    groups: list[_Group] = []
    count, begin_before = partitions, None
    while count > 1:
        begin = len(groups)
        sizes = [min(fan_in, count - i) for i in range(0, count, fan_in)]
        groups += [_Group(size, size, None) for size in sizes]
        if begin_before is not None:
            for i in range(count):
                groups[begin_before + i].next = begin + i // fan_in
        count, begin_before = len(sizes), begin
    return groups, lambda partition: partition // fan_in if partitions > 1 else None
