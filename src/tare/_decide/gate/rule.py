"""The rule of a gate: what the test of a loss shows."""

from __future__ import annotations

from dataclasses import dataclass

from tare._decide.gate.result import Verdict
from tare.stats._losses import least_changed

__all__ = ["Rule"]

SLACK = 1 + 1e-9  # p that rounding puts above alpha


@dataclass(frozen=True)
class Rule:
    """When a gate blocks: its error rate, and whether it certifies instead."""

    alpha: float
    certify: bool

    def verdict(
        self,
        difference: float,
        adjusted: float,
        changed: int | None,
        margin: float | None,
        measures: int,
    ) -> Verdict:
        """Return what the test shows by one of several measures."""
        if adjusted <= self.alpha * SLACK:
            small = not self.certify and margin is not None and difference > -margin
            return "within tolerance" if small else "loss shown"
        if changed == 0:
            return "nothing changed"
        # The first step of Holm's method takes alpha divided by the number of measures.
        if changed is not None and changed < least_changed(self.alpha / measures):
            return "without evidence"
        return "no loss shown"

    def certified(self, shown: Verdict, certified: bool) -> Verdict:
        """Return the verdict of a certification, from what the test shows."""
        if certified:
            return "certified"
        return shown if shown == "loss shown" else "not certified"
