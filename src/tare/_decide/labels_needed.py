"""How many queries people must label until the interval of a difference is narrow enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tare._decide.estimates import Estimates, assumption
from tare._decide.judge_corrected import (
    DocumentSample,
    Floats,
    Influences,
    QuerySample,
    quantile,
    query_values,
)
from tare._measures.measure import Measure
from tare._result import Row, SingleRowResult
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, nearest
from tare.stats._sample_size import check_design, smallest_number

__all__ = ["JudgeDesign", "queries_for_width"]


@dataclass(frozen=True, repr=False)
class JudgeDesign(SingleRowResult):
    """The number of queries that people must label, with and without the judge.

    Attributes
    ----------
    measure, system, against : str
        The difference.
    width : float
        The width asked for.
    now, width_now : int, float
        The number of queries that people labelled in the pilot, and the width of its interval.
    judged : int
        The number of queries that the judge labels.
    with_judge, without_judge : int
        The number of queries that people must label in all.
    note : str
        What the numbers assume.

    Examples
    --------
    >>> import tare
    >>> world = tare.simulate(queries=50, documents=20, seed=3)
    >>> truth = world.qrels.to_dict()
    >>> people = {query: truth[query] for query in list(truth)[::2]}
    >>> judge = {q: {d: min(2, g + (d == "d4")) for d, g in docs.items()} for q, docs in truth.items()}
    >>> found = tare.queries_for_width(tare.estimate(people, judge, world.runs, "P@10"), 0.09)
    >>> found.now, found.with_judge, found.without_judge
    (25, 24, 46)
    >>> found.system, found.against
    ('lexical', 'random')
    """

    measure: str
    system: str
    against: str
    width: float
    now: int
    width_now: float
    judged: int
    with_judge: int
    without_judge: int
    note: str = ""

    def answer(self) -> str:
        """Return how many queries people must label, with and without the judge."""
        return (
            f"For an interval of width {self.width:g} people must label {self.with_judge:,} queries with the "
            f"judge's labels, and {self.without_judge:,} without."
        )

    def row(self) -> Row:
        """Return all numbers."""
        return {
            "measure": self.measure,
            "system": self.system,
            "against": self.against,
            "width": self.width,
            "labelled": self.now,
            "width_now": self.width_now,
            "judged": self.judged,
            "with_judge": self.with_judge,
            "more_with_judge": max(0, self.with_judge - self.now),
            "without_judge": self.without_judge,
            "more_without_judge": max(0, self.without_judge - self.now),
        }

    def table(self) -> Table:
        """Return one row."""
        row = self.row()
        words = {
            "width": "width asked",
            "labelled": "labelled now",
            "width_now": "width now",
            "judged": "judged",
            "with_judge": "with judge",
            "more_with_judge": "more",
            "without_judge": "people only",
            "more_without_judge": "more (people only)",
        }
        texts = ("measure", "system", "against")
        columns = [
            Column(words.get(name, name), align="left" if name in texts else "right")
            for name in row
        ]
        return Table.of(columns, [tuple(row.values())], notes=[self.note] if self.note else [])


def queries_for_width(
    estimates: Estimates,
    width: float,
    *,
    system: str | None = None,
    against: str | None = None,
    measure: str | Measure | None = None,
    queries: int | None = None,
) -> JudgeDesign:
    """Return how many queries people must label until the interval of a difference is narrow enough.

    The variances and covariances of a pilot are taken as the true ones. A query that people label is
    one of those that the judge labels.

    Parameters
    ----------
    estimates : Estimates
        The pilot.
    width : float
        The largest width of the interval, at the confidence level of the pilot.
    system, against : str, optional
        The two systems. By default, the pair with the widest interval in the pilot, so that the answer
        holds for all pairs.
    measure : str or Measure, optional
        The measure, if the estimates have several.
    queries : int, optional
        The number of queries that the judge labels; by default as in the pilot.

    Returns
    -------
    JudgeDesign
        The numbers with and without the judge.

    Raises
    ------
    OptionError
        If `width` is not above 0, a system or the measure is unknown, only one system is named, `queries` is
        less than the pilot has, or the pilot has clusters or is of these queries only.
    MismatchError
        If the pilot has a single system.

    Examples
    --------
    >>> import tare
    >>> world = tare.simulate(queries=200, documents=30, seed=3)
    >>> truth = world.qrels.to_dict()
    >>> people = {query: truth[query] for query in list(truth)[::5]}
    >>> judge = {q: {d: min(2, g + (int(d[1:]) % 4 == 0)) for d, g in docs.items()}
    ...          for q, docs in truth.items()}
    >>> pilot = tare.estimate(people, judge, world.runs, "P@10")
    >>> found = tare.queries_for_width(pilot, 0.12)
    >>> found.with_judge, found.without_judge
    (25, 39)
    """
    check_design(1 - estimates.confidence, None, width=width)
    if estimates.target == "these-queries":
        raise OptionError(
            "the number of queries is computed for estimates of all queries. Make the pilot without "
            "--target these-queries."
        )
    estimator = estimates.estimator(measure)
    if isinstance(estimator.sample, QuerySample) and estimator.sample.clusters is not None:
        raise OptionError(
            "the number of queries is computed for queries that are drawn one by one, and the pilot has "
            "clusters. Make the pilot without --cluster if queries will be drawn one by one."
        )
    a, b = _pair(estimates, estimator.fit, system, against)
    sample = estimator.sample
    n, level = sample.n, estimates.confidence
    judged = sample.total if queries is None else queries
    if judged < n:
        raise OptionError(f"queries={judged} is less than the {n} queries of the pilot.")
    if isinstance(sample, DocumentSample):
        values = query_values(sample, estimator.used_weight)[1]
        with_judge = float(np.var(values[a] - values[b], ddof=1))
        alone = float(np.var(sample.people[a] - sample.people[b], ddof=1))

        def variance(k: int) -> float:
            return with_judge / k
    else:
        fit = estimator.fit
        room = np.ones(len(estimates.systems))
        if sample.rooms is not None:
            room = sample.rooms[0].mean(axis=-1)
        around = sample.linearised(fit.value, room)
        y, f, g = (x[a] - x[b] for x in (around.human, around.judge, around.others))
        alone = float(np.var(y, ddof=1))
        covariance = float(np.cov(y, f)[0, 1])
        spread = float(np.var(np.concatenate([f, g]), ddof=1))
        most = float(fit.weight) * (1 + n / max(1, sample.size))  # λ without the factor N/(n + N)

        def variance(k: int) -> float:
            others = judged - k
            if others < 2 or sample.size < 2:
                return alone / k
            weight = min(1.0, most * others / judged)
            rest = alone - 2 * weight * covariance + weight**2 * spread
            return weight**2 * spread / others + max(rest, 0.0) / k

    now = estimator.interval((np.array([a]), np.array([b])), level, estimates.draws, estimates.seed)
    width_now = float(now[2][0] - now[1][0])
    # The pilot's own interval, which knows more than the formula, scaled by the formula.
    scale = width_now / _width(variance(n), n, level) if width_now > 0 else 1.0

    def enough(k: int) -> bool:
        return k > 2 and scale * _width(variance(k), k, level) <= width

    without = smallest_number(lambda k: k > 2 and _width(alone / k, k, level) <= width)
    if isinstance(sample, DocumentSample):
        found: int | None = smallest_number(enough)
    else:
        found = next((k for k in range(3, judged + 1) if enough(k)), None)
    note = (
        f"Interval of {100 * level:g} %, with the variances of the pilot as the true ones. "
        f"{assumption(estimates)}"
    )
    if found is None:
        found = without
        note = f"{judged:,} queries are too few, even if people label all of them. {note}"
    names = (estimates.systems[a], estimates.systems[b])
    return JudgeDesign(
        estimator.measure,
        *names,
        width,
        n,
        width_now,
        judged,
        min(found, without),
        without,
        note,
    )


def _width(variance: float, k: int, level: float) -> float:
    """Return the width of the interval of a difference with labels of k queries: Student's, k − 1 degrees of freedom."""
    return float(2 * quantile(np.asarray(k - 1.0), 0.5 + level / 2) * np.sqrt(variance))


def _pair(
    estimates: Estimates, fit: Influences, system: str | None, against: str | None
) -> tuple[int, int]:
    """Return the places of the two systems of the pilot whose difference is wanted; by default of the pair with the largest error."""
    systems = estimates.systems
    if len(systems) < 2:
        raise MismatchError("the pilot has 1 system; the width of a difference needs two.")
    if (system is None) != (against is None):
        raise OptionError("name both systems, or none for the pair with the widest interval.")
    if system is None or against is None:
        first, second = np.triu_indices(len(systems), 1)
        error: Floats = fit.differences(first, second).error
        k = int(np.argmax(error))
        return int(first[k]), int(second[k])
    for name in (system, against):
        if name not in systems:
            raise OptionError(f"{name!r} is not one of the systems.{nearest(name, systems)}")
    return systems.index(system), systems.index(against)
