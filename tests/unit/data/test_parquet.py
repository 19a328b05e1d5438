"""Parquet files: tables of two writers, in whole and in parts, and damaged files."""

from __future__ import annotations

import itertools
import random
import struct

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

import tare
from tare._data.formats.parquet import Reader, footer_of, metadata, opened, read, written
from tare._kernels.threads_and_blocks import cut, drawn_seams
from tare.engines import Local
from tare.errors import DataError, FormatError, TareError, UnreadableError

N = 600
TABLE = pa.table(
    {
        "query": [f"q{i // 20}" for i in range(N)],
        "document": [f"d{i * 37 % N}" for i in range(N)],
        "score": [i % 13 / 7 for i in range(N)],
        "gaps": [None if i % 3 else i for i in range(N)],
        "lists": [[1] * (i % 4) for i in range(N)],
        "nested": [{"a": i, "b": [{"c": None}] * (i % 3)} for i in range(N)],
        "text": [None if i % 7 == 0 else f"é{i % 3}" for i in range(N)],
    }
)
EXPECTED = pl.DataFrame(pl.from_arrow(TABLE))


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
        assert_frame_equal(read(path), EXPECTED)
    pq.write_table(TABLE.slice(0, 0), path)
    assert_frame_equal(read(path), EXPECTED.clear())


@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zstd", "lz4"])
def test_files_of_polars(tmp_path, codec):
    path = tmp_path / "a.parquet"
    for rows in (None, 1, 100):
        EXPECTED.write_parquet(path, compression=codec, row_group_size=rows, metadata={"k": "é"})
        assert_frame_equal(read(path), EXPECTED)
        assert metadata(path)["k"] == "é"


@pytest.mark.parametrize("rows", [1, 70, N])
def test_parts_are_slices_of_the_whole(tmp_path, rows):
    path = tmp_path / "a.parquet"
    EXPECTED.write_parquet(path, row_group_size=rows)
    chance = random.Random(rows)
    for seed in range(20):
        start, count = chance.randrange(N + 1), chance.randrange(N + 50)
        columns = chance.choice([None, ["query"], ["text", "score"]])
        with cut(drawn_seams(seed)), opened(path) as table:
            assert (table.rows, table.columns) == (N, EXPECTED.columns)
            found = table.read(start, count, columns)
            assert pl.concat(table.batches("text")).equals(EXPECTED["text"])
        wanted = EXPECTED.slice(start, count)
        assert_frame_equal(found, wanted if columns is None else wanted.select(columns))


def test_types_stay_what_they_are(tmp_path):
    path = tmp_path / "a.parquet"
    frame = EXPECTED.select("query", "score").with_columns(
        pl.col("query").cast(pl.Categorical).alias("category"),
        pl.lit(b"\xff").alias("bytes"),
        pl.date(2020, 1, 2).alias("date"),
        pl.lit("1.50").cast(pl.Decimal(10, 2)).alias("decimal"),
        pl.lit(None).alias("nothing"),
    )
    frame.write_parquet(path)
    assert read(path).schema == frame.schema


def small(folder, codec="snappy"):
    path = folder / "a.parquet"
    EXPECTED.select("query", "document", "score").write_parquet(
        path, compression=codec, row_group_size=100
    )
    return path, path.read_bytes()


def zigzag(number: int) -> bytes:
    """A number as Thrift's compact protocol writes it."""
    left, out = number << 1 if number >= 0 else (-number << 1) - 1, b""
    while left > 127:
        out += bytes([left & 127 | 128])
        left >>= 7
    return out + bytes([left])


@pytest.mark.parametrize("values", [-100, 99])
def test_a_page_with_a_wrong_number_of_values(tmp_path, values):
    """polars aborts the process for a negative number."""
    path, data = small(tmp_path)
    place = data.index(b"\x2c\x15" + zigzag(100)) + 2  # field 1 of the page's header
    changed = zigzag(values)
    assert len(changed) == len(zigzag(100)) == 2
    path.write_bytes(data[:place] + changed + data[place + 2 :])
    with pytest.raises(FormatError, match=r"a\.parquet: not a readable Parquet file"):
        read(path)
    with pytest.raises(FormatError, match=r"a\.parquet, rows .*not a readable Parquet file"):
        tare.evaluate({"q1": {"d37": 1}}, path, "AP", engine=Local(memory=20_000))


@pytest.mark.parametrize("length", [2**32 - 1, 5])
def test_a_footer_of_a_wrong_length(tmp_path, length):
    path, data = small(tmp_path)
    path.write_bytes(data[:-8] + struct.pack("<I", length) + b"PAR1")
    with pytest.raises(FormatError, match="not a readable Parquet file"):
        read(path)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"no parquet, but long enough"])
def test_other_files(tmp_path, data):
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a readable Parquet file"):
        read(path)
    with pytest.raises(UnreadableError, match="nowhere"):
        read(tmp_path / "nowhere.parquet")
    with pytest.raises(UnreadableError, match="Addresses begin with s3://"):
        read("nowhere://bucket/a.parquet")


def test_text_that_is_not_utf8(tmp_path):
    path = tmp_path / "a.parquet"
    texts = pa.array([b"\xff\xfe", b"a"]).view(pa.string())
    pq.write_table(pa.table({"query": texts}), path)
    with pytest.raises(FormatError, match=r"a\.parquet: not a readable Parquet file.*UTF-8"):
        read(path)


def test_more_rows_than_memory_could_hold(tmp_path):
    """600 rows in a row group of 2^50 rows, by the footer."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array([1] * 8191)}), path, store_schema=False)
    data = path.read_bytes()
    old, footer = zigzag(8191), len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    body = data[footer:-8].replace(b"\x16" + old, b"\x16" + zigzag(2**50))
    assert len(body) > len(data) - 8 - footer
    path.write_bytes(data[:footer] + body + struct.pack("<I", len(body)) + b"PAR1")
    with pytest.raises(DataError, match=r"a\.parquet: .* rows, which need"):
        read(path)


@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_damaged_files_raise_only_errors_of_tare(tmp_path, codec):
    path, data = small(tmp_path, codec)
    chance = random.Random(codec)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    for _ in range(500):
        broken = bytearray(data)
        for _ in range(chance.choice([1, 2, 8])):
            first = footer if chance.random() < 0.5 else 0
            broken[chance.randrange(first, len(data))] = chance.choice([0, 127, 128, 255])
        path.write_bytes(broken)
        try:
            with opened(path) as table:
                table.read()
                table.read(150, 100, ["query"])
        except TareError:
            refused += 1
    assert 100 < refused < 500


@pytest.mark.parametrize("value", [True, 7, "é", 1.5, b"x"])
def test_systems_are_named_as_in_a_table_read_whole(tmp_path, value):
    path = tmp_path / "a.parquet"
    rows = {"query": ["q", "q"], "document": ["a", "b"], "score": [1.0, 2.0]}
    pl.DataFrame({"system": [value] * 2, **rows}).write_parquet(path)
    whole = tare.evaluate({"q": {"a": 1}}, path, "RR")
    found = tare.evaluate({"q": {"a": 1}}, path, "RR", engine=Local(memory=100))
    assert (found.systems, found.findings) == (whole.systems, whole.findings)
    assert found.values.tolist() == whole.values.tolist()


@pytest.mark.parametrize("engine", [None, Local(memory=100)])
def test_a_system_without_a_name_is_refused(tmp_path, engine):
    path = tmp_path / "a.parquet"
    rows = {"query": ["q", "q"], "document": ["a", "b"], "score": [1.0, 2.0]}
    for missing in ("", None):
        pl.DataFrame({"system": ["s", missing], **rows}).write_parquet(path)
        with pytest.raises(FormatError, match=r"a\.parquet, row 2: the system is missing"):
            tare.evaluate({"q": {"a": 1}}, path, "RR", engine=engine)


@pytest.mark.parametrize("place", ["table", "column", "list"])
def test_metadata_that_are_not_utf8_print_nothing(tmp_path, capfd, place):
    odd = {b"k": b"\xff"}
    about = {name: odd if name == place else None for name in ("table", "column", "list")}
    kind = pa.list_(pa.field("item", pa.string(), metadata=about["list"]))
    note = pa.field("note", kind, metadata=about["column"])
    fields = [pa.field("query", pa.string()), pa.field("document", pa.string()), note]
    table = pa.table([["q"], ["d"], [["x"]]], schema=pa.schema(fields, metadata=about["table"]))
    path = tmp_path / "qrels.parquet"
    pq.write_table(table, path)
    if place == "table":
        assert read(path).rows() == [("q", "d", ["x"])]
    else:
        with pytest.raises(FormatError, match=r"qrels\.parquet: not a readable Parquet file"):
            read(path)
    assert capfd.readouterr().err == ""


def pages_of(path):
    """The bytes of a file, and where the page header of the first column begins."""
    data = path.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data, footer_of(data[end:-8], end).groups[0].columns[0].start


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({2: 1 << 30}, "the pages of the column 'query' are larger than it"),
        ({3: 1 << 20}, "the pages of the column 'query' are larger than it"),
        ({2: -5}, "field 2 of its description is -5"),
        ({7: {1: 1 << 30}}, "the dictionary of the column 'query' is too small"),
        ({1: 9}, "the column 'query' has a page of kind 9"),
    ],
)
def test_a_page_that_claims_too_much(tmp_path, changes, told):
    path, _ = small(tmp_path)
    data, start = pages_of(path)
    reader = Reader(data, start)
    header = reader.struct()
    for number, value in changes.items():
        kind, held = header[number]
        if isinstance(value, dict):
            value = {**held, **{k: (held[k][0], v) for k, v in value.items()}}
        header[number] = kind, value
    before = reader.place - start
    changed = written(header)
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    about = Reader(data[end:-8]).struct()
    pages = about[4][1][1][0][1][1][1][0][3][1]
    moved = len(changed) - before  # the pages after it are further on
    for group in about[4][1][1]:
        for column in group[1][1][1]:
            for number in {9, 11} & set(column[3][1]):
                kind, place = column[3][1][number]
                column[3][1][number] = kind, place + moved if place > start else place
    pages[7] = pages[7][0], pages[7][1] + moved
    footer = written(about)
    body = data[:start] + changed + data[reader.place : end]
    path.write_bytes(body + footer + struct.pack("<I", len(footer)) + b"PAR1")
    with pytest.raises(FormatError, match=told):
        read(path)


def test_footers_are_written_as_others_write_them(tmp_path):
    path, ours = small(tmp_path)
    pq.write_table(TABLE, path, row_group_size=70)
    for data in (ours, path.read_bytes()):
        footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
        assert written(Reader(footer).struct()) == footer


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\x19" + b"\x19" * 5000, "nested too deep"),
        (b"\x1c" * 5000, "nested too deep"),
        (b"\x16" + b"\x80" * 5000, "too many digits"),
        (b"\x19\xf5\xff\xff\xff\xff\x7f", "ends too early"),
        (b"\x18\xff\xff\x03", "ends too early"),
        (b"\x15\x02\x05\x02\x02", "field 1 appears twice"),
        (b"\x15\xff\xff\xff\xff\xff\x0f", "has the number"),
        (b"\x1d\x00", "a field of kind 13"),
    ],
)
def test_a_description_that_is_damaged(data, told):
    with pytest.raises(ValueError, match=told):
        Reader(data).struct()


@pytest.mark.parametrize("depth", [9, 40])
def test_nested_columns(tmp_path, depth):
    value = kind = None
    for _ in range(depth):
        value, kind = [value], pa.list_(kind or pa.int64())
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array([value], type=kind)}), path)
    if depth < 10:
        assert read(path).rows() == [(value,)]
    else:
        with pytest.raises(FormatError, match="nested too deep"):
            read(path)


def test_only_the_columns_and_groups_that_are_needed_are_read(tmp_path):
    path, data = small(tmp_path)
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    groups = footer_of(data[end:-8], end).groups
    holes = bytearray(data)
    for number, group in enumerate(groups):
        for column in group.columns:
            if number != 2 or column.name != "document":
                holes[column.start : column.stop] = bytes(column.stop - column.start)
    path.write_bytes(holes)
    with opened(path) as table:
        found = table.read(230, 50, ["document"])
        assert found.equals(EXPECTED.select("document").slice(230, 50))
        with pytest.raises(FormatError, match=r"a\.parquet, rows 100 to 250: not a readable"):
            table.read(99, 151, ["document"])
