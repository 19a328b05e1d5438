"""The differences of estimated values of one measure, tested together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._decide.families import Family
from tare._decide.ppi.estimators import Estimator
from tare._decide.ppi.influences import Spread, quantile
from tare._decide.ppi.samples import Floats
from tare.stats._effects import Effects
from tare.stats._paired_differences import Pairs, PairTest

__all__ = ["POWER", "EstimatedFamily"]

POWER = 0.8  # of the difference that a comparison could have found


@dataclass(frozen=True, eq=False)
class EstimatedFamily(Family):
    """Pairs of systems with estimated differences.

    Attributes
    ----------
    estimator : Estimator
        The values behind the estimates.
    spread : Spread
        The differences, their errors and degrees of freedom.
    """

    estimator: Estimator | None = None
    spread: Spread | None = None

    @classmethod
    def made(
        cls,
        estimator: Estimator,
        systems: tuple[str, ...],
        places: tuple[NDArray[np.int32], NDArray[np.int32]],
        spread: Spread,
        statistic: Floats,
        p: Floats,
        adjusted: Floats,
        ends: Floats,
        *,
        alpha: float,
        error: Floats | None,
        test: str,
        all_pairs: bool,
    ) -> EstimatedFamily:
        """Return the family of a measure."""
        count = len(p)
        n = np.full(count, estimator.sample.n, dtype=np.int64)
        missing = np.full(count, np.nan)
        none = np.zeros(count, dtype=np.int64)
        pairs = Pairs(
            systems,
            (),
            np.zeros((len(systems), 0)),
            *places,
            np.zeros((count, 0)),
            np.zeros(count),
            n,
            spread.value,
            spread.error * np.sqrt(n),
        )
        name = {"t": "t distribution", "z": "normal", "bootstrap": "bootstrap"}[test]
        result = PairTest(
            test, pairs, statistic, p, n, (name,) * count, freedom=spread.freedom, error=error
        )
        effects = Effects(spread.value, missing, missing, missing, missing, none, none, none)
        means = dict(zip(systems, estimator.fit.value.tolist(), strict=True))
        return cls(
            estimator.measure,
            means,
            result,
            adjusted,
            alpha,
            effects,
            ends,
            all_pairs,
            estimator,
            spread,
        )

    @cached_property
    def direction_risk(self) -> Floats:
        """The risk that the sign of a difference is wrong: half the two-sided p-value."""
        return self.result.p / 2

    @cached_property
    def detectable(self) -> Floats:
        """The true difference that this comparison finds with a power of 80 %, before correction."""
        assert self.spread is not None
        freedom = self.spread.freedom
        reach = quantile(freedom, 1 - self.alpha / 2) + quantile(freedom, POWER)
        made: Floats = reach * self.spread.error
        return made

    def rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per pair."""
        assert self.spread is not None
        assert self.estimator is not None
        first, second = self.result.pairs.first, self.result.pairs.second
        people = self.estimator.people.differences(first, second)
        people_low, people_high = people.ends(1 - self.alpha)
        judge = self.estimator.judge[0]
        apart = judge[first] - judge[second] + 0.0
        columns = {
            "difference": self.spread.value,
            "low": self.ends[:, 0],
            "high": self.ends[:, 1],
            "statistic": self.result.statistic,
            "freedom": self.spread.freedom,
            "p": self.result.p,
            "p_adjusted": self.adjusted,
            "significant": self.significant,
            "direction_risk": self.direction_risk,
            "detectable": self.detectable,
            "people": people.value,
            "people_low": people_low,
            "people_high": people_high,
            "judge": apart,
        }
        values = {name: column.tolist() for name, column in columns.items()}
        values["freedom"] = [None if np.isinf(f) else f for f in self.spread.freedom.tolist()]
        systems = self.result.pairs.systems
        n = self.estimator.sample.n
        return [
            {
                "measure": self.measure,
                "system": systems[int(first[k])],
                "against": systems[int(second[k])],
                "n": n,
                **{name: column[k] for name, column in values.items()},
                "p_error": None if self.result.error is None else float(self.result.error[k]),
            }
            for k in range(len(self))
        ]
