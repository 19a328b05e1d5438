"""What Feng and Karmaker 2023 claim of normalised measures, held against a study's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tare.studies.answers import Rows

if TYPE_CHECKING:
    from tare.studies.letor_answers import LetorStudy

__all__ = ["claim_rows"]

ALIKE = 0.75  # of τ: the article's lowest on all queries is 0.785


def claim_rows(study: LetorStudy) -> Rows:
    """One dictionary a claim and normalised measure: what was found, and whether it holds."""
    agreement = {(r["second"], r["set"]): r for r in study.agreement_rows()}
    power = {(r["family"], r["set"]): r for r in study.power_rows()}
    swaps: dict[str, dict[str, Any]] = {}
    for row in study.swap_rows():
        swaps.setdefault(row["between"], {})[row["measure"]] = row["swap_rate"]
    made: Rows = []

    def add(claim: str, family: Any, found: str, holds: bool) -> None:
        made.append(
            {
                "claim": claim,
                "measure": family.label,
                "baseline": "exact" if family.baseline == "both" else family.baseline,
                "found": found,
                "holds": holds,
            }
        )

    for family in study.families:
        if family.original is None:
            continue
        label, original = family.label, family.original
        if (label, "all") in agreement:
            tau = agreement[label, "all"]["tau"]
            add(f"orders rankers as {original} does, on all queries", family,
                f"τ {tau:.3f}", tau >= ALIKE)  # fmt: skip
        if (label, "uninformative") in agreement and (label, "ideal") in agreement:
            low, high = (agreement[label, s]["conflicts"] for s in ("uninformative", "ideal"))
            add(f"conflicts with {original} more on uninformative queries than on ideal ones", family,
                f"{low} against {high}", low > high)  # fmt: skip
        for name in ("all", "uninformative", "ideal"):
            if (label, name) not in power:
                continue
            mine, theirs = power[label, name], power[original, name]
            add(f"tells at least as many pairs apart as {original}, on {name} queries", family,
                f"{mine['significant']} against {theirs['significant']}",
                mine["significant"] >= theirs["significant"])  # fmt: skip
            add(f"sets rankers farther apart (PAD) than {original}, on {name} queries", family,
                f"{mine['pad']:.2f} against {theirs['pad']:.2f}", mine["pad"] > theirs["pad"])  # fmt: skip
        for between, rates in swaps.items():
            if rates.get(label) is None or rates.get(original) is None:
                continue
            add(f"swaps rankers no more often than {original}, {between}", family,
                f"{rates[label]:.3f} against {rates[original]:.3f}",
                rates[label] <= rates[original])  # fmt: skip
    return made
