"""The gate: does a candidate lose against its baseline, by one or several measures?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.findings import Finding
from tare._decide.gate.baseline import changes, one_system, unequal_replicates
from tare._decide.gate.certificates import certificate_of, check_range, ends_of
from tare._decide.gate.differences import Differences, differences_of, why_not
from tare._decide.gate.result import Gate, GateRow
from tare._decide.gate.rule import Rule
from tare._measures.clusters import clusters_of
from tare._measures.measure import Measure
from tare._measures.names import column_measure
from tare._measures.scores import Scores
from tare.errors import MeasureError, OptionError
from tare.stats._corrections import adjust
from tare.stats._flips import NOTHING
from tare.stats._losses import Losses, LossTest, exchange_loss, loss_tests
from tare.stats._randomisation import DRAWS

if TYPE_CHECKING:
    from tare._decide.ppi.estimates import Estimates
    from tare._measures.clusters import Clusters
    from tare.stats._losses import Certificate

__all__ = ["gate"]

Wanted = Mapping[str, float | None] | Mapping[Measure, float | None] | Sequence[str | Measure]


def gate(
    candidate: Scores | Estimates,
    baseline: Scores | Estimates,
    measures: Wanted | str | Measure | None = None,
    *,
    certify: bool = False,
    range: tuple[float, float] | None = None,
    cluster: Clusters | None = None,
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
    system: str | None = None,
    baseline_system: str | None = None,
    replicates: bool = False,
) -> Gate:
    """Decide whether a build passes: block if a loss is shown or, with `certify`, unless it is ruled out.

    With d = candidate − baseline on each query, p is the share of sign patterns of the differences whose
    sum is at most the observed one. A loss is shown, and blocks, if p, adjusted over all measures by Holm's
    method, is at most alpha; with a margin, only if the mean of d is also at most −margin. With `certify`,
    the gate passes only if a mean loss of the margin or more is ruled out by Gaffke's bound for each
    measure.

    Parameters
    ----------
    candidate, baseline : Scores or Estimates
        Score tables with the same measures; or both estimates, as `tare.estimate` returns them. Estimates
        are compared with their own standard errors, in pairs if both have the same queries and labels.
    measures : str, list or dict of measure to float, optional
        The measures that may block, by default all that the baseline has. A dictionary gives the margin of
        each: the loss that is tolerated or, with `certify`, ruled out; None for no margin.
    certify : bool
        Pass only if a loss of the margin or more is ruled out.
    range : (float, float), optional
        The smallest and the largest value of measures without closed bounds, which a certificate needs.
    cluster : str, dict, path or data frame, optional
        Clusters of queries, which are flipped as a whole: an attribute of the items, or {query: cluster}.
    alpha : float
        Error rate.
    draws, seed : int
        With at most 13 changed queries all sign patterns are tried; otherwise so many are drawn.
    system, baseline_system : str, optional
        The systems to compare, if a table has several.
    replicates : bool
        The systems of each table are runs of one system, which are averaged per query.

    Returns
    -------
    Gate
        The verdict of each measure, the findings about the data, and the exit code.

    Raises
    ------
    OptionError
        If an option is out of range, or a certificate lacks a margin or a range.
    MeasureError
        If a measure has no test of its loss, or no certificate.
    MismatchError
        If the tables have no item in common, or a score is outside the range of a certificate.

    Notes
    -----
    If repeated runs of one and the same system are exchangeable, at most alpha of them are blocked. The
    certificate is exact for differences of two values; otherwise it rests on Gaffke's conjecture, which
    is unproved and has no known counterexample.

    References
    ----------
    Fisher (1935). The design of experiments. Gaffke (2005). Three test statistics for a nonparametric
    one-sided hypothesis on the mean of a nonnegative variable.

    Examples
    --------
    >>> import tare
    >>> qrels = {f"q{k}": {"a": 1, "b": 0} for k in range(8)}
    >>> good = {f"q{k}": {"a": 2.0, "b": 1.0} for k in range(8)}
    >>> bad = {f"q{k}": {"a": 1.0, "b": 2.0} for k in range(8)}
    >>> before, after = (tare.evaluate(qrels, run, "RR") for run in (good, bad))
    >>> found = tare.gate(after, before, "RR")
    >>> found.verdict, found.answer()
    ('block', 'A loss is shown: −0.500 on 8 queries; 8 lost, 0 gained; p = 0.0039.')
    """
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is out of range; it must lie between 0 and 1.")
    check_range(range)
    if range is not None and not certify:
        raise OptionError("range is for a certificate; give it together with certify.")
    given = _margins(measures)
    rule = Rule(alpha, certify)
    if not isinstance(candidate, Scores) or not isinstance(baseline, Scores):
        if range is not None or cluster is not None or replicates:
            raise OptionError(
                "range, cluster and replicates are options for scores, not for estimates."
            )
        return _of_estimates(candidate, baseline, given, rule, system, baseline_system)
    new = one_system(candidate, system, "candidate", replicates)
    old = one_system(baseline, baseline_system, "baseline", replicates)
    chosen, findings = _chosen(new, old, given)
    if certify:
        _check_margins(chosen)
    new, old = (scores.select(measures=list(chosen)) for scores in (new, old))
    ends = {m: ends_of(m, range) for m in chosen} if certify else {}
    findings += [*unequal_replicates(new, old), *changes(new, old, tuple(chosen))]
    present = set(new.items)
    common = sorted(item for item in old.items if item in present)
    here, there = new.select(items=common), old.select(items=common)
    clusters = None if cluster is None else clusters_of(here, cluster)
    found = [differences_of(here, there, measure, clusters) for measure in chosen]
    findings += _gaps(found, len(common))
    level = alpha / len(found)
    tests = _tests(found, chosen, level, draws, seed)
    certificates: list[Certificate | None] = [None] * len(found)
    if certify:
        certificates = [
            certificate_of(one, chosen[one.measure] or 0, ends[one.measure], alpha) for one in found
        ]
    rows = []
    adjusted = adjust([test.pvalue for test in tests], "holm")
    for one, test, p, certificate in zip(found, tests, adjusted, certificates, strict=True):
        changed = test.differing if one.exchange is None else one.exchange.changed
        margin = chosen[one.measure]
        verdict = rule.verdict(test.difference, float(p), changed, margin, len(found))
        if certificate is not None:
            verdict = rule.certified(verdict, certificate.certified)
        rows.append(
            GateRow(
                one.measure.text,
                verdict,
                *one.means,
                test.difference,
                test.pvalue,
                float(p),
                len(one.items),
                0 if one.clusters is None else one.units,
                changed,
                test.lost,
                test.gained,
                test.detectable,
                margin,
                math.nan if certificate is None else certificate.pvalue,
                math.nan if certificate is None else certificate.bound,
                None if certificate is None else certificate.needed,
                _unit(one.measure),
                one.items,
                np.where(np.abs(one.values) < NOTHING * one.largest, 0.0, one.values),
                one.scores,
            )
        )
    return Gate(
        tuple(rows),
        tuple(findings),
        here.systems[0],
        there.systems[0],
        alpha,
        certify,
        here.signatures,
    )


def _margins(measures: Wanted | str | Measure | None) -> dict[Measure, float | None] | None:
    """Return the margin of each measure; None if no measures were given."""
    if measures is None:
        return None
    if isinstance(measures, str | Measure):
        measures = [measures]
    pairs: list[tuple[Any, Any]] = (
        list(measures.items())
        if isinstance(measures, Mapping)
        else [(one, None) for one in measures]
    )
    if not pairs:
        raise OptionError("no measure was given. Name those that may block, such as nDCG@10.")
    made: dict[Measure, float | None] = {}
    for name, margin in pairs:
        if margin is not None and not (margin > 0 and math.isfinite(margin)):
            raise OptionError(
                f"a margin of {margin:g} for {name} is not positive; give the loss that you accept, or none."
            )
        made[column_measure(name)] = None if margin is None else float(margin)
    return made


def _check_margins(chosen: Mapping[Measure, float | None]) -> None:
    without = [str(measure) for measure, margin in chosen.items() if margin is None]
    if without:
        raise OptionError(
            f"a certificate rules out a loss of a stated size, and {', '.join(without)} has no margin. Give "
            f"one for each measure, such as {without[0]}:0.02."
        )


def _chosen(
    new: Scores, old: Scores, given: dict[Measure, float | None] | None
) -> tuple[dict[Measure, float | None], list[Finding]]:
    """Return the measures of the gate with their margins; by default all that the baseline has."""
    if given is not None:
        for scores, what in ((new, "candidate"), (old, "baseline")):
            lacking = [m.text for m in given if m.text not in scores.measure_names]
            if lacking:
                raise OptionError(
                    f"the {what} lacks {', '.join(lacking)}; it has {', '.join(scores.measure_names)}. "
                    "Score it with the measures of the gate."
                )
        return given, []
    lacking = [m.text for m in old.measures if m.text not in new.measure_names]
    if lacking:
        raise OptionError(
            f"the candidate lacks {', '.join(lacking)} of the baseline; it has "
            f"{', '.join(new.measure_names)}. Score it with the same measures, or name those of the gate."
        )
    reasons = {m: why_not(m, old) for m in old.measures}
    chosen: dict[Measure, float | None] = {m: None for m, reason in reasons.items() if not reason}
    if not chosen:
        raise MeasureError(f"no measure has a test of its loss: {'; '.join(reasons.values())}.")
    left = [reason for reason in reasons.values() if reason]
    left += [
        f"the baseline has no {m.text}" for m in new.measures if m.text not in old.measure_names
    ]
    findings = []
    if left:
        text = f"left out of the gate: {'; '.join(left)}."
        findings.append(Finding("left out", text, len(left), severity="note"))
    return chosen, findings


def _tests(
    found: list[Differences],
    chosen: Mapping[Measure, float | None],
    level: float,
    draws: int,
    seed: int,
) -> list[LossTest]:
    """Test the loss of each measure, those that are averaged in one pass of the core."""
    averaged = [one for one in found if one.exchange is None]
    given = [
        Losses(one.values, one.clusters, one.largest, chosen[one.measure] or 0.0)
        for one in averaged
    ]
    made = iter(loss_tests(given, level=level, draws=draws, seed=seed))
    tests = []
    for one in found:
        if one.exchange is None:
            tests.append(next(made))
            continue
        if one.clusters is not None:
            raise OptionError(
                f"{one.measure} is computed from sums over all texts; clusters are for measures that are "
                "averaged."
            )
        parts = one.exchange
        tests.append(
            exchange_loss(
                parts.candidate, parts.baseline, parts.value, one.values, draws=draws, seed=seed
            )
        )
    return tests


def _gaps(found: list[Differences], common: int) -> list[Finding]:
    """Report queries without a value on one side."""
    few = {one.measure.text: common - len(one.items) for one in found if len(one.items) < common}
    if not few:
        return []
    text = ", ".join(f"{count:,} of {common:,} by {name}" for name, count in few.items())
    message = f"queries without a value of the candidate or the baseline are not compared: {text}."
    return [Finding("missing values", message, max(few.values()))]


def _unit(measure: Measure) -> str:
    """Return what the items of a measure are called."""
    if not measure.registered:
        return "items"
    needs = measure.innermost.definition.needs
    if needs in ("grades", "subtopics", "preferences", "groups"):
        return "queries"
    return "texts" if needs in ("texts", "references", "source", "base", "scus") else "items"


def _of_estimates(
    candidate: object,
    baseline: object,
    margins: dict[Measure, float | None] | None,
    rule: Rule,
    system: str | None,
    baseline_system: str | None,
) -> Gate:
    """Compare estimates; a score table cannot be compared with them."""
    from tare._decide.gate.estimates import gate_of_estimates
    from tare._decide.ppi.estimates import Estimates

    if not isinstance(candidate, Estimates) or not isinstance(baseline, Estimates):
        kinds = [type(given).__name__ for given in (candidate, baseline)]
        raise OptionError(
            f"the candidate is of type {kinds[0]} and the baseline of type {kinds[1]}; a gate compares two "
            "score tables, or two estimates."
        )
    if margins is None:
        margins = {column_measure(name): None for name in baseline.measures}
    if rule.certify:
        _check_margins(margins)
    named = {measure.text: margin for measure, margin in margins.items()}
    return gate_of_estimates(
        candidate, baseline, named, rule, system=system, baseline_system=baseline_system
    )
