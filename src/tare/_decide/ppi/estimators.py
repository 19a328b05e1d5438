"""The choice of the estimator for a design and a method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tare._decide.ppi import document_design, query_design
from tare._decide.ppi.influences import Influences, Spread
from tare._decide.ppi.resampling import Bootstrap, bootstrap
from tare._decide.ppi.rogan_gladen import LabelCounts, fit_shares
from tare._decide.ppi.samples import DocumentSample, Floats, Places, QuerySample
from tare.errors import OptionError

__all__ = ["METHODS", "TARGETS", "Estimator"]

METHODS = ("t", "z", "bootstrap", "rogan-gladen")
TARGETS = ("all-queries", "these-queries")


@dataclass(frozen=True, eq=False)
class Estimator:
    """The values of one measure, and how its estimates are made.

    Attributes
    ----------
    measure : str
        The measure.
    sample : QuerySample or DocumentSample
        The values under people's labels and under the judge's.
    counts : LabelCounts or None
        The labels by query, for Rogan and Gladen's estimate.
    method : str
        One of `METHODS`.
    weight : float or None
        λ; None if it is estimated.
    target : str
        One of `TARGETS`.
    """

    measure: str
    sample: QuerySample | DocumentSample
    counts: LabelCounts | None = None
    method: str = "t"
    weight: float | None = None
    target: str = "all-queries"

    def by(self, method: str) -> Estimator:
        """Return the same with another method, for tests of differences."""
        if self.method == "rogan-gladen":
            if method == "bootstrap":
                raise OptionError(
                    "test='bootstrap' is not offered for the method rogan-gladen, whose error comes from "
                    "a jackknife of sensitivity, specificity and the judge's shares. Use 't'."
                )
            return self
        return replace(self, method=method)

    @property
    def sampled(self) -> bool:
        """Whether the queries are a sample."""
        return self.target == "all-queries"

    @cached_property
    def fit(self) -> Influences:
        """The estimates of all systems with the parts of their error."""
        if self.method == "rogan-gladen":
            assert self.counts is not None
            return fit_shares(self.counts, self.measure)
        method = "z" if self.method == "z" else "t"
        if isinstance(self.sample, QuerySample):
            return query_design.fit_queries(self.sample, method, self.weight)
        return document_design.fit_documents(self.sample, method, self.weight, sampled=self.sampled)

    @cached_property
    def people(self) -> Influences:
        """The estimates from people's labels alone."""
        if isinstance(self.sample, QuerySample):
            return query_design.people_alone(self.sample)
        return document_design.people_alone(self.sample, sampled=self.sampled)

    @cached_property
    def judge(self) -> tuple[Floats, Influences]:
        """The judge's values, and their bias: these values minus the estimates."""
        fit = self.fit
        if self.method == "rogan-gladen":
            counts = self.counts
            assert counts is not None
            value: Floats = counts.yes.mean(axis=1)
            n = counts.yes.shape[1]
            rows = (counts.yes - value[:, None]) / np.sqrt(n * (n - 1)) - fit.parts[0].rows
            part = replace(fit.parts[0], rows=rows)
            return value, Influences(value - fit.value, (part,), fit.weight)
        if isinstance(self.sample, QuerySample):
            return query_design.judge_alone(self.sample, fit)
        return document_design.judge_alone(self.sample, fit, self.weight, sampled=self.sampled)

    def drawn(self, pairs: tuple[Places, Places] | None, draws: int, seed: int) -> Bootstrap:
        """Return the bootstrap of the systems, or of pairs of systems."""
        if not self.sampled:
            raise OptionError(
                "the bootstrap draws queries, and the target these-queries asks for the error on exactly "
                "these queries. Use t or z, or the target all-queries."
            )
        sample, weight = self.sample, self.weight
        if isinstance(sample, DocumentSample):  # a mean over queries, without others
            values = document_design.query_values(sample, weight)[1]
            nothing = np.zeros((len(values), 0))
            sample = QuerySample(values, values, nothing)
        fit = query_design.fit_queries(sample, "z", weight)
        return bootstrap(sample, fit, pairs, weight=weight, draws=draws, seed=seed)

    def interval(
        self, pairs: tuple[Places, Places] | None, confidence: float, draws: int, seed: int
    ) -> tuple[Spread, Floats, Floats]:
        """Return the estimates of systems or pairs with their interval."""
        if self.method == "bootstrap":
            made = self.drawn(pairs, draws, seed)
            return made.spread, *made.ends(confidence)
        spread = self.fit.systems() if pairs is None else self.fit.differences(*pairs)
        return spread, *spread.ends(confidence)
