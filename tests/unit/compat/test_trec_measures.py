"""Names, sets and parameters of trec_eval's measures."""

import pytest

from tare._cli.dropin.trec_eval import Options
from tare.compat._trec_eval.columns import columns_of
from tare.compat._trec_eval.measures import ENTRIES, SETS, RefusedError, choose_measures


def printed(asked: str, compat: int = 10) -> list[str]:
    """The names of all columns."""
    options = Options(compat=compat)
    return [
        column.name
        for entry, typed in choose_measures(asked.split(), compat).items()
        if entry.measure
        for column in columns_of(entry, typed, options)
    ]


def names(asked: str, compat: int = 10) -> list[str]:
    return [entry.name for entry in choose_measures(asked.split(), compat)]


def test_nothing_asked_is_the_official_set():
    assert names("") == names("official") == list(ENTRIES)[:12]
    assert names("")[-1] == "P"


def test_all_trec_by_version():
    ten, nine = names("all_trec"), names("all_trec", 9)
    assert ten[len(nine) :] == ["rbp", "rbp_resid", "unj"]
    assert ten[: len(nine)] == nine
    assert not {"dcg", "ideal_dcg", "yaap"} & set(ten)


def test_the_order_is_that_of_printing():
    assert names("unj map runid ndcg") == ["runid", "map", "ndcg", "unj"]
    assert names("set") == list(SETS["set"])


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("P.10,5,23.4", ["P_5", "P_10", "P_23"]),
        ("success", ["success_1", "success_5", "success_10"]),
        ("iprec_at_recall..5,.333", ["iprec_at_recall_0.33", "iprec_at_recall_0.50"]),
        ("Rprec_mult.2", ["Rprec_mult_2.00"]),
        ("11pt_avg..5,.25", ["11pt_avg_.5,.25"]),
        ("utility.2,-1,0,0", ["utility_2,-1,0,0"]),
        ("set_F.0.5", ["set_F_0.5"]),
        ("ndcg.1=3,2=9", ["ndcg_1=3,2=9"]),
        ("rbp.p=0.8", ["rbp_p=0.8"]),
        ("map.5", ["map"]),
        ("official.5 P.3", [*printed("official")[:-9], "P_3"]),
        ("P.5 P.10", ["P_5"]),
    ],
)
def test_parameters_and_printed_names(asked, expected):
    assert printed(asked) == expected


@pytest.mark.parametrize(
    ("asked", "compat", "message"),
    [
        ("foo", 10, "illegal measure 'foo'"),
        ("mpa", 10, "illegal measure 'mpa' Did you mean 'map'"),
        ("foo.5", 10, "illegal measure 'foo'"),
        ("P.", 10, "improper measure in parameter 'P'"),
        ("rbp", 9, "version 10"),
        ("Runj", 10, "illegal measure 'Runj'"),
    ],
)
def test_unknown_measures(asked, compat, message):
    with pytest.raises(RefusedError, match=message) as refused:
        names(asked, compat)
    assert refused.value.exit_code == 1


@pytest.mark.parametrize(
    ("asked", "count"),
    [("prefs", 8), ("all_prefs", 16), ("qrels_jg", 5), ("prefs_simp", 1), ("map_avgjg", 1)],
)
def test_preferences_and_groups_are_known(asked, count):
    assert len(names(asked)) == count


@pytest.mark.parametrize(
    ("asked", "message", "code"),
    [
        ("P.0,5", "Negative cutoff detected", 2),
        ("P.-3", "Negative cutoff detected", 2),
        ("P.5,5", "duplicate cutoffs detected", 2),
        ("P.x", "'x' is not a number", 2),
        ("P.99999999999999999999", "is not a number", 2),
        ("Rprec_mult.1,1.0", "duplicate cutoffs detected", 2),
        ("iprec_at_recall.2", "between 0 and 1", 2),
        ("set_F.1e999", "is not a number", 2),
        ("ndcg.1", "malformed pair parameters in '1'", 2),
        ("ndcg.1=2=3", "malformed pair", 2),
        ("rbp.p=1.5", "p=1.5", 2),
        ("utility.1,2", "improper number of coefficients", 4),
    ],
)
def test_impossible_parameters(asked, message, code):
    with pytest.raises(RefusedError, match=message) as refused:
        printed(asked)
    assert refused.value.exit_code == code
