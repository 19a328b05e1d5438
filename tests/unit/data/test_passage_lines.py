"""Lines of texts: whatever the blocks, the lines are those of the obvious loop."""

from hypothesis import given
from hypothesis import strategies as st

from tare._data.passages import read_passages
from tare._kernels.threads_and_blocks import Seams, cut


@given(
    st.lists(st.sampled_from(["", " ", "\t", "\r", "a\tb", "q1\t x y ", "  q2\tz"]), max_size=12),
    st.booleans(),
    st.integers(1, 30),
)
def test_lines_are_those_of_the_obvious_loop(tmp_path_factory, lines, ended, block):
    text = "\n".join(lines) + ("\n" if ended else "")
    path = tmp_path_factory.mktemp("texts") / "queries.tsv"
    path.write_bytes(text.encode())
    expected, start = [], 0
    for line in _split(text):
        if line.strip() and b"\t" in line.strip(b"\r\n"):
            key, _, body = line.decode().rstrip("\r\n").partition("\t")
            expected.append((key, body, start, len(line)))
        start += len(line)
    with cut(Seams(block=block)):
        found = [(p.id, p.text, p.start, p.length) for p in read_passages(path)]
    assert found == expected


def _split(text: str) -> list[bytes]:
    parts = text.encode().split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
