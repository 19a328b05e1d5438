"""A comparison in words: the legend of its tables and a paragraph for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._signature import tare_version
from tare.stats._summed_pairs import SummedPairs
from tare.stats._tests import TESTS

if TYPE_CHECKING:
    from tare._decide.comparison import Comparison

__all__ = ["legend", "methods_paragraph", "per_pair"]

CORRECTION_WORDS = {
    "none": "without a correction",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction (Holm 1979)",
    "hochberg": "Hochberg's correction (Hochberg 1988)",
    "bh": "the Benjamini–Hochberg control of the false discovery rate (1995)",
    "by": "the Benjamini–Yekutieli control of the false discovery rate (2001)",
    "max-t": "the correction by the largest |t| of each draw (Westfall and Young 1993; Romano and Wolf 2005)",
}
INTERVAL_WORDS = {
    "t": "Student's t intervals, one per pair",
    "percentile": "percentile bootstrap intervals, one per pair",
    "bca": "bias-corrected and accelerated bootstrap intervals, one per pair",
    "studentised": "studentised bootstrap intervals, one per pair",
    "simultaneous": "the simultaneous intervals that belong to the test",
}


def _sizes(comparison: Comparison) -> str:
    found = [int(n) for family in comparison.families for n in family.result.pairs.n]
    low, high = min(found), max(found)
    return f"{low:,} items" if low == high else f"{low:,} to {high:,} common items"


def _words(comparison: Comparison) -> str:
    """The test in words, also for measures that are made of summed statistics."""
    words = TESTS[comparison.test].words
    summed = [f for f in comparison.families if isinstance(f.result.pairs, SummedPairs)]
    other = {
        "permutation": "approximate randomisation of the summed statistics",
        "bootstrap": "the paired bootstrap of the summed statistics",
    }.get(comparison.test)
    if not summed or other is None:
        return words
    if len(summed) == len(comparison.families):
        return other
    return f"{words} ({', '.join(f.measure for f in summed)}: {other})"


def _exact(comparison: Comparison) -> list[str]:
    """How p-values of a randomised test were computed without random draws, such as 'all 256 swaps'."""
    methods = {m for family in comparison.families for m in family.result.methods}
    return sorted(method for method in methods if method.startswith("all "))


def _drawn(comparison: Comparison) -> bool:
    """Return whether the test made random draws for a pair."""
    methods = {m for family in comparison.families for m in family.result.methods}
    return TESTS[comparison.test].random and len(methods) > len(_exact(comparison))


def _of_p_values(comparison: Comparison) -> str:
    drawn = (
        f"come from B = {comparison.options.draws:,} draws (seed {comparison.options.seed}) as "
        "(b + 1)/(B + 1) (Phipson and Smyth 2010)"
    )
    exact = " or ".join(_exact(comparison))
    if not _drawn(comparison):
        return f"P-values are exact ({exact})."
    return f"P-values are exact ({exact}) or {drawn}." if exact else f"P-values {drawn}."


def per_pair(comparison: Comparison) -> str:
    """Say that each interval covers its own pair only, where a table has several."""
    several = any(len(family) > 1 for family in comparison.families)
    return ", per pair" if several and comparison.interval != "simultaneous" else ""


def legend(comparison: Comparison) -> str:
    """Every choice behind a table, in one line."""
    test = TESTS[comparison.test]
    parts = [
        f"test: {comparison.test} (null hypothesis: {test.null})",
        f"correction: {comparison.correction}"
        + (" (the test covers the family)" if test.family_wise else ""),
        f"alpha: {comparison.alpha:g}, two-sided, paired by item id",
        f"intervals: {comparison.interval}{per_pair(comparison)}",
    ]
    if _drawn(comparison) or comparison.interval in ("percentile", "bca", "studentised"):
        parts.append(f"draws: {comparison.options.draws:,}, seed {comparison.options.seed}")
    if comparison.test.startswith("wilcoxon"):
        parts.append(f"zeros: {comparison.options.zeros}")
    parts.append(f"rounded to {comparison.digits} digits")
    if comparison.chosen:
        parts.append(f"chosen by default: {', '.join(comparison.chosen)}")
    return "; ".join(parts) + "."


def methods_paragraph(comparison: Comparison) -> str:
    """What was done, in sentences that can be pasted into a paper."""
    test = TESTS[comparison.test]
    words = _words(comparison)
    first = comparison.families[0]
    systems = len(first.means)
    count = len(first)
    measures = ", ".join(family.measure for family in comparison.families)
    if len(comparison.baseline) == 1:
        others = systems - 1
        what = f"{others:,} system{'s' if others > 1 else ''} with {comparison.baseline[0]}"
    elif comparison.baseline:
        what = f"{count:,} pairs of a system and a baseline ({' and '.join(comparison.baseline)})"
    elif systems == 2:
        what = "two systems"
    else:
        what = f"all {count:,} pairs of {systems} systems"
    sentences = [
        f"We compared {what} on {_sizes(comparison)} by {measures}, paired by item, "
        f"with {words} ({test.citation}), two-sided at α = {comparison.alpha:g}."
    ]
    if test.random:
        sentences.append(_of_p_values(comparison))
    if comparison.test.startswith("wilcoxon"):
        sentences.append(
            f"Zero differences were treated as '{comparison.options.zeros}'; ties share mean ranks; "
            f"p is {' or '.join(sorted(set(first.result.methods)))}."
        )
    if test.family_wise:
        sentences.append("The test controls the family-wise error of all pairs of a measure.")
    elif comparison.correction != "none":
        sentences.append(
            f"Within each measure we applied {CORRECTION_WORDS[comparison.correction]} "
            f"to {count:,} comparisons."
        )
    elif count > 1:
        sentences.append(f"No correction was made for the {count:,} comparisons.")
    sentences.append(
        f"Differences are given with {INTERVAL_WORDS[comparison.interval]} "
        f"({100 * (1 - comparison.alpha):g} %) and Cohen's d_z as effect size."
    )
    found = [
        f"{int(family.significant.sum()):,} of {len(family):,} pairs differ significantly "
        f"by {family.measure}"
        for family in comparison.families
    ]
    sentences.append(f"{'; '.join(found)}.")
    sentences.append(f"Computed with tare {tare_version()}.")
    return " ".join(sentences)
