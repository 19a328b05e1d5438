"""The command line is read as getopt reads it."""

import pytest

from tare._cli.trec_eval import parse_options
from tare.compat._trec_eval.measures import RefusedError


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
