"""Judged: the rankings of a run joined with judgements.

Every source of rankings is converted to this form once, in the core; every ranking measure and every
expected value is a function of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.policies import Policies
from tare._data.problems import raise_problems
from tare._data.qrels import Qrels
from tare._data.rows import is_trec_text, text_findings
from tare._data.run import read_run
from tare._data.system_names import system_of
from tare._files.opening import blocks, can_be_read_again, name_of
from tare._kernels import JudgedRankings, Rankings
from tare.errors import FormatError, MeasureError

__all__ = ["Judged", "judge"]


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
        """The number of documents in each ranking, judged or not."""
        return self.rankings.retrieved

    @property
    def kernel_rankings(self) -> Rankings:
        """The rankings as kernels take them, with tie groups only for ties="expected"."""
        if self.policies.ties == "expected":
            return self.rankings
        none = np.zeros(0, dtype=np.int64)
        return dataclasses.replace(self.rankings, lows=none, highs=none)

    def group_ends(self) -> NDArray[np.int64]:
        """Return the last rank of each document's tie group; its rank if ties are broken."""
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
        """The random stream of each query, derived from its id."""
        return kernels.stream_ids(self.items)

    def grades(self) -> Iterator[list[float | None]]:
        """Yield the grades of each query in rank order, None for an unjudged document."""
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
    if is_trec_text(run) and can_be_read_again(run) and policies.order == "score":
        judged = _judge_text(qrels, run, policies, system)
        if judged is not None:
            return judged
    run = read_run(run, system=system, order=policies.order, system_names=policies.system_names)
    rankings = kernels.judge(qrels.index, run.rows, **policies.arguments())
    known = set(qrels.items)
    unknown = tuple(sorted(q for q in run.rows.queries if q not in known))
    source = run.name if run.name not in ("dictionary", "data frame") else ""
    return Judged(run.system, qrels, policies, rankings, unknown, run.findings, len(run), source)


def _judge_text(qrels: Qrels, path: Any, policies: Policies, system: str | None) -> Judged | None:
    """Return None if the queries are interleaved, because that needs all rows in memory."""
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
