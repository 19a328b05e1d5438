"""Replicates: several runs of one system, averaged per item before anything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._measures.aggregation import Ratio, number_of
from tare._measures.geometric_ranks import JUDGED, ratios_of
from tare._measures.judged_share import judged_shares
from tare._plain_text import plain
from tare.errors import OptionError

if TYPE_CHECKING:
    import polars as pl

    from tare._measures.measure import Measure
    from tare._measures.scores import Rescoring, Scores

__all__ = ["averaged", "replicates_by_name", "runs_apart"]

Floats = NDArray[np.float64]
COLUMNS = ("replicate", "run")  # of a score table, beside the system
NUMBERED = re.compile(r"(.+?)[-._ #/](?:(?:run|rep|replicate|seed)[-._ #]?)?\d+")


def replicates_by_name(systems: Iterable[str]) -> dict[str, list[str]]:
    """Return {system: its runs}: runs whose names differ only in a number at the end.

    >>> replicates_by_name(["dense.1", "dense.2", "bm25", "rm3-seed7"])
    {'dense': ['dense.1', 'dense.2'], 'bm25': ['bm25'], 'rm3-seed7': ['rm3-seed7']}
    """
    found: dict[str, list[str]] = {}
    for system in systems:
        numbered = NUMBERED.fullmatch(system)
        found.setdefault(numbered[1] if numbered else system, []).append(system)
    return {name if len(runs) > 1 else runs[0]: runs for name, runs in found.items()}


def runs_apart(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Return a score table in which each run is a system of its own, and {system: its runs}.

    A column `replicate`, or `run` beside the system, tells runs apart if a system has several values of
    an item; otherwise the frame is unchanged.
    """
    import polars as pl

    key = [c for c in ("system", "item", "measure") if c in frame.columns]
    column = next((c for c in COLUMNS if c in frame.columns), None)
    if (
        column is None
        or not {"system", "item"} <= set(key)
        or not frame.select(key).is_duplicated().any()
    ):
        return frame, {}
    names = frame.select(
        pl.col("system").cast(pl.String),
        run=pl.format(
            "{}, run {}", pl.col("system").cast(pl.String), pl.col(column).cast(pl.String)
        ),
    )
    groups: dict[str, list[str]] = {}
    for system, run in names.drop_nulls().unique(maintain_order=True).rows():
        groups.setdefault(system, []).append(run)
    return frame.drop(column).with_columns(system=names["run"]), groups


def averaged(scores: Scores, groups: Mapping[str, Sequence[str]] | None = None) -> Scores:
    """Return a score table in which the repeated runs of each system are averaged per item.

    The parts of ratios of means and summed statistics are averaged, too. `groups` is {system: its runs};
    without it, runs whose names differ only in a number at the end belong together.
    """
    if groups is None:
        groups = replicates_by_name(scores.systems)
        if len(groups) == len(scores.systems):
            names = ", ".join(listed([plain(system) for system in scores.systems]))
            raise OptionError(
                f"no system was run twice ({names}). The names of replicates differ only in a number at the "
                "end, such as dense.1.run and dense.2.run."
            )
    place = {system: k for k, system in enumerate(scores.systems)}
    lacking = [run for runs in groups.values() for run in runs if run not in place]
    if lacking or not all(groups.values()):
        raise OptionError(
            f"replicates: there is no system {lacking[0] if lacking else ''!r}; there are: "
            f"{', '.join(map(plain, scores.systems))}."
        )
    rows = [np.array([place[run] for run in runs], dtype=np.intp) for runs in groups.values()]
    known = _known(scores, rows)
    findings = _findings(groups, known)
    return _averaged(scores, groups, rows, findings)


def _averaged(
    scores: Scores,
    groups: Mapping[str, Sequence[str]],
    rows: list[NDArray[np.intp]],
    findings: tuple[Finding, ...],
) -> Scores:
    def mean(cells: Floats) -> Floats:
        return np.stack([_mean(cells[own]) for own in rows])

    values = mean(scores.values)
    shares = judged_shares(scores)
    columns: dict[Measure, dict[str, Floats]] = {}
    for measure in scores.measures:
        named = {name: mean(array) for name, array in scores.columns.get(measure, {}).items()}
        if measure in shares:
            named[JUDGED] = mean(shares[measure])
        columns[measure] = named
    for measure, ratio in ratios_of(columns, scores.measures).items():
        if type(ratio) is not Ratio:
            raise OptionError(
                f"{measure} is a geometric mean of ranks, which is not defined for averaged ranks. Leave the "
                "measure or the replicates out."
            )
        values[:, :, scores.measures.index(measure)] = ratio.values()
    counts = number_of(np.array([len(own) for own in rows]))
    return replace(
        scores,
        systems=tuple(groups),
        values=values,
        signatures=tuple(s.with_facts(replicates=counts) for s in scores.signatures),
        findings=(*scores.findings, *findings),
        columns=columns,
        rescoring=_rescoring(scores.rescoring, groups),
    )


def _mean(cells: Floats) -> Floats:
    """Return the mean over repeated runs of the cells that are there; NaN where there is none."""
    there = ~np.isnan(cells)
    counts = there.sum(axis=0)
    sums = np.where(there, cells, 0.0).sum(axis=0)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def _rescoring(behind: Rescoring | None, groups: Mapping[str, Sequence[str]]) -> Rescoring | None:
    """Return a function that scores more measures on the repeated runs and averages them, too."""
    if behind is None:
        return None
    score: Callable[..., Scores] = behind.score

    def averaged_score(measures: Any) -> Scores:
        return averaged(score(measures), groups)

    return replace(behind, score=averaged_score, rankings=())


def _known(scores: Scores, rows: list[NDArray[np.intp]]) -> NDArray[np.int64]:
    """Return the number of repeated runs of a system with a score, systems × items."""
    there = np.asarray(~np.isnan(scores.values).all(axis=2))
    return np.stack([there[own].sum(axis=0) for own in rows]).astype(np.int64)


def _findings(groups: Mapping[str, Sequence[str]], known: NDArray[np.int64]) -> tuple[Finding, ...]:
    """Say which repeated runs were averaged; unequal numbers of runs are a warning."""
    counts = {system: len(runs) for system, runs in groups.items()}
    shown = listed([f"{plain(system)}: {count}" for system, count in counts.items()])
    found = []
    if len(set(counts.values())) == 1:
        text = f"{next(iter(counts.values())):,} runs of each system were averaged per item"
        found.append(Finding("input", f"replicates: {text}.", len(counts), severity="note"))
    else:
        text = (
            "systems have unequal numbers of runs, averaged per item. Tests of their differences can claim too "
            "much: with 3 runs against 1, 8 % false claims were found instead of 5"
        )
        found.append(Finding("unequal replicates", text, len(counts), examples=shown))
    sizes = np.array(list(counts.values()))[:, None]
    partly = int(((known > 0) & (known < sizes)).sum())
    if partly:
        text = (
            f"{partly:,} means of replicates are over fewer runs than the system has, because a run lacks "
            "the item"
        )
        found.append(Finding("unequal replicates", text, partly))
    return tuple(found)
