"""The defaults of a comparison: which pairs, which test, which correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.findings import Finding, listed
from tare.errors import MismatchError, OptionError
from tare.stats._pairs import Pairs
from tare.stats._randomisation import DRAWS
from tare.stats._resolution import pairs_needed
from tare.stats._summed_pairs import SummedPairs
from tare.stats._tests import TESTS

if TYPE_CHECKING:
    from tare._measures.scores import Scores

__all__ = ["AUTO", "decide", "pairs_of", "usable"]

AUTO = "auto"


def pairs_of(
    table: Scores, baseline: str | Sequence[str] | None, digits: int
) -> tuple[list[Pairs], list[Finding]]:
    """Return the pairs of each measure that can be compared, and what was left out."""
    pairs: list[Pairs] = []
    findings: list[Finding] = []
    for measure in table.measure_names:
        found = Pairs.of(table, measure=measure, baseline=baseline, digits=digits)
        kept, left_out = usable(found, measure)
        if len(found.items) < len(table.items) and measure in table.ratios:
            message = (
                f"{measure} is a ratio of means; systems are compared on the {len(found.items):,} of "
                f"{len(table.items):,} items that every system has."
            )
            findings.append(Finding("left out", message, len(table.items) - len(found.items)))
        pairs.append(kept)
        findings += left_out
    return pairs, findings


def usable(pairs: Pairs, measure: str) -> tuple[Pairs, list[Finding]]:
    """Keep the pairs with at least two common items; report the others."""
    keep = pairs.n >= 2
    if keep.all():
        return pairs, []
    few = ["–".join(pairs.name(int(k))) for k in np.flatnonzero(~keep)]
    if not keep.any():
        k = int(np.argmax(pairs.n))
        a, b = pairs.name(k)
        raise MismatchError(
            f"{measure}: no two systems have scores on two common items; {a} and {b} share "
            f"{int(pairs.n[k])}. Items are matched by id: are the ids of all systems of one kind?"
        )
    finding = Finding(
        "too few common items",
        f"{measure}: {len(few):,} pairs have fewer than 2 common items and were not compared",
        len(few),
        examples=listed(few),
    )
    return pairs.take(keep), [finding]


def decide(
    test: str,
    correction: str,
    baseline: Any,
    pairs: list[Pairs],
    *,
    draws: int = DRAWS,
    alpha: float = 0.05,
) -> tuple[str, str, tuple[str, ...]]:
    """The test and the correction, and which of them were chosen by default.

    The default is the permutation test, with the step-down of the largest |t| for several pairs. Holm's
    correction takes its place where that step-down is not defined: for measures of summed statistics
    and for incomplete tables, whose pairs have different items and are tested with t.
    """
    many = max(len(family) for family in pairs) > 1
    summed = any(isinstance(family, SummedPairs) for family in pairs)
    whole = all(p.complete.all() for p in pairs)
    asked = correction not in (AUTO, "none", "max-t")

    def resolves() -> bool:
        found = (
            pairs_needed("permutation", correction, p, draws=draws, alpha=alpha) for p in pairs
        )
        return all(needed is not None for needed in found)

    chosen = []
    if test == AUTO:
        chosen.append("test")
        single = not many or baseline is not None
        fits = single or whole or summed or correction == "max-t"
        too_few = asked and not summed and not resolves()
        test = "permutation" if fits and not too_few else "t"
    covered = TESTS[test].family_wise
    if correction == AUTO:
        chosen.append("correction")
        steps = TESTS[test].steps_down and whole and not summed
        correction = "none" if covered or not many else "max-t" if steps else "holm"
    if covered and correction != "none":
        raise OptionError(
            f"test={test!r} covers the whole family already; correction={correction!r} would "
            "correct twice. Leave the correction out, or choose a test on pairs such as "
            "'permutation' or 't'."
        )
    if correction == "max-t" and not TESTS[test].steps_down:
        able = " or ".join(repr(name) for name, t in TESTS.items() if t.steps_down)
        raise OptionError(f"correction='max-t' needs test={able}; found test={test!r}.")
    return test, correction, tuple(chosen)
