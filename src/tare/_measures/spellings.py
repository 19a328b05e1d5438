"""How people and other programs spell a measure: `ndcg@10`, `ndcg_cut.10`, `hit_rate@5`, `rouge-l`.

A name is read in this order: as it is, as trec_eval spells it, and without regard to case, hyphens
and underscores. A spelling that two measures share raises an error that names both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from tare._measures import catalogue
from tare._measures.registry import find, registered_names
from tare._measures.trec_names import CUT, MULTIPLE, PLAIN
from tare.errors import MeasureError

__all__ = ["Spelling", "folded", "spelled"]

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
    """What a spelling means: the name of a measure, and the parameters and cutoff it contains."""

    name: str
    parameters: dict[str, Any]
    cutoff: float | None = None


def folded(name: str) -> str:
    """Return a name in small letters, without hyphens and underscores.

    >>> folded("ROUGE-Lsum"), folded("hit_rate")
    ('rougelsum', 'hitrate')
    """
    return name.casefold().replace("_", "").replace("-", "")


def spelled(name: str, cutoff: str = "") -> Spelling:
    """Return what a name means; a name that is not known is returned as it is.

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
    """Return what a name without a number means, or None."""
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
    """Return what a name that ends with a number means: `P_5`, `ndcg_cut.10`, `ndcg_at_10`."""
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
    """Return the names of the static table and of trec_eval by their folded form."""
    made: dict[str, set[str]] = {}
    for entries in catalogue.MEASURES.values():
        for name, aliases in entries.items():
            for spelling in (name, *aliases):
                made.setdefault(folded(spelling), set()).add(name)
    for spelling, name in PLAIN.items():
        made.setdefault(folded(spelling), set()).add(name)
    return made
