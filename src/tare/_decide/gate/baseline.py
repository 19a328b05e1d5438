"""The baseline of a gate: what a saved score table says about its labels, and what has changed since."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from tare._data.findings import Finding, listed
from tare._decide.ppi.saved import is_saved
from tare._files.addresses import exists
from tare._measures.judged_share import judged_shares
from tare._measures.measure import Measure
from tare._measures.replicates import averaged, replicates_by_name
from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError
from tare.stats._losses import loss_test

if TYPE_CHECKING:
    from tare._decide.ppi.estimates import Estimates

__all__ = ["changes", "load_baseline", "mean_of_runs", "one_system", "unequal_replicates"]

SMALLEST_FALL = 0.05  # smaller falls of the mean judged share are not reported
LEVEL = 0.05  # at which a fall is more than chance


def load_baseline(path: str | os.PathLike[str]) -> Scores | Estimates:
    """Read a baseline, and say how to make one if there is none."""
    if not exists(path):
        raise OptionError(
            f"there is no baseline {os.fspath(path)}. Make it from the present system with "
            f"`tare score QRELS RUN -m … --save {os.fspath(path)}`, or with --update."
        )
    if is_saved(path):
        from tare._decide.ppi.estimates import Estimates

        return Estimates.load(path)
    return Scores.load(path)


def one_system(scores: Scores, system: str | None, what: str, replicates: bool) -> Scores:
    """Return the table of the system that is meant: the only one, the named one, or the mean of all runs."""
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
    """Return a table of one system, whose runs are the systems of the given one, averaged per item."""
    if len(scores.systems) == 1:
        return scores
    named = list(replicates_by_name(scores.systems))
    name = named[0] if len(named) == 1 else f"{named[0]} and {len(scores.systems) - 1:,} more"
    return averaged(scores, {name: scores.systems})


def unequal_replicates(candidate: Scores, baseline: Scores) -> list[Finding]:
    """Report unequal numbers of averaged runs, whose differences are not symmetric."""
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
    """Return what changed in the data since the baseline was saved; both tables have one system."""
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
    """Report a fall of the share of judged documents that is larger than chance explains."""
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
