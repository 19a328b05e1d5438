"""The test of one measure: its pairs of systems, as a family with the findings of the test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tare._data.findings import Finding, listed
from tare._decide.families import Family
from tare._measures.clusters import singular, unit_name
from tare._measures.measure import Measure
from tare._measures.names import column_measure
from tare.stats._flips import least_units
from tare.stats._named_tests import TESTS, TestOptions, resolution_findings, run_test
from tare.stats._paired_differences import Pairs, PairTest

if TYPE_CHECKING:
    from tare._measures.scores import Scores

SIGNS = ("permutation", "sign", "wilcoxon")  # tests that are defined for one item

__all__ = ["tested_family", "untested_family"]


def tested_family(
    measure: str,
    pairs: Pairs,
    test: str,
    correction: str,
    interval: str,
    options: TestOptions,
    *,
    all_pairs: bool,
) -> tuple[Family, list[Finding]]:
    """Test the pairs of a measure; return the family, and what a reader should know about the test."""
    findings = []
    result = run_test(pairs, test, options)
    if result.note and TESTS[test].family_wise:
        findings.append(Finding("left out", f"{measure}: {result.note}."))
        # Differences, effects and n are those of the items that were tested.
        pairs = pairs.on_complete_items()
        result = run_test(pairs, test, options)
    draws, alpha = options.draws, options.alpha
    if test not in SIGNS:  # one item has no spread; a resample of it is the same again
        single = pairs.n < 2
        result = replace(result, p=np.where(single, np.nan, result.p))
    if result.units is not None and pairs.clusters is not None:
        findings += _few_clusters(measure, result, alpha)
    if result.differing is not None:
        findings += _few_differences(measure, result, alpha)
    if not np.isnan(result.p).all():
        findings += resolution_findings(test, correction, result, measure, draws=draws, alpha=alpha)
    family = Family.of(measure, result, correction, interval, options, all_pairs=all_pairs)
    return family, findings


def untested_family(
    table: Scores, measure: Measure, pairs: Pairs, why: str, alpha: float
) -> Family:
    """Return the pairs of a net score that are not compared; each mean has its own interval."""
    one = table[measure]
    levels = one.intervals(confidence=1 - alpha)[:, 0]
    means = {system: row[measure.text] for system, row in one.means().items()}
    return Family.without_test(measure.text, pairs, means, levels, why, alpha)


def _few_clusters(measure: str, result: PairTest, alpha: float) -> list[Finding]:
    """Report pairs without a test, because they have too few clusters."""
    assert result.units is not None
    least = least_units(alpha)
    few = np.flatnonzero(result.units < least)
    if not len(few):
        return []
    most = int(result.units.max())
    text = (
        f"{measure}: no test with {most} clusters; p can reach {alpha:g} from {least} clusters on"
    )
    return [Finding("too few clusters", text, len(few))]


def _few_differences(measure: str, result: PairTest, alpha: float) -> list[Finding]:
    """Report pairs that differ on too few units for p to reach alpha; their interval is missing."""
    assert result.differing is not None
    assert result.units is not None
    pairs, least = result.pairs, least_units(alpha)
    few = np.flatnonzero((result.differing < least) & (result.units >= least))
    if not len(few):
        return []
    unit = unit_name(column_measure(measure), pairs.clusters is not None)
    names = [
        f"{'–'.join(pairs.name(int(k)))} differs on {_counted(int(result.differing[k]), unit)}"
        for k in few
    ]
    return [
        Finding(
            "few differences",
            f"{measure}: {len(few):,} of {len(pairs):,} pairs differ on fewer than {least} {unit}, so that "
            f"p cannot reach {alpha:g}; they have no interval",
            len(few),
            examples=listed(names),
            severity="note",
        )
    ]


def _counted(count: int, unit: str) -> str:
    if count == 0:
        return f"no {singular(unit)}"
    return f"1 {singular(unit)} only" if count == 1 else f"{count} {unit} only"
