"""Descriptors of a summary and its source in the registry: novelty, compression, fragments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare._measures.text.parameters import PROFILE_PARAMETERS, profile_key, settle

if TYPE_CHECKING:
    from tare._measures.text.cell_findings import Noted
    from tare._measures.text.evaluation import TextEvaluation, Values

__all__ = ["DEFINITIONS", "GROUP"]

GRUSKY = (
    "Grusky, Naaman, Artzi. Newsroom: A Dataset of 1.3 Million Summaries with Diverse Extractive "
    "Strategies. NAACL 2018."
)
SEE = (
    "See, Liu, Manning. Get To The Point: Summarization with Pointer-Generator Networks. ACL 2017."
)
N = Parameter("n", "integer", 2, "Tokens in an n-gram.", low=1, high=9)
KEYS = {
    "Compression": "compression",
    "FragmentCoverage": "coverage",
    "FragmentDensity": "density",
    "NovelNgrams": "novel",
    "RepeatedNgrams": "repetition",
}


def _describe(evaluation: TextEvaluation, measure: Measure) -> Values:
    from tare._measures.text.abstractiveness import abstractiveness

    profile, key = evaluation.profile(measure), profile_key(measure)

    def make() -> dict[str, Values]:
        alike = [m for m in evaluation.measures if m.name in KEYS and profile_key(m) == key]
        sizes = {int(m["n"]) for m in (*alike, measure) if N in m.definition.parameters}
        return abstractiveness(
            evaluation.candidates(),
            [source or "" for source in evaluation.cells.sources],
            profile=profile,
            sizes=sorted(sizes),
            threads=evaluation.threads,
        )

    found = evaluation.shared(("fragments", key), make)
    name = KEYS[measure.name]
    if N in measure.definition.parameters:
        name = f"{name}-{measure['n']}"
    need = measure.definition.needs
    findings: tuple[Noted, ...] = (
        *profile.findings,
        *(evaluation.without(need, "source") if need == "source" else ()),
    )
    evaluation.set_facts(measure, dict(profile.facts), findings)
    return np.where(evaluation.cells.has(need), found[name], np.nan)


def _entry(
    name: str,
    title: str,
    formula: str,
    high: float | None,
    own: tuple[Parameter, ...] = (),
    citation: str = GRUSKY,
    needs: str = "source",
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        citation,
        (*own, *PROFILE_PARAMETERS),
        bounds=(0, high),
        family="text",
        needs=needs,
        settle=settle,
        derive=_describe,
        notes="Describes a summary; more is not better. Empty texts have no value.",
    )


DEFINITIONS = (
    _entry("Compression", "Compression", "tokens of the source / tokens of the summary", None),
    _entry(
        "FragmentCoverage",
        "Coverage by fragments of the source",
        "Σ |f| / tokens of the summary, f the fragments it copied from the source",
        1,
    ),
    _entry(
        "FragmentDensity",
        "Density of fragments of the source",
        "Σ |f|² / tokens of the summary, f the fragments it copied from the source",
        None,
    ),
    _entry(
        "NovelNgrams",
        "Novel n-grams",
        "distinct n-grams of the summary that the source lacks / its distinct n-grams",
        1,
        (N,),
        SEE,
    ),
    _entry(
        "RepeatedNgrams",
        "Repetition",
        "1 − distinct n-grams of the summary / its n-grams",
        1,
        (N,),
        SEE,
        "texts",
    ),
)

SIZES = (1, 2, 3, 4)
GROUP = (
    "Compression",
    "FragmentCoverage",
    "FragmentDensity",
    *(f"NovelNgrams(n={n})" for n in SIZES),
    *(f"RepeatedNgrams(n={n})" for n in SIZES),
)
