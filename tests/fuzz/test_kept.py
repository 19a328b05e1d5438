"""Inputs that once crashed a reader, made it hang, or silently changed a value; now each is rejected with its position."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import zstandard

from tare import Scores, compare, evaluate, parse, read_run
from tare._cli.main import main
from tare._decide.journal import Journal
from tare._files import opening
from tare._kernels.statistics import pair_differences
from tare._kernels.threads_and_blocks import cut, seams
from tare._signature import tare_version
from tare.errors import MeasureError, MismatchError, UnreadableError
from tare.stats._paired_differences import Pairs, rounded
from tare.stats._power import power_curve, sizes_of_tests
from tests.fuzz.all_targets import all_targets
from tests.fuzz.commands import FILES
from tests.fuzz.models import ABOUT, JOURNAL, LEARNED, PLANS, sealed
from tests.fuzz.trial import outcome_of

KEPT = Path(__file__).parent / "kept"
TARGETS = all_targets()
PYRAMID = b'<pyramid><startDocumentRegEx>%s</startDocumentRegEx><text><line>%s</line></text><scu uid="1" label="x"><contributor label="c"><part label="c" start="%s"/></contributor></scu></pyramid>'
HEADER = Journal.line({**JOURNAL, "tare": tare_version()})


def scores(about: str | None = None, **columns: list[object]) -> bytes:
    """Return a score table as Parquet, with changed columns or metadata."""
    cells = {"system": ["A"], "item": ["q"], "measure": ["AP"], "value": [0.5], **columns}
    buffer = io.BytesIO()
    pl.DataFrame(cells, strict=False).write_parquet(
        buffer, metadata={"tare": about} if about else None
    )
    return buffer.getvalue()


REFUSED = [
    # ids that are no UTF-8 became lone surrogates, which no file, digest or table can hold
    ("prefs and jg", ".txt", b"q\xb1 j1 a 2\n", "line 1: the text is not valid UTF-8"),
    # … or U+FFFD, so that two ids became one
    ("preferences", ".txt", b"q a\xff b\xfe left\n", "line 1: the text is not valid UTF-8"),
    (
        "preferences",
        ".jsonl",
        b'{"query":"q","left":"a","right":"b","preferred":"a","given":7}\n',
        "row 1: given holds 7",
    ),
    ("z-scores", ".txt", b"q1 map 1 2\nq\xff map 1 2\n", "line 2: the text is not valid UTF-8"),
    # JSON escapes can produce lone surrogates, which no table can hold
    (
        "summaries, tables",
        ".jsonl",
        b'{"system": "A", "item": "\\ud800", "text": "a", "references": ["b"]}\n',
        "line 1: a text contains a lone surrogate",
    ),
    # a number of features that asked for 16 GiB
    (
        "model file",
        ".json",
        sealed({**ABOUT, "scorer": {"kind": "ideal", "count": 2**31}}),
        "different number of features",
    ),
    (
        "model file",
        ".json",
        sealed(
            {
                **ABOUT,
                "features": {"first": 1, "count": 2**31},
                "scorer": {"kind": "ideal", "count": 2**31},
            }
        ),
        "2,147,483,648 features",
    ),
    # what a learned measure says of itself could be anything, and its errors did not name the file
    (
        "learned measure",
        ".json",
        LEARNED.replace(b'{"method": "ridge"}', b"7"),
        "not a learned measure",
    ),
    ("learned measure", ".json", LEARNED.replace(b"-2.5", b"1e999"), "input.json"),
    # int() of an attribute
    (
        "peer",
        ".pan",
        b"<peer>" + PYRAMID % (b"", b"a", b".") + b"<annotation/></peer>",
        "start='.' of a <part>",
    ),
    ("pyramid", ".pyr", PYRAMID % (b"", b"a", b"1" * 5000), "start='1111"),
    ("pyramid", ".jsonl", b'{"scu": "s", "weight": 1e999}\n', "input.jsonl"),
    ("pyramid", ".jsonl", b'{"scu": "s", "weight": 1.5}\n', "the weight 1.5 is not a whole number"),
    ("pyramid", ".pyr", PYRAMID % (b"(", b"a", b"0"), "the pattern of document starts"),
    # csv.Error
    ("ratings", ".csv", b'a,b\n1,"' + b"x" * 200_000 + b'"\n', "line 2: not a readable table"),
    # nested values where ids or numbers belong
    ("qrels, tables", ".jsonl", b'{"query":"q","document":"d","grade":[1]}\n', "grade"),
    (
        "subtopics",
        ".jsonl",
        b'{"query":["q"],"subtopic":1,"document":"d","grade":1}\n',
        "ids must be text or numbers",
    ),
    (
        "score table",
        ".jsonl",
        b'{"system":"A","item":"q","measure":"AP","value":[1]}\n',
        "the value a number",
    ),
    (
        "score table",
        ".jsonl",
        b'{"system":["A"],"item":"q","measure":"AP","value":1}\n',
        "ids must be text",
    ),
    (
        "score table",
        ".csv",
        b"system,item,measure,value\nA,q,AP,inf\n",
        "row 2: the value 'inf' is not a finite number",
    ),
    ("score table", ".csv", b"run,qid,query,AP\nA,q,q,1\n", "duplicate"),
    # a table of gaps: 1,000 rows became 10^9 cells
    (
        "score table",
        ".csv",
        b"system,item,measure,value\n"
        + b"".join(b"s%d,i%d,m%d,1\n" % (i, i, i) for i in range(1000)),
        "nearly all empty",
    ),
    # metadata that are not what they should be
    *(
        ("score table", ".parquet", scores(about), "metadata")
        for about in (
            '{"systems": 3}',
            '{"measures": [["AP"]]}',
            '{"attributes": 5}',
            '{"attributes": ["none"]}',
            '{"findings": 1}',
            '{"findings": [[1]]}',
            '{"seed": null}',
            '{"seed": -1}',
            '{"signatures": [3]}',
            "[" * 5000,
        )
    ),
    ("score table", ".parquet", scores(value=[pl.Series([1, 2])]), "the value a number"),
    ("score table", ".parquet", scores(value=[b"\xff"]), "the value a number"),
    # weights without a bound
    (
        "summaries, tables",
        ".jsonl",
        b'{"text":"a","references":["a"],"scus":[{"scu":"1","weight":1e999}]}\n',
        "whole number",
    ),
    # journals
    ("journal", ".jsonl", b"\xff\n", "line 1: the text is not valid UTF-8"),
    ("journal", ".jsonl", HEADER + b"[" * 3000 + b"\n", "not a journal of a study"),
    (
        "journal",
        ".jsonl",
        HEADER + b'{"step": "a", "found": %s}\n' % (b"1" * 5000),
        "not a journal of a study",
    ),
    (
        "journal",
        ".jsonl",
        Journal.line({**JOURNAL, "more": 1}),
        "line 1: the line does not identify",
    ),
    (
        "journal",
        ".jsonl",
        Journal.line({**JOURNAL, "more": "1", "tare": tare_version()}),
        "more differs",
    ),
    ("summaries, tables", ".jsonl", b'{"text": %s}\n' % (b"1" * 5000), "line 1: not valid JSON"),
    # plans of studies
    ("study TOML", ".toml", b"kind = " + b"[" * 3000, "invalid TOML"),
    (
        "study TOML",
        ".toml",
        PLANS[2].replace(b"answer = 1", b"answer = nan"),
        "expected a whole number, found nan",
    ),
    (
        "study TOML",
        ".toml",
        PLANS[2].replace(b"value = 1", b"value = 1.7"),
        "expected a whole number, found 1.7",
    ),
    ("study TOML", ".toml", PLANS[0].replace(b"queries.tsv", b"q" * 400), "File name too long"),
    ("study TOML", ".toml", PLANS[0].replace(b"queries.tsv", b"q\\u0000"), "no such file"),
    (
        "study TOML",
        ".toml",
        PLANS[0].replace(b'"Which?"', b'"Which?"\nguidelines = "input.toml.md"'),
        "no such file",
    ),
    # scus that are text in a cell
    (
        "summaries, tables",
        ".jsonl",
        b'{"text": "a", "scus": "%s"}\n' % (b"[" * 200_000),
        "too deep",
    ),
    # a damaged Parquet file that aborts polars
    (
        "qrels, tables",
        ".parquet",
        (KEPT / "aborts-polars.bin").read_bytes(),
        "not a readable Parquet file",
    ),
    ("runs, by an engine", ".run", b"", "the file is empty"),
]


@pytest.mark.parametrize(("name", "suffix", "data", "told"), REFUSED, ids=lambda v: str(v)[:30])
def test_what_once_failed_is_refused_with_its_place(name, suffix, data, told, tmp_path):
    path = tmp_path / f"input{suffix}"
    path.write_bytes(data)
    kind, words = outcome_of(TARGETS[name], path)
    assert kind.startswith("refused"), f"{kind}: {words}"
    assert told in words
    assert len(words) < 3000


def test_a_pattern_of_a_stranger_takes_linear_time(tmp_path):
    path = tmp_path / "input.pyr"
    path.write_bytes(PYRAMID % (b"^.*.*.*.*.*.*=$", b"a" * 20_000, b"0"))
    assert outcome_of(TARGETS["pyramid"], path)[0] == "read"


def test_a_journal_cut_within_a_letter_goes_on(tmp_path):
    path = tmp_path / "journal.jsonl"
    first = Journal(path, {"study": "x"})
    first.step("é\u2028", lambda: [1.5])
    first.step("ü", lambda: 2)
    path.write_bytes(path.read_bytes()[: -len(b'fc", "found": 2, "sum": "01234567"}\n')])
    again = Journal(path, {"study": "x"})
    assert again.done == {"é\u2028": [1.5]}


@pytest.mark.parametrize("name", ["qrels, TREC text", "LETOR", "prefs and jg", "summaries, tables"])
def test_files_that_unpack_without_end_are_refused(name, tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "MIN_SUSPICIOUS", 1 << 20)
    begin = b'{"text": "' if name == "summaries, tables" else b""  # a file is read for what it is
    data = begin + b"0 " * (4 << 20)
    for suffix, press in ((".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)):
        path = tmp_path / f"input{TARGETS[name].seeds[0][0]}{suffix}"
        path.write_bytes(press(data))
        with (
            cut(replace(seams(), block=1 << 20)),
            pytest.raises(UnreadableError, match="compressed bytes expand to more than"),
        ):
            TARGETS[name].call(path)


def test_data_that_compress_well_are_read(tmp_path, monkeypatch):
    """The limit is above the expansion of repeated lines."""
    monkeypatch.setattr(opening, "MIN_SUSPICIOUS", 1 << 20)
    data = "".join(f"q1 Q0 document-{i} {i + 1} {-i} tag\n" for i in range(100_000)).encode()
    path = tmp_path / "large.run.gz"
    path.write_bytes(gzip.compress(data, 9))
    assert len(data) > 3 << 20
    assert len(read_run(path)) == 100_000


@pytest.mark.parametrize(
    "measure",
    ["ERR@5", "nERR", "nDCG(gain=exp2)", "DCG(gain=exp2)", "V2(nDCG(gain=exp2)@5,pool=judged)"],
)
def test_grades_whose_gain_no_number_holds_are_refused(measure):
    """They gave NaN or an OverflowError."""
    run = {"s": {"q": {"a": 1.0, "b": 2.0}}}
    with pytest.raises(MismatchError, match="the grade 2.14748e\\+09 is too large"):
        evaluate({"q": {"a": 2**31, "b": -(2**31)}}, run, [measure])
    assert abs(evaluate({"q": {"a": 900, "b": 1}}, run, [measure]).values.item()) > 0
    with pytest.raises(MismatchError, match="too large"):
        evaluate({"q": {"a": 1e300, "b": 1}}, run, ["nDCG@5"])


CALLS = [
    # numbers that no loop, no array and no core can take
    ("score qrels.txt bm25.run --pool judged --kinds --kind-size inf", "sets of inf queries"),
    ("score qrels.txt bm25.run --pool judged --kinds --kind-size nan", "sets of nan queries"),
    ("score qrels.txt bm25.run -m V2(INST,pool=judged) --samples 99999999999999999999", "samples="),
    ("score letor.txt --feature 1 " + "[" * 5000, "feature"),
    ("check qrels.txt bm25.run --cutoff 99999999999999999999", "cutoff="),
    ("agree ratings.csv --draws -1", "draws=-1 is too few"),
    ("compare scores.csv --draws 99999999999999999999", "is too many"),
    ("power scores.csv --simulations 99999999999999999999", "simulations="),
    ("design pilot scores.csv A B --most -1", "most=-1"),
    ("study diversity qrels.diversity --systems 99999999999999999999", "systems="),
    ("study diversity qrels.diversity --systems 3 --seed 99999999999999999999", "seed="),
    ("study people scores.csv human.csv --draws 100 --chance 99999999999999999999", "chance="),
    ("judge create plan.toml --output study.db --invite 99999999999999999999", "--invite"),
]


@pytest.mark.parametrize(("call", "told"), CALLS, ids=[call[:50] for call, _ in CALLS])
def test_calls_that_ended_in_a_traceback_or_never_are_refused(
    call, told, tmp_path, monkeypatch, capsys
):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TARE_DEBUG", "1")
    assert main(call.split()) == 2
    said = capsys.readouterr()
    assert told in said.err + said.out


def test_scores_of_two_groups_are_rounded_together():
    """The scores of one group were rounded to a different digit than those of both groups."""
    a, huge = [0.123456789012344, 0.623, 0.742, 0.9], [0.123456789012346, 0.5, 1e9, 0.25]
    curve = power_curve([a, huge], [0], [1], tests=["t"], simulations=100, null_simulations=100)
    assert len(curve.rates["t"]) == 11


def test_the_size_of_a_test_needs_common_items():
    with pytest.raises(MismatchError, match="no two systems have two items"):
        sizes_of_tests(Pairs.of_matrix([[0.5, np.nan], [np.nan, 1.0]]))


def test_no_item_to_compare_on_never_reaches_the_core():
    """The core read beyond the end of an array."""
    found = pair_differences(np.zeros((3, 0)), [0, 0, 1], [1, 2, 2], 9)
    assert found.n.tolist() == [0, 0, 0]
    with pytest.raises(MismatchError, match="no item on which"):
        Pairs.of_matrix(np.zeros((2, 0)))


def test_a_system_without_a_net_score_does_not_change_the_others():
    """Differences were divided by the room of the first system, which has no room here."""
    rows = [
        (system, f"q{i}", "Net(AP)", value, gross, 0.25, 1.0)
        for system, values in (("A", (0.2, 0.4, 0.6)), ("B", (0.1, 0.0, 0.3)))
        for i, value in enumerate(values)
        for gross in (0.25 + 0.75 * value,)
    ]
    names = ["system", "item", "measure", "value", "gross", "tare", "ideal"]
    both = pl.DataFrame(rows, names, orient="row")
    lone = pl.DataFrame([("0", "q9", "Net(AP)", 0.5, 0.625, 0.25, 1.0)], names, orient="row")
    (alone,) = compare(Scores.load(both)).rows()
    three = compare(Scores.load(pl.concat([lone, both]))).rows()
    (same,) = (row for row in three if {row["system"], row["against"]} == {"A", "B"})
    assert abs(same["difference"]) == pytest.approx(abs(alone["difference"]), abs=1e-12)
    assert same["n"] == 3


@pytest.mark.parametrize("text", ["set_" + "0" * 1_200_000, "P@" * 600_000, "E(" * 600_000])
def test_a_name_of_a_million_letters_is_no_measure(text):
    """An expression took a time that grew with the square of the digits."""
    with pytest.raises(MeasureError, match="is not a measure: it has 1,200,00"):
        parse(text)


def test_nested_columns_are_no_attributes():
    """Polars did not finish with a column of deeply nested lists."""
    cells = {"system": ["A"], "item": ["q"], "measure": ["AP"], "value": [0.5], "x": [[[1]]]}
    scores = Scores.load(pl.DataFrame(cells))
    assert scores.attributes == {}
    assert [finding.kind for finding in scores.findings] == ["nested columns"]


def test_charts_of_names_with_control_characters_are_drawn(tmp_path):
    """The converter aborted the process: SVG cannot contain them."""
    pytest.importorskip("vl_convert")
    rows = [
        (s, f"q{i}", "AP", x) for s in ("A\x1b[31m", "B\ufffe") for i, x in enumerate((0.1, 0.5))
    ]
    frame = pl.DataFrame(rows, ["system", "item", "measure", "value"], orient="row")
    (tmp_path / "scores.csv").write_text(frame.write_csv())
    files = ["-o", str(tmp_path / "r.html"), "--figures", str(tmp_path / "charts")]
    assert main(["report", str(tmp_path / "scores.csv"), *files]) == 0
    drawn = "".join(path.read_text() for path in (tmp_path / "charts").glob("*.svg"))
    assert "A␛[31m" in drawn
    assert "\x1b" not in drawn


def test_scores_beyond_all_numbers_are_rounded():
    assert rounded([0.1 + 0.2, np.inf, np.nan, -np.inf]).tolist()[:2] == [0.3, np.inf]


def test_names_that_are_no_text_are_kept_in_a_journal(tmp_path):
    named = {"study": "\udcff"}
    Journal(tmp_path / "journal", named).step("a", lambda: 1.5)
    assert Journal(tmp_path / "journal", named).done == {"a": 1.5}


@pytest.mark.parametrize("length", [0, -0.0])
def test_matches_of_a_text_without_words(length):
    """Statistics of BLEU with matches but no words ended in a ZeroDivisionError."""
    sums = [[length, 2, 1, 0, 5, 4, 3, 2, 5, 6], [3, 2, 1, 0, 5, 4, 3, 2, 5, 6]]
    rows = [
        {"system": system, "item": f"i{k}", "measure": "BLEU", "value": 1.0, "statistics": sums[k]}
        for system in "AB"
        for k in range(2)
    ]
    scores = Scores.load(pl.DataFrame(rows, strict=False))
    assert (
        scores.intervals(draws=50, seed=1).min() == 0
    )  # some draws have the text without words twice
