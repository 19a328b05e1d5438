"""Tables in every format: escaping, missing cells, marks and notes."""

import csv
import io
import json
import math

import pytest

from tare.errors import OptionError
from tare.tables import Column, Table
from tare.tables.latex import escape
from tare.tables.text import width_of

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
    assert escape("\\{}$&#%_^~") == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciicircum{}\textasciitilde{}"
    )
    assert escape("−1 ± 2 … α") == r"$-$1 $\pm$ 2 \dots{} $\alpha$"


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
        ["é\\", "", "True"],
    ]


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
