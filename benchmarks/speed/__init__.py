"""How fast boxwise is: parts that measure, each into a file of its own, and one page of them all.

    python -m benchmarks run            (all parts, then the page; or: make bench)
    python -m benchmarks run growth     (one part, then the page)
    python -m benchmarks page           (the page alone)

Every figure is a ratio of two things measured in one run, or how a cost grows.
"""
