"""Tables of the audit of judges: rankings of systems and conclusions about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._tables import Table
from tare.studies._judges.tables import made

if TYPE_CHECKING:
    from tare.studies._judges.result import JudgeStudy

__all__ = ["conclusions", "correlations", "flips", "groups", "systems"]

MOST_FLIPS = 20


def correlations(study: JudgeStudy) -> Table:
    """Return correlations of the rankings of systems."""
    names = ("tau_b", "tau_ap", "rbo", "pearson")
    note = (
        f"Rankings of systems by people and by the judge. {100 * study.confidence:g} % intervals of the "
        f"expected coefficient for query sets of this size ({study.draws:,} resamples, seed {study.seed}); they "
        "need not contain the coefficient of the true rankings. Top agreement: share of the "
        "best systems by people that are also best by the judge."
    )
    return made(
        study.rows_by_name["correlations"],
        ("judge", "measure"),
        (*names, "largest_change", "top", "top_agreement", "top_by_chance"),
        "Rankings of systems",
        [note],
        bounded=names,
    )


def systems(study: JudgeStudy) -> Table:
    """Return the mean of each system by both label sets."""
    note = (
        f"Bias: judge − human, with Student's {100 * study.confidence:g} % interval over queries, each on its "
        "own. p: Student's test, with Holm's correction over the systems of all judges."
    )
    return made(
        study.rows_by_name["systems"],
        ("judge", "measure", "system"),
        ("human", "labelled", "bias", "p_adjusted", "rank_human", "rank_judge"),
        "Systems by labels of people and judges",
        [note],
        bounded=("bias",),
        p=("p_adjusted",),
    )


def groups(study: JudgeStudy) -> Table:
    """Return the bias by an attribute of systems."""
    note = (
        "Difference: mean bias of the group minus that of the other systems. p by permuting the attribute "
        f"among the systems, {study.draws:,} draws, seed {study.seed}; p all: all groups at once. Adjusted: Holm's correction "
        "over the groups of all judges, and for p all over the judges."
    )
    return made(
        study.rows_by_name["groups"],
        ("judge", "measure", "attribute", "group"),
        ("systems", "bias", "difference", "p", "p_adjusted", "p_all", "p_all_adjusted"),
        "Bias by groups of systems",
        [note],
        p=("p", "p_adjusted", "p_all", "p_all_adjusted"),
    )


def conclusions(study: JudgeStudy) -> Table:
    """Return the nine cells of conclusions and the yardsticks."""
    corrected = (
        "each pair on its own, without a correction"
        if study.correction == "none"
        else f"correction {study.correction} over the pairs of systems"
    )
    note = (
        f"Pairs of systems by what people and the judge conclude: better, no difference shown (none) or worse (test "
        f"{study.test}, {corrected}, α = {study.alpha:g}). Better none: better for people, none "
        "for the judge. Precision, recall and balanced accuracy of significant differences with the same "
        "sign, people as the reference."
    )
    more = (
        f"Two halves: the reference on one random half of the queries, the other labels on the other half; "
        f"means of {study.splits:,} splits, seed {study.seed}. Halves have less power than all queries, so "
        "compare the two lines of halves with each other."
    )
    cells = [f"{h}_{j}" for h in ("better", "none", "worse") for j in ("better", "none", "worse")]
    return made(
        study.rows_by_name["conclusions"],
        ("judge", "measure", "comparison"),
        ("pairs", *cells, "precision", "recall", "balanced"),
        "Conclusions about pairs of systems",
        [note, more],
    )


def flips(study: JudgeStudy) -> Table:
    """Return the pairs whose difference changes its sign and is significant for one side."""
    rows = [r for r in study.rows_by_name["pairs"] if r["flips"]]
    rows.sort(key=lambda r: (not r["reversed"], max(r["p_human"], r["p_judge"])))
    notes = ["The difference has opposite signs, and is significant for people, the judge or both."]
    if len(rows) > MOST_FLIPS:
        notes.append(f"The first {MOST_FLIPS} of {len(rows):,}; the rows hold all.")
    return made(
        rows[:MOST_FLIPS],
        ("judge", "measure", "system", "against"),
        ("difference_human", "p_human", "difference_judge", "p_judge"),
        "Pairs of systems that flip",
        notes,
        p=("p_human", "p_judge"),
    )
