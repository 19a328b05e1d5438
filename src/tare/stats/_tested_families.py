"""The test of one measure: its pairs of systems, as a family with the findings of the test."""

from __future__ import annotations

from tare._data.findings import Finding
from tare.errors import OptionError
from tare.stats._bayes import BayesianSignedRank, bayesian_signed_rank
from tare.stats._families import Family
from tare.stats._pairs import Pairs
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
    rope: float | None,
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
    bayes = None if rope is None else _bayes(measure, pairs, rope, options)
    family = Family.of(
        measure, result, correction, interval, options, bayes=bayes, all_pairs=all_pairs
    )
    return family, findings


def _bayes(measure: str, pairs: Pairs, rope: float, options: TestOptions) -> BayesianSignedRank:
    if isinstance(pairs, SummedPairs):
        raise OptionError(
            f"rope needs a value per item, and {measure} is computed from the summed statistics of all "
            "items. Leave rope out, or add mean=items to the measure."
        )
    return bayesian_signed_rank(
        pairs, rope=rope, draws=options.draws, seed=options.seed, threads=options.threads
    )
