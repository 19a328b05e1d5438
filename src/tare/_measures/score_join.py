"""Join of two score tables, aligned by ids, and of a table with more measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.findings import Finding
from tare._measures.names import parse_all
from tare._measures.summed_statistics import SummedStatistics
from tare.errors import MismatchError, OptionError

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.scores import Scores

__all__ = ["joined", "with_measures"]


def with_measures(scores: Scores, measures: str | Measure | Iterable[str | Measure]) -> Scores:
    """Return a table with more measures, computed on the data behind it."""
    if scores.rescoring is None:
        raise OptionError(
            "the data behind this table are not available; score them again with all measures."
        )
    more = tuple(m for m in parse_all(measures) if m not in scores.measures)
    if not more:
        return scores
    made = scores.rescoring.score(more)
    added = scores.join(made.select(systems=scores.systems, items=scores.items))
    chosen = added.select(items=scores.items, measures=[*scores.measures, *more])
    return replace(chosen, rescoring=scores.rescoring)


def joined(one: Scores, other: Scores) -> Scores:
    """Return both tables as one; cells that neither table has are missing."""
    from tare._measures.scores import Scores

    systems = tuple(dict.fromkeys(one.systems + other.systems))
    items = tuple(sorted(set(one.items) | set(other.items)))
    measures = tuple(dict.fromkeys(one.measures + other.measures))
    values = np.full((len(systems), len(items), len(measures)), np.nan)
    shape = values.shape[:2]
    ratios = {
        name: type({**other.ratios, **one.ratios}[name]).empty(shape)
        for name in measures
        if all(name in part.ratios for part in (one, other) if name in part.measures)
    }
    statistics = {
        name: SummedStatistics.empty(name, shape)
        for name in measures
        if all(name in part.statistics for part in (one, other) if name in part.measures)
    }
    for part in (one, other):
        place = np.ix_(
            _places(part.systems, systems),
            _places(part.items, items),
            _places(part.measures, measures),
        )
        there = values[place]
        clash = ~np.isnan(there) & ~np.isnan(part.values) & (there != part.values)
        if clash.any():
            s, i, m = (int(k) for k in np.argwhere(clash)[0])
            raise MismatchError(
                f"both tables have {part.measures[m]} of {part.systems[s]} on "
                f"{part.items[i]}, with different values. Remove one of them first."
            )
        values[place] = np.where(np.isnan(part.values), there, part.values)
        for name in ratios.keys() & part.ratios.keys():
            cells = np.ix_(place[0].ravel(), place[1].ravel())
            for whole, given in zip(ratios[name].parts, part.ratios[name].parts, strict=True):
                whole[cells] = np.where(np.isnan(given), whole[cells], given)
        for name in statistics.keys() & part.statistics.keys():
            cells = np.ix_(place[0].ravel(), place[1].ravel())
            given, whole = part.statistics[name].cells, statistics[name].cells
            whole[cells] = np.where(np.isnan(given), whole[cells], given)
    signatures = dict(zip(other.measures, other.signatures, strict=True))
    signatures |= dict(zip(one.measures, one.signatures, strict=True))
    attributes = {
        name: tuple(map((_known(other, name) | _known(one, name)).get, items))
        for name in {**one.attributes, **other.attributes}
    }
    return Scores(
        systems,
        items,
        measures,
        values,
        tuple(signatures[m] for m in measures),
        tuple(dict.fromkeys((*one.findings, *other.findings, *_differing(one, other)))),
        attributes,
        seed=one.seed,
        ratios=ratios,
        statistics=statistics,
        cluster=one.cluster if one.cluster == other.cluster else "",
        range=one.range if one.range == other.range else None,
    )


def _differing(one: Scores, other: Scores) -> list[Finding]:
    """Report each measure that the two tables computed in different ways."""

    def made(scores: Scores) -> dict[str, dict[str, str]]:
        return {
            signature.measure: {k: v for k, v in signature.facts if k not in ("n", "source")}
            for signature in scores.signatures
        }

    here, there = made(one), made(other)
    return [
        Finding(
            "different signatures",
            f"{measure} was computed differently in the two tables: "
            + ", ".join(
                f"{key} {here[measure].get(key, '–')} and {there[measure].get(key, '–')}"
                for key in sorted({**here[measure], **there[measure]})
                if here[measure].get(key) != there[measure].get(key)
            )
            + ".",
        )
        for measure in here
        if measure in there and here[measure] != there[measure]
    ]


def _places(names: tuple[Any, ...], among: tuple[Any, ...]) -> list[int]:
    place = {name: k for k, name in enumerate(among)}
    return [place[name] for name in names]


def _known(scores: Scores, attribute: str) -> dict[str, Any]:
    """Return the items that have a value of the attribute, with it."""
    if attribute not in scores.attributes:
        return {}
    pairs = zip(scores.items, scores.attributes[attribute], strict=True)
    return {item: value for item, value in pairs if value is not None}
