"""The choice of the estimator for a design and a method, and of people alone where labels are too few."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tare._decide.ppi import document_design, query_design
from tare._decide.ppi.influences import Influences, Spread, quantile
from tare._decide.ppi.resampling import Bootstrap, bootstrap
from tare._decide.ppi.samples import DocumentSample, Floats, Places, QuerySample
from tare.errors import OptionError
from tare.stats._intervals import bounded_ends

__all__ = ["FEW_SUCCESSES", "METHODS", "TARGETS", "Bounds", "Estimator"]

METHODS = ("t", "z", "bootstrap")
TARGETS = ("all-queries", "these-queries")
FEW_SUCCESSES = 5  # labelled successes, or failures, below which the judge is not used

ROUNDING = 1e-9  # of the width of the bounds
OUTCOMES = (("success", "successes"), ("failure", "failures"))
Bounds = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Estimator:
    """The values of one measure, and how its estimates are made.

    Attributes
    ----------
    measure : str
        The measure.
    sample : QuerySample or DocumentSample
        The values under people's labels and under the judge's.
    method : str
        One of `METHODS`.
    weight : float or None
        λ; None if it is estimated.
    target : str
        One of `TARGETS`.
    bounds : tuple of two float, optional
        The lowest and the highest value that a query can have; None if it is not known or has no limit.
    """

    measure: str
    sample: QuerySample | DocumentSample
    method: str = "t"
    weight: float | None = None
    target: str = "all-queries"
    bounds: Bounds | None = None

    def by(self, method: str) -> Estimator:
        """Return the same with another method, for tests of differences."""
        return replace(self, method=method)

    @property
    def sampled(self) -> bool:
        """Whether the queries are a sample."""
        return self.target == "all-queries"

    @cached_property
    def fit(self) -> Influences:
        """The estimates of all systems with what every unit adds to their errors."""
        return self.people if self.people_only else self._with_judge

    @cached_property
    def _with_judge(self) -> Influences:
        method = "z" if self.method == "z" else "t"
        if isinstance(self.sample, QuerySample):
            return query_design.fit_queries(self.sample, method, self.weight)
        return document_design.fit_documents(self.sample, method, self.weight, sampled=self.sampled)

    @property
    def binary(self) -> bool:
        """Whether every query that people labelled is a success or a failure for every system."""
        if self.bounds is None or not isinstance(self.sample, QuerySample):
            return False
        low, high = self.bounds
        return bool(((self.sample.human == low) | (self.sample.human == high)).all())

    @cached_property
    def people_only(self) -> dict[int, str]:
        """Why the judge is not used, by the place of the system that is the reason; empty if it is used.

        λ is the same for all systems, so one system with too few labels decides for all.
        """
        made: dict[int, str] = {}
        if self.bounds is None or not isinstance(self.sample, QuerySample):
            return made
        low, high = self.bounds
        slack = 0.0 if self.binary else ROUNDING * (high - low)
        for s, (row, value) in enumerate(
            zip(self.sample.human, self._with_judge.value.tolist(), strict=True)
        ):
            few = []
            if self.binary:
                counts = int((row == high).sum()), int((row == low).sum())
                few = [
                    f"{count} {what if count == 1 else plural} of {len(row)}"
                    for count, (what, plural) in zip(counts, OUTCOMES, strict=True)
                    if count < FEW_SUCCESSES
                ]
            at_end = self.binary and value in (low, high)
            if few or at_end or not low - slack <= value <= high + slack:
                made[s] = few[0] if few else f"{value:.3f}".replace("-", "−")
        return made

    @property
    def used_weight(self) -> float | None:
        """λ that was given, or 0 if the judge is not used; None if λ is estimated."""
        return 0.0 if self.people_only else self.weight

    @cached_property
    def people(self) -> Influences:
        """The estimates from people's labels alone."""
        if isinstance(self.sample, QuerySample):
            return query_design.people_alone(self.sample)
        return document_design.people_alone(self.sample, sampled=self.sampled)

    @cached_property
    def judge(self) -> tuple[Floats, Influences]:
        """The judge's values, and their bias: these values minus the estimates."""
        if isinstance(self.sample, QuerySample):
            return query_design.judge_alone(self.sample, self.fit)
        return document_design.judge_alone(
            self.sample, self.fit, self.used_weight, sampled=self.sampled
        )

    def drawn(self, pairs: tuple[Places, Places] | None, draws: int, seed: int) -> Bootstrap:
        """Return the bootstrap of the systems, or of pairs of systems."""
        if not self.sampled:
            raise OptionError(
                "the bootstrap draws queries, and the target these-queries asks for the error on exactly "
                "these queries. Use t or z, or the target all-queries."
            )
        sample, weight = self.sample, self.used_weight
        if isinstance(sample, DocumentSample):  # a mean over queries, without others
            values = document_design.query_values(sample, weight)[1]
            nothing = np.zeros((len(values), 0))
            sample = QuerySample(values, values, nothing)
        if sample.clusters is not None:
            raise OptionError("the bootstrap draws queries one by one, not clusters. Use t.")
        fit = query_design.fit_queries(sample, "z", weight)
        return bootstrap(sample, fit, pairs, weight=weight, draws=draws, seed=seed)

    def interval(
        self, pairs: tuple[Places, Places] | None, confidence: float, draws: int, seed: int
    ) -> tuple[Spread, Floats, Floats]:
        """Return the estimates of systems or pairs with their interval, which stays within the bounds."""
        if self.method == "bootstrap" and not self.people_only:
            made = self.drawn(pairs, draws, seed)
            spread, ends = made.spread, made.ends(confidence)
        else:
            spread = self.fit.systems() if pairs is None else self.fit.differences(*pairs)
            ends = spread.ends(confidence)
        if pairs is not None:
            return spread, *self.cut(ends)
        if self.people_only or self.method == "t":
            return spread, *self.bounded(spread, confidence)
        return spread, *self._within(ends)

    def bounded(self, spread: Spread, confidence: float) -> tuple[Floats, Floats]:
        """Return Student's intervals; with bounds Wilson's, scaled to the standard errors.

        An estimate from sampled documents can leave the bounds; then Student's interval is cut at them.
        """
        ends = np.stack(self._within(spread.ends(confidence)))
        if self.bounds is not None:
            low, span = self.bounds[0], self.bounds[1] - self.bounds[0]
            t = quantile(spread.freedom, 0.5 + confidence / 2)
            for s, value in enumerate(((spread.value - low) / span).tolist()):
                if -ROUNDING <= value <= 1 + ROUNDING:
                    mean = min(max(value, 0.0), 1.0)
                    error = float(spread.error[s]) / span
                    found = bounded_ends(mean, error, float(t[s]), self.sample.units)
                    ends[:, s] = low + span * np.array(found)
        return ends[0], ends[1]

    def _within(self, ends: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return the ends cut at the bounds; NaN for an interval that lies outside them."""
        if self.bounds is None:
            return ends
        low, high = self.bounds
        inside = (ends[0] <= high) & (ends[1] >= low)
        cut = (np.where(inside, np.clip(end, low, high), np.nan) for end in ends)
        return next(cut), next(cut)

    def cut(self, ends: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return the ends of intervals of differences, which cannot exceed the width of the bounds."""
        if self.bounds is None:
            return ends
        span = self.bounds[1] - self.bounds[0]
        return np.clip(ends[0], -span, span), np.clip(ends[1], -span, span)
