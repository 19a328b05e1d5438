"""The tables of the learning-to-rank study."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tare._tables import Column, Table
from tare.studies._letor.published import difference_table, published_table
from tare.studies._letor.resamples import CONFIDENCE

if TYPE_CHECKING:
    from tare.studies._letor.result import LetorStudy

__all__ = ["letor_tables"]

Cells = list[tuple[Any, ...]]


def letor_tables(study: LetorStudy) -> dict[str, Table]:
    """Return all tables of the study by name."""
    made = {
        "means": _means(study),
        "data": _counts(study),
        "agreement": _agreement(study),
        "power": _power(study),
        "swaps": _swaps(study),
        "claims": _claims(study),
    }
    if study.published:
        made["published"] = published_table(study)
        made["differences"] = difference_table(study)
    return made


def _means(study: LetorStudy) -> Table:
    columns: list[Column | str] = ["measure", "system"]
    columns += [Column(f"k={k}", digits=3) for k in study.cutoffs]
    cells: dict[tuple[str, str], dict[int, float]] = {}
    for row in study.mean_rows():
        cells.setdefault((row["measure"], row["system"]), {})[row["cutoff"]] = row["mean"]
    rows: Cells = [
        (*key, *(found.get(k, math.nan) for k in study.cutoffs)) for key, found in cells.items()
    ]
    notes = [
        f"{study.name}: means over {len(study.items):,} of {len(study.scores.items):,} test "
        "queries; the other queries have no relevant document.",
        *study.notes,
    ]
    return Table.of(columns, rows, title="Means", notes=notes)


def _counts(study: LetorStudy) -> Table:
    names = list(study.counts[0])
    columns: list[Column | str] = [*names[:2]]
    columns += [Column(n.replace("_", " "), digits=1) for n in names[2:]]
    rows = [tuple(row.values()) for row in study.counts]
    return Table.of(columns, rows, title="Data")


def _agreement(study: LetorStudy) -> Table:
    columns: list[Column | str] = ["set", "measure", "normalised", Column("τ", digits=3)]
    columns += [Column("conflicts"), Column("comparisons")]
    keys = ("set", "first", "second", "tau", "conflicts", "comparisons")
    rows: Cells = [tuple(r[k] for k in keys) for r in study.agreement_rows()]
    return Table.of(columns, rows, title="Agreement of original and normalised measures")


def _power(study: LetorStudy) -> Table:
    columns: list[Column | str] = ["set", "measure", Column("queries"), Column("comparisons")]
    columns += [Column("significant"), Column("PAD", digits=2)]
    keys = ("set", "family", "items", "pairs", "significant", "pad")
    rows: Cells = [tuple(r[k] for k in keys) for r in study.power_rows()]
    d = next(iter(study.discrimination.values()))
    note = (
        f"{d.test} test, α = {d.alpha:g}, {d.draws:,} draws, seed {d.seed}, no correction. PAD: "
        "100·|a₁ − a₂|/max(|a₁|, |a₂|) of means over cutoffs, averaged over pairs. Uninformative "
        "and ideal queries are chosen by nDCG@k for the measures of DCG, and by AP@k for those of SP."
    )
    return Table.of(columns, rows, title="Discriminative power by measure", notes=[note])


def _swaps(study: LetorStudy) -> Table:
    columns: list[Column | str] = ["between", "measure", Column("queries"), Column("and")]
    columns += [Column("swaps"), *(Column(c, digits=3) for c in ("swap rate", "τ", "low", "high"))]
    keys = (
        *("between", "measure", "items_first", "items_second", "swaps", "swap_rate"),
        *("coefficient", "low", "high"),
    )
    rows: Cells = [tuple(r[k] for k in keys) for r in study.swap_rows()]
    return Table.of(
        columns, rows, title="Consistency across data: swap rates and rank correlations"
    )


def _claims(study: LetorStudy) -> Table:
    names = ("claim", "measure", "baseline", "found", "low", "high", "verdict")
    rows: Cells = [tuple(r[k] for k in names) for r in study.claim_rows()]
    columns: list[Column | str] = [*names[:4]]
    columns += [Column("low", digits=3), Column("high", digits=3), "verdict"]
    note = (
        f"Low, high: {100 * CONFIDENCE:g} % bootstrap interval over queries (the union of the "
        f"percentile and the bias-corrected interval, {study.resamples.draws:,} draws, seed "
        f"{study.resamples.seed}) of the difference in the claim: the measure minus its original, "
        "uninformative minus ideal queries for conflicts. For τ: τ ± 1.96 standard deviations of the "
        "resampled τ, the interval of its expected value for query sets of this size. Each interval is on "
        "its own, without a correction for the number of claims. A claim is not decided if the "
        "interval contains values on both sides of it. Significance in resamples is that of a paired "
        "t-test."
    )
    return Table.of(columns, rows, title="Claims of Feng and Karmaker (2023)", notes=[note])
