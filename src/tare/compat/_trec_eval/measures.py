"""The measures of trec_eval in printing order, its sets of measures, their parameters, and its errors."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeVar

from tare.errors import UsageError, nearest

__all__ = [
    "ENTRIES",
    "USAGE",
    "Entry",
    "RefusedError",
    "Settings",
    "choose_measures",
    "gains_by_grade",
    "read_cutoffs",
    "read_numbers",
    "read_pairs",
    "read_shares",
]


# Errors of trec_eval, with its exit codes.


USAGE, PARAMETERS, CALCULATION, NOTHING = 1, 2, 4, 7


class RefusedError(UsageError):
    """A call that trec_eval refuses; scripts may depend on the exit code, so it is trec_eval's."""

    def __init__(self, message: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code


# Settings: what changes the values of trec_eval's measures.


@dataclass
class Settings:
    """Settings of an evaluation as in trec_eval, with its options in parentheses.

    level: the least relevant grade (-l).
    judged_only: remove documents without a judgement (-J).
    complete: count queries that the run lacks (-c).
    most: the number of documents used per query (-M).
    collection: the number of documents in the collection (-N).
    query: evaluate only this query.
    compat: the version of trec_eval, 9 or 10.
    """

    level: int = 1
    judged_only: bool = False
    complete: bool = False
    most: int | None = None
    collection: int = 0
    query: str | None = None
    compat: int = 10


# The measures of trec_eval in printing order, and its sets of measures.


Takes = Literal["nothing", "cutoffs", "shares", "numbers", "pairs"]
PRECISION_CUTOFFS = "5,10,15,20,30,100,200,500,1000"
R_MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"
RECALL_POINTS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"


@dataclass(frozen=True)
class Entry:
    """One measure of trec_eval.

    measure: its name in tare, or the name of a kernel; empty if there is none.
    takes: parameters after the dot: integer cutoffs, real cutoffs (one value each), numbers or pairs
    (one value for all).
    defaults: parameters that are used if there are none after the dot.
    rel: whether -l affects it.
    prints: whether it is printed as an integer or a real number.
    judges: what it is computed from: grades, preferences, or grades by groups of assessors; None for all.
    """

    name: str
    measure: str = ""
    takes: Takes = "nothing"
    defaults: str = ""
    rel: bool = True
    summary: Literal["mean", "sum", "geometric"] = "mean"
    prints: Literal["real", "integer"] = "real"
    since: Literal[9, 10] = 9
    judges: Literal["grades", "preferences", "groups"] | None = "grades"


def _prefs(name: str, *, count: bool = False) -> Entry:
    if count:
        return Entry(name, summary="sum", prints="integer", judges="preferences")
    return Entry(name, judges="preferences")


def _count(name: str, measure: str, *, rel: bool = True) -> Entry:
    return Entry(name, measure, rel=rel, summary="sum", prints="integer")


def _cut(name: str, measure: str, defaults: str = PRECISION_CUTOFFS, *, rel: bool = True) -> Entry:
    return Entry(name, measure, "cutoffs", defaults, rel)


def _gains(name: str, kernel: str, since: Literal[9, 10] = 9) -> Entry:
    return Entry(name, kernel, "pairs", since=since)


ENTRIES = {
    entry.name: entry
    for entry in (
        Entry("runid", judges=None),
        Entry("num_q", judges=None),
        _count("num_ret", "NumRet", rel=False),
        _count("num_rel", "NumRel"),
        _count("num_rel_ret", "NumRelRet"),
        Entry("map", "AP"),
        Entry("gm_map", "AP", summary="geometric"),
        Entry("Rprec", "Rprec"),
        Entry("bpref", "bpref"),
        Entry("recip_rank", "RR"),
        Entry("iprec_at_recall", "iPrec", "shares", RECALL_POINTS),
        _cut("P", "P"),
        Entry("relstring", "", "numbers", "10"),
        _cut("recall", "Recall"),
        Entry("infAP", "infAP"),
        Entry("gm_bpref", "bpref", summary="geometric"),
        Entry("Rprec_mult", "Rprec", "shares", R_MULTIPLES),
        Entry("utility", "Utility", "numbers", "1,-1,0,0"),
        Entry("11pt_avg", "iPrecMean", "numbers", RECALL_POINTS),
        Entry("binG", "binG"),
        _gains("G", "G"),
        _gains("dcg", "DCG", since=10),
        _gains("ideal_dcg", "IDCG", since=10),
        _gains("ndcg", "nDCG"),
        _gains("ndcg_rel", "nDCGrel"),
        _gains("Rndcg", "RnDCG"),
        _cut("ndcg_cut", "nDCG", rel=False),
        _cut("map_cut", "AP"),
        _cut("relative_P", "RelP"),
        _cut("success", "Success", "1,5,10"),
        Entry("set_P", "setP"),
        Entry("set_relative_P", "setRelP"),
        Entry("set_recall", "setR"),
        Entry("set_map", "setAP"),
        Entry("set_F", "setF", "numbers", "1"),
        _count("num_nonrel_judged_ret", "NumNonrelRet"),
        _prefs("prefs_num_prefs_poss", count=True),
        _prefs("prefs_num_prefs_ful", count=True),
        _prefs("prefs_num_prefs_ful_ret", count=True),
        _prefs("prefs_simp"),
        _prefs("prefs_pair"),
        _prefs("prefs_avgjg"),
        _prefs("prefs_avgjg_Rnonrel"),
        _prefs("prefs_simp_ret"),
        _prefs("prefs_pair_ret"),
        _prefs("prefs_avgjg_ret"),
        _prefs("prefs_avgjg_Rnonrel_ret"),
        _prefs("prefs_simp_imp"),
        _prefs("prefs_pair_imp"),
        _prefs("prefs_avgjg_imp"),
        Entry("map_avgjg", "AP", judges="groups"),
        Entry("P_avgjg", "P", "cutoffs", PRECISION_CUTOFFS, judges="groups"),
        Entry("Rprec_mult_avgjg", "Rprec", "shares", R_MULTIPLES, judges="groups"),
        Entry("yaap", "YAAP"),
        _gains("rbp", "RBP", since=10),
        _gains("rbp_resid", "RBPresidual", since=10),
        Entry("unj", "Unjudged", "cutoffs", "5,10,20", rel=False, since=10),
    )
}
"""All measures, in printing order."""

_OFFICIAL = tuple(ENTRIES)[: tuple(ENTRIES).index("P") + 1]
SETS = {
    "official": _OFFICIAL,
    "all_trec": tuple(
        name
        for name, entry in ENTRIES.items()
        if name not in ("dcg", "ideal_dcg", "yaap") and entry.judges in (None, "grades")
    ),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_prefs": tuple(n for n, entry in ENTRIES.items() if entry.judges in (None, "preferences")),
    "prefs": (
        *("runid", "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful"),
        *("prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg"),
    ),
    "qrels_jg": tuple(n for n, entry in ENTRIES.items() if entry.judges in (None, "groups")),
}


def choose_measures(asked: list[str], compat: int) -> dict[Entry, str]:
    """Return the measures of all -m options of trec_eval in printing order, each with its parameters as typed.

    Parameters follow the first dot. If a measure is given parameters twice, the first ones are used.
    Measures without parameters, and sets, ignore them.
    """
    typed: dict[str, str] = {}
    wanted: set[str] = set()
    for text in asked or ["official"]:
        name, dot, parameters = text.partition(".")
        if dot and not parameters:
            raise RefusedError(
                f"trec_eval: improper measure in parameter '{name}'\n"
                f"trec_eval: illegal measure '{name}'",
                USAGE,
            )
        names = SETS.get(name, (name,))
        wanted.update(n for n in names if _is_known(n, name in SETS, compat))
        if parameters:
            typed.setdefault(name, parameters)
    return {
        entry: typed.get(entry.name, "") if entry.takes != "nothing" else ""
        for entry in ENTRIES.values()
        if entry.name in wanted
    }


def _is_known(name: str, of_set: bool, compat: int) -> bool:
    if name in ENTRIES and (of_set or ENTRIES[name].since <= compat):
        return ENTRIES[name].since <= compat
    known = [n for n, entry in ENTRIES.items() if entry.since <= compat]
    hint = nearest(name, [*known, *SETS])
    if name in ENTRIES:
        hint = " It was added in version 10; use --compat 10."
    raise RefusedError(f"trec_eval: illegal measure '{name}'{hint}", USAGE)


# Parameters of measures, as in `-m P.5,10`.


Number = TypeVar("Number", int, float)

_INTEGER = re.compile(r"\s*([-+]?\d{1,18})(?!\d)", re.ASCII)
_REAL = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)", re.ASCII)
_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)


def read_cutoffs(measure: str, text: str) -> list[int]:
    """Parse integers, such as cutoffs of a measure, and sort them; as in trec_eval, text after the digits is ignored.

    >>> read_cutoffs("P", "10,5,23.4")
    [5, 10, 23]
    """
    cutoffs = sorted(int(_begin(_INTEGER, measure, part)) for part in text.split(","))
    if cutoffs[0] <= 0:
        raise _wrong(measure, "Negative cutoff detected")
    return _unequal(measure, cutoffs)


def read_shares(measure: str, text: str) -> list[float]:
    """Parse real cutoffs and sort them."""
    return _unequal(measure, sorted(read_numbers(measure, text)))


def read_numbers(measure: str, text: str) -> list[float]:
    """Parse real numbers."""
    return [float(_begin(_REAL, measure, part)) for part in text.split(",")]


def read_pairs(measure: str, text: str) -> dict[str, float]:
    """Parse name=value pairs of a trec_eval measure; for a duplicate name, the first value counts.

    >>> read_pairs("rbp", "p=0.8,2=1")
    {'p': 0.8, '2': 1.0}
    """
    pairs: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not name or not equals or "=" in value:
            raise _wrong(measure, f"malformed pair parameters in '{text}'")
        pairs.setdefault(name, float(_begin(_REAL, measure, value)))
    return pairs


def gains_by_grade(pairs: dict[str, float]) -> dict[int, float]:
    """Return the pairs of a trec_eval measure whose names are integers: the gains of grades."""
    gains: dict[int, float] = {}
    for name, value in pairs.items():
        if _WHOLE.fullmatch(name):
            gains.setdefault(int(name), value)
    return gains


def _begin(pattern: re.Pattern[str], measure: str, text: str) -> str:
    found = pattern.match(text)
    if found is None or not math.isfinite(float(found.group(1))):
        raise _wrong(measure, f"'{text}' is not a number")
    return found.group(1)


def _unequal(measure: str, cutoffs: list[Number]) -> list[Number]:
    if len(set(cutoffs)) < len(cutoffs):
        raise _wrong(measure, "duplicate cutoffs detected")
    return cutoffs


def _wrong(measure: str, reason: str) -> RefusedError:
    return RefusedError(
        f"trec_eval: {reason}\ntrec_eval: Cannot initialize measure '{measure}'", PARAMETERS
    )
