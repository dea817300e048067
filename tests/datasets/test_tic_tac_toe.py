"""The enumerated boards against the rules of the game and against the archive's table."""

from collections import Counter
from functools import cache

import pytest

from boxwise.datasets import load
from boxwise.datasets.catalogue import find
from boxwise.datasets.tic_tac_toe import LINES, table


@cache
def endings(board=("b",) * 9, player="x"):
    """All boards on which a game can end, by playing every game."""
    other = "o" if player == "x" else "x"
    if any(all(board[i] == other for i in line) for line in LINES) or "b" not in board:
        return frozenset([board])
    found = frozenset()
    for i in range(9):
        if board[i] == "b":
            found |= endings((*board[:i], player, *board[i + 1 :]), other)
    return found


def test_it_is_the_table_of_the_archive_to_the_last_byte():
    entry = find("tic_tac_toe")
    assert entry.is_table(table(entry))


def test_it_has_the_boards_that_playing_every_game_ends_on():
    boards = [tuple(row.values()) for row in load("tic_tac_toe").X]
    assert len(boards) == len(set(boards)) == 958
    assert set(boards) == endings()


def test_x_has_won_on_the_positive_boards():
    data = load("tic_tac_toe")
    assert Counter(data.y.tolist()) == {"positive": 626, "negative": 332}
    for row, label in zip(data.X, data.y, strict=True):
        board = [*row.values()]
        has_line = any(all(board[i] == "x" for i in line) for line in LINES)
        assert has_line == (label == "positive")


@pytest.mark.parametrize("name", ["BOXWISE_DATA", "BOXWISE_CACHE"])
def test_it_needs_neither_a_folder_nor_a_cache(monkeypatch, name):
    monkeypatch.setenv(name, "/no/such/folder")
    assert len(load("tic_tac_toe").X) == 958
