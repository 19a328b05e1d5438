"""The LETOR reader against an obvious one, against scikit-learn, and against its own promises."""

import gzip
import io
import re
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from tare import _kernels as kernels
from tare._data import Letor, read_letor
from tare.errors import DataError, FormatError, MismatchError, OptionError, UnreadableError
from tests.reference import letor_parser

IN_TMP = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

SMALL = b"""# a comment
2 qid:a 1:0.5 3:-2 # docid = d1 inc = 1
0 qid:a 2:1e-3 #docid=d2

1 qid:b 3:7
"""


def read_bytes(data, *, block=1 << 22, documents=False, threads=0):
    """A reading of bytes that arrive in blocks of some size."""
    whole = np.frombuffer(data, dtype=np.uint8)
    cut = (whole[i : i + block] for i in range(0, len(whole), block))
    return kernels.read_letor(cut, documents=documents, threads=threads)


def written(tmp_path: Path, data: bytes, name: str = "data.txt") -> Path:
    """A file with these bytes."""
    path = tmp_path / name
    path.write_bytes(data)
    return path


def same_bits(a, b):
    """Whether two arrays are equal to the last bit and in shape."""
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def together(parsed):
    """The rows of the obvious parser, those of a query together, and the queries."""
    queries = list(dict.fromkeys(row.query for row in parsed.rows))
    order = sorted(range(len(parsed.rows)), key=lambda i: queries.index(parsed.rows[i].query))
    return order, queries


def agrees(reading, parsed, *, documents=False):
    """Holds a reading against the obvious parser's."""
    assert reading.problem_count == len(parsed.faults)
    assert [(line, kind) for line, kind, _ in reading.problems] == parsed.faults[:20]
    if parsed.faults or not parsed.rows:
        assert reading.arrays is None
        return
    order, queries = together(parsed)
    arrays = reading.arrays
    assert same_bits(arrays.features, parsed.matrix()[order])
    assert arrays.grades.tolist() == [parsed.rows[i].grade for i in order]
    if queries == [None]:
        assert (arrays.queries, arrays.offsets.tolist()) == ([], [0])
    else:
        assert arrays.queries == queries
        of = [parsed.rows[i].query for i in order]
        assert arrays.offsets.tolist() == [*map(of.index, queries), len(of)]
    assert arrays.documents == ([parsed.rows[i].document for i in order] if documents else [])


# Reading


def test_small_file(tmp_path):
    letor = read_letor(written(tmp_path, SMALL), documents=True)
    assert letor.queries == ("a", "b")
    assert letor.offsets.tolist() == [0, 2, 3]
    assert letor.grades.tolist() == [2, 0, 1]
    assert letor.features.tolist() == [[0.5, 0, -2], [0, np.float32(1e-3), 0], [0, 0, 7]]
    assert letor.documents == ("d1", "d2", "b:1")
    assert (len(letor), letor.n_features, letor.first_feature) == (3, 3, 1)
    assert repr(letor).endswith("data.txt': 3 rows, 2 queries, 3 features)")
    assert [finding.kind for finding in letor.findings] == ["documents without an id"]


def test_arrays_are_contiguous_and_read_only(tmp_path):
    letor = read_letor(written(tmp_path, SMALL))
    for array, kind in ((letor.features, "f4"), (letor.grades, "f8"), (letor.offsets, "i8")):
        assert array.dtype == kind
        assert array.flags.c_contiguous
        assert not array.flags.writeable
    assert read_letor(letor) is letor


@pytest.mark.parametrize(
    "data",
    [
        SMALL.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + SMALL,
        SMALL.replace(b" ", b"  \t "),
        SMALL.replace(b"2 qid", b"  2 qid").replace(b"3:-2 #", b"3:-2#"),
        SMALL.rstrip(b"\n"),
        SMALL.replace(b"1:0.5 3:-2", b"3:-2.0 1:+.5"),
    ],
    ids=["crlf", "byte order mark", "blanks", "tight", "no last line end", "not ascending"],
)
def test_spellings_of_the_same(tmp_path, data):
    expected = read_letor(written(tmp_path, SMALL), documents=True)
    letor = read_letor(written(tmp_path, data, "other.txt"), documents=True)
    assert same_bits(letor.features, expected.features)
    assert (letor.queries, letor.documents) == (expected.queries, expected.documents)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed(tmp_path, pack):
    letor = read_letor(written(tmp_path, pack(SMALL), "data.packed"))
    assert len(letor) == 3


def test_standard_input(tmp_path, monkeypatch):
    with written(tmp_path, SMALL).open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert read_letor("-").name == "standard input"


def test_features_from_zero(tmp_path):
    letor = read_letor(written(tmp_path, b"1 qid:1 1:2 2:3\n0 qid:1 0:9\n"))
    assert letor.first_feature == 0
    assert letor.features.tolist() == [[0, 2, 3], [9, 0, 0]]
    assert "feature 0 is column 0" in str(letor.findings[0])
    assert letor.run(feature=0).to_dict() == {"1": {"1:1": 0, "1:2": 9}}


def test_scattered_queries_are_brought_together(tmp_path):
    text = b"".join(b"%d qid:%d 1:%d\n" % (i, i % 3, i) for i in range(10))
    letor = read_letor(written(tmp_path, text))
    assert letor.queries == ("0", "1", "2")
    assert letor.offsets.tolist() == [0, 4, 7, 10]
    assert letor.features[:, 0].tolist() == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    assert letor.grades.tolist() == letor.features[:, 0].tolist()
    assert (letor.findings[0].kind, letor.findings[0].count) == ("scattered queries", 3)


def test_rows_without_features(tmp_path):
    letor = read_letor(written(tmp_path, b"1 qid:1\n0 qid:1 # nothing\n"))
    assert letor.features.shape == (2, 0)


# Against the obvious parser

ODD_FIELDS = [
    "1:nan",
    "2:inf",
    "3:-Infinity",
    "4:1e39",
    "5:1e-400",
    "6:3.4028235e38",
    "7:1e5",
    "8:1E+2",
    "9:.5",
    "9:5.",
    "9:.",
    "1:",
    ":1",
    "x",
    "1:1:1",
    "-1:1",
    "+1:1",
    "1.5:2",
    "1000000:1",
    "1000001:1",
    "4000000000:1",
    "99999999999999999999:1",
    "qid:7",
    "5:0x10",
    "5:1_0",
    "5:+-1",
    "5:12345678",
    "5:123456789.123456789123",
    "007:7",
    "6:1e",
    "6:--1",
    "6:é",
    "7:\x01",
    "8:0.30000000000000000000000004",
    "8:9007199254740993",
    "8:123456.00000000000000",
    "1:0#x",
]
fields = st.one_of(
    st.builds("{}:{}".format, st.integers(0, 12), st.integers(-99, 99)),
    st.builds("{}:{:.6f}".format, st.integers(1, 300), st.floats(0, 1)),
    st.builds("{}:{!r}".format, st.integers(1, 40), st.floats(width=32)),
    st.sampled_from(ODD_FIELDS),
)
good_fields = st.builds(
    "{}:{}".format,
    st.integers(1, 30),
    st.one_of(
        st.decimals(-999, 999, places=6),
        st.integers(-(10**9), 10**9),
        st.floats(-1e30, 1e30).map(repr),
    ),
)
queries = st.sampled_from(["qid:1", "qid:1", "qid:2", "qid:q#3", "qid:é", "qid:", "qid:a\x02", ""])
grades = st.sampled_from(
    ["0", "1", "2", "4", "-1", "0.5", "1e1", "+3", "nan", "x", "1:1", "#", "é", "1#qid:1"]
)
comments = st.sampled_from(
    ["", "# x", "#docid = d1 inc = 2", "# docid=é z", "#docids = 3 docid =", "#docid\t=\ta\x01b"]
)
blanks = st.sampled_from([" ", " ", "\t", "  ", " \r", "\v"])


@st.composite
def lines(draw, grades, queries, fields):
    """A line, good or bad, of the fields given."""
    blank = draw(blanks)
    parts = [draw(grades), draw(queries), *draw(fields), draw(comments)]
    return blank.join(part for part in parts if part)


bad_texts = st.lists(lines(grades, queries, st.lists(fields, max_size=6)), max_size=12)
good_texts = st.lists(
    lines(
        st.sampled_from(["0", "1", "2.5", "-3", "1e-7"]),
        st.sampled_from(["qid:1", "qid:1", "qid:2", "qid:q#3", "qid:é"]),
        st.lists(good_fields, max_size=6, unique_by=lambda field: field.split(":")[0]),
    ),
    min_size=1,
    max_size=20,
)


@IN_TMP
@given(st.one_of(bad_texts, good_texts), st.integers(1, 80), st.booleans(), st.booleans())
def test_any_text_is_read_as_by_the_obvious_parser(lines, block, documents, ended):
    data = "\n".join(lines).encode() + (b"\n" if ended else b"")
    parsed = letor_parser.parse(data, documents=documents)
    agrees(read_bytes(data, documents=documents), parsed, documents=documents)
    agrees(read_bytes(data, block=block, documents=documents), parsed, documents=documents)


@IN_TMP
@given(st.binary(max_size=200), st.integers(1, 50), st.booleans())
@example(b"1 qid:\xff 1:1\n", 3, False)
@example(b"1 qid:1 1:\xff\n", 3, False)
@example(b"1 qid:1 1:1 # docid = \xff\n", 3, True)
@example(b"\xef\xbb", 1, False)
def test_any_bytes_are_read_as_by_the_obvious_parser(data, block, documents):
    parsed = letor_parser.parse(data, documents=documents)
    agrees(read_bytes(data, block=block, documents=documents), parsed, documents=documents)


decimals = st.one_of(
    st.from_regex(r"\A[+-]?[0-9]{1,22}(\.[0-9]{0,24})?([eE][+-]?[0-9]{1,2})?\Z"),
    st.from_regex(r"\A-?[0-9]\.[0-9]{1,17}\Z"),
    st.floats(-3e38, 3e38).map(repr),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda x: str(np.float32(x))),
)


@IN_TMP
@given(st.lists(decimals.filter(lambda text: abs(float(text)) < 3e38), min_size=1, max_size=30))
@example(["1.00000017881393432617187499", "16777217.0000001", "0.000000000000000", "-0", "-0.0"])
def test_values_are_doubles_rounded_to_single_precision(texts):
    # A line in front of others is read by eight bytes a step, the last one byte by byte.
    row = " ".join(f"{i}:{text}" for i, text in enumerate(texts, 1))
    reading = read_bytes(f"0 qid:1 {row}\n1 qid:1 {row}\n".encode())
    expected = np.array([np.float32(float(text)) for text in texts])
    assert same_bits(reading.arrays.features[0], expected)
    assert same_bits(reading.arrays.features[1], expected)


# Any number of threads, any size of block


def long_text(seed):
    """Some hundred thousand bytes: widths that grow, scattered queries, feature 0 at the end."""
    random = np.random.default_rng(seed)
    out = []
    for i in range(4000):
        ids = random.choice(np.arange(1, 20 + i // 50), size=12, replace=False)
        values = random.random(12)
        cells = " ".join(f"{id_}:{value:.6f}" for id_, value in zip(ids, values, strict=True))
        out.append(f"{random.integers(0, 5)} qid:{i // 10 if i % 100 else 7} {cells} #docid = d{i}")
    out.append("1 qid:last 0:4")
    return "\n".join(out).encode()


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("block", [997, 70_000, 1 << 22])
def test_threads_and_blocks_change_nothing(threads, block):
    data = long_text(1)
    parsed = letor_parser.parse(data, documents=True)
    reading = read_bytes(data, block=block, documents=True, threads=threads)
    agrees(reading, parsed, documents=True)
    assert reading.arrays.scattered == 1
    bad = data.replace(b" 1", b" x1", 50)
    agrees(read_bytes(bad, block=block, threads=threads), letor_parser.parse(bad))


@pytest.mark.parametrize("length", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1])
@pytest.mark.parametrize("block", [1 << 16, (1 << 20) + 7, 1 << 22])
@pytest.mark.parametrize("start", [b"# ", b"1 qid:1 1:1 # ", b"1 qid:1 x ", b""])
def test_long_lines(length, block, start):
    data = b"1 qid:1 1:2\n" + start.ljust(length, b" ") + b"\n1 qid:1 1:3\n"
    agrees(read_bytes(data, block=block), letor_parser.parse(data))


# What is refused


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("x qid:1 1:1", "the grade 'x' is not a number. A LETOR line is"),
        ("nan qid:1 1:1", "the grade 'nan' is not finite"),
        ("1 1:1", "no query found"),
        ("1 qid: 1:1", "no query found"),
        ("1 qid:1 1:1 two", "'two' is not a feature"),
        ("1 qid:1 1:nan", "'1:nan' is not finite"),
        ("1 qid:1 1:1e39", "'1:1e39' is not finite as a 32-bit number"),
        ("1 qid:1 4000000000:1", "'4000000000:1' has an id above 1,000,000"),
        ("1 qid:1 7:1 3:1 7:2", "duplicate feature 7"),
        ("1 qid:1 1:\x00", "the control character U+0000"),
    ],
)
def test_bad_lines_are_told(tmp_path, line, told):
    path = written(tmp_path, f"1 qid:1 1:1\n\n{line}\n".encode())
    with pytest.raises(FormatError, match=f"data.txt, line 3: .*{re.escape(told)}"):
        read_letor(path)


def test_all_problems_are_counted_and_three_of_a_kind_told(tmp_path):
    path = written(tmp_path, b"1 qid:1 1:1\n" + b"0 2:2\n1 qid:1 x\n" * 15)
    with pytest.raises(FormatError) as raised:
        read_letor(path)
    told = str(raised.value).splitlines()
    assert len(told) == 7
    assert "line 2: no query" in told[0]
    assert "line 3: 'x'" in told[1]
    assert told[-1] == "… 30 problems in total; at most 3 of a kind are shown."


def test_a_matrix_beyond_all_bounds_is_not_made(tmp_path):
    path = written(tmp_path, b"1 qid:1 1:1\n" * 5000 + b"1 qid:1 1000000:1\n")
    with pytest.raises(FormatError, match=r"5,001 rows with 1,000,000 features .*16 GiB"):
        read_letor(path)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# only a comment\n"])
def test_nothing_to_read(tmp_path, data):
    with pytest.raises(FormatError, match="no rows found"):
        read_letor(written(tmp_path, data))


def test_no_such_file(tmp_path):
    written(tmp_path, SMALL, "data.txt.gz")
    with pytest.raises(UnreadableError, match=r"Did you mean data\.txt\.gz"):
        read_letor(tmp_path / "data.txt")


# Groups

UNNAMED = b"1 1:1\n0 1:2\n2 1:3\n"


@pytest.mark.parametrize(("rows", "groups"), [("t.txt", "t.txt.query"), ("t.gz", "t.group")])
def test_groups_beside_the_file(tmp_path, rows, groups):
    written(tmp_path, b"\xef\xbb\xbf1\r\n2\r\n\r\n", groups)
    letor = read_letor(written(tmp_path, UNNAMED, rows))
    assert letor.queries == ("1", "2")
    assert letor.offsets.tolist() == [0, 1, 3]
    assert letor.documents == ("1:1", "2:1", "2:2")
    assert letor.findings[0].kind == "queries by groups"


def test_groups_given(tmp_path):
    path = written(tmp_path, UNNAMED)
    sizes = written(tmp_path, b"2\n1\n", "sizes")
    for groups in (sizes, str(sizes), [2, 1], np.array([2, 1])):
        assert read_letor(path, groups=groups).offsets.tolist() == [0, 2, 3]


def test_groups_that_do_not_add_up(tmp_path):
    path = written(tmp_path, UNNAMED)
    with pytest.raises(MismatchError, match=r"has 3 rows, but the 2 groups of .*sizes have 4"):
        read_letor(path, groups=written(tmp_path, b"2\n2\n", "sizes"))


@pytest.mark.parametrize("line", ["0", "-1", "1.5", "x", "1 2", "9" * 30, "²"])
def test_bad_group_sizes(tmp_path, line):
    path = written(tmp_path, UNNAMED)
    sizes = written(tmp_path, f"1\n{line}\n".encode(), "sizes")
    with pytest.raises(FormatError, match=r"sizes, line 2: .* is not the size of a group"):
        read_letor(path, groups=sizes)


@pytest.mark.parametrize("sizes", [[3, 0], [4, -1], [1.5, 1.5], ["3"]])
def test_bad_group_sizes_given(tmp_path, sizes):
    with pytest.raises(FormatError, match="whole numbers of rows"):
        read_letor(written(tmp_path, UNNAMED), groups=sizes)


def test_no_groups(tmp_path):
    with pytest.raises(FormatError, match=r"no line names its query, and data\.txt\.query"):
        read_letor(written(tmp_path, UNNAMED))


def test_groups_for_lines_with_queries(tmp_path):
    path = written(tmp_path, SMALL)
    written(tmp_path, b"7\n", "data.txt.query")
    assert len(read_letor(path)) == 3
    with pytest.raises(OptionError, match="Remove groups="):
        read_letor(path, groups=[3])


# Uses


def test_qrels_and_runs(tmp_path):
    letor = read_letor(written(tmp_path, SMALL), documents=True)
    assert letor.qrels().to_dict() == {"a": {"d1": 2, "d2": 0}, "b": {"b:1": 1}}
    run = letor.run(feature=3)
    assert run.system == "feature-3"
    assert run.to_dict() == {"a": {"d1": -2, "d2": 0}, "b": {"b:1": 7}}
    run = letor.run(scores=[3, 2, 1], system="mine")
    assert (run.system, run.to_dict()["b"]) == ("mine", {"b:1": 1})


def test_wrong_runs(tmp_path):
    letor = read_letor(written(tmp_path, SMALL))
    with pytest.raises(OptionError, match="not both"):
        letor.run()
    with pytest.raises(OptionError, match="not both"):
        letor.run(feature=1, scores=[1, 2, 3])
    for feature in (0, 4, -1):
        with pytest.raises(OptionError, match="has the features 1 to 3"):
            letor.run(feature=feature)
    with pytest.raises(MismatchError, match="one score per row"):
        letor.run(scores=[1, 2])
    with pytest.raises(FormatError, match="holds nan for row 1"):
        letor.run(scores=[1, np.nan, 2])


def test_a_document_twice_under_a_query(tmp_path):
    path = written(tmp_path, b"1 qid:1 1:1 #docid = d\n0 qid:1 1:2 #docid = d\n")
    letor = read_letor(path, documents=True)
    with pytest.raises(FormatError, match=r"duplicate document 'd' of query '1'.*documents=True"):
        letor.qrels()
    assert read_letor(path).qrels().to_dict() == {"1": {"1:1": 1, "1:2": 0}}


def test_select(tmp_path):
    letor = read_letor(written(tmp_path, SMALL + b"3 qid:c 1:9\n"), documents=True)
    part = letor.select(["c", "a"])
    assert (part.queries, part.offsets.tolist()) == (("c", "a"), [0, 1, 3])
    assert part.grades.tolist() == [3, 2, 0]
    assert part.features[:, 0].tolist() == [9, 0.5, 0]
    assert part.documents == ("c:1", "d1", "d2")
    assert letor.select([]).features.shape == (0, 3)
    assert letor.select("b").queries == ("b",)
    with pytest.raises(MismatchError, match=r"no query 'A'\. Did you mean 'a'"):
        letor.select(["A"])
    with pytest.raises(OptionError, match="selected twice"):
        letor.select(["a", "b", "a"])


def test_arrays_that_do_not_belong_together():
    with pytest.raises(MismatchError, match="do not fit together"):
        Letor("made", np.zeros((2, 1), "f4"), np.zeros(3), ("a",), np.array([0, 3]))


# Writing

ids = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4)
finite = {"allow_nan": False, "allow_infinity": False}


@st.composite
def letors(draw):
    """Any LETOR data."""
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    names = draw(st.lists(ids, min_size=len(counts), max_size=len(counts), unique=True))
    rows, width = sum(counts), draw(st.integers(0, 5))
    cells = st.lists(st.floats(width=32, **finite), min_size=width * rows, max_size=width * rows)
    grades = draw(st.lists(st.floats(**finite), min_size=rows, max_size=rows))
    documents = draw(st.none() | st.lists(ids | st.just(""), min_size=rows, max_size=rows))
    return Letor(
        "made",
        np.array(draw(cells), dtype=np.float32).reshape(rows, width),
        np.array(grades),
        tuple(names),
        np.cumsum([0, *counts]),
        document_ids=tuple(documents) if documents and any(documents) else None,
    )


@IN_TMP
@given(letors())
def test_what_is_written_reads_back(tmp_path, letor):
    path = tmp_path / "written.txt"
    letor.write(path)
    back = read_letor(path, documents=True)
    assert same_bits(back.features, letor.features)
    assert same_bits(back.grades, letor.grades)
    assert same_bits(back.offsets, letor.offsets)
    assert (back.queries, back.document_ids) == (letor.queries, letor.document_ids)


def test_how_it_is_written(tmp_path):
    letor = read_letor(written(tmp_path, SMALL), documents=True)
    letor.write(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == (
        "2 qid:a 1:0.5 2:0 3:-2 #docid = d1\n"
        "0 qid:a 1:0 2:0.001 3:0 #docid = d2\n"
        "1 qid:b 1:0 2:0 3:7\n"
    )


def test_what_cannot_be_written_leaves_the_file_alone(tmp_path):
    path = written(tmp_path, b"keep me")
    letor = Letor("made", np.zeros((1, 1), "f4"), np.zeros(1), ("a b",), np.array([0, 1]))
    with pytest.raises(FormatError, match="'a b' cannot be written as LETOR text"):
        letor.write(path)
    assert path.read_bytes() == b"keep me"
    with pytest.raises(OptionError, match="compressed"):
        letor.write(tmp_path / "x.gz")


# Against scikit-learn


@pytest.mark.parametrize("density", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("zero_based", [True, False])
def test_same_as_scikit_learn(tmp_path, density, zero_based):
    random = np.random.default_rng(3)
    dense = random.normal(size=(500, 37)) * (random.random((500, 37)) < density)
    dense *= 10.0 ** random.integers(-8, 8, size=37)
    dense[:, [0, -1]] = 1.5  # so that both ends of the features are there
    query = np.sort(random.integers(0, 40, 500))
    buffer = io.BytesIO()
    dump_svmlight_file(
        dense, random.integers(0, 5, 500), buffer, query_id=query, zero_based=zero_based
    )
    path = written(tmp_path, buffer.getvalue())
    x, y, qid = load_svmlight_file(
        str(path), dtype=np.float32, query_id=True, zero_based=zero_based
    )
    letor = read_letor(path)
    assert same_bits(letor.features, np.asarray(x.toarray(), dtype=np.float32))
    assert letor.grades.tolist() == y.tolist()
    counts = np.diff(letor.offsets)
    assert np.repeat([int(q) for q in letor.queries], counts).tolist() == qid.tolist()


def test_memory_that_does_not_suffice_is_told(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise MemoryError

    monkeypatch.setattr(kernels, "read_letor", refuse)
    with pytest.raises(DataError, match="not enough memory"):
        read_letor(written(tmp_path, SMALL))


def test_offsets_cannot_be_changed_after_they_were_checked():
    """Rankers read them without Python's lock; another thread once moved them beyond the rows."""
    features, offsets = np.eye(3, dtype=np.float32), np.array([0, 1, 3])
    letor = Letor("made", features, [1.0, 0.0, 2.0], ("q1", "q2"), offsets)
    offsets[:] = 10**6
    assert letor.offsets.tolist() == [0, 1, 3]
    with pytest.raises(ValueError, match="read-only"):
        letor.offsets[0] = 1


@pytest.mark.parametrize(
    "offsets", [[0, 3, 1, 3], [1, 1, 2, 3], [-5, 0, 1, 3], [], [[0, 1], [2, 3]]]
)
def test_offsets_begin_with_0_and_never_decrease(offsets):
    with pytest.raises(MismatchError, match="offsets must begin with 0 and never decrease"):
        Letor("made", np.eye(3), [1.0, 0.0, 2.0], ("q1", "q2", "q3"), offsets)
