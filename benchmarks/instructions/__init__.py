"""How many instructions a fixed piece of work takes: a watch over the engine that needs no quiet.

    python -m benchmarks.instructions            (or: make instructions)
    python -m benchmarks.instructions --renew    after a change that is meant to cost more, or less

Seconds depend on what else the machine does; instructions do not. callgrind counts those of a small
driver, and the check fails where a case takes over a tenth more than the committed baseline.
"""
