"""Pieces of tables: they begin with a query, and end near the ends of row groups."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tare._kernels.threads_and_blocks import Seams, cut
from tare.engines._pieces import TablePiece, cut_file, table_pieces


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


# Cuts of a text: every byte once, and no two neighbours of one query parted.


LINES = st.lists(
    st.sampled_from(
        [
            *("1 Q0 a 1 2 t", "1 Q0 bb 2 1 t", "2 Q0 a 1 2 t", "  2 Q0 b 2 1 t", "", "# comment"),
            *("3", "\ufeff4 Q0 a 1 2 t", "4 Q0 " + 100 * "x" + " 1 2 t"),
        ]
    ),
    max_size=30,
)
ENDS = st.sampled_from(["\n", "\r\n"])


def rows(text: bytes) -> list[bytes]:
    """The queries of a text's rows."""
    lines = [line.split() for line in text.split(b"\n")]
    return [fields[0] for fields in lines if fields and not fields[0].startswith(b"#")]


def check(parts: list[bytes], whole: bytes) -> None:
    """Together the parts are the whole, and each begins with another query than the last ended."""
    assert b"".join(parts) == whole
    queries = [rows(part) for part in parts]
    for before, after in pairwise(queries):
        assert before
        assert after
        assert before[-1] != after[0]
    for part in parts[1:]:
        assert not part.startswith(b"\xef\xbb\xbf")


@given(LINES, ENDS, st.booleans(), st.integers(1, 12))
def test_ranges_of_a_file(tmp_path_factory, lines, end, ended, pieces):
    whole = (end.join(lines) + (end if ended else "")).encode()
    path = tmp_path_factory.mktemp("cuts") / "run"
    path.write_bytes(whole)
    ranges = cut_file(path, pieces)
    assert len(ranges) <= pieces
    check([whole[start:stop] for start, stop in ranges], whole)


def test_a_run_of_many_queries_is_cut_near_where_it_was_aimed(tmp_path):
    path = tmp_path / "run"
    path.write_text("".join(f"q{k // 3} Q0 d{k} 1 1 t\n" for k in range(3000)))
    sizes = [stop - start for start, stop in cut_file(path, 10)]
    assert len(sizes) == 10
    assert max(sizes) < 1.1 * min(sizes)


def test_cuts_are_the_same_for_any_window(tmp_path):
    """Processes of a batch job cut the same file, whatever they read at once."""
    path = tmp_path / "a.run"
    path.write_text("".join(f"query-{k // 7} Q0 d{k} 0 1 t\n" for k in range(200)))
    found = []
    for window in (1, 3, 8, 16, 1 << 16):
        with cut(Seams(line_window=window)):
            found.append(cut_file(path, 9))
    assert len(found[0]) > 4
    assert all(edges == found[0] for edges in found)
