"""Tables for a terminal: within its width, bold where it may be, without its control characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tare._tables import Column, Table
from tare._tables.text import bars, side_by_side, width_of

COLUMNS = ["system", "note", Column("nDCG@10"), Column("AP"), Column("RR"), Column("P@10")]
TABLE = Table.of(
    COLUMNS,
    [["a system with a long name", "fine", 0.1, 0.2, 0.3, 0.4], ["b", "also", 0.5, 0.6, 0.7, 0.8]],
    marks=frozenset({(1, 2)}),
)


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    lines = TABLE.render("text", width=width).splitlines()
    assert max(map(width_of, lines)) <= width


def test_every_number_is_there_however_narrow_the_terminal():
    shown = TABLE.render("text", width=30)
    for number in ("0.1000", "0.5000*", "0.2000", "0.7000", "0.8000"):
        assert number in shown
    assert [block.startswith("system") for block in shown.split("\n\n")] == [True] * 3
    assert "a system w" in shown


def test_a_wide_terminal_and_a_file_get_one_block():
    assert TABLE.render("text", width=200) == TABLE.render("text") == str(TABLE)
    assert "\n\n" not in str(TABLE)


def test_marked_cells_are_bold_on_request_and_nothing_moves():
    bold = TABLE.render("text", bold=True)
    assert "\x1b[1m0.5000*\x1b[0m" in bold
    assert bold.replace("\x1b[1m", "").replace("\x1b[0m", "") == TABLE.render("text")


@given(st.text(max_size=40), st.integers(20, 90))
def test_no_name_moves_the_cursor_or_breaks_a_line(name, width):
    table = Table.of(["system", Column("AP")], [[name, 0.5], ["b", 0.25]])
    lines = table.render("text", width=width).split("\n")
    assert len(lines) == 4
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for line in lines for c in line)
    assert "0.5000" in lines[2]


def test_bars_have_the_length_of_their_numbers():
    lines = bars([("a", 1.0), ("b", 0.5), ("c", -0.2), ("d", 3.0)], width=31)
    filled = [line.count("█") for line in lines]
    assert filled == [20, 10, 0, 20]
    assert lines[2].endswith("−0.200")
    assert side_by_side(["ab", "c"], ["x"], gap=2) == ["ab  x", "c"]


HOSTILE = (
    "<script>alert(1)</script>",
    "\\input{/etc/passwd} \\end{tabular} % comment",
    "a & b # $ ^ ~ _ {x} 100 %",
    "two\n\nlines\r\nand\ttab",
    "\"quotes' `ticks` *stars* | pipes",
    "👩‍🔬 שלום \u202eevil\u202c\u2028",
    "x" * 300,
)


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_prints_a_hostile_name_and_obeys_none_of_it(name):
    text = Table.of([name, Column("AP")], [[name, 0.5]]).render("latex")
    lines = text.splitlines()
    assert len(lines) == 8  # nothing ended the table or began a line
    row = lines[5]
    bare = (
        row.removesuffix(r" \\").replace(r"\textbackslash{}", "").replace(r"\textasciicircum{}", "")
    )
    bare = (
        bare.replace(r"\textasciitilde{}", "")
        .replace(r"\textless{}", "")
        .replace(r"\textgreater{}", "")
    )
    bare = bare.replace(r"\textbar{}", "")
    for sign in "{}$&#%_":
        bare = bare.replace(f"\\{sign}", "")
    assert bare.count("&") == 1  # the one between the cells
    assert not set("{}$#%_^~\\<>|") & set(bare)


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_and_html_keep_a_hostile_name_in_its_cell(name):
    table = Table.of(["system", Column("AP")], [[name, 0.5]])
    markdown = table.render("markdown").splitlines()
    assert len(markdown) == 3
    assert "<script>" not in markdown[2].replace("\\<", "")
    assert markdown[2].replace("\\|", "").count("|") == 3
    html = table.render("html")
    assert html.count("<td") == 2
    assert "<script" not in html
