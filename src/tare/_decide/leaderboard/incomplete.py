"""Systems that lack scores: refused, left out, ranked on common data sets, or imputed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._decide.leaderboard.data import Board
from tare.errors import MismatchError, OptionError

__all__ = ["INCOMPLETE", "check_incomplete", "completed_board", "missing_names"]

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
    """Apply the policy; return the board to rank, and the board of the systems that are left out."""
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
    """Return the scores of one data set without missing values."""
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
