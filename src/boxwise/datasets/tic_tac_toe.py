"""The endings of tic-tac-toe, enumerated instead of downloaded."""

from __future__ import annotations

from itertools import product

from boxwise.datasets.catalogue import LABEL, Entry

Board = tuple[str, ...]
"""Nine fields, row by row: x, o or b for blank."""

LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip


def table(entry: Entry) -> bytes:
    """Return all boards on which a game can end if x begins, in the order of the archive's file."""
    boards = [*product("xob", repeat=9)]
    won = [(*board, "positive") for board in boards if _wins(board, "x")]
    lost = [(*board, "negative") for board in boards if _wins(board, "o")]
    drawn = [(*board, "negative") for board in boards if _is_draw(board)]
    rows = [(*entry.columns, LABEL), *won, *lost, *drawn]
    return "".join(",".join(row) + "\n" for row in rows).encode()


def _wins(board: Board, player: str) -> bool:
    """Whether the game ends here because the player has just completed a line."""
    other = "o" if player == "x" else "x"
    ahead = board.count("x") - board.count("o")
    just_moved = ahead == (1 if player == "x" else 0)
    return just_moved and _has_line(board, player) and not _has_line(board, other)


def _is_draw(board: Board) -> bool:
    full = board.count("x") == 5 and board.count("o") == 4
    return full and not _has_line(board, "x") and not _has_line(board, "o")


def _has_line(board: Board, player: str) -> bool:
    return any(all(board[field] == player for field in line) for line in LINES)
