"""Measures over the separate judgements of several assessors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from tare._data.assessor_groups import AssessorGroups, Level, twice
from tare._data.judged import Judged
from tare._measures.definition import Definition, Parameter
from tare._measures.measure import Measure
from tare._measures.one_system import RankingEvaluation
from tare.errors import FormatError, MeasureError

__all__ = ["DEFINITIONS", "groups_of", "preference_values", "ranks_of"]


# Ranks of the documents judged by groups of assessors.


def groups_of(judged: Judged, measure: Measure) -> AssessorGroups:
    """Return the judgements of several assessors that a measure over them needs."""
    if not isinstance(judged.judgements, AssessorGroups):
        raise MeasureError(
            f"{measure} needs the judgements of each assessor ('query group document level'); read "
            "them with tare.read_assessor_groups."
        )
    if judged.policies.ties == "expected":
        raise MeasureError(f"{measure} does not support ties='expected'.")
    return judged.judgements


def ranks_of(judged: Judged, query: int) -> dict[int, int]:
    """Return the rank of each retrieved document that an assessor judged, by its number."""
    first, last = judged.rankings.offsets[query : query + 2]
    ranks, codes = judged.rankings.ranks[first:last], judged.rankings.codes[first:last]
    near = ranks <= judged.retrieved[query]
    return dict(zip(codes[near].tolist(), ranks[near].tolist(), strict=True))


# Fulfilled preferences: the preference measures of trec_eval for one query.
#
# Judged documents are numbered in rank order, followed by those that were not retrieved. In each group
# of judgements, `prefers[a, b]` means that a is preferred to b. A preference is fulfilled if the
# preferred document ranks higher, or is the only one of the two that was retrieved.


Pairs = NDArray[np.bool_]


@dataclass(frozen=True)
class _Group:
    """The preferences of one group of assessors, and the level of each document (NaN if it has none)."""

    prefers: Pairs
    levels: NDArray[np.float64]
    single: bool
    retrieved: int

    def counts(self) -> dict[str, int]:
        """Count the group's preferences with both, one or none of the documents retrieved, and those fulfilled."""
        n = self.retrieved
        both, kept, lost = self.prefers[:n, :n], self.prefers[:n, n:], self.prefers[n:, :n]
        return {
            "ret": int(both.sum()),
            "ful_ret": int(np.triu(both, 1).sum()),
            "imp": int(kept.sum()) + int(lost.sum()),
            "ful_imp": int(kept.sum()),
            "none": int(self.prefers[n:, n:].sum()),
        }

    def r_nonrel(self, *, retrieved_only: bool) -> float:
        """Return the share of preferences fulfilled, counting as many non-relevant documents as relevant ones."""
        n = self.retrieved
        relevant, others = np.flatnonzero(self.levels > 0), np.flatnonzero(self.levels == 0)
        near, far = (relevant, others)
        if retrieved_only:
            near, far = relevant[relevant < n], others[others < n]
        if len(near) >= len(far):
            c = self.counts()
            ful = c["ful_ret"] + (0 if retrieved_only else c["ful_imp"])
            possible = c["ret"] + (0 if retrieved_only else c["imp"] + c["none"])
            more = len(near) - len(far)
            return _share(ful + int((relevant < n).sum()) * more, possible + len(relevant) * more)
        if self.single:
            return self._recount(len(near), retrieved_only)
        kept = self.prefers.copy()
        dropped = others[len(relevant) :]
        kept[dropped, :] = kept[:, dropped] = False
        if retrieved_only:
            kept = kept[:n, :n]
        return _share(int(np.triu(kept, 1)[:n].sum()), int(kept.sum()))

    def _recount(self, keep: int, retrieved_only: bool) -> float:
        """Count preferences as trec_eval does with one subgroup: every document against each one kept.

        trec_eval also compares the documents of the lowest level with each other. This is a defect,
        kept for equal results.
        """
        judged = np.flatnonzero(~np.isnan(self.levels))
        lowest = np.nanmin(self.levels)
        last = judged[self.levels[judged] == lowest][:keep]
        above = judged[self.levels[judged] > lowest]
        if retrieved_only:
            judged, last, above = (x[x < self.retrieved] for x in (judged, last, above))
        better = self.levels[above][:, None] > self.levels[above][None, :]
        higher = (above[:, None] < above[None, :]) & (above[:, None] < self.retrieved)
        against = (judged[:, None] < last[None, :]) & (judged[:, None] < self.retrieved)
        fulfilled = int((better & higher).sum()) + int(against.sum())
        return _share(fulfilled, int(better.sum()) + against.size)


def preference_values(
    preferences: Sequence[Level], ranking: list[str], query: str
) -> dict[str, float]:
    """Return all preference measures of one query over its groups of assessors, by their trec_eval names."""
    judged = {p.document for p in preferences}
    order = [document for document in ranking if document in judged]
    retrieved = len(order)
    order += sorted(judged - set(order), key=str.encode)
    groups = list(_groups(preferences, order, retrieved, query))
    counts = [group.counts() for group in groups]

    def total(*names: str) -> int:
        return sum(c[name] for c in counts for name in names)

    def mean(top: tuple[str, ...], bottom: tuple[str, ...]) -> float:
        shares = (_ratio(sum(c[t] for t in top), sum(c[b] for b in bottom)) for c in counts)
        return sum(shares) / len(counts)

    def nonrel(retrieved_only: bool) -> float:
        value = sum(g.r_nonrel(retrieved_only=retrieved_only) for g in groups)
        return value / len(groups) if value > 0 else 0.0

    ful, possible, possible_imp = ("ful_ret", "ful_imp"), ("ret", "imp", "none"), ("ret", "imp")
    times = np.asarray(np.sum([group.prefers for group in groups], axis=0, dtype=np.int64))
    return {
        "prefs_num_prefs_poss": total(*possible),
        "prefs_num_prefs_ful": total(*ful),
        "prefs_num_prefs_ful_ret": total("ful_ret"),
        "prefs_simp": _ratio(total(*ful), total(*possible)),
        "prefs_pair": _pair(times, retrieved, len(order), len(order)),
        "prefs_avgjg": mean(ful, possible),
        "prefs_avgjg_Rnonrel": nonrel(False),
        "prefs_simp_ret": _ratio(total("ful_ret"), total("ret")),
        "prefs_pair_ret": _pair(times, retrieved, retrieved, retrieved),
        "prefs_avgjg_ret": mean(("ful_ret",), ("ret",)),
        "prefs_avgjg_Rnonrel_ret": nonrel(True),
        "prefs_simp_imp": _ratio(total(*ful), total(*possible_imp)),
        "prefs_pair_imp": _pair(times, retrieved, retrieved, len(order)),
        "prefs_avgjg_imp": mean(ful, possible_imp),
    }


def _groups(
    preferences: Sequence[Level], order: list[str], retrieved: int, query: str
) -> Iterator[_Group]:
    place = {document: i for i, document in enumerate(order)}
    by_group = sorted(preferences, key=lambda p: (p.group, p.subgroup))
    for group, members in groupby(by_group, key=lambda p: p.group):
        prefers = np.zeros((len(order), len(order)), dtype=bool)
        levels = np.full(len(order), np.nan)
        subgroups = 0
        for _, inside in groupby(members, key=lambda p: p.subgroup):
            own = np.full(len(order), np.nan)
            for p in inside:
                at = place[p.document]
                if not np.isnan(own[at]) and own[at] != p.level:
                    raise _contradiction(query, group, f"document {p.document!r} has two levels")
                before = levels[at]
                if min(before, p.level) == 0 < max(before, p.level):  # relevant and not relevant
                    above = max(before, p.level)
                    raise _contradiction(
                        query,
                        group,
                        f"document {p.document!r} has level 0 in one subgroup and level {above:g} in "
                        "another. A group is the opinion of one assessor: use different groups",
                    )
                own[at] = levels[at] = p.level
            prefers |= own[:, None] > own[None, :]
            subgroups += 1
        if subgroups > 1:  # preferences implied by those of several subgroups
            for k in range(len(order)):
                prefers |= prefers[:, k, None] & prefers[None, k, :]
            if prefers.diagonal().any():
                raise _contradiction(query, group, "its subgroups contradict each other")
        yield _Group(prefers, levels, subgroups == 1, retrieved)


def _pair(times: NDArray[np.int64], retrieved: int, rows: int, columns: int) -> float:
    """Return the share of assessor groups whose preference is fulfilled, averaged over the pairs with a preference."""
    both = np.triu(times + times.T, 1)[:rows, :columns]
    counted = both > 0
    if not counted.any():
        return 0.0
    above = times[:rows, :columns][:retrieved]
    shares = np.divide(
        above, both[:retrieved], where=counted[:retrieved], out=np.zeros(above.shape)
    )
    return float(shares.sum()) / int(counted.sum())


def _share(fulfilled: int, possible: int) -> float:
    return fulfilled / possible if possible else float("nan")


def _ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


def _contradiction(query: str, group: str, what: str) -> FormatError:
    return FormatError(f"preferences of query '{query}', group '{group}': {what}.")


# Preference measures of trec_eval: how many preferences a ranking fulfils.


PREFERENCES_CITATION = "Buckley, trec_eval 10 (2022), preference measures; after Carterette et al., Here or There (ECIR 2008)."
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


def _by_name(evaluation: RankingEvaluation, measure: Measure) -> dict[str, NDArray[np.float64]]:
    """Compute all preference measures of trec_eval at once, because they share the counts."""
    return evaluation.shared("preferences fulfilled", lambda: _fulfilled(evaluation, measure))


def _fulfilled(evaluation: RankingEvaluation, measure: Measure) -> dict[str, NDArray[np.float64]]:
    judged = evaluation.judged
    groups = groups_of(judged, measure)
    found: dict[str, list[float]] = {name: [] for name in (*COUNTS, *SHARES)}
    for q, query in enumerate(groups.items):
        names, ranks = groups.document_names[query], ranks_of(judged, q)
        ranking = [names[number] for number in sorted(ranks, key=ranks.__getitem__)]
        for name, value in preference_values(groups.by_query[query], ranking, query).items():
            found[name].append(value)
    return {name: np.array(values) for name, values in found.items()}


def _values(name: str) -> Callable[[RankingEvaluation, Measure], NDArray[np.float64]]:
    return lambda evaluation, measure: _by_name(evaluation, measure)[name]


# Measures of trec_eval that are averaged over assessors: the mean over groups of judgements.


AVERAGES_CITATION = "Buckley, trec_eval 10 (2022), measures averaged over judgement groups."
REL = Parameter("rel", "integer", 1, "The lowest grade that counts as relevant.", low=1)
Places = NDArray[np.int64]  # ranks of relevant documents that were retrieved, ascending
OfGroup = Callable[[Measure, Places, int], float]


def _average_precision(measure: Measure, places: Places, relevant: int) -> float:
    return float(np.sum(np.arange(1, len(places) + 1) / places)) / relevant if relevant else 0.0


def _precision(measure: Measure, places: Places, relevant: int) -> float:
    cutoff = int(measure.cutoff or 1)
    return int((places <= cutoff).sum()) / cutoff


def _r_precision(measure: Measure, places: Places, relevant: int) -> float:
    cutoff = int(float(measure["multiple"]) * relevant + 0.9)
    return int((places <= cutoff).sum()) / cutoff if cutoff else 0.0


def _averaged(of_group: OfGroup) -> Callable[[RankingEvaluation, Measure], NDArray[np.float64]]:
    def derive(evaluation: RankingEvaluation, measure: Measure) -> NDArray[np.float64]:
        judged = evaluation.judged
        groups = groups_of(judged, measure)
        values = np.zeros(len(groups.items))
        for q, query in enumerate(groups.items):
            number = {name: i for i, name in enumerate(groups.document_names[query])}
            ranks = ranks_of(judged, q)
            grades: dict[str, dict[int, float]] = {}
            for level in groups.by_query[query]:
                own = grades.setdefault(level.group, {})
                if number[level.document] in own:
                    raise twice(groups.name, query, level)
                own[number[level.document]] = level.level
            values[q] = np.mean(
                [
                    of_group(measure, *_relevant(own, ranks, float(measure["rel"])))
                    for own in grades.values()
                ]
            )
        return values

    return derive


def _relevant(own: dict[int, float], ranks: dict[int, int], rel: float) -> tuple[Places, int]:
    relevant = [document for document, grade in own.items() if grade >= rel]
    places = sorted(ranks[document] for document in relevant if document in ranks)
    return np.array(places, dtype=np.int64), len(relevant)


def _entry(
    name: str, title: str, formula: str, of_group: OfGroup, *parameters: Parameter
) -> Definition:
    return Definition(
        name,
        title,
        formula,
        AVERAGES_CITATION,
        (*parameters, REL),
        "required" if name == "P_avgjg" else "none",
        family="assessors",
        needs="groups",
        derive=_averaged(of_group),
    )


DEFINITIONS: tuple[Definition, ...] = (
    *tuple(
        Definition(
            name,
            title,
            formula,
            PREFERENCES_CITATION,
            bounds=(0, None if name in COUNTS else 1),
            aggregate="sum" if name in COUNTS else "mean",
            family="assessors",
            needs="groups",
            derive=_values(name),
            notes=NOTES,
        )
        for name, (title, formula) in {**COUNTS, **SHARES}.items()
    ),
    _entry(
        "map_avgjg",
        "Average precision, averaged over groups of assessors",
        "mean over groups of AP by the group's grades",
        _average_precision,
    ),
    _entry(
        "P_avgjg",
        "Precision, averaged over groups of assessors",
        "mean over groups of P@k by the group's grades",
        _precision,
    ),
    _entry(
        "Rprec_mult_avgjg",
        "Precision at a multiple of R, averaged over groups of assessors",
        "mean over groups of r_m / m, m = ⌊multiple·R + 0.9⌋",
        _r_precision,
        Parameter("multiple", "number", 1, "The cutoff as a multiple of R.", low=0),
    ),
)
