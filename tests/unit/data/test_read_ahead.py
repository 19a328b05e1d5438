"""Items made by a thread ahead of their reader."""

import threading

import pytest
import zstandard

from tare._data.read_ahead import read_ahead
from tare._data.source import blocks, read_all
from tare._kernels.seams import Seams, cut


def threads_now():
    return [thread for thread in threading.enumerate() if thread.name == "read ahead"]


@pytest.mark.parametrize("ahead", [1, 2, 50])
def test_all_items_in_their_order(ahead):
    assert list(read_ahead(iter(range(30)), ahead)) == list(range(30))
    assert threads_now() == []


def test_an_error_comes_after_the_items_before_it():
    def items():
        yield 1
        yield 2
        raise ValueError("the third")

    taken = []
    with pytest.raises(ValueError, match="the third"):
        taken.extend(read_ahead(items()))
    assert taken == [1, 2]
    assert threads_now() == []


def test_no_more_than_asked_for_are_made_in_advance():
    made = []

    def items():
        for i in range(100):
            made.append(i)
            yield i

    found = read_ahead(items(), 3)
    assert next(found) == 0
    for _ in range(10_000):
        if len(made) >= 4:
            break
        threading.Event().wait(0.001)
    threading.Event().wait(0.02)
    assert len(made) == 4
    found.close()
    assert threads_now() == []


@pytest.mark.parametrize("least", [1, 1 << 20], ids=["ahead", "in turn"])
@pytest.mark.parametrize("block", [1, 3, 100, 5_000])
def test_plain_files_in_blocks_that_are_filled_in_turn(block, least, tmp_path):
    text = b"".join(b"q1 0 d%d 1\n" % i for i in range(300))
    (tmp_path / "file").write_bytes(text)
    with cut(Seams(block=block, plain_ahead=least)):
        found = blocks(tmp_path / "file")
        taken = []
        for part in found:
            assert bool(threads_now()) <= (least == 1)
            # A slow reader: the block must not change while it is used.
            threading.Event().wait(0.0001)
            taken.append(part.tobytes())
    assert b"".join(taken) == text
    assert threads_now() == []


@pytest.mark.parametrize("sizes", [(1, 1), (5, 40), (64, 1000)])
def test_zstd_in_tiny_pieces(sizes, tmp_path):
    text = b"".join(b"q1 0 d%d 1\n" % i for i in range(900))
    packer = zstandard.ZstdCompressor()
    path = tmp_path / "file.zst"
    path.write_bytes(
        packer.compress(text[:700]) + packer.compress(b"") + packer.compress(text[700:])
    )
    with cut(Seams(packed_block=sizes[0], unpacked_block=sizes[1], least_ahead=1)):
        assert read_all(path) == text
    assert threads_now() == []
