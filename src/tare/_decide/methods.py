"""A comparison in words: the legend of its tables and a paragraph for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tare._measures.clusters import singular, unit_name
from tare._measures.names import column_measure
from tare._plain_text import plain
from tare._signature import tare_version
from tare.stats._named_tests import TESTS
from tare.stats._paired_differences import SummedPairs

if TYPE_CHECKING:
    from tare._decide.comparison import Comparison
    from tare._decide.families import Family

__all__ = ["legend", "methods_paragraph", "per_pair", "tested_families"]

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
    "t": "Student's t intervals",
    "percentile": "percentile bootstrap intervals",
    "bca": "bias-corrected and accelerated bootstrap intervals",
    "studentised": "studentised bootstrap intervals",
    "simultaneous": "the simultaneous intervals that belong to the test",
    "flips": "the intervals that belong to the flips of each pair",
    "flips, alpha/pairs": "the intervals that belong to the flips of each pair, at level α divided by the number of pairs",
}
FAMILY_WIDE = ("simultaneous", "flips, alpha/pairs", "none")  # cover all pairs of a measure
EXACT = ("all ", "no item differs", "one item differs", "not tested", "too few clusters")
FLIPS = "The test assumes that, if two systems do not differ, the difference of {a} is as likely to be +x as −x."


def tested_families(comparison: Comparison) -> list[Family]:
    """Return the families whose pairs were compared."""
    return [family for family in comparison.families if not family.untested]


def _unit(comparison: Comparison) -> str:
    """Return what the items are called: queries, if all measures are those of rankings."""
    found = {unit_name(column_measure(family.measure)) for family in comparison.families}
    return found.pop() if len(found) == 1 else "items"


def _sizes(comparison: Comparison) -> str:
    families = tested_families(comparison)
    found = [int(n) for family in families for n in family.result.pairs.n]
    low, high, unit = min(found), max(found), _unit(comparison)
    text = f"{low:,} {unit if low != 1 else singular(unit)}"
    text = text if low == high else f"{low:,} to {high:,} common {unit}"
    if comparison.cluster:
        units = [int(n) for f in families if f.result.units is not None for n in f.result.units]
        text += f" in {max(units):,} clusters ({plain(comparison.cluster)})"
    return text


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
    return sorted(method for method in methods if method.startswith(EXACT))


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
    families = tested_families(comparison)
    several = any(len(family) > 1 for family in families)
    own = several and all(_kind(comparison, f) not in FAMILY_WIDE for f in families)
    return ", per pair" if own else ""


def _kind(comparison: Comparison, family: Family) -> str:
    """Return the kind of the intervals of a family; those of estimates are alike."""
    return comparison.interval if comparison.interval in INTERVAL_WORDS else family.interval


def _interval_names(comparison: Comparison) -> str:
    """The kind of the intervals; a single pair has that of its test."""
    single = comparison.interval == "simultaneous" and len(comparison) == len(comparison.families)
    return "of the test" if single else comparison.interval


def _intervals(comparison: Comparison) -> str:
    """The intervals in words, measure by measure if they differ."""
    words: dict[str, list[str]] = {}
    for family in tested_families(comparison):
        kind = _kind(comparison, family)
        text = INTERVAL_WORDS[kind]
        if len(family) == 1:
            text = text.replace("simultaneous intervals that belong", "intervals that belong")
        elif kind not in FAMILY_WIDE:
            text += ", one per pair"
        words.setdefault(text, []).append(family.measure)
    if len(words) == 1:
        return next(iter(words))
    return " and ".join(f"{text} ({', '.join(measures)})" for text, measures in words.items())


def legend(comparison: Comparison) -> str:
    """Every choice behind a table, in one line."""
    test = TESTS[comparison.test]
    parts = [
        f"test: {comparison.test} (null hypothesis: {test.null})",
        f"correction: {comparison.correction}"
        + (" (the test covers the family)" if test.family_wise else ""),
        f"alpha: {comparison.alpha:g}, two-sided, paired by item id"
        + (f", in clusters ({plain(comparison.cluster)})" if comparison.cluster else ""),
        f"intervals: {_interval_names(comparison)}{per_pair(comparison)}",
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
    measures = ", ".join(family.measure for family in tested_families(comparison))
    if len(comparison.baseline) == 1:
        others = systems - 1
        what = f"{others:,} system{'s' if others > 1 else ''} with {comparison.baseline[0]}"
    elif comparison.baseline:
        what = f"{count:,} pairs of a system and a baseline ({' and '.join(comparison.baseline)})"
    elif systems == 2:
        what = "two systems"
    else:
        what = f"all {count:,} pairs of {systems} systems"
    families = tested_families(comparison)
    if not families:
        return " ".join([*_untested(comparison), f"Computed with tare {tare_version()}."])
    first = families[0]
    count = len(first)
    unit = "cluster" if comparison.cluster else singular(_unit(comparison))
    sentences = [
        f"We compared {what} on {_sizes(comparison)} by {measures}, paired by {singular(_unit(comparison))}, "
        f"with {words} ({test.citation}), two-sided at α = {comparison.alpha:g}."
    ]
    if comparison.cluster:
        sentences.append(
            "The signs of whole clusters were flipped, and intervals are those of a ratio of cluster totals "
            "(Fieller 1954)."
        )
    elif any(f.result.pairs.rooms is not None for f in families):
        sentences.append("Intervals of differences of net scores are Fieller's (1954).")
    sentences += _replicates(comparison)
    if comparison.test == "permutation" and any(f.result.units is not None for f in families):
        sentences.append(FLIPS.format(a=f"a {unit}" if unit != "item" else "an item"))
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
        f"Differences are given with {_intervals(comparison)} "
        f"({100 * (1 - comparison.alpha):g} %) and Cohen's d_z as effect size."
    )
    found = [
        f"{int(family.significant.sum()):,} of {int((~np.isnan(family.adjusted)).sum()):,} tested pairs differ "
        f"significantly by {family.measure}"
        for family in families
    ]
    sentences.append(f"{'; '.join(found)}.")
    sentences += _untested(comparison)
    sentences.append(f"Computed with tare {tare_version()}.")
    return " ".join(sentences)


def _untested(comparison: Comparison) -> list[str]:
    """Say which measures were not compared, and why."""
    return [
        f"{family.measure} was not compared: {family.untested}."
        for family in comparison.families
        if family.untested
    ]


def _replicates(comparison: Comparison) -> list[str]:
    """Say over how many runs of a system scores were averaged."""
    counts = {
        dict(s.facts)["replicates"] for s in comparison.signatures if "replicates" in dict(s.facts)
    }
    return (
        [f"Scores are means of {' or '.join(sorted(counts))} runs of each system."]
        if counts
        else []
    )
