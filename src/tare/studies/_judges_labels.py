"""Labels by people and model judges on their common pairs: who is a person, scales, maps and cuts, and agreement."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tare._data.columns import recognise
from tare._data.findings import Finding, Frame, listed
from tare._data.labels import LabelSet, LabelSource, read_labels
from tare._data.table_files import TABLES, table_in
from tare._data.tables import is_frame, to_polars
from tare._files.opening import PathLike, name_of
from tare._kernels.statistics import resampled_indices
from tare._result import Rows
from tare.errors import FormatError, MismatchError, OptionError, nearest
from tare.stats._corrections import adjust
from tare.stats._flips import flip_test
from tare.stats._intervals import correlation_interval

__all__ = [
    "BASE_RATES",
    "CONSTANT",
    "WEIGHTS",
    "CommonPairs",
    "Cuts",
    "Groups",
    "GroupsInput",
    "LabelAudit",
    "LabelSets",
    "LabelSources",
    "Maps",
    "baseline_rows",
    "by_query",
    "ceiling_rows",
    "common_pairs",
    "confusion_of",
    "confusion_statistics",
    "corrected_over_judges",
    "flipped_p",
    "for_each_judge",
    "groups_of",
    "intervals",
    "kappa_totals",
    "label_sets",
    "mapped",
    "query_weights",
    "rank_statistics",
    "reference_of",
    "resampled",
    "sources_of",
]


# Labels by people and judges on their common pairs: who is a person, scales, maps and cuts.


Integers = NDArray[np.int64]
PEOPLE = re.compile(
    r"(humans?|people|person|gold|nist|experts?|assessor|annotator)[ _.-]?\d*", re.IGNORECASE
)
STRAY = 0.05  # share of labels outside the scale that still counts as the same scale


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The label sets of people and of judges, and findings about them."""

    people: tuple[LabelSet, ...]
    judges: tuple[LabelSet, ...]
    findings: tuple[Finding, ...] = ()


def label_sets(
    human: Sequence[LabelSource], judges: Sequence[LabelSource], people: Sequence[str] = ()
) -> LabelSets:
    """Read all sources of labels; `people` names the sets of people in sources that hold both people and judges."""
    first = [found for source in human for found in read_labels(source)]
    rest = [found for source in judges for found in read_labels(source)]
    known = [s.name for s in (*first, *rest)]
    for name in people:
        if name not in known:
            raise OptionError(
                f"people={name!r} is not a label set; found {', '.join(listed(known, 12))}."
                f"{nearest(name, known)}"
            )
    if people:
        mine = [s for s in (*first, *rest) if s.name in people]
        others = [s for s in (*first, *rest) if s.name not in people]
    else:
        by_name = [s for s in first if PEOPLE.fullmatch(s.name)]
        several = len(first) > len(human)
        mine = by_name if several and by_name else first
        others = [s for s in first if s not in mine] + rest
    if not mine or not others:
        what = "judges" if mine else "people"
        raise MismatchError(
            f"no labels of {what} found; the label sets are {', '.join(listed(known, 12))}. Give a file "
            "of labels by people and one or more by judges; if one table holds both, name its columns "
            "of people (people=…, --people)."
        )
    kinds = {s.kind for s in (*mine, *others)}
    if len(kinds) > 1:
        raise MismatchError(
            f"the label sets are of different kinds: {', '.join(sorted(kinds))}. Compare labels of one "
            "kind."
        )
    if len({s.categories is None for s in (*mine, *others)}) > 1:
        words = next(s for s in (*mine, *others) if s.categories is not None)
        raise MismatchError(
            f"the labels of {words.name} are words, such as {(words.categories or ('',))[0]!r}, and "
            "those of others are numbers. Code them alike."
        )
    mine, others = _distinct(mine, others)
    findings = tuple(f for s in (*mine, *others) for f in s.findings())
    return LabelSets(tuple(mine), tuple(others), findings)


def _distinct(
    mine: list[LabelSet], others: list[LabelSet]
) -> tuple[list[LabelSet], list[LabelSet]]:
    """Add a number to names of people or judges that occur more than once."""
    from dataclasses import replace

    seen: dict[str, int] = {}
    named = []
    for one in (*mine, *others):
        seen[one.name] = seen.get(one.name, 0) + 1
        count = seen[one.name]
        named.append(one if count == 1 else replace(one, name=f"{one.name} ({count})"))
    return named[: len(mine)], named[len(mine) :]


def reference_of(people: Sequence[LabelSet]) -> LabelSet:
    """Return the reference of the audit: the labels of the first person, completed by those of the next ones."""
    values = dict(people[0].values)
    words = people[0].categories
    for other in people[1:]:
        for pair, value in other.values.items():
            if words is not None and other.categories is not None:
                if other.categories[int(value)] not in words:
                    continue
                value = float(words.index(other.categories[int(value)]))
            values.setdefault(pair, value)
    return people[0].mapped(values)


def mapped(judge: LabelSet, table: Mapping[float, float]) -> LabelSet:
    """Return a judge's labels on the scale of people; every label needs an entry in the map."""
    missing = [f"{v:g}" for v in judge.levels if v not in table]
    if missing:
        raise OptionError(
            f"the map has no entry for {', '.join(listed(missing))} of {judge.name}. Write one for each "
            "label, such as 0=0,1=1,2=1."
        )
    return judge.mapped({pair: float(table[v]) for pair, v in judge.values.items()})


@dataclass(frozen=True, eq=False)
class CommonPairs:
    """The labelled pairs that two label sets share: codes into the levels of each, and the query of each pair.

    `scale` is "same", "binary" (a judge of two labels against grades) or "other".
    """

    judge: str
    against: str
    queries: tuple[str, ...]
    query: Integers
    first: Integers
    second: Integers
    first_levels: NDArray[np.float64]
    second_levels: NDArray[np.float64]
    scale: str
    categories: tuple[str, ...] | None = None
    outside: int = 0

    def __len__(self) -> int:
        return len(self.query)

    def union_codes(self) -> tuple[Integers, Integers, NDArray[np.float64]]:
        """Return the labels of people and of the judge as codes into the levels of either."""
        levels = np.union1d(self.first_levels, self.second_levels)
        first, second = (
            np.searchsorted(levels, own)[codes]
            for own, codes in ((self.first_levels, self.first), (self.second_levels, self.second))
        )
        return first, second, levels


def common_pairs(human: LabelSet, judge: LabelSet, *, same: bool = False) -> CommonPairs:
    """Align the label sets of people and of a judge; `same` states that both use the same scale."""
    values = judge.values
    categories = human.categories
    if human.categories is not None and judge.categories is not None:
        categories = tuple(sorted({*human.categories, *judge.categories}))
        code = {name: float(k) for k, name in enumerate(categories)}
        values = {p: code[judge.categories[int(v)]] for p, v in values.items()}
        human = human.mapped({p: code[human.categories[int(v)]] for p, v in human.values.items()})
    pairs = [pair for pair in human.pairs if pair in values]
    if not pairs:
        _refuse_apart(human, judge)
    queries = list(dict.fromkeys(q for q, _ in pairs))  # sorted, as the pairs are
    place = {q: k for k, q in enumerate(queries)}
    x = np.array([human.values[p] for p in pairs])
    y = np.array([values[p] for p in pairs])
    first_levels, first = np.unique(x, return_inverse=True)
    second_levels, second = np.unique(y, return_inverse=True)
    full = np.array(human.levels)
    outside = int((~np.isin(y, full)).sum())
    scale = "other"
    if same or categories is not None or judge.kind in ("preferences", "units"):
        scale = "same"
    elif len(full) > 2 and set(judge.levels) <= {0.0, 1.0}:
        scale = "binary"
    elif outside <= STRAY * len(y):
        scale = "same"
    elif len(judge.levels) == 2:
        scale = "binary"
    return CommonPairs(
        judge.name,
        human.name,
        tuple(queries),
        np.array([place[q] for q, _ in pairs], dtype=np.int64),
        first.astype(np.int64),
        second.astype(np.int64),
        first_levels,
        second_levels,
        scale,
        categories,
        outside,
    )


def _refuse_apart(human: LabelSet, judge: LabelSet) -> None:
    common = set(human.queries) & set(judge.queries)
    names = f"{human.name} ({human.source}) and {judge.name} ({judge.source})"
    if not common:
        raise MismatchError(
            f"{names} have no query in common: the first has {', '.join(listed(list(human.queries), 3))}, "
            f"the second {', '.join(listed(list(judge.queries), 3))}. Are the ids written differently?"
        )
    query = min(common)
    mine, theirs = ([d for q, d in sorted(s.values) if q == query][:3] for s in (human, judge))
    raise MismatchError(
        f"{names} have {len(common):,} queries but no pair of query and document in common: for query "
        f"{query!r} the first has {', '.join(mine)}, the second {', '.join(theirs)}."
    )


# Options of the audit that name judges or systems: maps, cuts and attributes.


Maps = Mapping[float, float] | Mapping[str, Mapping[float, float]]
"""{label: grade} for all judges on another scale, or {judge: {label: grade}}."""

Cuts = float | Mapping[str, float]
"""The lowest label that counts as relevant, for all judges on another scale or by judge."""

Groups = Mapping[str, str]

GroupsInput: TypeAlias = "Groups | PathLike | Frame"
"""The attribute of each system: {system: value}, or a table with the column system."""


def sources_of(given: Any) -> list[Any]:
    """Return one or several sources of labels as a list; {name: source} names them."""
    from tare._data.labels import read_labels

    if isinstance(given, Mapping) and given:
        parts = list(given.values())
        inner = [next(iter(p.values()), None) for p in parts if isinstance(p, Mapping)]
        if len(inner) < len(parts) or all(isinstance(x, Mapping) for x in inner):
            return [
                found
                for name, source in given.items()
                for found in read_labels(source, name=str(name))
            ]
    if isinstance(given, list | tuple):
        return list(given)
    return [given]


def for_each_judge(given: Any, judges: Sequence[LabelSet], option: str) -> dict[str, Any]:
    """Return the value of an option of the audit by judge; None is the key of all judges that are not named."""
    if given is None:
        return {}
    names = [j.name for j in judges]
    named = isinstance(given, Mapping) and all(isinstance(key, str) for key in given)
    if not named:
        return dict.fromkeys(names, given)
    for name in given:
        if name not in names:
            raise OptionError(
                f"{option}: there is no judge {name!r}; there are {', '.join(names)}."
                f"{nearest(name, names)}"
            )
    return dict(given)


def groups_of(
    given: GroupsInput, attribute: str | None, systems: Sequence[str]
) -> tuple[Groups, str]:
    """Return the group of each system, to test judges for bias: the value of an attribute, and the attribute's name."""
    if isinstance(given, Mapping):
        found, name = {str(k): str(v) for k, v in given.items()}, attribute or "group"
    else:
        found, name = _of_table(given, attribute)
    missing = [s for s in systems if s not in found]
    if missing:
        raise MismatchError(
            f"{len(missing):,} systems have no {name}, such as {missing[0]!r}. Add them to the table of "
            "systems."
        )
    values = {found[s] for s in systems}
    if len(values) < 2:
        raise MismatchError(f"all systems have the same {name}, {min(values)!r}; two are needed.")
    return found, name


def _of_table(given: Any, attribute: str | None) -> tuple[dict[str, str], str]:
    if isinstance(given, str | os.PathLike):
        shown, table = name_of(given), table_in(given)
        if table is None:
            raise FormatError(
                f"{shown}: attributes of systems are read from {', '.join(TABLES)} with the columns system "
                "and the attribute."
            )
        frame = table.read()
    elif is_frame(given):
        shown, frame = "data frame", to_polars(given)
    else:
        raise FormatError(
            f"attributes of systems cannot be read from a {type(given).__name__}. Accepted: "
            "{system: value}, a table."
        )
    system = recognise(frame.columns, ["system"], shown)["system"]
    others = [c for c in frame.columns if c != system]
    if attribute is None and len(others) == 1:
        attribute = others[0]
    if attribute is None or attribute not in others:
        raise OptionError(
            f"{shown} has no column {attribute!r}; there are {', '.join(others) or 'none'}. Name one with "
            f"group=…, --group.{nearest(str(attribute), others)}"
        )
    made = {str(s): str(v) for s, v in frame.select(system, attribute).iter_rows()}
    return made, attribute


LabelSources: TypeAlias = "LabelSource | Sequence[LabelSource] | Mapping[str, LabelSource]"
"""One source of labels, several, or {name: source}."""


# Agreement of two label sets from their confusion matrices, for many resamples of the queries at
# once.


Floats = NDArray[np.float64]
WEIGHTS = ("kappa", "kappa_linear", "kappa_quadratic")
CELLS = 4_000_000  # cells of resampled tables that are in memory at once


def query_weights(queries: int, draws: int, seed: int) -> Floats:
    """Return draws × queries, to resample labels by query: how often each resample contains each query."""
    places = resampled_indices(queries, draws, seed=seed)
    flat = (places + np.arange(draws)[:, None] * queries).ravel()
    return np.bincount(flat, minlength=draws * queries).reshape(draws, queries).astype(np.float64)


def by_query(
    query: NDArray[np.int64], first: Any, second: Any, shape: tuple[int, int, int]
) -> Floats:
    """Return the confusion matrix of people's and a judge's labels of each query: queries × labels × labels."""
    flat = (query * shape[1] + first) * shape[2] + second
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


def confusion_statistics(
    tables: Floats, levels: Floats, *, nominal: bool = False
) -> dict[str, Floats]:
    """Return the agreement of labels in each confusion matrix (… × labels of people × labels of the judge).

    κ = 1 − Σ w·p_ij / Σ w·p_i·p_j with w = [i ≠ j], |i − j| and (i − j)² in steps of the sorted labels.
    Krippendorff's α of two coders is computed from the coincidences n_ij + n_ji, at the ordinal level,
    or nominal for words.
    """
    k = len(levels)
    flat = tables.reshape(*tables.shape[:-2], k * k)
    n = flat.sum(axis=-1)
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    steps = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]).astype(np.float64)
    made: dict[str, Floats] = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        made["equal"] = np.trace(tables, axis1=-2, axis2=-1) / n
        made["by_chance"] = (rows * columns).sum(axis=-1) / n**2
        for name, cost in zip(WEIGHTS, (steps > 0, steps, steps**2), strict=True):
            if nominal and name != "kappa":
                continue
            cost = cost.astype(np.float64)
            observed = flat @ cost.ravel() / n
            expected = ((rows @ cost) * columns).sum(axis=-1) / n**2
            made[name] = np.where(expected > 0, 1 - observed / expected, np.nan)
        made["alpha"] = _alpha(tables, rows + columns, nominal)
        if not nominal:
            gaps = levels[None, :] - levels[:, None]
            made["leniency"] = flat @ gaps.ravel() / n
            made["leniency_by_grade"] = (tables * gaps).sum(axis=-1) / rows
    return made


def _alpha(tables: Floats, counts: Floats, nominal: bool) -> Floats:
    """Return Krippendorff's α of two label sets, 1 − D_o/D_e: mean distances within pairs and of all values."""
    total = counts.sum(axis=-1)
    if nominal:
        same = np.trace(tables, axis1=-2, axis2=-1)
        observed = 1 - 2 * same / total
        expected = 1 - (counts * (counts - 1)).sum(axis=-1) / (total * (total - 1))
    else:
        middle = np.cumsum(counts, axis=-1) - counts / 2
        gaps = (middle[..., :, None] - middle[..., None, :]) ** 2
        observed = 2 * (tables * gaps).sum(axis=(-2, -1)) / total
        mean = (counts * middle).sum(axis=-1) / total
        spread = (counts * (middle - mean[..., None]) ** 2).sum(axis=-1)
        expected = 2 * spread / (total - 1)
    return np.where(expected > 0, 1 - observed / expected, np.nan)


def rank_statistics(tables: Floats, relevant: NDArray[np.bool_]) -> dict[str, Floats]:
    """Return τ-b of confusion matrices (… × labels of people × labels of the judge), and AUC.

    AUC is the probability that the judge labels a relevant document higher than another, ties by half.
    """
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    n = rows.sum(axis=-1)
    below = np.cumsum(np.cumsum(tables, axis=-2), axis=-1)
    lower = np.zeros_like(tables)
    lower[..., 1:, 1:] = below[..., :-1, :-1]
    upper = np.zeros_like(tables)  # people lower, judge higher
    upper[..., 1:, :] = below[..., :-1, -1:] - below[..., :-1, :]
    concordant = (tables * lower).sum(axis=(-2, -1))
    discordant = (tables * upper).sum(axis=(-2, -1))
    pairs = n * (n - 1) / 2
    tied_rows = (rows * (rows - 1)).sum(axis=-1) / 2
    tied_columns = (columns * (columns - 1)).sum(axis=-1) / 2
    good = tables[..., relevant, :].sum(axis=-2)
    bad = columns - good
    under = np.cumsum(bad, axis=-1) - bad
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = (concordant - discordant) / np.sqrt((pairs - tied_rows) * (pairs - tied_columns))
        wins = (good * (under + bad / 2)).sum(axis=-1)
        auc = wins / (good.sum(axis=-1) * bad.sum(axis=-1))
    return {"tau_b": tau, "auc": auc}


def resampled(counts: Floats, weights: Floats, compute: Any) -> dict[str, Floats]:
    """Return the agreement statistics of resampled confusion matrices; draws are computed in blocks."""
    flat = counts.reshape(len(counts), -1)
    step = max(1, CELLS // flat.shape[1])
    parts = [
        compute((weights[at : at + step] @ flat).reshape(-1, *counts.shape[1:]))
        for at in range(0, len(weights), step)
    ]
    return {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}


def intervals(drawn: Floats, confidence: float) -> tuple[float | None, float | None]:
    """Return the percentile interval of the resampled agreement of labels; none if it does not vary.

    Undefined draws are left out.
    """
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or np.ptp(known) < 1e-12:
        return None, None
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def kappa_totals(counts: Floats) -> Floats:
    """Return the part of each query in Cohen's κ: their sum over the number of pairs is κ.

    A pair with the labels i of people and j of the judge has κ plus its influence on κ: (1[i = j] − e −
    (1 − κ)(b_i + a_j − 2e))/(1 − e), with the shares a of people and b of the judge, and e = Σab.
    """
    tables = counts.sum(axis=0)
    shares = tables / tables.sum()
    a, b = shares.sum(axis=1), shares.sum(axis=0)
    e = float(a @ b)
    if not e < 1:
        return np.full(len(counts), np.nan)
    kappa = (np.trace(shares) - e) / (1 - e)
    part = np.eye(len(a)) - e - (1 - kappa) * (b[:, None] + a[None, :] - 2 * e)
    found: Floats = (counts * part).sum(axis=(1, 2)) / (1 - e)
    return found


def flipped_p(totals: Floats, seed: int) -> float | None:
    """Return the two-sided p of κ or leniency (or of a difference of κ) by sign flips of the totals of whole queries."""
    if len(totals) < 2 or np.isnan(totals).any():
        return None
    return flip_test(totals, np.zeros(len(totals)), seed=seed).pvalue


def confusion_of(pairs: CommonPairs) -> tuple[Floats, Floats]:
    """Return the confusion matrices of two label sets by query over the labels of either, and these labels."""
    first, second, levels = pairs.union_codes()
    k = len(levels)
    return by_query(pairs.query, first, second, (len(pairs.queries), k, k)), levels


# Agreement of judges with people on labels, with intervals over queries, and what chance would
# give.


CONSTANT, BASE_RATES = "(constant)", "(base rates)"
MANY_LABELS = 20  # distinct labels of a judge whose confusion matrix is still shown


class LabelAudit:
    """Agreement of people's and judges' label sets, pair by pair; all use the same resamples of the same queries."""

    def __init__(self, draws: int, confidence: float, seed: int) -> None:
        self.draws, self.confidence, self.seed = draws, confidence, seed
        self.weights = lru_cache(maxsize=4)(lambda queries: query_weights(queries, draws, seed))

    def _drawn(self, counts: Floats, compute: Any) -> tuple[dict[str, Any], dict[str, Floats]]:
        """Return the agreement of all pairs of labels, and that of resampled queries (none for one query)."""
        whole = compute(counts.sum(axis=0))
        several = len(counts) > 1
        return whole, resampled(counts, self.weights(len(counts)), compute) if several else {}

    def _with_intervals(
        self, whole: dict[str, Any], drawn: dict[str, Floats], names: Sequence[str]
    ) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name in names:
            if name not in whole:
                continue
            made[name] = float(whole[name])
            ends: tuple[float | None, float | None] = (None, None)
            if name in drawn and made[name] == made[name]:
                ends = (
                    correlation_interval(made[name], drawn[name], self.confidence)
                    if name == "tau_b"
                    else intervals(drawn[name], self.confidence)
                )
            made[f"{name}_low"], made[f"{name}_high"] = ends
        return made

    def agreement(self, pairs: CommonPairs) -> tuple[dict[str, Any], Rows]:
        """Return how a judge agrees with people: share equal, κ, α and leniency, and leniency by human grade.

        Labels on other scales have none of them.
        """
        row: dict[str, Any] = {
            "judge": pairs.judge,
            "against": pairs.against,
            "scale": pairs.scale,
            "pairs": len(pairs),
            "queries": len(pairs.queries),
        }
        if pairs.scale != "same":
            return row, []
        counts, levels = confusion_of(pairs)
        nominal = pairs.categories is not None

        def compute(tables: Floats) -> dict[str, Floats]:
            return confusion_statistics(tables, levels, nominal=nominal)

        whole, drawn = self._drawn(counts, compute)
        names = ("equal", *WEIGHTS, "alpha", "leniency")
        row["by_chance"] = float(whole["by_chance"])
        row |= self._with_intervals(whole, drawn, names)
        row["kappa_p"] = flipped_p(kappa_totals(counts), self.seed)
        if not nominal:
            shift = levels[None, :] - levels[:, None]
            row["leniency_p"] = flipped_p((counts * shift).sum(axis=(1, 2)), self.seed)
        lenient: Rows = []
        given = counts.sum(axis=(0, 2))
        for k in np.flatnonzero(given) if not nominal else ():
            one = {"leniency": whole["leniency_by_grade"][k]}
            many = {"leniency": drawn["leniency_by_grade"][:, k]} if drawn else {}
            lenient.append(
                {"judge": pairs.judge, "grade": float(levels[k]), "pairs": int(given[k])}
                | self._with_intervals(one, many, ("leniency",))
            )
        return row, lenient

    def ranks(self, pairs: CommonPairs, rel: float) -> dict[str, Any]:
        """Return τ-b of the judge's labels with people's, and AUC against grades of at least `rel`."""
        if pairs.categories is not None:
            return {}
        shape = (len(pairs.queries), len(pairs.first_levels), len(pairs.second_levels))
        counts = by_query(pairs.query, pairs.first, pairs.second, shape)
        relevant = pairs.first_levels >= rel

        def compute(tables: Floats) -> dict[str, Floats]:
            return rank_statistics(tables, relevant)

        row = {"judge": pairs.judge, "scale": pairs.scale, "pairs": len(pairs), "rel": rel}
        return row | self._with_intervals(*self._drawn(counts, compute), ("tau_b", "auc"))

    def binary(self, pairs: CommonPairs, rel: float, cut: float) -> dict[str, Any]:
        """Return the agreement of people and judge on "relevant or not": human ≥ `rel` and judge ≥ `cut`."""
        if pairs.categories is not None:
            return {}
        first = (pairs.first_levels >= rel)[pairs.first].astype(np.int64)
        second = (pairs.second_levels >= cut)[pairs.second].astype(np.int64)
        counts = by_query(pairs.query, first, second, (len(pairs.queries), 2, 2))

        def compute(tables: Floats) -> dict[str, Floats]:
            with np.errstate(invalid="ignore", divide="ignore"):
                rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
                hits = tables[..., 1, 1]
                return confusion_statistics(tables, np.array([0.0, 1.0])) | {
                    "sensitivity": hits / rows[..., 1],
                    "specificity": tables[..., 0, 0] / rows[..., 0],
                    "precision": hits / columns[..., 1],
                }

        whole = counts.sum(axis=0)
        row = {
            "judge": pairs.judge,
            "pairs": len(pairs),
            "rel": rel,
            "cut": cut,
            "relevant_human": float(whole[1].sum() / whole.sum()),
            "relevant_judge": float(whole[:, 1].sum() / whole.sum()),
        }
        names = ("equal", "kappa", "sensitivity", "specificity", "precision")
        return row | self._with_intervals(*self._drawn(counts, compute), names)

    def confusion(self, pairs: CommonPairs) -> Rows:
        """Return the number of pairs by human and judge's label, and its share of the human label."""
        if len(pairs.second_levels) > MANY_LABELS or len(pairs.first_levels) > MANY_LABELS:
            return []
        shape = (len(pairs.first_levels), len(pairs.second_levels))
        table = np.bincount(pairs.first * shape[1] + pairs.second, minlength=shape[0] * shape[1])
        table = table.reshape(shape)
        return [
            {
                "judge": pairs.judge,
                "human_label": _named(pairs, x),
                "judge_label": _named(pairs, y),
                "count": int(table[i, j]),
                "share": float(table[i, j] / table[i].sum()),
            }
            for i, x in enumerate(pairs.first_levels)
            for j, y in enumerate(pairs.second_levels)
        ]

    def base_rates(self, pairs: CommonPairs) -> Rows:
        """Return the share of each label among those of people and those of the judge."""
        if pairs.scale != "same" or len(pairs.second_levels) > MANY_LABELS:
            return []
        counts, levels = confusion_of(pairs)
        table = counts.sum(axis=0) / len(pairs)
        return [
            {
                "judge": pairs.judge,
                "label": _named(pairs, level),
                "share_human": float(table[k].sum()),
                "share_judge": float(table[:, k].sum()),
            }
            for k, level in enumerate(levels)
        ]

    def queries(self, pairs: CommonPairs) -> Rows:
        """Return the agreement on each query."""
        if pairs.scale != "same":
            return []
        counts, levels = confusion_of(pairs)
        found = confusion_statistics(counts, levels, nominal=pairs.categories is not None)
        lenient = found.get("leniency", np.full(len(counts), np.nan))
        return [
            {
                "judge": pairs.judge,
                "query": query,
                "pairs": int(counts[k].sum()),
                "equal": float(found["equal"][k]),
                "kappa": float(found["kappa"][k]),
                "leniency": float(lenient[k]),
            }
            for k, query in enumerate(pairs.queries)
        ]


def _named(pairs: CommonPairs, label: float) -> str:
    return f"{label:g}" if pairs.categories is None else pairs.categories[int(label)]


def baseline_rows(human: LabelSet) -> Rows:
    """Return two judges without skill: the most frequent label, and draws from the base rates."""
    levels, codes = np.unique(list(human.values.values()), return_inverse=True)
    shares = np.bincount(codes) / len(codes)
    nominal = human.categories is not None
    constant = np.zeros((len(levels), len(levels)))
    constant[:, int(np.argmax(shares))] = shares
    made: Rows = []
    for name, table in ((CONSTANT, constant), (BASE_RATES, np.outer(shares, shares))):
        found = confusion_statistics(table * len(codes), levels, nominal=nominal)
        made.append(
            {
                "judge": name,
                "against": human.name,
                "scale": "same",
                "pairs": len(codes),
                "queries": len(human.queries),
            }
            | {k: round(float(v), 12) + 0.0 for k, v in found.items() if v.ndim == 0}
        )
    return made


def _kappa(tables: Floats, levels: Floats) -> dict[str, Floats]:
    return {"kappa": confusion_statistics(tables, levels)["kappa"]}


def ceiling_rows(people: Sequence[LabelSet], judges: Sequence[LabelSet], audit: LabelAudit) -> Rows:
    """Return how well each judge agrees with the first person, next to how well other people do.

    Both κ are computed on the pairs that all three labelled, and resampled together.
    """
    made: Rows = []
    first = people[0]
    for person in people[1:]:
        for judge in judges:
            shared = [p for p in first.values if p in person.values and p in judge.values]
            if not shared:
                continue
            own = first.mapped({p: first.values[p] for p in shared})
            both = [common_pairs(own, other) for other in (judge, person)]
            if both[0].scale != "same":
                continue
            tables = [confusion_of(p) for p in both]
            whole, drawn = [], []
            for counts, levels in tables:
                compute = partial(_kappa, levels=levels)
                whole.append(float(compute(counts.sum(axis=0))["kappa"]))
                drawn.append(resampled(counts, audit.weights(len(counts)), compute)["kappa"])
            low, high = intervals(drawn[0] - drawn[1], audit.confidence)
            parts = [kappa_totals(counts) for counts, _ in tables]
            made.append(
                {
                    "judge": judge.name,
                    "person": person.name,
                    "against": first.name,
                    "pairs": len(shared),
                    "kappa_judge": whole[0],
                    "kappa_person": whole[1],
                    "difference": whole[0] - whole[1],
                    "low": low,
                    "high": high,
                    "p": flipped_p(parts[0] - parts[1], audit.seed),
                }
            )
    return made


# Holm's correction over the judges, so that many judges do not find more by chance.


def corrected_over_judges(rows: dict[str, Rows]) -> None:
    """Add the p-values of agreement that Holm's correction adjusts over all judges, question by question.

    Families: κ of all judges; leniency of all judges; judges and persons; and for each measure, the
    systems of all judges, the groups of all judges, and the tests of all groups at once.
    """
    _adjust(rows["agreement"], "kappa_p")
    _adjust(rows["agreement"], "leniency_p")
    _adjust(rows["ceiling"], "p")
    for measure in dict.fromkeys(r["measure"] for r in rows["systems"]):
        _adjust([r for r in rows["systems"] if r["measure"] == measure], "p")
        groups = [r for r in rows["groups"] if r["measure"] == measure]
        by_judge: dict[str, Rows] = {}
        for row in groups:
            by_judge.setdefault(row["judge"], []).append(row)
        # The two groups of an attribute with two values are one comparison.
        first = [r for own in by_judge.values() for r in (own[:1] if len(own) == 2 else own)]
        _adjust(first, "p")
        heads = [own[0] for own in by_judge.values()]
        _adjust(heads, "p_all")
        for own in by_judge.values():
            for row in own[1:]:
                row["p_all_adjusted"] = own[0]["p_all_adjusted"]
                if len(own) == 2:
                    row["p_adjusted"] = own[0]["p_adjusted"]


def _adjust(rows: Sequence[dict[str, object]], name: str) -> None:
    given = [r for r in rows if isinstance(r.get(name), float)]
    adjusted = adjust([r[name] for r in given], "holm").tolist()  # type: ignore[arg-type]
    for row, p in zip(given, adjusted, strict=True):
        row[f"{name}_adjusted"] = p
