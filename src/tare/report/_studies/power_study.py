"""Figures of the power study (Rankel 2016, figs 3.2 and 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare.report._blocks import Figure
from tare.report._studies.power_curve import power_figure

if TYPE_CHECKING:
    from tare._decide.power import PowerStudy

__all__ = ["figures"]


def figures(study: PowerStudy) -> dict[str, list[Figure]]:
    """Draw the power of each test against the mixture, without and with document effects."""
    by_table: dict[str, list[Figure]] = {}
    for effects in dict.fromkeys(r["document_effects"] for r in study.curves):
        rows = [r for r in study.curves if r["document_effects"] == effects]
        name, title = f"power {effects}", f"Power {effects} document effects"
        by_table[name] = [power_figure(rows, study, effects, name=name, title=title)]
    return by_table
