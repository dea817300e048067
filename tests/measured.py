"""What a command prints that is not the same on every machine and with every engine."""

import re


def without_measurements(output: str) -> str:
    """Drop the memory of a model and, at the end of a row of scores, the rows per second."""
    memory = r" [\d.,]+ [kKM]?B(?: in memory| +[\d,]+)$"
    return re.sub(memory, "", output, flags=re.MULTILINE)
