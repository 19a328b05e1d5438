"""Descriptors of a summary and its source: novelty, compression, fragments, repetition.

Grusky, M., Naaman, M., Artzi, Y. (2018). Newsroom: a dataset of 1.3 million summaries. NAACL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text, fragment_counts
from tare._measures.definition import Definition, Parameter
from tare._measures.measure import Measure
from tare._measures.text.profiles import PROFILE_PARAMETERS, Profile, profile, profile_key, settle

if TYPE_CHECKING:
    from tare._measures.text.cells import TextEvaluation, Values
    from tare._measures.text.findings_by_cell import Noted

__all__ = ["DEFINITIONS", "DESCRIPTORS", "GROUP", "abstractiveness"]


SIZES = (1, 2, 3, 4)
DESCRIPTORS = (
    "compression",
    "coverage",
    "density",
    *(f"{name}-{n}" for n in SIZES for name in ("novel", "repetition")),
)


def abstractiveness(
    summaries: Sequence[Text],
    sources: Sequence[Text],
    *,
    profile: Profile = profile(),  # noqa: B008 (immutable)
    sizes: Sequence[int] = SIZES,
    threads: int = 0,
) -> dict[str, NDArray[np.float64]]:
    """Return the descriptors of each summary and its source by name; NaN if the summary is empty or too short.

    compression   tokens of the source ÷ tokens of the summary
    coverage      share of the summary's tokens in fragments copied from the source
    density       mean length of the fragment of each of the summary's tokens
    novel-n       share of its distinct n-grams that are not in the source, for n in `sizes`
    repetition-n  1 − distinct n-grams ÷ n-grams

    >>> found = abstractiveness(["the cat sat there"], ["a dog saw the cat sat down"])
    >>> [found[name].tolist() for name in ("coverage", "density", "novel-2")]
    [[0.75], [2.25], [0.3333333333333333]]
    """
    kernel = profile.for_texts([*summaries, *sources])
    counts = fragment_counts(summaries, sources, kernel, sizes, threads=threads)
    length, source, copied, squares = counts[:, :4].T
    found = {
        "compression": _ratio(source, length),
        "coverage": _ratio(copied, length),
        "density": _ratio(squares, length),
    }
    for place, n in enumerate(sizes):
        grams, distinct, novel = counts[:, 4 + 3 * place : 7 + 3 * place].T
        found[f"novel-{n}"] = _ratio(novel, distinct)
        found[f"repetition-{n}"] = 1 - _ratio(distinct, grams)
    return found


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.full(len(above), np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out


# Descriptors of a summary and its source in the registry: novelty, compression, fragments.


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

GROUP = (
    "Compression",
    "FragmentCoverage",
    "FragmentDensity",
    *(f"NovelNgrams(n={n})" for n in SIZES),
    *(f"RepeatedNgrams(n={n})" for n in SIZES),
)
