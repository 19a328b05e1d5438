"""Figures of the power study (Rankel 2016, figs 3.2 and 3.3)."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._chapters.studies.power import power_figure

__all__ = ["figures"]


def figures(study: Any) -> dict[str, list[Figure]]:
    """Draw the power of each test against the mixture, without and with document effects."""
    made: dict[str, list[Figure]] = {}
    for effects in dict.fromkeys(r["document_effects"] for r in study.curves):
        rows = [r for r in study.curves if r["document_effects"] == effects]
        name, title = f"power {effects}", f"Power {effects} document effects"
        made[name] = [power_figure(rows, study, effects, name=name, title=title)]
    return made
