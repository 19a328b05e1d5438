"""Tables of the audit of judges: agreement on labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._result import Rows
from tare._tables import Column, PColumn, Table, interval_column
from tare._tables.table import Cell

if TYPE_CHECKING:
    from tare.studies._judges.result import JudgeStudy

__all__ = [
    "agreement",
    "base_rates",
    "binary",
    "ceiling",
    "confusion",
    "leniency",
    "made",
    "queries",
    "ranks",
]

NAMES = {
    "kappa": "κ",
    "kappa_linear": "κ linear",
    "kappa_quadratic": "κ quadratic",
    "alpha": "α",
    "tau_b": "τ-b",
    "tau_ap": "τ_AP",
    "rbo": "RBO",
    "auc": "AUC",
    "labelled": "by judge",
    "human": "by people",
    "kappa_judge": "κ judge",
    "kappa_person": "κ person",
}


SHORT = ("grade", "cut", "rank_human", "rank_judge", "largest_change")


class ShortColumn(Column):
    """A column of grades or ranks, without trailing zeros."""

    def show(self, cell: Cell) -> str:
        """Return a number in its shortest form."""
        return f"{cell:g}" if isinstance(cell, float) and cell == cell else super().show(cell)


def _column(key: str, p: Sequence[str]) -> Column:
    kind = PColumn if key in p else ShortColumn if key in SHORT else Column
    return kind(_name(key))


def _name(key: str) -> str:
    return NAMES.get(key, key.replace("_", " "))


def made(
    rows: Rows,
    words: Sequence[str],
    numbers: Sequence[str],
    title: str,
    notes: Sequence[str],
    *,
    bounded: Sequence[str] = (),
    p: Sequence[str] = (),
) -> Table:
    """Return a table; columns in `bounded` are followed by their interval."""
    columns: list[Column | str] = [_name(w) for w in words]
    for number in numbers:
        columns.append(_column(number, p))
        if number in bounded:
            columns.append(interval_column(f"{_name(number)} interval"))
    cells = []
    for row in rows:
        line: list[Any] = [row.get(w) for w in words]
        for number in numbers:
            line.append(row.get(number))
            if number in bounded:
                ends = [row.get(f"{number}_{e}", row.get(e)) for e in ("low", "high")]
                line.append(None if None in ends else tuple(ends))
        cells.append(line)
    return Table.of(columns, cells, title=title, notes=list(notes))


def _intervals(study: JudgeStudy) -> str:
    return (
        f"{100 * study.confidence:g} % intervals, each on its own: percentiles of {study.draws:,} resamples "
        f"of the queries, seed {study.seed}."
    )


def agreement(study: JudgeStudy) -> Table:
    """Return agreement on labels, and judges without skill."""
    rows = study.rows_by_name["agreement"]
    notes = [
        f"κ and α: 1 is perfect, 0 is chance. By chance: the share equal of labels drawn with the same "
        f"frequencies. Leniency: mean judge − human label. {_intervals(study)}",
        "(constant): always the most frequent human label. (base rates): labels drawn with the human "
        "frequencies (expected values).",
    ]
    if any(r["scale"] != "same" for r in rows):
        notes.append(
            "Scale binary or other: labels on another scale than those of people; see the next tables."
        )
    nominal = not any("leniency" in r for r in rows)
    numbers: tuple[str, ...] = (
        "equal",
        "by_chance",
        "kappa",
        "kappa_linear",
        "kappa_quadratic",
        "alpha",
        "leniency",
    )
    if nominal:
        numbers = ("equal", "by_chance", "kappa", "alpha")
    return made(
        rows,
        ("judge", "scale"),
        ("pairs", "queries", "failed", *numbers),
        "Agreement of judges with people",
        [*notes, *study.notes],
        bounded=("kappa", "alpha", "leniency"),
    )


def ranks(study: JudgeStudy) -> Table:
    """Return rank correlation and AUC of labels, which need no common scale."""
    note = (
        f"τ-b of the labels of all pairs. AUC: the probability that a document with a human grade of at "
        f"least {study.rel:g} has a higher judge's label than another, ties by half. {_intervals(study)} For τ-b: "
        "± 1.96 standard deviations of the resamples at 95 %, cut to [−1, 1]."
    )
    return made(
        study.rows_by_name["ranks"],
        ("judge", "scale"),
        ("pairs", "tau_b", "auc"),
        "Rank agreement of labels",
        [note],
        bounded=("tau_b", "auc"),
    )


def binary(study: JudgeStudy) -> Table:
    """Return agreement on relevant or not."""
    note = (
        f"Relevant: a human grade of at least {study.rel:g}, and a judge's label of at least the cut. "
        f"{_intervals(study)}"
    )
    numbers = (
        "cut",
        "pairs",
        "relevant_human",
        "relevant_judge",
        "equal",
        "kappa",
        "sensitivity",
        "specificity",
        "precision",
    )
    return made(
        study.rows_by_name["binary"],
        ("judge",),
        numbers,
        "Agreement on relevant or not",
        [note],
        bounded=("kappa",),
    )


def leniency(study: JudgeStudy) -> Table:
    """Return leniency by human grade."""
    note = f"Mean judge − human label of the pairs with each human grade. {_intervals(study)}"
    return made(
        study.rows_by_name["leniency"],
        ("judge",),
        ("grade", "pairs", "leniency"),
        "Leniency by human grade",
        [note],
        bounded=("leniency",),
    )


def base_rates(study: JudgeStudy) -> Table:
    """Return how often people and judges give each label."""
    note = "Share of each label among the common pairs, by people and by the judge."
    return made(
        study.rows_by_name["base_rates"],
        ("judge", "label"),
        ("share_human", "share_judge"),
        "Base rates",
        [note],
    )


def confusion(study: JudgeStudy) -> Table | None:
    """Return one line per judge and human label: the number of pairs with each judge's label."""
    rows = study.rows_by_name["confusion"]
    if not rows:
        return None
    said = list(dict.fromkeys(str(r["judge_label"]) for r in rows))
    said = sorted(said, key=_sortable)
    lines: dict[tuple[str, str], dict[str, int]] = {}
    for r in rows:
        lines.setdefault((r["judge"], str(r["human_label"])), {})[str(r["judge_label"])] = r[
            "count"
        ]
    columns: list[Column | str] = ["judge", "human label", *(Column(f"judge {s}") for s in said)]
    cells = [
        [judge, label, *(found.get(s) for s in said)] for (judge, label), found in lines.items()
    ]
    return Table.of(columns, cells, title="Labels of people and judges", notes=["Number of pairs."])


def _sortable(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label


def ceiling(study: JudgeStudy) -> Table:
    """Return the agreement of judges and of other people with the first person."""
    note = (
        f"κ with the first person, on the pairs that all three labelled. {_intervals(study)} p: sign flips "
        "of whole queries, with Holm's correction over all judges and persons."
    )
    return made(
        study.rows_by_name["ceiling"],
        ("judge", "person", "against"),
        ("pairs", "kappa_judge", "kappa_person", "difference", "p_adjusted"),
        "Agreement between people, and with judges",
        [note],
        bounded=("difference",),
        p=("p_adjusted",),
    )


def queries(study: JudgeStudy) -> Table:
    """Return how the agreement varies between queries."""
    found: Rows = []
    for judge in study.judges:
        own = [r for r in study.rows_by_name["queries"] if r["judge"] == judge]
        if not own:
            continue
        equal = np.array([r["equal"] for r in own])
        kappa = np.array([r["kappa"] for r in own])
        known = kappa[~np.isnan(kappa)]
        worst = own[int(np.argmin(equal))]
        found.append(
            {
                "judge": judge,
                "queries": len(own),
                "lowest": float(equal.min()),
                "query": worst["query"],
                "median": float(np.median(equal)),
                "highest": float(equal.max()),
                "median_kappa": float(np.median(known)) if len(known) else None,
            }
        )
    note = "Share of equal labels on one query; `query` is the one with the lowest share."
    return made(
        found,
        ("judge", "query"),
        ("queries", "lowest", "median", "highest", "median_kappa"),
        "Agreement by query",
        [note],
    )
