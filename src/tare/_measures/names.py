"""The grammar of measure names, `nDCG@10`, `P(rel=2)@5`, `V2(nDCG(gain=exp2)@10,pool=judged)`, and how other programs spell them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from tare._measures import registry
from tare._measures.measure import Measure, make, unregistered
from tare._measures.registry import find, find_group, registered_names
from tare.errors import MeasureError

__all__ = [
    "CUT",
    "MULTIPLE",
    "PLAIN",
    "ColumnMeasure",
    "Spelling",
    "blank_parts",
    "canonical",
    "column_measure",
    "column_measures",
    "comma_parts",
    "folded",
    "is_measure",
    "parse",
    "parse_all",
    "spelled",
    "split_names",
]


# Lists of measures in one text: `nDCG@10,AP`, `nDCG@10 AP`, `ndcg_cut.5,10`.


_CUTOFF = re.compile(r"\s*\d+\.?\d*\s*")
_CUT_NAME = re.compile(r"(.*(?:@|[._]))\d+\.?\d*\s*")


def comma_parts(text: str) -> list[str]:
    """Split names of measures at commas outside brackets and quotes; a number repeats the name before it.

    >>> comma_parts("nDCG@5,10, V2(SP@10,pool=judged)")
    ['nDCG@5', 'nDCG@10', 'V2(SP@10,pool=judged)']
    """
    made: list[str] = []
    for part in _split(text, ","):
        name = _CUT_NAME.fullmatch(made[-1]) if made and _CUTOFF.fullmatch(part) else None
        made.append(part.strip() if name is None else name[1] + part.strip())
    return [part for part in made if part]


def blank_parts(text: str) -> list[str]:
    """Split names of measures at blanks outside brackets and quotes.

    >>> blank_parts("nDCG@10 P(rel = 2)@5")
    ['nDCG@10', 'P(rel = 2)@5']
    """
    return [part for part in _split(text, " \t\n\r") if part]


def _split(text: str, signs: str) -> list[str]:
    made = [""]
    depth, quote = 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "({":
            depth += 1
        elif character in ")}":
            depth -= 1
        if character in signs and depth <= 0 and not quote:
            made.append("")
        else:
            made[-1] += character
    return made


# Measures by their names in trec_eval, such as `ndcg_cut_10`.


# Names of trec_eval: without a parameter, with a cutoff, with a real number.
PLAIN: dict[str, str] = {
    "map": "AP",
    "gm_map": "GMAP",
    "recip_rank": "RR",
    "bpref": "bpref",
    "gm_bpref": "GMbpref",
    "Rprec": "Rprec",
    "infAP": "infAP",
    "ndcg": "nDCG",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
    "dcg": "DCG",
    "11pt_avg": "iPrecMean",
    "set_P": "setP",
    "set_relative_P": "setRelP",
    "set_recall": "setR",
    "set_map": "setAP",
    "set_F": "setF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "utility": "Utility",
    "yaap": "YAAP",
}
CUT = {
    "P": "P",
    "recall": "Recall",
    "relative_P": "RelP",
    "success": "Success",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "unj": "Unjudged",
    "iprec_at_recall": "iPrec",
    "P_avgjg": "P_avgjg",
}
MULTIPLE = {"Rprec_mult": "Rprec", "Rprec_mult_avgjg": "Rprec_mult_avgjg"}


# How people and other programs spell a measure: `ndcg@10`, `ndcg_cut.10`, `hit_rate@5`,
# `rouge-l`.
#
# A name is read in this order: as it is, as trec_eval spells it, and without regard to case, hyphens
# and underscores. A spelling that two measures share raises an error that names both.


_PART = re.compile(r"(.+)\.([prfPRF])")
_NUMBERED = re.compile(r"(.+?)(_at_|[._])(\d+\.?\d*)", re.IGNORECASE)  # P_5, ndcg_cut.10, mrr_at_10
_PERSISTENCE = re.compile(r"rbp\.(\d+)", re.IGNORECASE)  # of ranx: rbp.95
_SKIPS = re.compile(r"rouge(su?)(\d+)")  # of ROUGE-1.5.5: the largest gap of skip-bigrams
_WEIGHT = re.compile(r"rouge[-_]?w[-_](\d+\.\d+)", re.IGNORECASE)  # of ROUGE-1.5.5: ROUGE-W-1.2

# Names of other programs whose letters differ from ours: the measure, and its parameters.
_PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "rprecision": ("Rprec", {}),
    "hits": ("Success", {}),
    "hitratio": ("Success", {}),
    "topkaccuracy": ("Success", {}),
    "rcap": ("RelP", {}),
    "ndcgburges": ("nDCG", {"gain": "exp2"}),
    "dcgburges": ("DCG", {"gain": "exp2"}),
    "averageprecision": ("AP", {}),
    "meanaverageprecision": ("AP", {}),
    "reciprocalrank": ("RR", {}),
    "meanreciprocalrank": ("RR", {}),
    "chrf2": ("chrF", {}),  # of sacrebleu: β is 2
    "chrf++": ("chrF", {"word": "2"}),
    "chrf2++": ("chrF", {"word": "2"}),
}
# Names that other programs use for different measures; only the exact name is read.
_AMBIGUOUS = {
    "accuracy": "'{0}' has two meanings. Write Success{1} if you mean the share of queries with a "
    "relevant document in the ranking, as sentence-transformers and BEIR do, or Accuracy{1} for the "
    "share of pairs in the right order, as ir_measures does."
}


class Spelling(NamedTuple):
    """What a spelling of a measure's name means: the name, and the parameters and cutoff it contains."""

    name: str
    parameters: dict[str, Any]
    cutoff: float | None = None


def folded(name: str) -> str:
    """Return the name of a measure in small letters, without hyphens and underscores.

    >>> folded("ROUGE-Lsum"), folded("hit_rate")
    ('rougelsum', 'hitrate')
    """
    return name.casefold().replace("_", "").replace("-", "")


def spelled(name: str, cutoff: str = "") -> Spelling:
    """Return what the name of a measure in any spelling means; one that is not known is returned as it is.

    `cutoff` is the text after the name, for messages.

    >>> spelled("ndcg_cut.10")
    Spelling(name='nDCG', parameters={}, cutoff=10.0)
    >>> spelled("ndcg_burges")
    Spelling(name='nDCG', parameters={'gain': 'exp2'}, cutoff=None)
    """
    if find(name) is not None:
        return Spelling(name, {})
    whole, part = name, ""
    if split := _PART.fullmatch(name):
        whole, part = split[1], f".{split[2].lower()}"
        if find(whole) is not None:
            return Spelling(whole + part, {})
    found = _plain(whole, cutoff) or _numbered(whole)
    if found is None:
        return Spelling(name, {})
    return found._replace(name=found.name + part)


def _plain(name: str, cutoff: str = "") -> Spelling | None:
    """Return what a measure's name without a number means, or None."""
    key = folded(name)
    if key in _AMBIGUOUS:
        raise MeasureError(_AMBIGUOUS[key].format(name, cutoff))
    if skips := _SKIPS.fullmatch(key):
        return Spelling(f"ROUGE-{skips[1].upper()}", {"d": skips[2]})
    if weight := _WEIGHT.fullmatch(name):
        return Spelling("ROUGE-W", {"w": weight[1]})
    if key in _trec(CUT) and key not in _catalogued():
        meant = _trec(CUT)[key]
        raise MeasureError(f"{name!r} needs a cutoff: write {name}_10 or {meant}@10.")
    if key in _PEERS:
        meant, parameters = _PEERS[key]
        return Spelling(meant, dict(parameters))
    names = _catalogued().get(key, set()) | {n for n in registered_names() if folded(n) == key}
    names = {definition.name for definition in map(find, names) if definition is not None}
    if len(names) > 1:
        shown = " and ".join(sorted(names))
        raise MeasureError(f"{name!r} can be {shown}; write the one you mean exactly.")
    return Spelling(names.pop(), {}) if names else None


def _numbered(name: str) -> Spelling | None:
    """Return what a measure's name that ends with a number means: `P_5`, `ndcg_cut.10`, `ndcg_at_10`."""
    if ranx := _PERSISTENCE.fullmatch(name):
        return Spelling("RBP", {"p": f"0.{ranx[1]}"})
    split = _NUMBERED.fullmatch(name)
    if split is None:
        return None
    before, sign, number = split.groups()
    key = folded(before)
    if key in _trec(MULTIPLE):
        return Spelling(_trec(MULTIPLE)[key], {"multiple": number})
    if key in _trec(CUT):
        return Spelling(_trec(CUT)[key], {}, float(number))
    found = _plain(before, f"@{number}")
    if found is None or sign.lower() == "_at_":
        return None if found is None else found._replace(cutoff=float(number))
    definition = find(found.name)
    if definition is None or definition.cutoff == "none":
        return None
    raise MeasureError(f"{name!r} is not a measure. Did you mean '{found.name}@{number}'?")


def _trec(names: dict[str, str]) -> dict[str, str]:
    return {folded(name): meant for name, meant in names.items()}


@lru_cache(maxsize=1)
def _catalogued() -> dict[str, set[str]]:
    """Return the names of measures in the static table and of trec_eval by their folded form."""
    made: dict[str, set[str]] = {}
    for entries in registry.MEASURES.values():
        for name, aliases in entries.items():
            for spelling in (name, *aliases):
                made.setdefault(folded(spelling), set()).add(name)
    for spelling, name in PLAIN.items():
        made.setdefault(folded(spelling), set()).add(name)
    return made


# The grammar of measure names: `nDCG@10`, `P(rel=2)@5`, `V2(nDCG(gain=exp2)@10,pool=judged)`.
#
#     measure    = name [ "." part ] [ "(" [ argument { "," argument } ] ")" ] [ "@" number ]
#     argument   = parameter "=" value | measure
#     part       = "p" | "r" | "f"
#     value      = number | word | "corpus=" ( number | "inf" ) | "'" text "'" | "{" number ":" number { "," … } "}"
#
# Names are read without regard to case, hyphens and underscores. The names of trec_eval
# (`ndcg_cut_10`, `recip_rank`), ir_measures, ranx and other programs are accepted too (`spellings`).


_NAME = re.compile(r"[^\W\d][\w♯#]*(?:-[\w♯#]+)*(?:\+\+)?(?:\.(?:[prfPRF](?!\w)|\d+(?:\.\d+)?))?")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[^,()={}@'\"\s]+")

MOST_LETTERS = 10_000
_DIGIT_FIRST = {"11pt_avg": "iPrecMean"}  # the only name of trec_eval that begins with a digit
_GROUP = re.compile(r"([\w-]+)\s*(\(.*\))?")
# Values of the `dcg` parameter of ir_measures, and the corresponding gains.
_DCG_SPELLINGS = {"log2": "linear", "exp-log2": "exp2"}


def parse(text: str | Measure) -> Measure:
    """Return the measure with the given name.

    Parameters
    ----------
    text
        A name such as ``"nDCG@10"``, ``"P(rel=2)@5"`` or ``"Net(AP)"``, in capital or small letters.
        The names of other programs are accepted too: ``"ndcg_cut_10"``, ``"map@10"``,
        ``"hit_rate@5"``, ``"rougeLsum"``. A `Measure` is returned as it is.

    Returns
    -------
    Measure
        The measure. Its text is the canonical name.

    Raises
    ------
    MeasureError
        If a name or parameter is unknown or has two meanings, or a value is not accepted. The
        message suggests a name that is near.

    Examples
    --------
    >>> import tare
    >>> tare.parse("ndcg_cut_10")
    nDCG@10
    >>> tare.parse("nDCG(dcg='exp-log2')@10")
    nDCG(gain=exp2)@10
    >>> tare.parse("hit_rate@5")
    Success@5
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise MeasureError(f"a measure is a string such as 'nDCG@10', found {text!r}.")
    stripped = text.strip()
    if len(stripped) > MOST_LETTERS:
        raise MeasureError(
            f"'{stripped[:20]}…' is not a measure: it has {len(stripped):,} letters. `tare list measures` shows all "
            "measures."
        )
    if find(stripped) is None:
        if stripped.casefold() in _DIGIT_FIRST:
            return make(_DIGIT_FIRST[stripped.casefold()])
        members = find_group(stripped)
        if members is not None:
            raise MeasureError(
                f"{stripped!r} is a group of {len(members)} measures. Name one of them, such as "
                f"{members[0]}."
            )
    reader = _Reader(stripped)
    measure = reader.measure()
    reader.end()
    return measure


def parse_all(texts: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return measures by name, with groups of measures replaced by their members and without duplicates.

    A text may name several: ``"nDCG@10, AP"``.
    """
    if isinstance(texts, str | Measure):
        texts = [texts]
    names = (n for x in texts for n in (split_names(x) if isinstance(x, str) else [x]))
    measures = tuple(dict.fromkeys(one for name in names for one in _members(name)))
    if not measures:
        raise MeasureError("no measure given; name at least one, such as 'nDCG@10'.")
    return measures


def canonical(text: str | Measure) -> str:
    """Return the canonical name of a measure; texts that are no measure are returned as they are.

    >>> canonical("ndcg_cut_10"), canonical("fluency")
    ('nDCG@10', 'fluency')
    """
    try:
        return parse(str(text)).text
    except MeasureError:
        return str(text)


def is_measure(text: str) -> bool:
    """Return whether a text is the name of a measure or of a group of measures."""
    try:
        return bool(_members(text))
    except MeasureError:
        return False


def split_names(text: str) -> list[str]:
    """Return the names of measures in a list that is separated by commas or blanks.

    >>> split_names("nDCG@10, AP P(rel=2)@5")
    ['nDCG@10', 'AP', 'P(rel=2)@5']
    """
    if is_measure(text):
        return [text]
    made = []
    for part in comma_parts(text):
        words = blank_parts(part)
        several = not is_measure(part) and is_measure(words[0])
        made += words if several else [part]  # the name of a column may contain blanks
    return made or [text]


def _members(text: str | Measure) -> list[Measure]:
    """Return the measures of a group's name, with the parameters given for the group, or one measure."""
    found = _GROUP.fullmatch(text.strip()) if isinstance(text, str) else None
    names = find_group(found[1]) if found else None
    if found is None or names is None:
        return [parse(text)]
    members = []
    for measure in map(parse, names):
        given = parse(f"{measure.name}{found[2] or ''}").parameters
        members.append(make(str(measure.name), {**dict(measure.parameters), **dict(given)}))
    return members


def _from_ir_measures(name: str, parameters: dict[str, Any]) -> str:
    """Return the name of a measure that ir_measures writes as a parameter of another.

    Its `dcg` is translated to a gain; parameters equal to the default are dropped.
    """
    definition = find(name)
    known = definition.name if definition is not None else name
    if known == "nDCG" and "dcg" in parameters:
        spelling = str(parameters.pop("dcg"))
        parameters["gain"] = _DCG_SPELLINGS.get(spelling, spelling)
    elif known == "SDCG" and parameters.get("dcg") == "log2":
        del parameters["dcg"]
    elif known == "NumRet" and "rel" in parameters:
        return "NumRelRet"
    elif known == "setP" and "relative" in parameters:
        return "setRelP" if str(parameters.pop("relative")).lower() == "true" else name
    judged_only = str(parameters.get("judged_only", "")).lower()
    if judged_only == "false":
        del parameters["judged_only"]
    elif judged_only:
        raise MeasureError(
            f"{name}: judged_only is not supported. To remove unjudged documents from the rankings, "
            "evaluate with unjudged='condensed' (--unjudged condensed)."
        )
    return name


class _Reader:
    """A parser that reads the name of a measure by its grammar, from left to right."""

    max_depth = 8

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def measure(self) -> Measure:
        self.depth += 1
        if self.depth > self.max_depth:
            raise self.wrong(f"at most {self.max_depth} nested measures")
        name = self.take(_NAME, "the name of a measure")
        inner: Measure | None = None
        found = spelled(name, self.text[self.at :].strip())
        name, parameters = found.name, found.parameters
        if self.skip("("):
            while not self.skip(")"):
                word = _NAME.match(self.text, self.at)
                if word and self.text[word.end() :].lstrip().startswith("="):
                    key, value = self.parameter()
                    if key in parameters:
                        raise self.wrong(f"{key} only once")
                    parameters[key] = value
                elif name == "Learned" and not parameters:
                    parameters["path"] = self.value("path")
                elif inner is None and not parameters:
                    inner = self.measure()
                else:
                    raise self.wrong("a parameter such as rel=2")
                if not self.skip(",") and not self.peek(")"):
                    raise self.wrong("',' or ')'")
        cutoff = found.cutoff
        if self.peek("@") and cutoff is not None:
            raise self.wrong("no second cutoff")
        if self.skip("@"):
            cutoff = float(self.take(_NUMBER, "a number after @"))
        self.depth -= 1
        name = _from_ir_measures(name, parameters)
        return make(name, parameters, cutoff=cutoff, inner=inner)

    def parameter(self) -> tuple[str, Any]:
        key = self.take(_NAME, "the name of a parameter")
        self.skip("=")
        return key, self.value(key)

    def value(self, key: str) -> Any:
        for quote in "'\"":
            if self.skip(quote):
                end = self.text.find(quote, self.at)
                if end < 0:
                    raise self.wrong(f"a closing {quote}")
                value = self.text[self.at : end]
                self.at = end + 1
                return value
        if self.skip("{"):
            pairs = []
            while not self.skip("}"):
                level = self.take(_NUMBER, "a grade")
                if not self.skip(":"):
                    raise self.wrong("':' between a grade and its gain")
                pairs.append((float(level), float(self.take(_NUMBER, "a gain"))))
                self.skip(",")
            return tuple(pairs)
        word = self.take(_WORD, "a value")
        if key == "pool" and word == "corpus" and self.skip("="):
            return f"corpus={self.take(_WORD, 'the number of documents, or inf')}"
        return word

    def take(self, pattern: re.Pattern[str], what: str) -> str:
        self.blanks()
        found = pattern.match(self.text, self.at)
        if not found:
            raise self.wrong(what)
        self.at = found.end()
        return found.group()

    def skip(self, token: str) -> bool:
        if not self.peek(token):
            return False
        self.at += len(token)
        return True

    def peek(self, token: str) -> bool:
        self.blanks()
        return self.text.startswith(token, self.at)

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def end(self) -> None:
        self.blanks()
        if self.at < len(self.text):
            raise self.wrong("the end of the measure")

    def wrong(self, expected: str) -> MeasureError:
        found = repr(self.text[self.at :][:20]) if self.at < len(self.text) else "the end"
        return MeasureError(
            f"{self.text!r} is not a measure: expected {expected} at character {self.at + 1}, "
            f"found {found}. Measures look like nDCG@10, P(rel=2)@5, V2(AP)."
        )


# The measure behind a column of a score table, whoever named the column.


@dataclass(frozen=True, eq=False, repr=False)
class ColumnMeasure(Measure):
    """A column with a free name, such as a human rating, or `map` for AP.

    `label` is the name of the column and the text of the measure.
    """

    label: str = ""

    @cached_property
    def text(self) -> str:
        """The name of the column."""
        return self.label


def column_measure(column: str | Measure) -> Measure:
    """Return the measure of a column; its text is the name of the column, unchanged.

    >>> column_measure("nDCG@10"), column_measure("fluency").better
    (nDCG@10, 'higher')
    >>> column_measure("gm_map"), column_measure("gm_map").aggregate
    (gm_map, 'geometric')
    """
    if isinstance(column, Measure):
        return column
    try:
        found = parse(column)
    except MeasureError:  # a column that somebody else named
        return ColumnMeasure(unregistered(column), label=column)
    if found.text == column:
        return found
    return ColumnMeasure(
        found.definition, found.parameters, found.cutoff, found.inner, found.part, column
    )


def column_measures(columns: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return the measures of several columns, in order."""
    return tuple(map(column_measure, columns))
