"""Judges and people on the same battles: agreement, biases, and conclusions about pairs of systems."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tare._data.battles import Battles
from tare._data.findings import Finding
from tare._data.labels import LabelSet
from tare._result import Row, Rows
from tare.errors import MismatchError
from tare.studies._arena.design import POSITION, BattleDesign, design_of
from tare.studies._arena.fit import fit_ratings
from tare.studies._arena.spread import sandwich
from tare.studies._judges.data import PEOPLE, common_pairs

if TYPE_CHECKING:
    from tare.studies._judges.result import JudgeStudy

__all__ = [
    "bias_rows",
    "compared",
    "conclusion_rows",
    "decisive_agreement",
    "majority",
    "sides_of",
    "split_judges",
]

Floats = NDArray[np.float64]
Sides = Mapping[tuple[str, str, str], int]
WORDS = ("better", "none", "worse")


def split_judges(battles: Battles, people: Sequence[str]) -> tuple[Battles, dict[str, Battles]]:
    """Return the battles judged by people, and those of each other judge.

    `people` are names; without them, judges named human, people, annotator1 or similar are people if
    other judges exist.
    """
    names = battles.judges
    mine = list(people) or [n for n in names if re.fullmatch(PEOPLE, n)]
    if not mine or len(set(mine)) == len(names):
        return (battles.of_judges(mine) if people else battles), {}
    rest = [n for n in names if n not in mine]
    return battles.of_judges(mine), {name: battles.of_judges([name]) for name in rest}


def majority(battles: Battles, name: str, sides: Sides | None = None) -> LabelSet:
    """Return the most frequent outcome of each prompt and pair: 1, 0 or −1 for its first system.

    Outcomes that are equally frequent give a tie. κ depends on which system is first, so `sides`, those
    of people, are used for judges as well.
    """
    sides = sides_of(battles) if sides is None else sides
    sign = pl.when(pl.col("a") > pl.col("b")).then(-1).otherwise(1)
    table = (
        battles.frame.select(
            "prompt",
            pl.min_horizontal("a", "b").alias("low"),
            pl.max_horizontal("a", "b").alias("high"),
            (pl.col("outcome") * sign).alias("outcome"),
        )
        .group_by("prompt", "low", "high")
        .agg(
            *((pl.col("outcome") == k).sum().alias(f"n{i}") for i, k in enumerate((-1, 0, 1))),
        )
    )
    top = pl.max_horizontal("n0", "n1", "n2")
    shared = sum((pl.col(f"n{i}") == top).cast(pl.Int8) for i in range(3))
    label = (
        pl.when(shared > 1)
        .then(0)
        .when(pl.col("n2") == top)
        .then(1)
        .when(pl.col("n0") == top)
        .then(-1)
        .otherwise(0)
    )
    rows = table.select("prompt", "low", "high", label.alias("label")).iter_rows()
    values = {
        (prompt, f"{low} | {high}"): float(value * sides.get((prompt, low, high), 1))
        for prompt, low, high, value in rows
    }
    return LabelSet(name, battles.name, "preferences", values, None, {})


def sides_of(battles: Battles) -> Sides:
    """Return 1 or −1 for each prompt and pair: whether its first system comes first in the alphabet."""
    if not battles.prompts:
        raise MismatchError(
            f"{battles.name} names no prompts, so its battles cannot be matched with those of a judge."
        )
    table = battles.frame.group_by(
        "prompt",
        pl.min_horizontal("a", "b").alias("low"),
        pl.max_horizontal("a", "b").alias("high"),
    ).agg((pl.col("a") < pl.col("b")).mean().alias("share"))
    return {(p, low, high): 1 if share >= 0.5 else -1 for p, low, high, share in table.iter_rows()}


def compared(
    people: Battles, judges: Mapping[str, Battles], *, draws: int, confidence: float, seed: int
) -> JudgeStudy:
    """Audit the judges with the labels of people, by the study of judges."""
    from tare.studies._judges.study import judges as audit

    sides = sides_of(people)
    human = majority(people, "people", sides)
    found = [majority(battles, name, sides) for name, battles in judges.items()]
    return audit([human], found, rel=1, draws=draws, confidence=confidence, seed=seed)


def decisive_agreement(people: Battles, judge: Battles, name: str) -> Row:
    """Return how often a judge names the same winner as people, where both name one."""
    pairs = common_pairs(majority(people, "people"), majority(judge, name))
    first, second = pairs.first_levels[pairs.first], pairs.second_levels[pairs.second]
    both = (first != 0) & (second != 0)
    count = int(both.sum())
    equal = int((first == second)[both].sum())
    return {
        "judge": name,
        "battles": len(pairs),
        "decisive": count,
        "decisive_equal": equal / count if count else None,
    }


def bias_rows(
    sources: Mapping[str, Battles], *, rule: str, cluster: str, confidence: float
) -> tuple[Rows, list[Finding]]:
    """Return the effect of position and length on the choices of each judge and of people."""
    made: Rows = []
    findings: list[Finding] = []
    for name, battles in sources.items():
        known = [POSITION] if (battles.frame["first"] != 0).any() else []
        known += ["length"] if "length" in battles.covariates else []
        if not known:
            continue
        try:
            fit = fit_ratings(design_of(battles, known, cluster), rule)
            spread = sandwich(fit, confidence)
        except MismatchError as error:
            findings.append(Finding("no bias", f"{name}: {error}", severity="note"))
            continue
        size = fit.design.size
        for k, what in enumerate(known):
            value, error_ = float(fit.coefficients[k]), float(spread.errors[size + k])
            half = spread.quantile * error_
            made.append(
                {
                    "judge": name,
                    "toward": "first position" if what == POSITION else "longer answer",
                    "effect": value,
                    "effect_low": value - half,
                    "effect_high": value + half,
                    "p_value": spread.p_value(value, error_),
                }
            )
    return made, findings


def conclusion_rows(
    people: Battles, judges: Mapping[str, Battles], *, rule: str, cluster: str, alpha: float
) -> Rows:
    """Return, by judge, the pairs of systems by what people and the judge conclude (nine cells).

    A pair is better or worse if the difference of its ratings is significant at `alpha`.
    """
    made: Rows = []
    for name, battles in judges.items():
        common = sorted(set(people.systems) & set(battles.systems), key=str.encode)
        kept = [_of_systems(b, common) for b in (people, battles)]
        if any(not len(b) for b in kept):
            continue
        try:
            found = [_signs(design_of(b, (), cluster, common), rule, alpha) for b in kept]
        except MismatchError:
            continue
        cells = {f"{h}_{j}": 0 for h in WORDS for j in WORDS}
        for mine, theirs in zip(*found, strict=True):
            if np.isnan(mine) or np.isnan(theirs):
                continue
            cells[f"{WORDS[1 - int(mine)]}_{WORDS[1 - int(theirs)]}"] += 1
        made.append({"judge": name, "pairs": sum(cells.values()), **cells})
    return made


def _of_systems(battles: Battles, systems: Sequence[str]) -> Battles:
    from dataclasses import replace

    inside = pl.col("a").is_in(list(systems)) & pl.col("b").is_in(list(systems))
    return replace(battles, frame=battles.frame.filter(inside))


def _signs(design: BattleDesign, rule: str, alpha: float) -> Floats:
    """Return 1, 0 or −1 for each pair of systems; NaN if they are not connected."""
    fit = fit_ratings(design, rule)
    spread = sandwich(fit, 1 - alpha)
    gaps = fit.ratings[:, None] - fit.ratings[None, :]
    clear = np.abs(gaps) > spread.quantile * spread.difference_errors(design.size)
    signs = np.where(clear, np.sign(gaps), 0.0)
    signs[design.component[:, None] != design.component[None, :]] = np.nan
    return np.asarray(signs[np.triu_indices(design.size, 1)])
