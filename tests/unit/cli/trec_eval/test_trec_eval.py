"""The command as a whole: what is printed where, and the exit code."""

import io
import subprocess
import sys

import pytest

from tare._cli.dropin.trec_eval import main, parse_options
from tare.compat._trec_eval.measures import RefusedError

# The command line is read as getopt reads it.


@pytest.mark.parametrize(
    "line",
    [
        "-q -l 2 -m P.5 qrels run",
        "qrels -ql2 run -mP.5",
        "qrels run --query --level=2 --measure P.5",
        "-qmP.5 --level_for_rel 2 -- qrels run",
    ],
)
def test_options_stand_anywhere_glued_joined_or_long(line):
    options = parse_options(line.split())
    assert (options.by_query, options.level, options.measures) == (True, 2, ["P.5"])
    assert (options.qrels, options.run) == ("qrels", "run")


def test_defaults():
    options = parse_options(["qrels", "-"])
    assert options.run == "-"
    assert (options.level, options.most, options.compat) == (1, None, 10)
    assert options.summary
    assert not options.complete


def test_the_rest_of_the_options():
    options = parse_options(
        [
            "-c",
            "-n",
            "-J",
            "-o",
            "-M100",
            "-N",
            "5000",
            "-Z",
            "z",
            "-R",
            "qrels",
            "-T",
            "trec_results",
            "a",
            "b",
        ]
    )
    assert options.complete
    assert options.judged_only
    assert not options.summary
    assert (options.most, options.collection, options.zscores) == (100, 5000, "z")


@pytest.mark.parametrize(
    ("value", "query"), [("1", None), ("0.301", "301"), ("2.a.b", "a.b"), (".q", "q")]
)
def test_debug_names_a_query(value, query):
    assert parse_options(["-D", value, "a", "b"]).query == query


def test_two_dashes_end_the_options():
    options = parse_options(["-q", "--", "-a", "-b"])
    assert (options.qrels, options.run) == ("-a", "-b")


@pytest.mark.parametrize("value", ["9", "10"])
@pytest.mark.parametrize("form", ["--compat {}", "--compat={}"])
def test_compat(form, value):
    assert parse_options([*form.format(value).split(), "a", "b"]).compat == int(value)


def test_a_shortened_complete_is_not_compat():
    assert parse_options(["--comp", "a", "b"]).complete


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("a", "found 1"),
        ("a b c", "found 3"),
        ("-x a b", "'-x'"),
        ("--nothing a b", "'--nothing'"),
        ("--n=1 a b", "takes no value"),
        ("a b -m", "needs a value"),
        ("--help=yes a b", "takes no value"),
        ("-l abc a b", "'abc'"),
        ("-l -1 a b", "'-1'"),
        ("-M 99999999999999999999 a b", "-M expects"),
        ("-D x.y a b", "-D expects"),
        ("--compat 8 a b", "9 or 10"),
    ],
)
def test_wrong_usage(line, found):
    with pytest.raises(RefusedError, match=found) as refused:
        parse_options(line.split())
    assert refused.value.exit_code == 1


def test_a_shortened_name_must_be_one_name():
    with pytest.raises(RefusedError, match="Rel_info_format, Results_format") as refused:
        parse_options(["--Re", "x", "a", "b"])
    assert refused.value.exit_code == 1


@pytest.mark.parametrize("option", ["-Rx", "-Tx"])
def test_formats_that_are_not_read(option):
    with pytest.raises(RefusedError, match=option[2:]) as refused:
        parse_options([option, "a", "b"])
    assert refused.value.exit_code == 2


QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c -1\nq2 0 a 1\nq2 0 b 1\nq3 0 a 1\n"
RUN = "q1 Q0 a 1 3 first\nq1 Q0 x 2 2 first\nq3 Q0 b 1 1.5 first\nq3 Q0 a 2 0.5 last\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path


@pytest.fixture
def call(files, capfd):
    def run(line: str) -> tuple[int, list[list[str]], str]:
        code = main(line.split())
        out, err = capfd.readouterr()
        return code, [[f.strip() for f in line.split("\t")] for line in out.splitlines()], err

    return run


def test_lines_are_padded_and_tabbed(files, capfdbinary):
    assert main(["-m", "runid", "-m", "map", "-m", "num_ret", "qrels", "run"]) == 0
    assert capfdbinary.readouterr().out == (
        b"runid                 \tall\tlast\n"
        b"num_ret               \tall\t4\n"
        b"map                   \tall\t0.7500\n"
    )


def test_a_missing_query_is_left_out_with_a_note(call):
    code, rows, note = call("-q -m num_q -m recip_rank qrels run")
    assert code == 0
    assert rows == [
        ["recip_rank", "q1", "1.0000"],
        ["recip_rank", "q3", "0.5000"],
        ["num_q", "all", "2"],
        ["recip_rank", "all", "0.7500"],
    ]
    assert "1 of 3 queries" in note
    assert "(q2)" in note


def test_complete_in_version_10(call):
    asked = "-m num_q -m num_ret -m map -m relstring -m relstring.3 -m utility -m unj.5"
    code, rows, note = call(f"-q -c {asked} -m rbp_resid qrels run")
    assert (code, note) == (0, "")
    assert [row[::2] for row in rows if row[1] == "q2"] == [
        ["num_ret", "0"],
        ["map", "0.0000"],
        ["relstring_3", "'-'"],
        ["utility", "0.0000"],
        ["rbp_resid", "0.0000"],
        ["unj_5", "0.0000"],
    ]
    assert ["num_q", "all", "3"] in rows
    assert ["map", "all", "0.5000"] in rows


def test_complete_clears_what_has_no_parameters(call):
    _, rows, _ = call("-q -c -m relstring qrels run")
    assert ["relstring", "q2", "''"] in rows
    _, rows, _ = call("-q -c -m utility.2,-1,-3,0 -m rbp_resid.p=0.5 qrels run")
    assert ["utility_2,-1,-3,0", "q2", "-7.0000"] in rows
    assert ["rbp_resid_p=0.5", "q2", "1.0000"] in rows


def test_complete_in_version_9(call):
    code, rows, _ = call("-q -c --compat 9 -m num_q -m num_rel -m map -m gm_map qrels run")
    assert code == 0
    assert "q2" not in {row[1] for row in rows}
    summary = {row[0]: row[2] for row in rows if row[1] == "all"}
    assert summary["num_q"] == "3"
    assert summary["num_rel"] == "4"
    assert summary["map"] == "0.5000"
    assert summary["gm_map"] == f"{(1.0 * 0.5 * 0.00001) ** (1 / 3):.4f}"


def test_num_rel_of_all_under_complete_does_not_heed_the_level(call):
    _, rows, _ = call("-c -l 2 -m num_rel qrels run")
    assert rows == [["num_rel", "all", "4"]]
    _, rows, _ = call("-l 2 -m num_rel qrels run")
    assert rows == [["num_rel", "all", "1"]]


def test_no_summary(call):
    assert call("-n -m map qrels run")[1] == []
    assert [row[1] for row in call("-n -q -m map qrels run")[1]] == ["q1", "q3"]


def test_one_query_by_debug(call):
    _, rows, note = call("-D 1.q3 -q -m num_q -m map qrels run")
    assert note == ""
    assert rows == [["map", "q3", "0.5000"], ["num_q", "all", "1"], ["map", "all", "0.5000"]]
    assert call("-D 1.q9 qrels run")[0] == 7


def test_compat_9_compares_scores_in_32_bits(call, files):
    (files / "run").write_text("q1 Q0 a 1 1.000000001 t\nq1 Q0 b 2 1.0 t\n")
    assert ["recip_rank", "all", "1.0000"] in call("qrels run")[1]
    assert ["recip_rank", "all", "0.5000"] in call("--compat 9 qrels run")[1]


def test_standard_input(call, monkeypatch, files):
    with (files / "run").open() as run:
        monkeypatch.setattr(sys, "stdin", run)
        code, rows, _ = call("-m runid -m map qrels -")
    assert code == 0
    assert rows == [["runid", "all", "last"], ["map", "all", "0.7500"]]


def test_a_name_says_nothing_of_the_format(call, files):
    (files / "qrels").rename("qrels.csv")
    (files / "run").rename("run.jsonl")
    assert call("-m map qrels.csv run.jsonl")[1] == [["map", "all", "0.7500"]]


def test_interleaved_queries(call, files):
    lines = RUN.splitlines()
    (files / "run").write_text("\n".join([lines[2], lines[0], lines[3], lines[1]]))
    _, rows, _ = call("-m runid -m map qrels run")
    assert rows == [["runid", "all", "first"], ["map", "all", "0.7500"]]


def test_z_scores(call, files):
    (files / "z").write_text("q1 map 0.5 0.25\nq3 map 0.5 0\nq1 num_ret 1 1\n")
    _, rows, _ = call("-q -Z z -m num_q -m num_ret -m map -m runid qrels run")
    assert rows == [
        ["Znum_ret", "q1", "1.0000"],
        ["Zmap", "q1", "2.0000"],
        ["Znum_ret", "q3", "-1000000.0000"],
        ["Zmap", "q3", "0.0000"],
        ["runid", "all", "last"],
        ["Znum_q", "all", "2.0000"],
        ["Znum_ret", "all", "-999999.0000"],
        ["Zmap", "all", "1.0000"],
    ]


def test_version_and_help(call):
    code, rows, version = call("-v")
    assert (code, rows) == (0, [])
    assert version.startswith("trec_eval version 10.0 (tare ")
    assert call("--compat 9 --version")[2].startswith("trec_eval version 9.0.8")
    code = main(["-h", "-m", "map"])
    assert code == 0


def test_help_tells_of_the_measures_named(files, capfd):
    assert main(["-h", "-m", "map", "-m", "gm_bpref"]) == 0
    out = capfd.readouterr().out
    assert "--level_for_rel" in out
    assert "Average precision (AP)" in out
    assert "Geometric mean over queries." in out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("", 1, "Usage: tare trec_eval"),
        ("-x qrels run", 1, "Usage: tare trec_eval"),
        ("-m nothing qrels run", 1, "illegal measure 'nothing'"),
        ("-m P.0 qrels run", 2, "Cannot initialize measure 'P'"),
        ("-R prefs qrels run", 4, "Can't calculate measure"),
        ("-m utility.1 qrels run", 4, "improper number of coefficients"),
        ("qrels nowhere", 3, "nowhere: no such file"),
        ("nowhere run", 3, "nowhere: no such file"),
        ("- run", 3, "cannot be read from standard input"),
        (". run", 3, "is a folder"),
        ("run run", 3, "run, line 1: expected 4 fields, found 6"),
        ("qrels qrels", 3, "qrels looks like judgements, not like a run"),
        ("-Z run qrels run", 3, "run, line 1: found"),
        ("-Z nowhere qrels run", 3, "nowhere: no such file"),
    ],
)
def test_refusals(call, line, code, message):
    found, rows, told = call(line)
    assert (found, rows) == (code, [])
    assert message in told


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("run", "q1 Q0 a 1 nan t\n", "run, line 1: the score 'nan' is not finite"),
        ("run", "q1 Q0 a 1 abc t\n", "run, line 1: the score 'abc' is not a number"),
        ("run", "q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n", "run, line 2: duplicate document 'a'"),
        ("run", "# nothing\n\n", "run: no ranked documents found"),
        ("qrels", "", "qrels: no judgements found"),
        ("qrels", "q1 0 b 1\n# c\nq1 0 a 0.5\n", "qrels, line 3: the grade '0.5' is not a whole"),
        ("qrels", "q1 0 a 1x\n", "qrels, line 1: the grade '1x' is not a number"),
        ("qrels", "q1 0 a 1\nq1 0 a 1\n", "1 duplicate judgements (q1 a)"),
        ("qrels", "q1 0 a 1\nq1 0 a 0\n", "qrels, line 2: document 'a'"),
        ("qrels", "q1 0 a 1 5\n", "qrels, line 1: expected 4 fields, found 5"),
    ],
)
def test_malformed_data(call, files, file, text, message):
    (files / file).write_text(text)
    code, rows, told = call("qrels run")
    assert (code, rows) == (3, [])
    assert message in told


def test_no_query_in_common(call, files):
    (files / "run").write_text("other Q0 a 1 1 t\n")
    code, rows, told = call("qrels run")
    assert (code, rows) == (7, [])
    assert "No queries with both results and relevance info" in told
    assert call("-c --compat 9 qrels run")[0] == 7
    code, rows, _ = call("-c -m num_q -m map qrels run")
    assert rows == [["num_q", "all", "3"], ["map", "all", "0.0000"]]


def test_a_reader_that_has_seen_enough(files, monkeypatch):
    class Closed(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            if closed:
                raise BrokenPipeError
            return len(data)

    closed = True
    with (files / "sink").open("w") as sink:
        stream = io.TextIOWrapper(io.BufferedWriter(Closed()))
        monkeypatch.setattr(stream, "fileno", sink.fileno, raising=False)
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["qrels", "run"]) == 0
        closed = False
        stream.close()  # Python 3.13 reports an error when a stream is closed by its finaliser


def test_nothing_heavy_is_imported(files):
    code = (
        "import sys; from tare._cli.dropin.trec_eval import main; main(sys.argv[1:]); "
        "print({'polars', 'narwhals', 'scipy', 'rich', 'cyclopts'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "-m", "map", "qrels", "run"],
        cwd=files,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("0.7500\nset()\n")
