"""Cuts of a text: every byte once, and no two neighbours of one query parted."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tare._kernels.threads_and_blocks import Seams, cut
from tare.engines._pieces import cut_file

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
