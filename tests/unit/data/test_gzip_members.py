"""Gzip files of several members, decompressed in threads: the same bytes as from Python's gzip, in every case."""

import gzip
import io
import os
import random
import threading
import zlib

import pytest

from tare._data.gzip_members import gzip_members
from tare._data.source import blocks, read_all
from tare._kernels.seams import Seams, cut
from tare.errors import UnreadableError

LINES = b"".join(b"q%d Q0 d%d %d %d t\n" % (i // 50, i * 7919 % 1009, i, -i) for i in range(3_000))
MANY_THREADS = Seams(
    threads=4, gzip_block=300, unpacked_block=500, unpacked_ahead=8_000, least_ahead=1
)


@pytest.fixture(params=["the installed decompressor", "zlib"], autouse=True)
def decompressor(request, monkeypatch):
    """ISA-L, if it is installed here, and zlib, which is used elsewhere."""
    if request.param == "zlib":
        monkeypatch.setattr("tare._data.gzip_members.inflate", zlib)


def drawn(seed):
    """Sizes of a few bytes."""
    choose = random.Random(seed)
    return Seams(
        threads=choose.randint(1, 5),
        gzip_block=choose.choice([1, 2, 7, 64, 1000]),
        unpacked_block=choose.choice([1, 10, 300]),
        unpacked_ahead=choose.choice([1, 50, 5_000]),
        least_ahead=1,
    )


def members(seed, data=LINES[:6_000]):
    """A gzip file of members of all sizes, with headers of all kinds and zeros in between."""
    choose = random.Random(seed)
    out = io.BytesIO()
    while data:
        size = choose.choice([0, 1, 40, 500, 3_000])
        part, data = data[:size], data[size:]
        # Stored data that contain a gzip file look like a member that begins in the middle of another.
        if choose.random() < 0.4:
            part = gzip.compress(part, choose.choice([0, 6]))
            level = 0
        else:
            level = choose.choice([0, 1, 6, 9])
        name = choose.choice(["", "run.txt"])
        with gzip.GzipFile(name, "wb", level, out, mtime=choose.choice([0, 2_000_000_000])) as file:
            file.write(part)
        if choose.random() < 0.3:
            out.write(b"\0" * choose.choice([1, 5, 400]))
    return out.getvalue()


def outcome(read):
    """The bytes, or that there was an error."""
    try:
        return read()
    except (EOFError, OSError, zlib.error):
        return "damaged"


def threads_now():
    return [thread for thread in threading.enumerate() if thread.name in ("gzip", "read ahead")]


@pytest.mark.parametrize("seed", range(40))
def test_members_of_all_kinds_in_blocks_of_a_few_bytes(seed, tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(members(seed))
    with cut(drawn(seed)):
        assert read_all(path) == gzip.decompress(path.read_bytes())
    assert threads_now() == []


@pytest.mark.parametrize("seed", range(60))
def test_damage_is_found_where_gzip_finds_it(seed, tmp_path):
    choose = random.Random(seed)
    path = tmp_path / "file.gz"
    data = bytearray(members(seed, LINES[:2_000]))
    match choose.randint(0, 2):
        case 0:
            del data[choose.randrange(2, len(data)) :]
        case 1:
            data += choose.choice([b"x", b"\0\0x", b"\x1f", b"\x1f\x8b", b"\x1f\x8b\x08\0\0"])
        case _:
            data[choose.randrange(10, len(data))] ^= 1 << choose.randrange(8)
    path.write_bytes(bytes(data))
    expected = outcome(lambda: gzip.decompress(bytes(data)))
    with cut(drawn(seed)):
        assert outcome(lambda: read_all(path)) == expected
    assert threads_now() == []


def test_the_usual_sizes_find_all_members(tmp_path):
    parts = [os.urandom(300_000) + LINES for _ in range(5)]
    path = tmp_path / "file.gz"
    path.write_bytes(b"".join(map(gzip.compress, parts)))
    assert read_all(path) == b"".join(parts)
    assert path.stat().st_size > Seams().least_ahead


def test_a_reader_that_stops_early_leaves_no_thread(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(LINES) * 4)
    with cut(MANY_THREADS):
        found = blocks(path)
        next(found)
        assert threads_now()
        found.close()
    assert threads_now() == []


def test_members_are_decompressed_by_several_threads_and_wait_for_the_reader(tmp_path, monkeypatch):
    """No thread holds more than its part of what may wait, however large the members are."""
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(LINES) * 4)
    begun = []
    from tare._data import gzip_members as module

    def recorded(file, at, original=module._decompressed):
        begun.append((threading.current_thread().name, at))
        return original(file, at)

    monkeypatch.setattr(module, "_decompressed", recorded)
    with cut(MANY_THREADS), path.open("rb", buffering=0) as file:
        found = gzip_members(file.fileno(), 0)
        taken = [next(found)]
        size = len(gzip.compress(LINES))
        for _ in range(10_000):
            if len(begun) == 4:
                break
            threading.Event().wait(0.001)
        assert sorted(begun) == [("gzip", k * size) for k in range(4)]
        taken += found
    assert b"".join(part for part, _ in taken) == LINES * 4
    assert taken[-1][1] == 4 * size
    assert len(begun) == 4


def test_a_header_that_no_program_writes_is_read_by_the_reader_itself(tmp_path):
    odd = bytearray(gzip.compress(LINES))
    odd[8] = 77  # an extra flag without meaning
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(LINES) + bytes(odd) + gzip.compress(LINES))
    with cut(MANY_THREADS):
        assert read_all(path) == LINES * 3


def test_a_file_that_expands_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tare._data.compression.MIN_SUSPICIOUS", 100_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(LINES[:100]) + gzip.compress(b"\0" * 3_000_000))
    with cut(MANY_THREADS), pytest.raises(UnreadableError, match=r"bomb\.gz: .* expand to more"):
        read_all(path)
    assert threads_now() == []
