"""Tables in every format: escaping, missing cells, marks and notes."""

import csv
import io
import json
import math

import numpy as np
import pytest

from tare._tables import Column, Table, interval_column
from tare._tables.text import width_of
from tare._tables.writers import escape_latex
from tare.errors import OptionError

TABLE = Table.of(
    ["system", Column("nDCG@10"), Column("n", digits=0)],
    [("a_b|c", 0.123456789, 1234567), ('<x> & "y"', None, -3), ("é\\", math.nan, True)],
    title="T & t",
    notes=["first note: 50 % of <all>", "second"],
    marks=frozenset({(0, 1)}),
)


def test_text_is_aligned_and_starred():
    assert TABLE.render("text").splitlines() == [
        "T & t",
        "",
        "system     nDCG@10          n",
        "─────────  ───────  ─────────",
        "a_b|c      0.1235*  1,234,567",
        '<x> & "y"       –          -3',
        "é\\              –         yes",
        "",
        "first note: 50 % of <all>",
        "second",
    ]


def test_notes_of_text_are_wrapped():
    long = Table.of(["a"], [("x",)], notes=["word " * 30])
    assert max(map(len, long.render("text", width=40).splitlines())) <= 40


def test_wide_letters_keep_columns_aligned():
    table = Table.of(["name", Column("n")], [("文書", 1), ("e\u0301", 22)])
    widths = {width_of(line) for line in table.render("text").splitlines()[1:]}
    assert widths == {8}


def test_negative_numbers_have_a_true_minus():
    assert Column("x").show(-0.5) == "−0.5000"
    assert Column("x", digits=1).show(2.25) == "2.2"


def test_markdown_escapes_pipes():
    assert TABLE.render("markdown").splitlines() == [
        "**T & t**",
        "",
        "| system | nDCG@10 | n |",
        "| --- | ---: | ---: |",
        "| a_b\\|c | **0.1235** | 1,234,567 |",
        '| \\<x> & "y" | – | -3 |',
        "| é\\\\ | – | yes |",
        "",
        "- first note: 50 % of <all>",
        "- second",
    ]


def test_latex_escapes_its_special_characters():
    text = TABLE.render("latex")
    assert r"\begin{tabular}{lrr}" in text
    assert r"a\_b\textbar{}c & \textbf{0.1235} & 1,234,567 \\" in text
    assert r"\textless{}x\textgreater{} \& " in text
    assert r"é\textbackslash{} & -- & yes \\" in text
    assert r"50 \% of" in text


def test_every_special_character_of_latex():
    assert escape_latex("\\{}$&#%_^~") == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciicircum{}\textasciitilde{}"
    )
    assert escape_latex("−1 ± 2 … α") == r"$-$1 $\pm$ 2 \dots{} $\alpha$"


def test_html_escapes_and_marks():
    text = TABLE.render("html")
    assert "<caption>T &amp; t</caption>" in text
    assert '<td style="text-align:left">&lt;x&gt; &amp; &quot;y&quot;</td>' in text
    assert "<strong>0.1235</strong>" in text
    assert '<p class="tare-note">first note: 50 % of &lt;all&gt;</p>' in text
    assert TABLE._repr_html_() == text


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_delimited_tables_keep_all_digits(format, delimiter):
    rows = list(csv.reader(io.StringIO(TABLE.render(format)), delimiter=delimiter))
    assert rows == [
        ["system", "nDCG@10", "n"],
        ["a_b|c", "0.123456789", "1234567"],
        ['<x> & "y"', "", "-3"],
        ["é\\", "", "true"],
    ]


def test_a_spreadsheet_executes_no_text_of_csv_and_a_pipe_gets_it_unchanged():
    table = Table.of(["=name", Column("n")], [("@SUM(A1)", -math.inf), ("-x", -3), ("-5", -0.5)])
    assert table.to_csv().splitlines() == ["'=name,n", "'@SUM(A1),-inf", "'-x,-3", "-5,-0.5"]
    assert table.render("tsv").splitlines()[:2] == ["=name\tn", "@SUM(A1)\t-inf"]


def test_programs_get_numpy_values_intervals_and_counts_as_plain_numbers():
    table = Table.of(
        [
            "system",
            Column("AP"),
            interval_column("95 % interval"),
            Column("W/L", parts=("wins", "losses"), between="/"),
            Column("AP"),
        ],
        [
            ("a", np.float64(0.25), (np.float64(-0.5), 0.75), (np.int64(3), 1), np.bool_(True)),
            ("b", np.float32(0.5), None, None, None),
        ],
    )
    assert table.shown() == [
        ["a", "0.2500", "−0.5000 … 0.7500", "3/1", "yes"],
        ["b", "0.5000", "–", "–", "–"],
    ]
    assert table.render("csv").splitlines() == [
        "system,AP,low,high,wins,losses,AP (2)",
        "a,0.25,-0.5,0.75,3,1,true",
        "b,0.5,,,,,",
    ]
    assert json.loads(table.render("jsonl").splitlines()[0]) == {
        **{"system": "a", "AP": 0.25, "low": -0.5, "high": 0.75},
        **{"wins": 3, "losses": 1, "AP (2)": True},
    }


def test_two_interval_columns_are_told_apart():
    table = Table.of(
        [interval_column("AP"), interval_column("RR")], [((0.1, 0.2), (0.3, math.nan))]
    )
    assert table.plain()[0] == ["AP low", "AP high", "RR low", "RR high"]
    assert table.shown() == [["0.1000 … 0.2000", "–"]]
    assert table.labelled("x").render("csv").startswith("table,AP low,")


def test_json_has_null_for_missing_values():
    told = json.loads(TABLE.render("json"))
    assert told["title"] == "T & t"
    assert told["notes"] == list(TABLE.notes)
    assert told["rows"][1] == {"system": '<x> & "y"', "nDCG@10": None, "n": -3}
    assert told["rows"][2]["nDCG@10"] is None
    lines = TABLE.render("jsonl").splitlines()
    assert [json.loads(line) for line in lines] == told["rows"]


@pytest.mark.parametrize(
    "format", ["text", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"]
)
def test_a_table_without_rows_can_be_written(format):
    Table.of(["a", Column("b")], []).render(format)


@pytest.mark.parametrize("format", ["markdown", "latex", "html", "csv", "json"])
def test_writers_write_what_they_return(format, tmp_path):
    path = tmp_path / "table"
    text = getattr(TABLE, f"to_{format}")(path)
    assert path.read_text(encoding="utf-8") == text == TABLE.render(format)


def test_an_unknown_format_is_told():
    with pytest.raises(OptionError, match="format='latx' is not known.*Did you mean 'latex'?"):
        TABLE.render("latx")
