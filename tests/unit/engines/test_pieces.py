"""Pieces of tables: they begin with a query, and end near the ends of row groups."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tare.engines._pieces import TablePiece, table_pieces


def table_of(folder: Path, rows: int, group: int, depth: int) -> Path:
    """Write a run with `depth` documents per query."""
    path = folder / "run.parquet"
    numbers = range(rows)
    pl.DataFrame(
        {
            "query": [f"q{k // depth}" for k in numbers],
            "document": [f"d{k}" for k in numbers],
            "score": [float(-k) for k in numbers],
        }
    ).write_parquet(path, row_group_size=group)
    return path


def decoded(pieces: list[TablePiece], group: int) -> int:
    """Return the rows of all groups that the pieces touch, up to their last rows."""
    return sum(piece.start + piece.count - piece.start // group * group for piece in pieces)


@pytest.mark.parametrize("most", [40, 90, 110, 140, 210, 1000])
def test_row_groups_are_not_decoded_again_and_again(tmp_path: Path, most: int) -> None:
    rows, group, depth = 1000, 100, 3
    pieces = table_pieces(table_of(tmp_path, rows, group, depth), most, "score")
    assert [piece.start for piece in pieces[1:]] == [p.start + p.count for p in pieces[:-1]]
    assert sum(piece.count for piece in pieces) == rows
    assert all(piece.start % depth == 0 for piece in pieces)
    assert all(piece.count <= 1.5 * most + depth for piece in pieces)
    if most > group / 2:
        assert decoded(pieces, group) <= rows + 2 * depth * len(pieces)


def test_without_a_group_end_nearby_pieces_have_the_size_that_was_asked_for(tmp_path: Path) -> None:
    pieces = table_pieces(table_of(tmp_path, 1000, 1000, 1), 100, "score")
    assert [piece.count for piece in pieces] == [100] * 10
