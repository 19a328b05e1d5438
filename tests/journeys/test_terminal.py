"""What a person sees: narrow terminals, NO_COLOR, progress."""

import re

import pytest


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_a_narrow_terminal_does_not_wrap_numbers(tare, columns):
    tare.environment["COLUMNS"] = str(columns)
    measures = ("-m", "nDCG@10", "AP", "RR", "P@10", "Recall@100", "V2(nDCG@10,pool=judged)")
    code, shown = tare.on_a_terminal("score", "qrels.txt", "bm25.run", "dense.run", *measures)
    assert code == 0
    table = shown.split("\x1b[K")[-1].split("\n!")[0].split("\nsignature")[0].split("\npool ")[0]
    assert max(map(len, table.splitlines())) <= columns
    for measure in measures[1:]:
        assert measure in table


def test_the_best_is_bold_unless_colours_are_unwanted(tare):
    call = ("score", "qrels.txt", "bm25.run", "dense.run", "-m", "RR")
    del tare.environment["NO_COLOR"]
    tare.environment["TERM"] = "xterm-256color"
    _, shown = tare.on_a_terminal(*call)
    assert "\x1b[1m0.8333*\x1b[0m" in shown
    tare.environment["NO_COLOR"] = "1"
    _, plain = tare.on_a_terminal(*call)
    assert re.search(r"dense\s+0\.8333\*", plain)
    assert "\x1b[1m" not in plain.split("\x1b[K")[-1]


def test_a_table_in_a_file_is_never_folded(tare):
    tare.environment["COLUMNS"] = "30"
    measures = ("-m", "nDCG@10", "AP", "RR", "P@10", "Recall@100", "V2(nDCG@10,pool=judged)")
    done = tare("score", "qrels.txt", "bm25.run", "dense.run", *measures, "--format", "table")
    assert len(done.out.strip().splitlines()) == 4


def test_the_demo_fits_a_narrow_terminal(tare):
    tare.environment["COLUMNS"] = "60"
    code, shown = tare.on_a_terminal("demo", "--output", "d")
    assert code == 0
    tables = [line for line in shown.splitlines() if "─" in line or "█" in line]
    assert max(map(len, tables)) <= 60
