"""Headers of Parquet files: those of two writers pass, numbers that cannot be true are told."""

from __future__ import annotations

import itertools
import random
import struct

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tare
from tare._data.formats.parquet_headers import check_headers
from tare._data.formats.thrift import Compact
from tare.engines import Local
from tare.errors import FormatError, TareError, UnreadableError

N = 600
TABLE = pa.table(
    {
        "query": [f"q{i // 20}" for i in range(N)],
        "document": [f"d{i * 37 % N}" for i in range(N)],
        "score": [i % 13 / 7 for i in range(N)],
        "gaps": [None if i % 3 else i for i in range(N)],
        "lists": [[1] * (i % 4) for i in range(N)],
        "nested": [{"a": i, "b": [{"c": None}] * (i % 3)} for i in range(N)],
        "named": pa.array(["x"] * N).dictionary_encode(),
    }
)


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip"])
def test_files_of_pyarrow(tmp_path, codec):
    path = tmp_path / "a.parquet"
    for version, dictionary, rows, index in itertools.product(
        ["1.0", "2.0"], [True, False], [70, N], [True, False]
    ):
        how = {"data_page_version": version, "use_dictionary": dictionary, "row_group_size": rows}
        pq.write_table(
            TABLE, path, compression=codec, write_page_index=index, data_page_size=300, **how
        )
        check_headers(path)
    pq.write_table(TABLE.slice(0, 0), path)
    check_headers(path)


@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zstd", "lz4"])
def test_files_of_polars(tmp_path, codec):
    path = tmp_path / "a.parquet"
    for rows in (None, 1, 100):
        pl.from_arrow(TABLE).write_parquet(path, compression=codec, row_group_size=rows)
        check_headers(path)


def small(folder, codec="snappy"):
    path = folder / "a.parquet"
    pl.from_arrow(TABLE.select(["query", "document", "score"])).write_parquet(
        path, compression=codec, row_group_size=100
    )
    return path, path.read_bytes()


def zigzag(number: int) -> bytes:
    """A number as the compact protocol writes it."""
    left, out = number << 1 if number >= 0 else (-number << 1) - 1, b""
    while left > 127:
        out += bytes([left & 127 | 128])
        left >>= 7
    return out + bytes([left])


def test_a_page_of_fewer_values_than_none(tmp_path):
    """Decoders take such a number for an enormous one and end the process."""
    path, data = small(tmp_path)
    count = b"\x15" + zigzag(100)  # field 1, a number: the values of a page
    place = data.index(b"\x2c" + count) + 2
    assert len(zigzag(100)) == len(zigzag(-100)) == 2
    path.write_bytes(data[:place] + zigzag(-100) + data[place + 2 :])
    with pytest.raises(FormatError, match=r"a.parquet.*damaged: -100 values in a page of query"):
        check_headers(path)
    with pytest.raises(FormatError, match="values in a page"):
        tare.evaluate({"q1": {"d37": 1}}, path, "AP", engine=Local(memory=20_000))
    path.write_bytes(data[:place] + zigzag(99) + data[place + 2 :])
    with pytest.raises(FormatError, match="100 values of query, and 99 in"):
        check_headers(path)


def test_a_footer_that_cannot_be(tmp_path):
    path, data = small(tmp_path)
    path.write_bytes(data[:-8] + struct.pack("<I", 2**32 - 1) + b"PAR1")
    with pytest.raises(FormatError, match="a footer of 4,294,967,295 bytes"):
        check_headers(path)
    path.write_bytes(data[:-8] + struct.pack("<I", 5) + b"PAR1")
    with pytest.raises(FormatError, match="its headers have no sense"):
        check_headers(path)


def test_what_is_no_parquet_is_left_to_its_readers(tmp_path):
    path = tmp_path / "a.parquet"
    for data in (b"", b"PAR1", b"no parquet, but long enough"):
        path.write_bytes(data)
        check_headers(path)
    with pytest.raises(UnreadableError, match="nowhere"):
        check_headers(tmp_path / "nowhere")


@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_whatever_is_damaged_only_our_errors_come(tmp_path, codec):
    path, data = small(tmp_path, codec)
    chance = random.Random(codec)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    told = 0
    for _ in range(1500):
        broken = bytearray(data)
        for _ in range(chance.choice([1, 2, 8])):
            first = footer if chance.random() < 0.5 else 0
            broken[chance.randrange(first, len(data))] = chance.choice([0, 127, 128, 255])
        path.write_bytes(broken)
        try:
            check_headers(path)
        except TareError:
            told += 1
    assert told > 300


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x15",
        b"\x18\x05ab",  # text that is cut
        b"\x1d",  # an unknown kind of value
        b"\x1b\x01",  # a map
        b"\x19" * 100,  # lists in lists
        b"\x1c" * 100,  # structures in structures
        b"\x15" + b"\xff" * 20,  # a number without end
        b"\x19\xfc\xff\xff\xff\xff\x0f",  # very many structures
    ],
)
def test_bytes_that_are_no_structure(data):
    with pytest.raises((IndexError, ValueError)):
        Compact(data).struct()


def test_values_of_every_kind():
    made = b"\x11\x12\x13\x07\x15\x03\x17" + struct.pack("<d", 1.5) + b"\x18\x02hi\x19\x25\x02\x04"
    made += b"\x1c\x15\x02\x00\x05\x80\x01\x01\x00"  # a structure; then field 64, by its number
    found = Compact(made).struct()
    assert found == {1: True, 2: False, 3: 7, 4: -2, 5: struct.pack("<d", 1.5), 6: b"hi", 7: [1, 2],
                     8: {1: 1}, 64: -1}  # fmt: skip


@pytest.mark.parametrize("value", [True, 7, "", "é", 1.5, b"x"])
def test_systems_are_named_as_in_a_table_read_whole(tmp_path, value):
    path = tmp_path / "a.parquet"
    rows = {"query": ["q", "q"], "document": ["a", "b"], "score": [1.0, 2.0]}
    pl.DataFrame({"system": [value] * 2, **rows}).write_parquet(path)
    whole = tare.evaluate({"q": {"a": 1}}, path, "RR")
    found = tare.evaluate({"q": {"a": 1}}, path, "RR", engine=Local(memory=100))
    assert (found.systems, found.findings) == (whole.systems, whole.findings)
    assert found.values.tolist() == whole.values.tolist()
