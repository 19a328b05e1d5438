"""Judged: the rankings of a run joined with judgements by a policy, and checks of what they have in common."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._choices import (
    ORDERS,
    PRECISIONS,
    SYSTEM_NAMES,
    TIES,
    UNJUDGED,
    Order,
    Precision,
    SystemNames,
    Ties,
    Unjudged,
)
from tare._data.findings import Finding, listed
from tare._data.qrels import Qrels
from tare._data.recognised_files import is_trec_text
from tare._data.rows import raise_problems, some_documents, text_findings
from tare._data.runs import Run, read_run, system_of
from tare._files.addresses import is_address, is_file
from tare._files.opening import blocks, can_be_read_again, head_of, name_of
from tare._kernels import JudgedRankings, Rankings, Rows, read_trec
from tare.errors import FormatError, MeasureError, MismatchError, OptionError, choose

__all__ = [
    "SAMPLE",
    "Judged",
    "JudgingOptions",
    "Policies",
    "check_judged",
    "check_qrels",
    "judge",
    "refuse_foreign_ids",
]


# Policies: how a run is read against qrels.


class JudgingOptions(TypedDict):
    """The options of `judge` and `judge_text` in the core."""

    ties: Ties
    condensed: bool
    single_precision: bool
    depth: int
    groups: bool


@dataclass(frozen=True)
class Policies:
    """How a run is read against qrels.

    ties: how documents with equal scores are ordered: by descending document id, as in trec_eval
    (`trec`); as given in the run, ignoring all scores (`order`); or not at all, so that every
    measure is the mean over all orders of tied documents (`expected`).
    unjudged: documents without a judgement are not relevant (`nonrelevant`), or are removed before
    ranking (`condensed`). As in trec_eval, a negative grade counts as unjudged.
    depth: use only the first documents of each ranking; None uses all.
    precision: compare scores as 64-bit numbers, or as 32-bit numbers like trec_eval 9.
    order: rank documents by score (`score`), or by the rank column (`rank`) like ndeval.
    groups: keep the last rank of each document's tie group, for measures that need it.
    system_names: name the system of a text file after the file or after its tag.
    """

    ties: Ties = "trec"
    unjudged: Unjudged = "nonrelevant"
    depth: int | None = None
    precision: Precision = 64
    order: Order = "score"
    groups: bool = False
    system_names: SystemNames = "file"

    def __post_init__(self) -> None:
        choose("ties", self.ties, TIES)
        choose("unjudged", self.unjudged, UNJUDGED)
        choose("order", self.order, ORDERS)
        choose("system_names", self.system_names, SYSTEM_NAMES)
        if self.depth is not None and self.depth < 1:
            raise OptionError(f"depth={self.depth} is not possible: a depth is 1 or more.")
        if self.precision not in PRECISIONS:
            raise OptionError(f"precision={self.precision} is not known. Accepted: 32, 64.")

    def arguments(self) -> JudgingOptions:
        """Return the options as the core takes them."""
        return {
            "ties": self.ties,
            "condensed": self.unjudged == "condensed",
            "single_precision": self.precision == 32,
            "depth": min(self.depth or 0, 2**62),
            "groups": self.groups and self.ties == "trec",
        }


# Judged: the rankings of a run joined with judgements.
#
# Every source of rankings is converted to this form once, in the core; every ranking measure and every
# expected value is a function of it.


@dataclass(frozen=True)
class Judged:
    """The rankings of one system, joined with judgements.

    `qrels` holds the judged documents with a number for each: its grade, or, for judgements that
    are more than grades (`judgements`: subtopics or preferences), its index within the query.
    """

    system: str
    qrels: Qrels
    policies: Policies
    rankings: JudgedRankings = field(repr=False)
    unknown: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    rows: int = 0
    source: str = ""
    judgements: Any = field(default=None, repr=False)

    @property
    def items(self) -> tuple[str, ...]:
        """The queries of the qrels, in ascending order."""
        return self.qrels.items

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether the run contains each query."""
        return self.rankings.present.astype(bool)

    @property
    def retrieved(self) -> NDArray[np.int64]:
        """The number of documents in each ranking of a run, judged or not."""
        return self.rankings.retrieved

    @property
    def kernel_rankings(self) -> Rankings:
        """The judged rankings as kernels take them, with tie groups only for ties="expected"."""
        if self.policies.ties == "expected":
            return self.rankings
        none = np.zeros(0, dtype=np.int64)
        return dataclasses.replace(self.rankings, lows=none, highs=none)

    def group_ends(self) -> NDArray[np.int64]:
        """Return the last rank of the tie group of each judged document; its own rank if ties are broken."""
        ranks = self.rankings.ranks.astype(np.int64)
        if self.policies.ties == "order" or not self.rankings.tied.any():
            return ranks
        ends = self.rankings.highs
        if len(ends) < len(ranks):
            raise MeasureError("tie groups were not kept when this run was read.")
        last = np.repeat(self.retrieved, np.diff(self.rankings.offsets))
        return np.asarray(np.minimum(ends, last), dtype=np.int64)

    @cached_property
    def streams(self) -> NDArray[np.uint64]:
        """The random stream of each query of a judged run, derived from its id."""
        return kernels.stream_ids(self.items)

    def grades(self) -> Iterator[list[float | None]]:
        """Yield the grades of each judged ranking in rank order, None for an unjudged document."""
        offsets, levels = self.rankings.offsets, self.qrels.levels
        ranks, codes = self.rankings.ranks, self.rankings.codes
        for q, n in enumerate(self.retrieved.tolist()):
            ranking: list[float | None] = [None] * n
            for h in range(offsets[q], offsets[q + 1]):
                if ranks[h] <= n:
                    ranking[ranks[h] - 1] = float(levels[codes[h]])
            yield ranking

    def replace(self, **changes: Any) -> Judged:
        """Return a copy with some fields changed."""
        return dataclasses.replace(self, **changes)


def judge(qrels: Qrels, run: Any, policies: Policies, *, system: str | None = None) -> Judged:
    """Join a run with qrels. A file of TREC text is joined while it is read."""
    if policies.order == "score" and _is_file_to_stream(run):
        judged = _judge_text(qrels, run, policies, system)
        if judged is not None:
            return judged
    run = read_run(run, system=system, order=policies.order, system_names=policies.system_names)
    rankings = kernels.judge(qrels.index, run.rows, **policies.arguments())
    known = set(qrels.items)
    unknown = tuple(sorted(q for q in run.rows.queries if q not in known))
    source = run.name if run.name not in ("dictionary", "data frame") else ""
    return Judged(run.system, qrels, policies, rankings, unknown, run.findings, len(run), source)


def _is_file_to_stream(run: Any) -> bool:
    """Return whether a run is TREC text that can be read a second time, if its queries are interleaved."""
    path = isinstance(run, str | os.PathLike)
    return path and can_be_read_again(run) and is_trec_text(run)


def _judge_text(qrels: Qrels, path: Any, policies: Policies, system: str | None) -> Judged | None:
    """Join a run of TREC text with qrels as it is read; None if its queries are interleaved, which needs all rows in memory."""
    name = name_of(path)
    text = kernels.judge_text(qrels.index, blocks(path), **policies.arguments())
    if text.rankings is None:
        return None
    raise_problems(name, text.reading, "run")
    if text.rows == 0:
        raise FormatError(
            f"{name}: no ranked documents found; the file is empty or contains only comments."
        )
    findings = text_findings(text.reading, name)
    return Judged(
        system or system_of(path, text.reading, policies.system_names),
        qrels,
        policies,
        text.rankings,
        tuple(text.unknown),
        tuple(findings),
        text.rows,
        name,
    )


# Ids of a run and of qrels that can never be equal, such as numbers and names.


SAMPLE = 200
KINDS = (
    (re.compile(r"-?(0|[1-9]\d*)"), "whole numbers"),
    (re.compile(r"-?\d+"), "numbers with leading zeros"),
    (re.compile(r"-?\d+\.\d+"), "decimal numbers"),
)


def refuse_foreign_ids(judged: Judged, source: Any) -> None:
    """Raise an error if no id of a run is among the qrels, and the ids are of different kinds.

    The scores would all be 0. A run that merely found nothing has ids of the same kind. `source` is the
    run, some of its rows, or its file.
    """
    if len(judged.rankings.ranks):
        return
    qrels = judged.qrels
    if not judged.present.any():
        _compare(judged, "query", qrels.items[:SAMPLE], judged.unknown[:SAMPLE])
        return
    rows = _rows_of(source)
    retrieved = [] if rows is None else some_documents(rows, SAMPLE)
    if retrieved:
        _compare(judged, "document", qrels.some_documents(SAMPLE), retrieved)


def _compare(judged: Judged, part: str, ours: Any, theirs: Any) -> None:
    theirs = [one for one in theirs if one]  # an empty id is of no kind
    if not ours or not theirs:
        return
    kinds = _kind(ours), _kind(theirs)
    if kinds[0] == kinds[1]:
        return
    qrels = "the qrels" if judged.qrels.name == "qrels" else f"the qrels {judged.qrels.name}"
    raise MismatchError(
        f"{judged.source or judged.system}: no {part} of the run is in {qrels}, and the ids look different: "
        f"in the qrels {kinds[0]} ({_shown(ours)}), in the run {kinds[1]} ({_shown(theirs)}). Ids are compared as "
        "text; use the same ids in both."
    )


def _kind(ids: Any) -> str:
    """Return what all ids look like.

    >>> _kind(["1", "20"]), _kind(["1.0"]), _kind(["1", "d2"]), _kind(["007", "8"])
    ('whole numbers', 'decimal numbers', 'text', 'numbers with leading zeros')
    """
    for pattern, kind in KINDS:
        if all(pattern.fullmatch(one) for one in ids):
            return kind
    return "text"


def _shown(ids: Any) -> str:
    return ", ".join(repr(one) for one in islice(dict.fromkeys(ids), 3))


def _rows_of(source: Any) -> Rows | None:
    if isinstance(source, Rows):
        return source
    if isinstance(source, Run):
        return source.rows
    path = isinstance(source, str | os.PathLike) and (is_address(source) or is_file(source))
    if not path or not is_trec_text(source):
        return None
    head = head_of(source)
    lines = head[: head.rfind(b"\n") + 1] or head
    return read_trec([np.frombuffer(lines, dtype=np.uint8)], "run")[0]


# Checks of qrels and runs, as findings.


def check_qrels(qrels: Qrels, *, rel: float = 1) -> list[Finding]:
    """Return findings about qrels: those of the reader, negative grades, no relevant documents."""
    findings = list(qrels.findings)
    negative = int((qrels.levels < 0).sum())
    if negative:
        count = int((qrels.levels[qrels.pool] < 0).sum())
        findings.append(
            Finding(
                "negative grades",
                f"{qrels.name}: {count:,} judgements have a negative grade; as in trec_eval, they "
                "count as not judged.",
                count,
                severity="note",
            )
        )
    best = np.full(len(qrels.items), -np.inf)
    filled = np.diff(qrels.pool_offsets) > 0
    best[filled] = qrels.levels[qrels.pool[qrels.pool_offsets[:-1][filled]]]
    without = [qrels.items[i] for i in np.flatnonzero(best < rel)]
    if without:
        findings.append(
            Finding(
                "no relevant document",
                f"{qrels.name}: {len(without):,} of {len(qrels.items):,} queries have no document "
                f"of grade {rel:g} or more; they score 0 and are counted.",
                len(without),
                examples=listed(without),
            )
        )
    return findings


def check_judged(judged: Judged, *, cutoff: int = 10) -> list[Finding]:
    """Return findings about a run: missing and unknown queries, ties, unjudged documents."""
    if not 1 <= cutoff < 2**31:
        raise OptionError(f"cutoff={cutoff} is not possible: a cutoff is 1 or more, below 2^31.")
    system = judged.system
    findings = list(judged.findings)
    missing = [judged.items[i] for i in np.flatnonzero(~judged.present)]
    if missing:
        findings.append(
            Finding(
                "queries missing from the run",
                f"{system}: {len(missing):,} of {len(judged.items):,} judged queries are missing "
                "from the run.",
                len(missing),
                examples=listed(missing),
            )
        )
    if judged.unknown:
        findings.append(
            Finding(
                "queries missing from the qrels",
                f"{system}: {len(judged.unknown):,} queries of the run have no judgements and are "
                "left out.",
                len(judged.unknown),
                severity="note",
                examples=listed(list(judged.unknown)),
            )
        )
    tied = int(judged.rankings.tied.sum())
    if tied:
        queries = int((judged.rankings.tied > 0).sum())
        rule = {
            "trec": "broken by document id, descending",
            "order": "kept in the given order",
            "expected": "averaged over all orders",
        }[judged.policies.ties]
        findings.append(
            Finding(
                "tied scores",
                f"{system}: {tied:,} documents of {queries:,} queries share their score with "
                f"another; ties are {rule}.",
                tied,
                severity="note",
            )
        )
    share = _unjudged_share(judged, cutoff)
    if share > 0.2:
        findings.append(
            Finding(
                "unjudged documents",
                f"{system}: {100 * share:.0f} % of the documents in the top {cutoff} are not judged; "
                "they count as not relevant.",
                1,
            )
        )
    return findings


def _unjudged_share(judged: Judged, cutoff: int) -> float:
    seen = int(np.minimum(judged.retrieved, cutoff).sum())
    if seen == 0:
        return 0.0
    return 1.0 - int((judged.rankings.ranks <= cutoff).sum()) / seen
