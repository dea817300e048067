"""The paper's tables put back into the form in which the archive has them.

What is put back was seen in copies of the archive's files: names that are dropped, rows with gaps,
numbers with zeros in front or behind, blanks, an empty line at the end.
"""

from boxwise.datasets.catalogue import Entry


def raw_form(entry: Entry, table: bytes) -> bytes:
    """Return the file of the archive from which the table was made, but for invented names."""
    rows = [line.split(",") for line in table.decode().splitlines()[1:]]
    lines = [FORMS.get(entry.name, ",".join)(row) for row in rows]
    if entry.name in GAPS:
        lines[5:5] = [FORMS.get(entry.name, ",".join)(_with_gap(rows[5], GAPS[entry.name]))]
    return ("\n".join(lines) + "\n" * (2 if entry.name == "nursery" else 1)).encode()


def _with_gap(row: list[str], position: int) -> list[str]:
    return [*row[:position], "?", *row[position + 1 :]]


def _flag(row: list[str]) -> str:
    *cells, religion = row
    return ",".join(["Some-Land", *cells[:5], religion, *cells[5:]])


def _heart(row: list[str]) -> str:
    *cells, label = row
    return " ".join([*(f"{float(cell):.1f}" for cell in cells), label]) + " "


def _japanese(row: list[str]) -> str:
    children, code = row[10], row[13]
    padded = children if children in "0?" else children.zfill(2)
    return ",".join([*row[:10], padded, *row[11:13], code.zfill(5), *row[14:]])


def _molecular(row: list[str]) -> str:
    *bases, label = row
    return f"{label},{'SOME-DONOR-521':>21},{'':15}{''.join(bases)}"


def _post_operative(row: list[str]) -> str:
    comfort = row[7] if row[7] == "?" else row[7].zfill(2)
    return ",".join([*row[:7], comfort, row[8] + (" " if row[8] == "A" else "")])


FORMS = {
    "australian": " ".join,
    "flag": _flag,
    "german": lambda row: " ".join(row) + " ",
    "heart": _heart,
    "japanese_credit": _japanese,
    "molecular_biology": _molecular,
    "post_operative": _post_operative,
    "zoo": lambda row: ",".join(["some animal", *row]),
}
GAPS = {"dermatology": 33, "japanese_credit": 1, "post_operative": 7}
