"""Tables: each kind is read from each layout under each spelling, and its rows have the numbers of an editor.

A user loses the column of a colleague's file, or looks for a mistake on the wrong line, if this fails.
"""

from __future__ import annotations

import json
from collections import namedtuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tare
from tare._data.columns import COLUMNS
from tare._data.pools import read_candidates
from tare._data.profiles import read_profiles
from tare._data.ranks import read_ranks
from tare.errors import FormatError, TareError


def ranks_of(source):
    """The rows of a table of ranks."""
    table = read_ranks(source)
    return [(one.system, one.queries, one.low.tolist(), one.high.tolist()) for one in table.systems]


def documents_of(source):
    """The candidates of each query."""
    lists = read_candidates(source).lists
    assert lists is not None
    return lists.to_dict()


def wanted_by(source):
    """The subtopics of each profile and query."""
    return read_profiles(source).wanted


IDS = {"query": ["1", "NA", "null"], "document": ["a", "n/a", "NaN"]}
KINDS = {
    "qrels": (lambda s: tare.read_qrels(s).to_dict(), {**IDS, "grade": [1, 0, 2]}),
    "runs": (
        lambda s: [(run.system, run.to_dict()) for run in tare.read_runs(s)],
        {**IDS, "score": [1.5, 2.5, 3.5], "system": ["x", "x", "NA"]},
    ),
    "runs by rank": (lambda s: tare.read_run(s).to_dict(), {**IDS, "rank": [1, 2, 3]}),
    "numbers of candidates": (
        lambda s: read_candidates(s).counts,
        {"query": IDS["query"], "candidates": [10, 20, 30]},
    ),
    "lists of candidates": (documents_of, IDS),
    "ranks": (
        ranks_of,
        {
            "query": IDS["query"],
            "rank": [1, 2, 3],
            "candidates": [5, 6, 7],
            "system": ["x", "y", "NA"],
        },
    ),
    "ranges of ranks": (
        ranks_of,
        {
            "query": IDS["query"],
            "rank_min": [1, 2, 3],
            "rank_max": [2, 2, 4],
            "candidates": [9, 9, 9],
        },
    ),
    "subtopics": (
        lambda s: list(tare.read_subtopics(s).cells()),
        {**IDS, "subtopic": ["1", "2", "none"], "grade": [1, 0, 2]},
    ),
    "preferences": (
        lambda s: tare.read_preferences(s).judgements,
        {
            "query": ["1", "1", "2"],
            "left": ["a", "b", "NA"],
            "right": ["b", "null", "d"],
            "preferred": ["a", "tie", "right"],
            "assessor": ["ann", "bob", "7"],
            "given": ["c", "c d", "e"],
        },
    ),
    "profiles": (
        wanted_by,
        {"profile": ["p", "p", "NA"], "query": IDS["query"], "subtopic": ["1", "2", "null"]},
    ),
}


def delimited(separator):
    """Write columns as lines between separators."""

    def written(columns, folder):
        path = folder / ("made.csv" if separator == "," else "made.tsv")
        lines = [columns, *zip(*columns.values(), strict=True)]
        path.write_text("".join(f"{separator.join(map(str, line))}\n" for line in lines))
        return path

    return written


def records(columns):
    """The rows of columns, as dictionaries."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def jsonl(columns, folder):
    """Write columns as JSON lines."""
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in records(columns)))
    return path


def parquet(columns, folder):
    """Write columns as a Parquet file."""
    pl.DataFrame(columns).write_parquet(folder / "made.parquet")
    return folder / "made.parquet"


LAYOUTS = {
    "CSV": delimited(","),
    "TSV": delimited("\t"),
    "JSON lines": jsonl,
    "Parquet": parquet,
    "polars": lambda columns, _: pl.DataFrame(columns),
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "Arrow": lambda columns, _: pa.table(columns),
    "columns": lambda columns, _: columns,
    "rows": lambda columns, _: records(columns),
}
FIRST = {"CSV": 2, "TSV": 2}  # the header is row 1; others begin with row 1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_spelling_of_each_column_is_read(kind, layout, tmp_path):
    read, columns = KINDS[kind]
    expected = read(LAYOUTS["polars"](columns, tmp_path))
    for role in columns:
        for spelling in COLUMNS[role]:
            named = {spelling if name == role else name: v for name, v in columns.items()}
            for case in (spelling, spelling.upper()):
                given = {case if name == spelling else name: v for name, v in named.items()}
                assert read(LAYOUTS[layout](given, tmp_path)) == expected, (role, case)


OBJECTS = ("qrels", "runs by rank", "ranks", "preferences", "profiles", "numbers of candidates")


@pytest.mark.parametrize("kind", OBJECTS)
def test_rows_can_be_named_tuples(kind):
    read, columns = KINDS[kind]
    row = namedtuple("Row", columns)
    assert read([row(*cells) for cells in zip(*columns.values(), strict=True)]) == read(
        pl.DataFrame(columns)
    )


PLAIN = ("qrels", "preferences", "profiles", "numbers of candidates")


@pytest.mark.parametrize("kind", PLAIN)
def test_rows_can_be_plain_tuples_in_the_order_of_the_columns(kind):
    read, columns = KINDS[kind]
    assert read(list(zip(*columns.values(), strict=True))) == read(pl.DataFrame(columns))


REQUIRED = {
    "qrels": ("query", "document"),
    "runs": ("query", "document", "system"),
    "numbers of candidates": ("query",),
    "lists of candidates": ("query", "document"),
    "ranks": ("query", "system"),
    "subtopics": ("query", "subtopic", "document"),
    "preferences": ("query", "left", "right"),
    "profiles": ("profile", "query", "subtopic"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", REQUIRED)
def test_an_empty_id_is_refused_with_its_row(kind, layout, tmp_path):
    read, columns = KINDS[kind]
    for role in REQUIRED[kind]:
        for empty in ("", "  ", None):
            if empty is None and layout in ("CSV", "TSV"):
                continue  # such a cell is the text None
            cells = columns[role]
            given = {**columns, role: [cells[0], empty, cells[2]]}
            row = FIRST.get(layout, 1) + 1
            with pytest.raises(FormatError, match=rf"row {row}: the {role} is missing"):
                read(LAYOUTS[layout](given, tmp_path))


@pytest.mark.parametrize("kind", ["qrels", "runs", "ranks", "subtopics", "numbers of candidates"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_missing_number_is_refused_with_its_row(kind, layout, tmp_path):
    read, columns = KINDS[kind]
    role = next(r for r in ("grade", "score", "rank", "candidates") if r in columns)
    given = {**columns, role: [str(columns[role][0]), "NA", str(columns[role][2])]}
    with pytest.raises(TareError, match=rf"row {FIRST.get(layout, 1) + 1}: "):
        read(LAYOUTS[layout](given, tmp_path))


def test_a_missing_assessor_is_none_and_a_missing_winner_is_refused():
    rows = [("q", "a", "b", "a", "NA"), ("q", "a", "b", "a", None)]
    assert [j.assessor for j in tare.read_preferences(rows).judgements] == ["", ""]
    with pytest.raises(FormatError, match="rows, row 2: expected 4 fields, found 3"):
        tare.read_preferences([("q", "a", "b", "a"), ("q", "a", "b", "NA")])


@pytest.mark.parametrize(
    ("name", "text", "row"),
    [
        ("a quoted line feed.csv", 'query,document,grade\n"q\n1",a,1\nq2,b,x\n', 4),
        ("a quoted heading.csv", '"query",document,"grade\n"\nq1,a,1\nq2,b,x\n', 4),
        ("quotes in a cell.csv", 'query,document,grade\nq1,"a ""b"" c",1\nq2,b,x\n', 3),
        ("empty lines.csv", "\n\nquery,document,grade\n\nq1,a,1\n\nq2,b,x\n\n", 7),
        ("carriage returns.csv", "query,document,grade\r\nq1,a,1\r\nq2,b,x\r\n", 3),
        ("no last line feed.tsv", "query\tdocument\tgrade\nq1\ta\t1\nq2\tb\tx", 3),
        (
            "empty lines.jsonl",
            '{"query": "q1", "document": "a", "grade": 1}\n\n'
            '{"query": "q2", "document": "b", "grade": "x"}\n',
            3,
        ),
    ],
)
def test_the_row_of_a_file_is_the_line_of_an_editor(tmp_path, name, text, row):
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert text.splitlines()[row - 1].count("x") == 1
    with pytest.raises(FormatError, match=rf"row {row}: the grade 'x' is not a finite number"):
        tare.read_qrels(path)


@pytest.mark.parametrize("end", ["\n\n\n", ",,\n,,\n"])
def test_rows_without_a_cell_are_no_rows(tmp_path, end):
    path = tmp_path / "made.csv"
    path.write_text(f"query,document,grade\nq1,a,1\n{end}")
    assert tare.read_qrels(path).to_dict() == {"q1": {"a": 1.0}}


def test_duplicates_are_told_with_their_lines(tmp_path):
    path = tmp_path / "made.csv"
    path.write_text('query,document,score\n"q\n1",a,1\nq2,b,1\n"q\n1",a,2\n')
    with pytest.raises(FormatError, match=r"made\.csv, row 5: duplicate .*first seen on row 2"):
        tare.read_run(path)
    path = tmp_path / "subtopics.csv"
    path.write_text("query,subtopic,document,grade\nq,1,a,1\n\nq,1,a,2\n")
    with pytest.raises(FormatError, match=r"csv, row 4: .* has a different grade on row 2"):
        tare.read_subtopics(path)


def test_lists_of_documents_tell_their_line(tmp_path):
    path = tmp_path / "made.jsonl"
    lines = [
        {"query_id": "q1", "retrieved_ids": ["a", "b"]},
        {"query_id": "q2", "retrieved_ids": [None]},
    ]
    path.write_text("\n\n".join(map(json.dumps, lines)))
    with pytest.raises(FormatError, match=r"row 3: a document in 'retrieved_ids' is missing"):
        tare.read_run(path)


@pytest.mark.parametrize("read", [tare.read_qrels, tare.read_run])
def test_a_dictionary_has_no_empty_ids(read):
    for bad in ({"": {"a": 1}}, {"q": {"": 1}}, {"q": {"a": 1}, "p": {"b": 1, "": 0}}):
        with pytest.raises(FormatError, match="is ''; an id is a number or a text"):
            read(bad)
    with pytest.raises(FormatError, match="dictionary, entry 1: the document is missing"):
        read({"q": ["a", ""]})
