"""The gate of estimates: values from few human labels, compared with their own standard errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tare._data.findings import Finding
from tare._decide.estimates import Estimates
from tare._decide.gate import Rule
from tare._decide.gate_result import Gate, GateRow
from tare._decide.judge_corrected import Estimator, joined_estimator
from tare._measures.aggregation import better_end
from tare.errors import MeasureError, OptionError
from tare.stats._corrections import adjust
from tare.stats._student import student_quantile, student_tail

if TYPE_CHECKING:
    from tare._decide.judge_corrected import Spread

__all__ = ["gate_of_estimates"]


UNPAIRED = (
    "candidate and baseline were not estimated on the same queries and labels ({why}), so they are "
    "compared as independent estimates. The bounds are wider than those of a paired comparison."
)


@dataclass(frozen=True)
class Difference:
    """The difference of a candidate's and a baseline's estimates with its error: the loss, its p, and the lower bound."""

    n: int
    value: float
    error: float
    p: float
    bound: float


def gate_of_estimates(
    candidate: Estimates,
    baseline: Estimates,
    margins: Mapping[str, float | None],
    rule: Rule,
    *,
    system: str | None,
    baseline_system: str | None,
) -> Gate:
    """Let the gate compare two estimated systems with their own standard errors.

    If both were estimated on the same queries and labels, the difference and its error are those of a
    paired estimate. Otherwise the squared standard errors are added. Certified if the lower bound is above
    −margin.
    """
    new = _only(candidate, system, "candidate")
    old = _only(baseline, baseline_system, "baseline")
    findings: list[Finding] = []
    found: list[tuple[str, tuple[float, float], Difference]] = []
    for measure in margins:
        better = better_end(measure)
        if better == "neither":
            raise MeasureError(
                f"higher values of {measure} are neither better nor worse; choose another."
            )
        sign = -1.0 if better == "lower" else 1.0
        one, other = (e.estimator(_named(e, measure)).by("t") for e in (candidate, baseline))
        values, spread, why = _difference(candidate, one, new, baseline, other, old)
        if why and not findings:
            findings.append(Finding("not paired", UNPAIRED.format(why=why)))
        found.append((measure, values, _test(spread, sign, one.sample.n, rule.alpha)))
    findings += _changed(candidate, baseline, list(margins))
    adjusted = adjust([test.p for _, _, test in found], "holm")
    rows = []
    for (measure, values, test), p in zip(found, adjusted, strict=True):
        margin = margins[measure]
        same = test.value == 0 and test.error == 0
        verdict = rule.verdict(test.value, float(p), 0 if same else None, margin, len(found))
        if rule.certify:
            verdict = rule.certified(verdict, margin is not None and test.bound > -margin)
        rows.append(
            GateRow(
                measure,
                verdict,
                values[0],
                values[1],
                test.value,
                test.p,
                float(p),
                test.n,
                0,
                None,
                None,
                None,
                math.nan,
                margin,
                math.nan,
                test.bound if rule.certify else math.nan,
                None,
                "labelled queries",
            )
        )
    return Gate(
        tuple(rows),
        tuple(findings),
        candidate.systems[new],
        baseline.systems[old],
        rule.alpha,
        rule.certify,
        candidate.select(measures=list(margins)).signatures,
    )


def _only(estimates: Estimates, system: str | None, what: str) -> int:
    option = "--system" if what == "candidate" else "--baseline-system"
    if system is not None and system not in estimates.systems:
        raise OptionError(
            f"the {what} has no system {system!r}; it has {', '.join(estimates.systems)}."
        )
    if system is None and len(estimates.systems) != 1:
        raise OptionError(
            f"the {what} has {len(estimates.systems)} systems ({', '.join(estimates.systems)}), and a gate "
            f"compares one. Name it with {option}."
        )
    return 0 if system is None else estimates.systems.index(system)


def _named(estimates: Estimates, measure: str) -> str:
    if measure not in estimates.measures:
        raise OptionError(
            f"there is no estimate of {measure}; there are: {', '.join(estimates.measures)}. Estimate the "
            "measures of the gate."
        )
    return measure


def _difference(
    candidate: Estimates,
    one: Estimator,
    new: int,
    baseline: Estimates,
    other: Estimator,
    old: int,
) -> tuple[tuple[float, float], Spread, str]:
    """Return both estimated values, their difference with its error, and why candidate and baseline could not be paired."""
    first, second = np.array([0]), np.array([1])
    if candidate is baseline:  # one file with both systems
        fit = one.fit
        return (
            (float(fit.value[new]), float(fit.value[old])),
            fit.differences(np.array([new]), np.array([old])),
            "",
        )
    pair, why = joined_estimator(
        one,
        new,
        candidate.queries,
        candidate.labelled,
        other,
        old,
        baseline.queries,
        baseline.labelled,
    )
    if pair is not None:
        fit = pair.fit
        return (float(fit.value[0]), float(fit.value[1])), fit.differences(first, second), ""
    here, there = one.fit.systems(), other.fit.systems()
    variances = np.array([here.error[new], there.error[old]]) ** 2
    freedoms = np.array([here.freedom[new], there.freedom[old]])
    below = float((variances**2 / freedoms).sum())
    total = float(variances.sum())
    spread = replace(
        here,
        value=np.array([here.value[new] - there.value[old]]),
        error=np.array([math.sqrt(total)]),
        freedom=np.array([total**2 / below if below > 0 else math.inf]),
    )
    return (float(here.value[new]), float(there.value[old])), spread, why


def _test(spread: Spread, sign: float, n: int, alpha: float) -> Difference:
    """Return the one-sided p of a loss of estimates, by Student's t with the error and freedom of the difference."""
    mean, error = sign * float(spread.value[0]) + 0.0, float(spread.error[0])
    if error <= 1e-12 * max(1.0, abs(mean)):
        return Difference(n, mean, 0.0, 1.0 if mean >= 0 else 0.5**n, mean)
    # Whole degrees of freedom: rounded down, the bounds are not narrower than they should be.
    freedom = int(min(max(1.0, math.floor(float(spread.freedom[0]))), 1e9))
    tail = student_tail(abs(mean) / error, freedom)
    p = tail if mean < 0 else 1 - tail
    return Difference(n, mean, error, p, mean - student_quantile(1 - alpha, freedom) * error)


def _changed(candidate: Estimates, baseline: Estimates, measures: list[str]) -> list[Finding]:
    """Report labels and settings of the estimates that changed since the baseline was saved."""
    found = []
    for measure in measures:
        facts = [
            dict(e.select(measures=[measure]).signatures[0].facts) if e.signatures else {}
            for e in (baseline, candidate)
        ]
        differ = sorted(
            key
            for key in {**facts[0], **facts[1]}
            if key not in ("n", "tare", "source") and facts[0].get(key) != facts[1].get(key)
        )
        if differ:
            parts = ", ".join(
                f"{key} {facts[0].get(key, '–')}, now {facts[1].get(key, '–')}" for key in differ
            )
            message = f"{measure} was estimated differently for the baseline: {parts}."
            found.append(Finding("different settings", message))
    return found
