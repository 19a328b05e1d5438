"""The gate (`tare.gate`): does a candidate lose against its baseline, by one or several measures?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._decide.gate_result import Gate, GateRow, Verdict
from tare._decide.saved_estimates import is_saved
from tare._files.addresses import exists
from tare._measures.aggregation import ROUNDING, Ratio
from tare._measures.clusters import clusters_of
from tare._measures.judged_share import judged_shares
from tare._measures.measure import Measure
from tare._measures.names import column_measure
from tare._measures.replicates import averaged, replicates_by_name
from tare._measures.scores import Scores
from tare.errors import MeasureError, MismatchError, OptionError, check_share
from tare.stats._corrections import adjust
from tare.stats._flips import NOTHING
from tare.stats._losses import (
    Certificate,
    Losses,
    LossTest,
    certify,
    exchange_loss,
    least_changed,
    loss_test,
    loss_tests,
)
from tare.stats._randomisation import DRAWS

if TYPE_CHECKING:
    from tare._decide.estimates import Estimates
    from tare._measures.clusters import Clusters

__all__ = [
    "Differences",
    "Exchange",
    "Rule",
    "certificate_of",
    "changes",
    "check_range",
    "closed_bounds",
    "differences_of",
    "ends_of",
    "gate",
    "load_baseline",
    "mean_of_runs",
    "one_system",
    "unequal_replicates",
    "why_not",
]


# The rule of a gate: what the test of a loss shows.


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
        """Return the gate's verdict by one of several measures: what the test of the loss shows."""
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
        """Return the gate's verdict of a certification, from what the test of the loss shows."""
        if certified:
            return "certified"
        return shown if shown == "loss shown" else "not certified"


# The baseline of a gate: what a saved score table says about its labels, and what has changed
# since.


SMALLEST_FALL = 0.05  # smaller falls of the mean judged share are not reported
LEVEL = 0.05  # at which a fall is more than chance


def load_baseline(path: str | os.PathLike[str]) -> Scores | Estimates:
    """Read the baseline of a gate, and say how to make one if there is none."""
    if not exists(path):
        raise OptionError(
            f"there is no baseline {os.fspath(path)}. Make it from the present system with "
            f"`tare score QRELS RUN -m … --save {os.fspath(path)}`, or with --update."
        )
    if is_saved(path):
        from tare._decide.estimates import Estimates

        return Estimates.load(path)
    return Scores.load(path)


def one_system(scores: Scores, system: str | None, what: str, replicates: bool) -> Scores:
    """Return the table of the system that the gate tests: the only one, the named one, or the mean of all runs."""
    if replicates and len(scores.systems) > 1:
        chosen = scores if system is None else scores.select(systems=[system])
        return mean_of_runs(chosen)
    if system is not None:
        return scores.select(systems=[system])  # raises if there is no such system
    if len(scores.systems) != 1:
        names = ", ".join(listed(list(scores.systems)))
        raise OptionError(
            f"the {what} has {len(scores.systems)} systems ({names}), and a gate compares one. Name it with "
            f"{'--system' if what == 'candidate' else '--baseline-system'}; if these are runs of one "
            "system, average them with --replicates."
        )
    return scores


def mean_of_runs(scores: Scores) -> Scores:
    """Return a table of one system for the gate, whose runs are the systems of the given one, averaged per item."""
    if len(scores.systems) == 1:
        return scores
    named = list(replicates_by_name(scores.systems))
    name = named[0] if len(named) == 1 else f"{named[0]} and {len(scores.systems) - 1:,} more"
    return averaged(scores, {name: scores.systems})


def unequal_replicates(candidate: Scores, baseline: Scores) -> list[Finding]:
    """Report unequal numbers of averaged runs of candidate and baseline, whose differences are not symmetric."""
    counts = [_runs(scores) for scores in (candidate, baseline)]
    if counts[0] == counts[1]:
        return []
    message = (
        f"the candidate is the mean of {counts[0]} run{'' if counts[0] == '1' else 's'} and the baseline of "
        f"{counts[1]}. The test is exact for equal numbers; with 3 runs against 1, it blocked 8 % of unchanged "
        "systems instead of 5. Use as many runs of both."
    )
    return [Finding("unequal replicates", message)]


def _runs(scores: Scores) -> str:
    return _fact(scores, scores.measures[0], "replicates") or "1"


def changes(candidate: Scores, baseline: Scores, measures: tuple[Measure, ...]) -> list[Finding]:
    """Return what changed in the data since the gate's baseline was saved; both tables have one system."""
    found: list[Finding] = []
    here, there = set(candidate.items), set(baseline.items)
    lost = [item for item in baseline.items if item not in here]
    added = [item for item in candidate.items if item not in there]
    if len(lost) == len(baseline.items):
        raise MismatchError(
            "candidate and baseline have no query in common: the candidate has "
            f"{', '.join(listed(list(candidate.items), 3))}, the baseline "
            f"{', '.join(listed(list(baseline.items), 3))}. Were both scored with the same qrels?"
        )
    if lost:
        message = (
            f"{len(lost):,} of {len(baseline.items):,} queries of the baseline are missing from the "
            "candidate; they are not compared."
        )
        found.append(Finding("lost queries", message, len(lost), examples=listed(lost)))
    if added:
        message = f"{len(added):,} queries are new since the baseline; they are not compared."
        found.append(Finding("new queries", message, len(added), examples=listed(added)))
    found += _changed_labels(candidate, baseline, measures)
    return found + _fallen_shares(candidate, baseline, measures)


def _fact(scores: Scores, measure: Measure, key: str) -> str | None:
    signature = scores.signatures[scores.measures.index(measure)]
    return dict(signature.facts).get(key)


def _changed_labels(
    candidate: Scores, baseline: Scores, measures: tuple[Measure, ...]
) -> list[Finding]:
    found: list[Finding] = []
    digests = {(_fact(baseline, m, "qrels"), _fact(candidate, m, "qrels")) for m in measures}
    differing = sorted((old, new) for old, new in digests if old and new and old != new)
    if differing:
        old, new = differing[0]
        message = (
            f"the judgements changed since the baseline was saved ({old}, now {new}), so the difference "
            "is also one of labels. Score the baseline system again with these judgements."
        )
        found.append(Finding("changed labels", message))
    for measure in measures:
        settings = [
            {
                key: value
                for key, value in scores.signatures[scores.measures.index(measure)].facts
                if key not in ("n", "qrels", "texts", "tare", "source", "replicates")
            }
            for scores in (baseline, candidate)
        ]
        differ = sorted(
            key
            for key in {**settings[0], **settings[1]}
            if settings[0].get(key) != settings[1].get(key)
        )
        if differ:
            parts = ", ".join(
                f"{key} {settings[0].get(key, '–')}, now {settings[1].get(key, '–')}"
                for key in differ
            )
            message = f"{measure} was computed differently for the baseline: {parts}."
            found.append(Finding("different settings", message))
    return found


def _fallen_shares(
    candidate: Scores, baseline: Scores, measures: tuple[Measure, ...]
) -> list[Finding]:
    """Report a fall of the candidate's share of judged documents that is larger than chance explains."""
    now, before = judged_shares(candidate), judged_shares(baseline)
    place = {item: k for k, item in enumerate(candidate.items)}
    common = [(k, place[item]) for k, item in enumerate(baseline.items) if item in place]
    found = []
    for measure in measures:
        if measure not in now or measure not in before:
            continue
        new = now[measure][0][[k for _, k in common]]
        old = before[measure][0][[k for k, _ in common]]
        fall = loss_test((new - old)[~np.isnan(new - old)])
        if fall.difference <= -SMALLEST_FALL and fall.pvalue <= LEVEL:
            unjudged = int(np.sum((new == 0) & (old > 0)))
            message = (
                f"{measure}: the share of judged documents fell from {math.fsum(old) / len(old):.2f} to "
                f"{math.fsum(new) / len(new):.2f}. The judgements may no longer describe the corpus, "
                "for example because documents have new ids."
            )
            found.append(Finding("judged share fell", message, max(unjudged, 1)))
    return found


# The differences of a gate: candidate − baseline on each query, higher is better.


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Exchange:
    """The statistics of each item of candidate and baseline, and the value of sums of them, for measures such as BLEU."""

    candidate: Floats
    baseline: Floats
    value: Callable[[Floats], Floats]

    @property
    def changed(self) -> int:
        """The number of items whose statistics changed."""
        return int((self.candidate != self.baseline).any(axis=1).sum())


@dataclass(frozen=True, eq=False)
class Differences:
    """One measure of candidate and baseline on the items that both have.

    `values` are candidate − baseline of each item, turned if lower is better; `scores` the scores that
    they come from; `means` those of candidate and baseline as the tables print them.
    """

    measure: Measure
    items: tuple[str, ...]
    values: Floats
    scores: tuple[Floats, Floats]
    means: tuple[float, float]
    clusters: NDArray[np.int64] | None = None
    exchange: Exchange | None = None

    @property
    def largest(self) -> float:
        """The largest score of candidate and baseline, against which what only rounding made is 0."""
        return max(float(np.abs(one).max(initial=0.0)) for one in self.scores)

    @property
    def units(self) -> int:
        """The number of items, or of clusters."""
        return len(self.items) if self.clusters is None else len(np.unique(self.clusters))


def why_not(measure: Measure, scores: Scores) -> str:
    """Return why the gate has no test of a measure's loss; empty if it has one."""
    if measure.better == "neither":
        return f"higher values of {measure} are neither better nor worse"
    ratio = scores.ratios.get(measure)
    averaged = measure.aggregate in ("mean", "ratio", "statistics")
    if not averaged or (ratio is not None and type(ratio) is not Ratio):
        return f"{measure} is not a mean over queries, so its loss has no paired test"
    if measure.aggregate == "statistics" and measure not in scores.statistics:
        return f"the table has no statistics of {measure}, from which its value is computed"
    return ""


def differences_of(
    candidate: Scores,
    baseline: Scores,
    measure: Measure,
    clusters: NDArray[np.int64] | None = None,
) -> Differences:
    """Return the differences of candidate and baseline, two tables of one system each, with the same items in the same order."""
    for table in (candidate, baseline):
        if reason := why_not(measure, table):
            raise MeasureError(f"{reason}. Choose another, such as AP.")
    new, old = candidate[measure], baseline[measure]
    sign = -1.0 if measure.better == "lower" else 1.0
    there = ~np.isnan(new.values[0, :, 0]) & ~np.isnan(old.values[0, :, 0])
    exchange = None
    if measure in new.ratios:
        scores, there = _of_ratio(measure, new.ratios[measure], old.ratios[measure])
    elif measure in new.statistics:
        first, second = new.statistics[measure], old.statistics[measure]
        there = first.there[0] & second.there[0]
        exchange = Exchange(
            first.cells[0][there],
            second.cells[0][there],
            lambda sums: sign * first.combined(sums),
        )
        scores = new.values[0, :, 0], old.values[0, :, 0]
    else:
        scores = new.values[0, :, 0], old.values[0, :, 0]
    if not there.any():
        raise MismatchError(
            f"{measure}: no query has a value of both the candidate and the baseline, so there is nothing "
            "to compare."
        )
    kept = scores[0][there], scores[1][there]
    means = tuple(one.means()[one.systems[0]][measure.text] for one in (new, old))
    return Differences(
        measure,
        tuple(item for item, known in zip(candidate.items, there, strict=True) if known),
        sign * (np.nan_to_num(kept[0]) - np.nan_to_num(kept[1])),
        kept,
        (means[0], means[1]),
        None if clusters is None else clusters[there],
        exchange,
    )


def _of_ratio(
    measure: Measure, new: Ratio, old: Ratio
) -> tuple[tuple[Floats, Floats], NDArray[np.bool_]]:
    """Return gain ÷ mean room of each item of candidate and baseline, so that differences are in units of the measure."""
    there = ~np.isnan(new.gain[0]) & ~np.isnan(old.gain[0])
    apart = np.abs(new.room[0] - old.room[0])[there] > ROUNDING
    if apart.any():
        raise MismatchError(
            f"{measure}: on {int(apart.sum()):,} of {int(there.sum()):,} queries, candidate and baseline have "
            "different rooms between chance and the ideal, so the difference has no test: the judgements or "
            "the pool changed, or chance depends on the system. Score both with the same judgements and "
            "the same pool, or gate the measure inside the brackets."
        )
    room = float(new.room[0][there].mean()) if there.any() else 0.0
    if room == 0:
        raise MismatchError(
            f"{measure} is undefined: on every query chance is as good as the ideal."
        )
    return (new.gain[0] / room, old.gain[0] / room), there


# Certificates of a gate: a mean loss of the margin or more is ruled out.


def check_range(given: tuple[float, float] | None) -> None:
    """Raise if a range given to the gate is not two numbers, the lower one first."""
    if given is not None and not (np.isfinite(given).all() and given[0] < given[1]):
        raise OptionError(
            f"range={given[0]:g}:{given[1]:g}: expected the smallest and the largest value, such as 1:5."
        )


def closed_bounds(measure: Measure) -> tuple[float, float] | None:
    """Return the bounds of a measure for the gate's certificate; None if its definition leaves one open, or there is none."""
    low, high = measure.definition.bounds
    return None if low is None or high is None else (float(low), float(high))


def ends_of(measure: Measure, given: tuple[float, float] | None) -> tuple[float, float]:
    """Return the ends of a measure's scale for the gate's certificate: its bounds, or those that were given."""
    if measure.aggregate == "ratio":
        inner = measure.inner or measure
        raise MeasureError(
            f"{measure} is a ratio of two means, for which there is no certificate. Certify {inner}."
        )
    if measure.aggregate == "statistics":
        raise MeasureError(
            f"{measure} is computed from sums over all texts, for which there is no certificate. Certify a "
            "measure that is averaged."
        )
    bounds = closed_bounds(measure) or given
    if bounds is None:
        raise OptionError(
            f"{measure} has no closed bounds, and a certificate needs the largest possible loss. State the "
            "smallest and the largest value that it can have, such as --range 1:5."
        )
    return bounds


def certificate_of(
    one: Differences, margin: float, ends: tuple[float, float], alpha: float
) -> Certificate:
    """Certify that the candidate's mean loss is below the margin; every score must be within the ends."""
    low, high = ends
    slack = 1e-9 * (high - low)
    for name, scores in zip(("candidate", "baseline"), one.scores, strict=True):
        outside = np.flatnonzero((scores < low - slack) | (scores > high + slack))
        if len(outside):
            k = int(outside[0])
            raise MismatchError(
                f"{one.measure} of {one.items[k]} is {scores[k]:g} in the {name}, outside its range of "
                f"{low:g} to {high:g}. A certificate needs the range of the scale; is the score on another one?"
            )
    if margin > high - low:
        raise OptionError(
            f"the margin {margin:g} of {one.measure} is larger than its range of {low:g} to {high:g}."
        )
    values = np.where(np.abs(one.values) < NOTHING * one.largest, 0.0, one.values)
    return certify(values, margin, range=high - low, alpha=alpha, clusters=one.clusters)


# The gate: does a candidate lose against its baseline, by one or several measures?


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
    check_share("alpha", alpha)
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
    """Return the gate's margin of each measure; None if no measures were given."""
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
    """Test the candidate's loss by each measure, those that are averaged in one pass of the core."""
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
    """Return what the gate calls the items of a measure: queries, texts, or just items."""
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
    """Let the gate compare estimates; a score table cannot be compared with them."""
    from tare._decide.estimates import Estimates
    from tare._decide.gate_of_estimates import gate_of_estimates

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
