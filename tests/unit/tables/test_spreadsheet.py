"""CSV and TSV that no spreadsheet runs, and that our readers read as what was written."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tare._data.formats import delimited
from tare._data.preferences import Preferences, read_preferences
from tare._data.qrels import read_qrels
from tare._data.ratings import read_ratings
from tare._data.runs import read_run
from tare._data.summaries import read_summaries
from tare._data.table_files import table_in
from tare._tables.delimited import marked, unmarked
from tare.errors import FormatError
from tests.rooms import FORMULAS

NUMBERS = ["-1.5", "+2", "-3e-7", "-.5", "+10", "-0"]
TEXTS = st.text(st.sampled_from("=+-@'\t\r\n1.5e,\";a ＝＋－＠"), max_size=6)


def runs(cell: str) -> bool:
    """Whether a spreadsheet might take a cell for a formula."""
    try:
        float(cell)
    except ValueError:
        return cell[:1] in tuple("=+-@\t\r\n＝＋－＠")
    return False


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@given(cells=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8))
def test_whatever_is_written_is_read_again_and_nothing_of_it_runs(suffix, cells, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"cells{suffix}"
    frame = pl.DataFrame(
        {"=a": [a for a, _ in cells], "b": [b for _, b in cells], "n": [-1.5] * len(cells)}
    )
    delimited.write(frame, path)
    text = path.read_bytes().decode()
    rows = list(
        csv.reader(io.StringIO(text, newline=""), delimiter="\t" if suffix == ".tsv" else ",")
    )
    assert not any(runs(cell) for row in rows for cell in row)
    assert {row[2] for row in rows[1:]} == {"-1.5"}
    assert [tuple(map(unmarked, row[:2])) for row in rows[1:]] == cells
    table = table_in(path)
    assert table is not None
    found = table.read()
    assert found.columns == ["=a", "b", "n"]
    assert [(a or "", b or "") for a, b, _ in found.rows()] == cells


def test_numbers_stay_numbers_and_harmless_text_stays_as_it_is():
    plain = [*NUMBERS, "1", "d-1", "a=b", "'quoted'", "it's", "", "'"]
    assert [marked(cell) for cell in plain] == plain
    assert [unmarked(cell) for cell in plain] == plain
    assert [marked(cell) for cell in FORMULAS] == [f"'{cell}" for cell in FORMULAS]
    assert [unmarked(marked(f"'{cell}")) for cell in FORMULAS] == [f"'{cell}" for cell in FORMULAS]


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_qrels_runs_and_preferences_with_such_ids(suffix, tmp_path):
    path = tmp_path / f"file{suffix}"
    ids = [cell for cell in FORMULAS if cell.split() == [cell]]
    qrels = read_qrels({ids[0]: dict.fromkeys(ids, -1.0)})
    qrels.write(path)
    assert read_qrels(path).to_dict() == qrels.to_dict()
    run = read_run({ids[0]: {d: -float(i) for i, d in enumerate(ids)}}, system="s")
    run.write(path)
    assert read_run(path).to_dict() == run.to_dict()
    given_ = read_preferences([(ids[0], ids[1], ids[2], "left", ids[3])])
    given_.write(path)
    found: Preferences = read_preferences(path)
    assert found.judgements == given_.judgements


def test_ratings_and_texts(tmp_path):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("unit,coder,value\n'=u,'@c,'-x\nv,d,-1.5\n")
    found = read_ratings(ratings)
    assert (found.units, found.coders, found.labels) == (("=u", "v"), ("@c", "d"), ("-1.5", "-x"))
    texts = tmp_path / "summaries.csv"  # nobody's export: a text may begin with a quotation mark
    texts.write_text("system,item,text,references\ns,i,'@home' they said,x\n")
    assert "'@home' they said" in str(read_summaries(texts).to_frame().to_dicts())


def test_the_limit_of_columns_counts_those_of_a_header_with_quoted_line_feeds(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text('"a\n""b""",' + ",".join(f"c{k}" for k in range(10_000)) + "\n")
    with pytest.raises(FormatError, match="line 1: 10,001 columns; at most 10,000"):
        delimited.read(path)
    path.write_text('"a,\n,,",b\n1,2\n')
    assert delimited.read(path).columns == ["a,\n,,", "b"]
