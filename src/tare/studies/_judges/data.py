"""Labels by people and judges on their common pairs: who is a person, scales, maps and cuts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._data.labels import LabelSet, LabelSource, read_labels
from tare.errors import MismatchError, OptionError, nearest

__all__ = ["CommonPairs", "LabelSets", "common_pairs", "label_sets", "mapped", "reference_of"]

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
    """Read all sources; `people` names the sets of people in sources that hold both."""
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
    """Add a number to names that occur more than once."""
    from dataclasses import replace

    seen: dict[str, int] = {}
    named = []
    for one in (*mine, *others):
        seen[one.name] = seen.get(one.name, 0) + 1
        count = seen[one.name]
        named.append(one if count == 1 else replace(one, name=f"{one.name} ({count})"))
    return named[: len(mine)], named[len(mine) :]


def reference_of(people: Sequence[LabelSet]) -> LabelSet:
    """Return the labels of the first person, completed by those of the next ones."""
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
    """The pairs that two label sets share: codes into the levels of each, and the query of each pair.

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
        """Return both columns as codes into the levels of either."""
        levels = np.union1d(self.first_levels, self.second_levels)
        first, second = (
            np.searchsorted(levels, own)[codes]
            for own, codes in ((self.first_levels, self.first), (self.second_levels, self.second))
        )
        return first, second, levels


def common_pairs(human: LabelSet, judge: LabelSet, *, same: bool = False) -> CommonPairs:
    """Align two label sets; `same` states that both use the same scale."""
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
