"""The grammar of measure names: `nDCG@10`, `P(rel=2)@5`, `V2(nDCG(gain=exp2)@10,pool=judged)`.

    measure    = name [ "." part ] [ "(" [ argument { "," argument } ] ")" ] [ "@" number ]
    argument   = parameter "=" value | measure
    part       = "p" | "r" | "f"
    value      = number | word | "corpus=" ( number | "inf" ) | "'" text "'" | "{" number ":" number { "," … } "}"

Names are read without regard to case, hyphens and underscores. The names of trec_eval
(`ndcg_cut_10`, `recip_rank`), ir_measures, ranx and other programs are accepted too (`spellings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tare._measures.measure import Measure, make
from tare._measures.name_lists import blank_parts, comma_parts
from tare._measures.registry import find, find_group
from tare._measures.spellings import spelled
from tare.errors import MeasureError

__all__ = ["canonical", "is_measure", "parse", "parse_all", "split_names"]

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
    """Return measures by name, with groups replaced by their members and without duplicates.

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
    """Return the canonical name of a measure; other texts are returned as they are.

    >>> canonical("ndcg_cut_10"), canonical("fluency")
    ('nDCG@10', 'fluency')
    """
    try:
        return parse(str(text)).text
    except MeasureError:
        return str(text)


def is_measure(text: str) -> bool:
    """Return whether a text is a measure or a group of measures."""
    try:
        return bool(_members(text))
    except MeasureError:
        return False


def split_names(text: str) -> list[str]:
    """Return the names in a list that is separated by commas or blanks.

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
    """Return the members of a group, with the parameters given for the group, or one measure."""
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
    """A parser that reads a name from left to right."""

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
