"""The defaults of a comparison: which pairs, which test, which correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tare._data.findings import Finding, listed
from tare._measures.aggregation import Ratio
from tare._measures.clusters import unit_name
from tare._measures.measure import Measure
from tare.errors import MismatchError, OptionError
from tare.stats._named_tests import TESTS
from tare.stats._paired_differences import Pairs, SummedPairs
from tare.stats._randomisation import DRAWS

if TYPE_CHECKING:
    from tare._measures.scores import Scores

__all__ = ["AUTO", "Choice", "decide", "no_net_test", "pairs_of", "refuse_with_clusters", "usable"]

AUTO = "auto"


def pairs_of(
    table: Scores, baseline: str | Sequence[str] | None, digits: int
) -> tuple[list[Pairs], list[Finding]]:
    """Return the pairs of each measure that can be compared, and what was left out."""
    pairs: list[Pairs] = []
    findings: list[Finding] = []
    for measure in table.measures:
        found = Pairs.of(table, measure=measure.text, baseline=baseline, digits=digits)
        if no_net_test(table, measure):
            pairs.append(found)
            continue
        kept, left_out = usable(found, measure.text)
        if len(found.items) < len(table.items) and measure in table.ratios:
            message = (
                f"{measure} is a ratio of means; systems are compared on the {len(found.items):,} of "
                f"{len(table.items):,} items that every system has."
            )
            findings.append(Finding("left out", message, len(table.items) - len(found.items)))
        pairs.append(kept)
        findings += left_out
    return pairs, findings


def no_net_test(table: Scores, measure: Measure) -> str:
    """Return why two net scores of a measure are not compared; empty if they are."""
    ratio = table.ratios.get(measure)
    if type(ratio) is not Ratio:
        return ""
    if np.isnan(ratio.means()).any():
        return (
            f"it is undefined where chance scores as high as the ideal on all {unit_name(measure)}"
        )
    if not ratio.shared:
        return (
            "the room between chance and the ideal differs between systems, so that their net scores have no "
            "common denominator; each has its own interval"
        )
    return ""


def usable(pairs: Pairs, measure: str) -> tuple[Pairs, list[Finding]]:
    """Keep the pairs with a common item; report the others."""
    keep = pairs.n >= 1
    if keep.all():
        return pairs, []
    few = ["–".join(pairs.name(int(k))) for k in np.flatnonzero(~keep)]
    if not keep.any():
        raise MismatchError(
            f"{measure}: no two systems have a score on the same item. Items are matched by id: are the ids of "
            "all systems of one kind?"
        )
    finding = Finding(
        "too few common items",
        f"{measure}: {len(few):,} pairs have no common item and were not compared",
        len(few),
        examples=listed(few),
    )
    return pairs.take(keep), [finding]


MOST_FLIPPED = 10**9  # signed differences of an incomplete table, which takes half a minute


@dataclass(frozen=True)
class Choice:
    """A test with its correction and draws, and which of test and correction are defaults."""

    test: str
    correction: str
    draws: int
    chosen: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def decide(test: str, correction: str, pairs: list[Pairs], *, draws: int = DRAWS) -> Choice:
    """Return the test and the correction.

    The default is the permutation test by the largest |t|. Where that is not defined, Holm's correction
    takes its place: for measures of summed statistics, and for incomplete tables, whose pairs have
    different items. There each pair has its own flips, as many as Holm's first step needs.
    """
    most = max((len(family) for family in pairs), default=0)
    summed = any(isinstance(family, SummedPairs) for family in pairs)
    whole = all(p.complete.all() for p in pairs)
    chosen, findings = [], []
    automatic = test == AUTO
    if automatic:
        chosen.append("test")
        test = "permutation"
    covered = TESTS[test].family_wise
    if correction == AUTO:
        chosen.append("correction")
        by_largest = TESTS[test].by_largest and whole and not summed
        correction = "none" if covered or most <= 1 else "max-t" if by_largest else "holm"
    if automatic and correction == "holm" and not summed:
        draws = max(draws, 40 * most)
        flipped = draws * sum(int(family.n.sum()) for family in pairs)
        if flipped > MOST_FLIPPED:
            test = "t"
            text = (
                f"{flipped:.2g} flips of differences would be needed: the paired t-test with Holm's "
                "correction was used instead. It assumes normal differences"
            )
            findings.append(Finding("left out", text, severity="note"))
    if covered and correction != "none":
        raise OptionError(
            f"test={test!r} covers the whole family already; correction={correction!r} would "
            "correct twice. Leave the correction out, or choose a test on pairs such as "
            "'permutation' or 't'."
        )
    if correction == "max-t" and not TESTS[test].by_largest:
        able = " or ".join(repr(name) for name, t in TESTS.items() if t.by_largest)
        raise OptionError(f"correction='max-t' needs test={able}; found test={test!r}.")
    return Choice(test, correction, draws, tuple(chosen), tuple(findings))


def refuse_with_clusters(test: str, interval: str, pairs: Sequence[Pairs]) -> None:
    """Refuse tests and intervals that would take the items of one cluster as independent."""
    for family in pairs:
        if isinstance(family, SummedPairs):
            raise OptionError(
                f"{family.summed.measure} is computed from the summed statistics of all items; clusters need a value "
                "per item. Leave the measure or the clusters out."
            )
    if test != "permutation":
        raise OptionError(
            f"test={test!r} takes the items of one cluster as independent. With clusters use "
            "test='permutation', which flips whole clusters."
        )
    if interval != AUTO:
        raise OptionError(
            f"interval={interval!r} takes the items of one cluster as independent. Leave it out: the intervals of "
            "the permutation test are over clusters."
        )
