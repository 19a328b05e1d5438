"""The test of one measure: its pairs of systems, as a family with the findings of the test."""

from __future__ import annotations

from tare._data.findings import Finding
from tare.stats._families import Family
from tare.stats._pairs import Pairs
from tare.stats._resolution import resolution_findings
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
    findings += resolution_findings(test, correction, pairs, measure, draws=draws, alpha=alpha)
    family = Family.of(measure, result, correction, interval, options, all_pairs=all_pairs)
    return family, findings
