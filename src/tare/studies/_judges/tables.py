"""The tables of the audit of judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._result import Rows
from tare._tables import Column, Table, interval_column
from tare._tables.table import Cell
from tare.stats._p_values import PColumn

if TYPE_CHECKING:
    from tare.studies._judges.result import JudgeStudy

__all__ = [
    "agreement",
    "binary",
    "ceiling",
    "conclusions",
    "confusion",
    "correlations",
    "flips",
    "groups",
    "leniency",
    "queries",
    "ranks",
    "systems",
]

MOST_FLIPS = 20
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


def _made(
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
        f"{100 * study.confidence:g} % intervals: percentiles of {study.draws:,} resamples of the queries, "
        f"seed {study.seed}."
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
    return _made(
        rows, ("judge", "scale"), ("pairs", "queries", "failed", *numbers),
        "Agreement of judges with people", [*notes, *study.notes], bounded=("kappa", "alpha", "leniency"),
    )  # fmt: skip


def ranks(study: JudgeStudy) -> Table:
    """Return rank correlation and AUC of labels, which need no common scale."""
    note = (
        f"τ-b of the labels of all pairs. AUC: the probability that a document with a human grade of at "
        f"least {study.rel:g} has a higher judge's label than another, ties by half. {_intervals(study)}"
    )
    return _made(
        study.rows_by_name["ranks"], ("judge", "scale"), ("pairs", "tau_b", "auc"),
        "Rank agreement of labels", [note], bounded=("tau_b", "auc"),
    )  # fmt: skip


def binary(study: JudgeStudy) -> Table:
    """Return agreement on relevant or not."""
    note = (
        f"Relevant: a human grade of at least {study.rel:g}, and a judge's label of at least the cut. "
        f"{_intervals(study)}"
    )
    numbers = ("cut", "pairs", "relevant_human", "relevant_judge", "equal", "kappa", "sensitivity", "specificity", "precision")  # fmt: skip
    return _made(
        study.rows_by_name["binary"], ("judge",), numbers, "Agreement on relevant or not", [note],
        bounded=("kappa",),
    )  # fmt: skip


def leniency(study: JudgeStudy) -> Table:
    """Return leniency by human grade."""
    note = f"Mean judge − human label of the pairs with each human grade. {_intervals(study)}"
    return _made(
        study.rows_by_name["leniency"], ("judge",), ("grade", "pairs", "leniency"),
        "Leniency by human grade", [note], bounded=("leniency",),
    )  # fmt: skip


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
    note = f"κ with the first person, on the pairs that all three labelled. {_intervals(study)}"
    return _made(
        study.rows_by_name["ceiling"], ("judge", "person", "against"),
        ("pairs", "kappa_judge", "kappa_person", "difference"),
        "Agreement between people, and with judges", [note], bounded=("difference",),
    )  # fmt: skip


def queries(study: JudgeStudy) -> Table:
    """Return how the agreement varies between queries."""
    made: Rows = []
    for judge in study.judges:
        own = [r for r in study.rows_by_name["queries"] if r["judge"] == judge]
        if not own:
            continue
        equal = np.array([r["equal"] for r in own])
        kappa = np.array([r["kappa"] for r in own])
        known = kappa[~np.isnan(kappa)]
        worst = own[int(np.argmin(equal))]
        made.append(
            {"judge": judge, "queries": len(own), "lowest": float(equal.min()), "query": worst["query"],
             "median": float(np.median(equal)), "highest": float(equal.max()),
             "median_kappa": float(np.median(known)) if len(known) else None}
        )  # fmt: skip
    note = "Share of equal labels on one query; `query` is the one with the lowest share."
    return _made(
        made, ("judge", "query"), ("queries", "lowest", "median", "highest", "median_kappa"),
        "Agreement by query", [note],
    )  # fmt: skip


def correlations(study: JudgeStudy) -> Table:
    """Return correlations of the rankings of systems."""
    names = ("tau_b", "tau_ap", "rbo", "pearson")
    note = (
        f"Rankings of systems by people and by the judge. {100 * study.confidence:g} % bias-corrected "
        f"intervals over queries, {study.draws:,} resamples, seed {study.seed}. Top agreement: share of the "
        "best systems by people that are also best by the judge."
    )
    return _made(
        study.rows_by_name["correlations"], ("judge", "measure"),
        (*names, "largest_change", "top", "top_agreement", "top_by_chance"),
        "Rankings of systems", [note], bounded=names,
    )  # fmt: skip


def systems(study: JudgeStudy) -> Table:
    """Return the mean of each system by both label sets."""
    note = (
        f"Bias: judge − human, with Student's {100 * study.confidence:g} % interval over queries."
    )
    return _made(
        study.rows_by_name["systems"], ("judge", "measure", "system"),
        ("human", "labelled", "bias", "rank_human", "rank_judge"),
        "Systems by labels of people and judges", [note], bounded=("bias",),
    )  # fmt: skip


def groups(study: JudgeStudy) -> Table:
    """Return the bias by an attribute of systems."""
    note = (
        "Difference: mean bias of the group minus that of the other systems. p by permuting the attribute "
        f"among the systems, {study.draws:,} draws, seed {study.seed}; Holm's correction over more than two "
        "groups; p all: all groups at once."
    )
    return _made(
        study.rows_by_name["groups"], ("judge", "measure", "attribute", "group"),
        ("systems", "bias", "difference", "p", "p_adjusted", "p_all"),
        "Bias by groups of systems", [note], p=("p", "p_adjusted", "p_all"),
    )  # fmt: skip


def conclusions(study: JudgeStudy) -> Table:
    """Return the nine cells of conclusions and the yardsticks."""
    corrected = "no correction" if study.correction == "none" else f"correction {study.correction}"
    note = (
        f"Pairs of systems by what people and the judge conclude: better, no difference or worse (test "
        f"{study.test}, {corrected}, α = {study.alpha:g}). Better none: better for people, no difference "
        "for the judge. Precision, recall and balanced accuracy of significant differences with the same "
        "sign, people as the reference."
    )
    more = (
        f"Two halves: the reference on one random half of the queries, the other labels on the other half; "
        f"means of {study.splits:,} splits, seed {study.seed}. Halves have less power than all queries, so "
        "compare the two lines of halves with each other."
    )
    cells = [f"{h}_{j}" for h in ("better", "none", "worse") for j in ("better", "none", "worse")]
    return _made(
        study.rows_by_name["conclusions"], ("judge", "measure", "comparison"),
        ("pairs", *cells, "precision", "recall", "balanced"),
        "Conclusions about pairs of systems", [note, more],
    )  # fmt: skip


def flips(study: JudgeStudy) -> Table:
    """Return the pairs whose difference changes its sign and is significant for one side."""
    rows = [r for r in study.rows_by_name["pairs"] if r["flips"]]
    rows.sort(key=lambda r: (not r["reversed"], max(r["p_human"], r["p_judge"])))
    notes = ["The difference has opposite signs, and is significant for people, the judge or both."]
    if len(rows) > MOST_FLIPS:
        notes.append(f"The first {MOST_FLIPS} of {len(rows):,}; the rows hold all.")
    return _made(
        rows[:MOST_FLIPS], ("judge", "measure", "system", "against"),
        ("difference_human", "p_human", "difference_judge", "p_judge"),
        "Pairs of systems that flip", notes, p=("p_human", "p_judge"),
    )  # fmt: skip
