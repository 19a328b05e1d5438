"""The claims of Feng and Karmaker (2023) about normalised measures, tested on the data of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare._result import Rows
from tare.studies._letor.resamples import Resampled

if TYPE_CHECKING:
    from tare.studies._letor.result import LetorStudy

__all__ = ["VERDICTS", "claim_rows", "verdict"]

MIN_TAU = 0.75  # the lowest τ of the article on all queries is 0.785
VERDICTS = ("holds", "does not hold", "not decided")


def verdict(interval: tuple[float, float], bound: float, *, strict: bool) -> str:
    """Return whether a statistic is at least `bound` (or above it, if strict), given its interval.

    >>> [verdict(x, 0, strict=True) for x in ((0.1, 0.3), (-0.2, 0.0), (-0.1, 0.1))]
    ['holds', 'does not hold', 'not decided']
    """
    low, high = interval
    if low > bound or (low == bound and not strict):
        return "holds"
    if high < bound or (high == bound and strict):
        return "does not hold"
    return "not decided"


def claim_rows(study: LetorStudy) -> Rows:
    """Return one dictionary per claim and normalised measure: the finding, its interval, the verdict.

    The interval is that of the difference in the claim: the measure minus its original,
    uninformative minus ideal queries for conflicts, or τ itself. The verdict is "not decided" if the
    interval contains values on both sides of the claim.
    """
    agreement = {(r["second"], r["set"]): r for r in study.agreement_rows()}
    power = {(r["family"], r["set"]): r for r in study.power_rows()}
    swaps: dict[str, dict[str, Any]] = {}
    for row in study.swap_rows():
        swaps.setdefault(row["between"], {})[row["measure"]] = row["swap_rate"]
    drawn = study.resamples
    made: Rows = []

    def add(
        claim: str,
        family: Any,
        found: str,
        of: Resampled,
        bound: float = 0.0,
        *,
        strict: bool = False,
        at_most: bool = False,
    ) -> None:
        low, high = of.interval()
        read = (-high, -low) if at_most else (low, high)
        made.append(
            {
                "claim": claim,
                "measure": family.label,
                "baseline": "exact" if family.baseline == "both" else family.baseline,
                "found": found,
                "low": low,
                "high": high,
                "verdict": verdict(read, bound, strict=strict),
            }
        )

    for family in study.families:
        if family.original is None:
            continue
        label, original = family.label, family.original
        if (label, "all") in agreement:
            tau = agreement[label, "all"]["tau"]
            add(
                f"ranks the rankers like {original} (τ ≥ {MIN_TAU:g}), on all queries",
                family,
                f"τ {tau:.3f}",
                drawn.taus[label, "all"],
                MIN_TAU,
            )
        if (label, "uninformative") in agreement and (label, "ideal") in agreement:
            low, high = (agreement[label, s]["conflicts"] for s in ("uninformative", "ideal"))
            add(
                f"conflicts with {original} more on uninformative queries than on ideal ones",
                family,
                f"{low} vs {high}",
                drawn.conflicts[label, "uninformative"] - drawn.conflicts[label, "ideal"],
                strict=True,
            )
        for name in ("all", "uninformative", "ideal"):
            if (label, name) not in power:
                continue
            mine, theirs = power[label, name], power[original, name]
            add(
                f"finds at least as many significant pairs as {original}, on {name} queries",
                family,
                f"{mine['significant']} vs {theirs['significant']}",
                drawn.significant[label, name] - drawn.significant[original, name],
            )
            add(
                f"separates rankers further (PAD) than {original}, on {name} queries",
                family,
                f"{mine['pad']:.2f} vs {theirs['pad']:.2f}",
                drawn.distances[label, name] - drawn.distances[original, name],
                strict=True,
            )
        for between, rates in swaps.items():
            if rates.get(label) is None or rates.get(original) is None:
                continue
            add(
                f"swaps rankers no more often than {original}, {between}",
                family,
                f"{rates[label]:.3f} vs {rates[original]:.3f}",
                drawn.swaps[label, between] - drawn.swaps[original, between],
                at_most=True,
            )
    return made
