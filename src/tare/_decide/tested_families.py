"""The test of one measure: its pairs of systems, as a family with the findings of the test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tare._data.findings import Finding, listed
from tare._decide.families import Family
from tare.stats._flips import least_units
from tare.stats._pairs import Pairs
from tare.stats._permutation import own_ends
from tare.stats._resolution import resolution_findings
from tare.stats._summed_pairs import SummedPairs
from tare.stats._tests import TESTS, TestOptions, run_test

__all__ = ["tested_family"]


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
    if test == "permutation" and correction == "holm" and not pairs.complete.all():
        ends = own_ends(
            pairs, draws=draws, seed=options.seed, level=alpha / len(pairs), threads=options.threads
        )
        result = replace(result, ends=ends)
    if test == "permutation" and not isinstance(pairs, SummedPairs):
        findings += _few_differences(measure, pairs, alpha)
    findings += resolution_findings(test, correction, pairs, measure, draws=draws, alpha=alpha)
    family = Family.of(measure, result, correction, interval, options, all_pairs=all_pairs)
    return family, findings


def _few_differences(measure: str, pairs: Pairs, alpha: float) -> list[Finding]:
    """Report pairs that differ on too few items for p to reach alpha; their interval is missing."""
    differing = (np.nan_to_num(pairs.differences) != 0).sum(axis=1)
    least = least_units(alpha)
    few = np.flatnonzero((differing < least) & (pairs.n >= least))
    if not len(few):
        return []
    names = [f"{'–'.join(pairs.name(int(k)))} differs on {differing[k]} items only" for k in few]
    return [
        Finding(
            "few differences",
            f"{measure}: {len(few):,} of {len(pairs):,} pairs differ on fewer than {least} items, so that "
            f"p cannot reach {alpha:g}; they have no interval",
            len(few),
            examples=listed(names),
            severity="note",
        )
    ]
