"""Judged: the first narrow waist. Where the judged documents of each query stand in a ranking.

Every source of rankings becomes this once, in the core; every ranking measure and every expected
value is a function of it. Unjudged documents are not listed: they fill the ranks between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.problems import raise_problems
from tare._data.qrels import Qrels
from tare._data.rows import is_trec_text, text_findings
from tare._data.run import ORDERS, read_run, stem_of, system_of
from tare._data.source import blocks, can_be_read_again, name_of
from tare.errors import FormatError, MeasureError, OptionError, choose

__all__ = ["TIES", "UNJUDGED", "Judged", "Policies", "judge"]

TIES = ("trec", "order", "expected")
UNJUDGED = ("nonrelevant", "condensed")


@dataclass(frozen=True)
class Policies:
    """How a run is read against qrels.

    ties: equal scores are broken by document id, descending, as trec_eval does (`trec`); kept in
    the order given (`order`, then scores do not matter at all); or left open, and every measure is
    the mean over all orders of tied documents (`expected`).
    unjudged: documents without a judgement are not relevant (`nonrelevant`), or are taken out
    before ranking (`condensed`); a negative grade is no judgement, as in trec_eval.
    depth: only the first documents of each ranking are used; None uses all.
    precision: scores are compared as 64-bit numbers, or as 32-bit ones like trec_eval 9.
    order: documents are ranked by their scores (`score`), or by the rank column (`rank`) like ndeval.
    groups: keep for each judged document where its tie group ends, for measures that ask.
    """

    ties: str = "trec"
    unjudged: str = "nonrelevant"
    depth: int | None = None
    precision: int = 64
    order: str = "score"
    groups: bool = False

    def __post_init__(self) -> None:
        choose("ties", self.ties, TIES)
        choose("unjudged", self.unjudged, UNJUDGED)
        choose("order", self.order, ORDERS)
        if self.depth is not None and self.depth < 1:
            raise OptionError(f"depth={self.depth} is not possible: a depth is 1 or more.")
        if self.precision not in (32, 64):
            raise OptionError(f"precision={self.precision} is not known. Accepted: 32, 64.")

    def arguments(self) -> dict[str, Any]:
        """As the core takes them."""
        return {
            "ties": self.ties,
            "condensed": self.unjudged == "condensed",
            "single_precision": self.precision == 32,
            "depth": min(self.depth or 0, 2**62),
            "groups": self.groups and self.ties == "trec",
        }


@dataclass(frozen=True)
class Judged:
    """One system's rankings, seen through the judgements.

    `qrels` holds the judged documents and a number for each: its grade, or, where judgements are
    more than grades (`judgements`: of subtopics, preferences), its place within its query.
    """

    system: str
    qrels: Qrels
    policies: Policies
    arrays: dict[str, NDArray[Any]] = field(repr=False)
    unknown: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    rows: int = 0
    source: str = ""
    judgements: Any = field(default=None, repr=False)

    @property
    def items(self) -> tuple[str, ...]:
        """The queries of the qrels, ascending."""
        return self.qrels.items

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which queries the run has."""
        return self.arrays["present"].astype(bool)

    @property
    def retrieved(self) -> NDArray[np.int64]:
        """How many documents each ranking holds, judged or not."""
        return self.arrays["retrieved"]

    @property
    def kernel_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays as kernels take them: with tie groups only where ties are left open."""
        if self.policies.ties == "expected":
            return self.arrays
        none = np.zeros(0, dtype=np.int64)
        return {**self.arrays, "lows": none, "highs": none}

    def group_ends(self) -> NDArray[np.int64]:
        """For each judged document the last rank of its tie group; its rank where ties are broken."""
        ranks = self.arrays["ranks"].astype(np.int64)
        if self.policies.ties == "order" or not self.arrays["tied"].any():
            return ranks
        ends = self.arrays["highs"]
        if len(ends) < len(ranks):
            raise MeasureError("tie groups were not kept when this run was read.")
        last = np.repeat(self.retrieved, np.diff(self.arrays["offsets"]))
        return np.asarray(np.minimum(ends, last), dtype=np.int64)

    @cached_property
    def streams(self) -> NDArray[np.uint64]:
        """What tells one query's random numbers from another's."""
        return kernels.stream_ids(self.items)

    def grades(self) -> Iterator[list[float | None]]:
        """For each query the grades in rank order, None where a document was not judged."""
        offsets, levels = self.arrays["offsets"], self.qrels.levels
        for q, n in enumerate(self.retrieved.tolist()):
            ranking: list[float | None] = [None] * n
            for h in range(offsets[q], offsets[q + 1]):
                if self.arrays["ranks"][h] <= n:
                    ranking[self.arrays["ranks"][h] - 1] = float(levels[self.arrays["codes"][h]])
            yield ranking

    def replace(self, **changes: Any) -> Judged:
        """A copy with some fields changed."""
        return replace(self, **changes)


def judge(qrels: Qrels, run: Any, policies: Policies, *, system: str | None = None) -> Judged:
    """Joins a run with qrels. A path to TREC text is judged while it is read."""
    if is_trec_text(run) and can_be_read_again(run) and policies.order == "score":
        judged = _judge_text(qrels, run, policies, system)
        if judged is not None:
            return judged
    run = read_run(run, system=system, order=policies.order)
    arrays = kernels.judge(qrels.index, run.rows, **policies.arguments())
    known = set(qrels.items)
    unknown = tuple(sorted(q for q in run.rows.queries if q not in known))
    source = stem_of(run.name) if run.name not in ("dictionary", "data frame") else ""
    return Judged(run.system, qrels, policies, arrays, unknown, run.findings, len(run), source)


def _judge_text(qrels: Qrels, path: Any, policies: Policies, system: str | None) -> Judged | None:
    """None where the queries are interleaved, so that all rows have to be at hand."""
    name = name_of(path)
    text = kernels.judge_text(qrels.index, blocks(path), **policies.arguments())
    if text.arrays is None:
        return None
    raise_problems(name, text.reading, "run")
    if text.rows == 0:
        raise FormatError(
            f"{name}: no ranked documents found; the file is empty or has only comments."
        )
    findings = text_findings(text.reading, name)
    return Judged(
        system or system_of(path, text.reading),
        qrels,
        policies,
        text.arrays,
        tuple(text.unknown),
        tuple(findings),
        text.rows,
        stem_of(path),
    )
