"""The data of a leaderboard: one matrix of scores per data set, from tables or MTEB results, also with missing scores."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._data.mteb_results import read_mteb_results
from tare._data.table_files import table_in
from tare._data.tables import InputTable
from tare._files.addresses import is_folder, shown_path
from tare._files.opening import name_of
from tare._measures.measure import Measure, make
from tare._measures.saved_scores import from_table
from tare._measures.scores import Scores
from tare.chance._net_measures import has_net
from tare.errors import FormatError, MeasureError, MismatchError, OptionError

__all__ = [
    "DATASET",
    "INCOMPLETE",
    "NO_NET",
    "Board",
    "Over",
    "board_of",
    "board_scores",
    "check_incomplete",
    "chosen_measure",
    "completed_board",
    "dataset_groups",
    "missing_names",
    "net_by_dataset",
    "sole_measure",
]


# What a leaderboard is made from: score tables, a matrix of tasks, or a folder of MTEB results.


DATASET = "dataset"
SCORE_COLUMNS = ("item", "query", "qid", "topic", "query_id", "doc_id", "measure")


def board_scores(
    paths: Sequence[str | os.PathLike[str]],
    *,
    without: Sequence[str] = (),
    languages: Sequence[str] = (),
) -> tuple[Scores, str | None]:
    """Read a leaderboard's score tables or matrix; return the scores and the attribute that names data sets.

    Several score tables are one data set each, named after their files. A single CSV or TSV file
    without a column of items is a matrix with one row per system and one column per task. A folder holds
    result files of MTEB.
    """
    if not paths:
        raise OptionError("no score table was given.")
    folders = [path for path in paths if is_folder(path)]
    if folders and len(paths) > 1:
        raise OptionError(
            f"{name_of(folders[0])} is a folder; give one folder of MTEB results, or score tables."
        )
    if languages and not folders:
        raise OptionError("--languages selects subsets of MTEB results; give their folder.")
    if folders:
        return _mteb(folders[0], languages), None
    if len(paths) == 1:
        path = paths[0]
        table = table_in(path)
        if table is not None and table.form in ("csv", "tsv"):
            frame = table.read()
            if not set(SCORE_COLUMNS) & {column.lower() for column in frame.columns}:
                return _matrix(frame, name_of(path), without), None
        scores = Scores.load(path)
        return scores, DATASET if DATASET in scores.attributes else None
    joined: Scores | None = None
    names = [shown_path(path).stem for path in paths]
    if len(set(names)) < len(names):
        raise OptionError("two score tables have the same file name, which names the data set.")
    for name, path in zip(names, paths, strict=True):
        scores = Scores.load(path)
        scores = replace(
            scores,
            items=tuple(f"{name}/{item}" for item in scores.items),
            attributes={**scores.attributes, DATASET: (name,) * len(scores.items)},
            rescoring=None,
        )
        joined = scores if joined is None else joined.join(scores)
    assert joined is not None
    return joined, DATASET


def _mteb(folder: str | os.PathLike[str], languages: Sequence[str]) -> Scores:
    """Return the main scores of a folder of MTEB results for a leaderboard; each task is an item."""
    found = read_mteb_results(folder, languages=languages)
    rows = [(system, task, "main_score", score) for (system, task), score in found.scores.items()]
    long = pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row")
    made = from_table(InputTable(name_of(folder), long))
    return replace(made, findings=(*found.findings, *made.findings))


def _matrix(frame: pl.DataFrame, name: str, without: Sequence[str]) -> Scores:
    """Return a matrix with one row per system as scores of a leaderboard; each task is an item."""
    unknown = [column for column in without if column not in frame.columns]
    if unknown:
        raise OptionError(f"{name} has no column {', '.join(map(repr, unknown))}.")
    kept = frame.drop(without)
    system = kept.columns[0]
    given = kept.with_columns(pl.col(pl.String).replace("", None))
    kept = given.with_columns(pl.col(given.columns[1:]).cast(pl.Float64, strict=False))
    tasks = [
        c for c in kept.columns[1:] if kept[c].null_count() == given[c].null_count() < kept.height
    ]
    if not tasks:
        raise FormatError(
            f"{name}: no column of numbers. A matrix has one row per system and one column per task."
        )
    long = kept.select(pl.col(system).alias("system"), *tasks).unpivot(
        on=tasks, index="system", variable_name="item", value_name="value"
    )
    return from_table(InputTable(name, long.with_columns(measure=pl.lit("score"))))


# The data of a leaderboard: one matrix of scores per data set.


Floats = NDArray[np.float64]
Over = Literal["auto", "datasets", "queries"]


@dataclass(frozen=True)
class Board:
    """The data of a leaderboard: the scores of systems on the items of several data sets; higher is better.

    `missing` is systems × data sets: whether a system lacks scores on a data set. A missing cell has NaN
    among its items unless it was imputed.

    Attributes
    ----------
    cells : tuple of ndarray
        Systems × items of each data set: values whose mean is the score and whose differences are tested.
    spread : tuple of ndarray
        Values with the same means, and with the spread of the score (see `Scores.contributions`).
    untested, fixed : str
        Why differences cannot be tested, and why queries cannot be the unit; empty if they can.
    """

    systems: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: tuple[Floats, ...]
    missing: NDArray[np.bool_]
    spread: tuple[Floats, ...]
    untested: str = ""
    fixed: str = ""
    findings: tuple[Finding, ...] = ()

    def only(self, places: Sequence[int]) -> Board:
        """Return the board of some systems."""
        kept = list(places)
        return replace(
            self,
            systems=tuple(self.systems[k] for k in kept),
            cells=tuple(np.ascontiguousarray(cells[kept]) for cells in self.cells),
            spread=tuple(np.ascontiguousarray(cells[kept]) for cells in self.spread),
            missing=self.missing[kept],
        )

    def known(self) -> NDArray[np.bool_]:
        """Return which systems of the leaderboard have all scores on which data sets, systems × data sets."""
        return np.stack([~np.isnan(cells).any(axis=1) for cells in self.cells], axis=1)

    def matrix(self) -> Floats:
        """Return the leaderboard's mean of each system on each data set, systems × data sets."""
        means = [[math.fsum(row) / len(row) for row in cells] for cells in self.cells]
        return np.array(means).T


def chosen_measure(scores: Scores, measure: str | Measure | None) -> Measure:
    """Return the measure of the leaderboard; it must be a mean with a better end."""
    chosen = scores if measure is None else scores[measure]
    if len(chosen.measures) != 1:
        names = ", ".join(chosen.measure_names)
        raise OptionError(f"a leaderboard has one measure; choose one of {names} with -m.")
    found = chosen.measures[0]
    if found.better == "neither":
        raise MeasureError(
            f"higher values of {found} are neither better nor worse, so systems cannot be ranked by it."
        )
    if found.aggregate in ("sum", "geometric"):
        raise MeasureError(f"{found} is not a mean over items. Choose a measure that is averaged.")
    return found


def dataset_groups(scores: Scores, by: str | None) -> Mapping[str, list[int]]:
    """Return the items of each data set of a leaderboard, in order of their ids; without `by`, each item is a data set."""
    if by is None:
        return {item: [k] for k, item in enumerate(scores.items)}
    if by not in scores.attributes:
        known = ", ".join(scores.attributes) or "none"
        raise OptionError(f"the items have no attribute {by!r}; they have: {known}.")
    groups: dict[str, list[int]] = {}
    for k, value in enumerate(scores.attributes[by]):
        if value is None:
            raise MismatchError(f"the item {scores.items[k]!r} has no {by}.")
        groups.setdefault(str(value), []).append(k)
    return {name: sorted(places, key=lambda k: scores.items[k]) for name, places in groups.items()}


def board_of(scores: Scores, by: str | None, measure: Measure) -> Board:
    """Split a score table into the data sets of a leaderboard, named by the attribute `by`."""
    groups = dataset_groups(scores, by)
    one = scores[measure]
    plain = one.values[:, :, 0]
    split = bool(one.ratios or one.statistics)
    sign = -1.0 if measure.better == "lower" else 1.0
    cells, spread, untested = [], [], ""
    for places in groups.values():
        if split and len(places) > 1:
            part = one.select(items=[one.items[k] for k in places])
            cells.append(part.contributions() * sign)
            spread.append(part.contributions(linearised=True) * sign)
            if any(not getattr(ratio, "shared", True) for ratio in part.ratios.values()):
                untested = (
                    f"the systems have different rooms, so differences of {measure} are not tested"
                )
        else:
            cells.append(np.ascontiguousarray(plain[:, places]) * sign)
            spread.append(cells[-1])
    fixed = ""
    if min(values.shape[1] for values in cells) < 2:
        single = all(values.shape[1] == 1 for values in cells)
        fixed = f"the table has one score per data set{'' if single else ' for some of them'}"
    elif one.statistics:
        fixed = f"{measure} is made of summed statistics, which flips of queries do not cover"
    missing = np.stack([np.isnan(values).any(axis=1) for values in cells], axis=1)
    return Board(
        scores.systems, tuple(groups), tuple(cells), missing, tuple(spread), untested, fixed
    )


# Systems that lack scores: refused, left out, ranked on common data sets, or imputed.


INCOMPLETE = ("refuse", "drop", "rank", "impute=worst", "impute=mean", "impute=NUMBER")
IMPUTED = {
    "worst": "the worst score of any system on the same item",
    "mean": "the mean of the other systems on the same item",
}


def check_incomplete(policy: str) -> None:
    """Raise if the policy is unknown."""
    name, _, value = policy.partition("=")
    if policy in ("refuse", "drop", "rank") or (
        name == "impute" and (value in IMPUTED or _number(value) is not None)
    ):
        return
    raise OptionError(f"unknown incomplete={policy!r}; accepted: {', '.join(INCOMPLETE)}.")


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def missing_names(board: Board, systems: list[int]) -> list[str]:
    """Return the data sets that each system lacks, such as "bm25 on nq, fiqa (2 of 30 items)"."""
    return [
        f"{board.systems[s]} on "
        + ", ".join(listed([_cell(board, s, int(k)) for k in np.flatnonzero(board.missing[s])]))
        for s in systems
    ]


def _cell(board: Board, system: int, dataset: int) -> str:
    values = board.cells[dataset][system]
    lost = int(np.isnan(values).sum())
    name = board.datasets[dataset]
    return name if lost == len(values) else f"{name} ({lost:,} of {len(values):,} items)"


def completed_board(board: Board, policy: str, sign: float) -> tuple[Board, Board]:
    """Apply the policy for missing scores; return the board to rank, and the board of the systems that are left out."""
    lacking = [int(s) for s in np.flatnonzero(board.missing.any(axis=1))]
    nobody = board.only([])
    if not lacking:
        return _enough(board, 2), nobody
    names = missing_names(board, lacking)
    cells = int(board.missing.sum())
    found = (
        f"{len(lacking):,} of {len(board.systems):,} systems "
        f"{'lacks' if len(lacking) == 1 else 'lack'} scores, in {cells:,} "
        f"{'cell' if cells == 1 else 'cells'} of system and data set"
    )
    if policy == "refuse":
        raise MismatchError(
            f"{found}: {'; '.join(listed(names))}. A mean over other data sets is not comparable. "
            "--incomplete drop leaves these systems out, rank compares pairs on common data sets, and "
            "impute=worst fills the cells."
        )
    if policy == "drop":
        note = f"{found}; {'it is' if len(lacking) == 1 else 'they are'} left out."
        dropped = set(lacking)
        kept = [s for s in range(len(board.systems)) if s not in dropped]
        return _noted(_enough(board.only(kept), 2), note, names), board.only(lacking)
    if policy == "rank":
        note = (
            f"{found}. A system with missing scores has no mean; it is compared with each other system "
            "on the data sets that both have."
        )
        return _noted(_enough(board, 2), note, names), nobody
    value = policy.partition("=")[2]
    words = IMPUTED.get(value, f"the value {value}")
    note = f"{found}. They are imputed with {words}: the ranks of these systems depend on it."
    filled = tuple(_imputed(cells, value, sign) for cells in board.cells)
    spread = tuple(_imputed(cells, value, sign) for cells in board.spread)
    return _noted(_enough(replace(board, cells=filled, spread=spread), 2), note, names), nobody


def _enough(board: Board, least: int) -> Board:
    if len(board.systems) < least:
        raise MismatchError(
            f"a leaderboard needs at least two systems with complete scores; there "
            f"{'is' if len(board.systems) == 1 else 'are'} {len(board.systems)}."
        )
    return board


def _noted(board: Board, message: str, names: list[str]) -> Board:
    finding = Finding("incomplete systems", message, len(names), examples=listed(names))
    return replace(board, findings=(*board.findings, finding))


def _imputed(cells: NDArray[np.float64], value: str, sign: float) -> NDArray[np.float64]:
    """Return a leaderboard's scores of one data set with its missing scores imputed."""
    gaps = np.isnan(cells)
    if not gaps.any():
        return cells
    number = _number(value)
    if number is not None:
        return np.where(gaps, number * sign, cells)
    if gaps.all(axis=0).any():
        raise MismatchError(
            f"an item has no score of any system, so impute={value} has nothing to go by. Use a number."
        )
    if value == "worst":
        return np.where(gaps, np.nanmin(cells, axis=0), cells)
    return np.where(gaps, np.nanmean(cells, axis=0), cells)


# The net scores of a leaderboard: Net of the measure on each data set, if it is known.


NO_NET = (
    "There is no net column, because the table has no {name}. Score the runs with "
    "-m {measure} '{name}' and a pool to add it."
)


def sole_measure(scores: Scores) -> Measure | None:
    """Return the only measure of a leaderboard's table apart from its columns of chance, or None."""
    plain = [measure for measure in scores.measures if measure.inner is None]
    return plain[0] if len(plain) == 1 else None


def net_by_dataset(
    scores: Scores, measure: Measure, by: str | None, board: Board
) -> NDArray[np.float64] | None:
    """Return Net of each system of the leaderboard on each data set; None if Net is not known.

    Net of a data set is a ratio of means over its queries; NaN if the system lacks scores on it.
    """
    found = _with_net(scores, measure)
    if found is None:
        return None
    table, name = found
    groups = dataset_groups(table, by)
    one = table[name].select(systems=list(board.systems))
    columns = []
    for places in groups.values():
        means = one.select(items=[one.items[k] for k in places]).means()
        columns.append([means[system][name.text] for system in board.systems])
    return np.where(board.missing, math.nan, np.array(columns).T)


def _with_net(scores: Scores, measure: Measure) -> tuple[Scores, Measure] | None:
    if measure.inner is not None or not measure.registered:
        return None
    for other in scores.measures:
        if other.name == "Net" and other.inner == measure:
            return scores, other
    behind = scores.rescoring
    if behind is None or not behind.pool_known or not has_net(measure):
        return None
    wanted = make("Net", inner=measure)
    return scores.also([wanted]), wanted
