"""Preference measures of trec_eval: how many preferences a ranking fulfils."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tare._measures.assessors.fulfilled import preference_values
from tare._measures.assessors.ranks import groups_of, ranks_of
from tare._measures.definition import Definition
from tare._measures.evaluation import Evaluation
from tare._measures.measure import Measure

__all__ = ["DEFINITIONS"]

CITATION = "Buckley, trec_eval 10 (2022), preference measures; after Carterette et al., Here or There (ECIR 2008)."
NOTES = (
    "A preference is fulfilled if the preferred document ranks higher, or is the only one of the two "
    "that was retrieved. For these measures only, trec_eval breaks ties by ascending document id; "
    "tare breaks them as for all other measures (`tare trec_eval -R prefs` follows trec_eval)."
)
# name: (title, formula)
SHARES = {
    "prefs_simp": ("Preferences fulfilled", "fulfilled / possible, over all groups together"),
    "prefs_pair": (
        "Preferences fulfilled, by pairs",
        "mean over pairs with a preference of the share of groups fulfilled",
    ),
    "prefs_avgjg": (
        "Preferences fulfilled, averaged over groups",
        "mean over groups of fulfilled / possible",
    ),
    "prefs_avgjg_Rnonrel": (
        "Preferences fulfilled, averaged over groups, as many non-relevant documents as relevant",
        "mean over groups of fulfilled / possible among the relevant and the first R non-relevant",
    ),
    "prefs_simp_ret": (
        "Preferences fulfilled among retrieved documents",
        "fulfilled / possible if both documents were retrieved",
    ),
    "prefs_pair_ret": (
        "Preferences fulfilled, by pairs of retrieved documents",
        "as prefs_pair, both retrieved",
    ),
    "prefs_avgjg_ret": (
        "Preferences fulfilled among retrieved documents, averaged over groups",
        "as prefs_avgjg, both retrieved",
    ),
    "prefs_avgjg_Rnonrel_ret": (
        "As prefs_avgjg_Rnonrel, among retrieved documents",
        "as prefs_avgjg_Rnonrel, both retrieved",
    ),
    "prefs_simp_imp": (
        "Preferences fulfilled, including those implied by retrieval",
        "fulfilled / possible if at least one document was retrieved",
    ),
    "prefs_pair_imp": (
        "Preferences fulfilled, by pairs, including those implied by retrieval",
        "as prefs_pair, at least one retrieved",
    ),
    "prefs_avgjg_imp": (
        "Preferences fulfilled, averaged over groups, including those implied by retrieval",
        "as prefs_avgjg, at least one retrieved",
    ),
}
COUNTS = {
    "prefs_num_prefs_poss": ("Number of preferences", "the preferences of all groups"),
    "prefs_num_prefs_ful": ("Number of preferences fulfilled", "those fulfilled"),
    "prefs_num_prefs_ful_ret": (
        "Number of preferences fulfilled among retrieved documents",
        "those fulfilled if both documents were retrieved",
    ),
}


def _by_name(evaluation: Evaluation, measure: Measure) -> dict[str, NDArray[np.float64]]:
    """Compute all measures at once, because they share the counts."""
    if "preferences fulfilled" not in evaluation.notes:
        judged = evaluation.judged
        groups = groups_of(judged, measure)
        found: dict[str, list[float]] = {name: [] for name in (*COUNTS, *SHARES)}
        for q, query in enumerate(groups.items):
            names, ranks = groups.document_names[query], ranks_of(judged, q)
            ranking = [names[number] for number in sorted(ranks, key=ranks.__getitem__)]
            for name, value in preference_values(groups.by_query[query], ranking, query).items():
                found[name].append(value)
        evaluation.notes["preferences fulfilled"] = {n: np.array(v) for n, v in found.items()}
    shared: dict[str, NDArray[np.float64]] = evaluation.notes["preferences fulfilled"]
    return shared


def _values(name: str) -> Callable[[Evaluation, Measure], NDArray[np.float64]]:
    return lambda evaluation, measure: _by_name(evaluation, measure)[name]


DEFINITIONS = tuple(
    Definition(
        name,
        title,
        formula,
        CITATION,
        bounds=(0, None if name in COUNTS else 1),
        aggregate="sum" if name in COUNTS else "mean",
        family="assessors",
        needs="groups",
        derive=_values(name),
        notes=NOTES,
    )
    for name, (title, formula) in {**COUNTS, **SHARES}.items()
)
