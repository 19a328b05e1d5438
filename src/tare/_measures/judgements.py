"""Judgements of every kind: what a measure needs, how it is read, and how runs are joined with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from tare._data.checks import check_qrels
from tare._data.findings import Finding
from tare._data.judged import Judged, judge
from tare._data.policies import Policies
from tare._data.pool import RetrievedUnion
from tare._data.qrels import Qrels, read_qrels
from tare._data.run import read_runs
from tare._measures.measure import Measure
from tare.errors import MeasureError

__all__ = [
    "Judgements",
    "findings_of",
    "join",
    "judgements_of",
    "need_of",
    "read_judgements",
    "read_kind",
    "union_of",
]


class Judgements(Protocol):
    """What qrels, subtopics and preferences have in common."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was met on reading."""
        ...

    @property
    def items(self) -> tuple[str, ...]:
        """The queries, ascending."""
        ...

    def __len__(self) -> int:
        """How many judgements there are."""
        ...

    @property
    def digest(self) -> str:
        """What tells these judgements from others."""
        ...


def need_of(measure: Measure) -> str:
    """The kind of judgements that the innermost measure is made of."""
    while measure.inner is not None:
        measure = measure.inner
    return measure.definition.needs


def read_judgements(source: Any, measures: Iterable[Measure]) -> Judgements:
    """Reads what the measures need; all of them have to need the same."""
    by_need: dict[str, Measure] = {}
    for measure in measures:
        by_need.setdefault(need_of(measure), measure)
    if len(by_need) > 1:
        told = ", ".join(f"{measure} needs {need}" for need, measure in by_need.items())
        raise MeasureError(
            f"these measures need different judgements ({told}). Score them apart, each with its "
            "own file, and join the tables with Scores.join."
        )
    return read_kind(source, next(iter(by_need)))


def read_kind(source: Any, need: str) -> Judgements:
    """Reads judgements of a kind: grades, subtopics, preferences, or groups of assessors."""
    if need == "subtopics":
        from tare._data.subtopics import read_subtopics

        return read_subtopics(source)
    if need == "preferences":
        from tare._data.preferences import read_preferences
        from tare._data.utilities import Utilities

        return source if isinstance(source, Utilities) else read_preferences(source)
    if need == "groups":
        from tare._data.assessor_groups import read_assessor_groups

        return read_assessor_groups(source)
    return read_qrels(source)


def join(judgements: Judgements, run: Any, policies: Policies) -> Judged:
    """A run joined with judgements of any kind."""
    if isinstance(judgements, Qrels):
        return judge(judgements, run, policies)
    documents: Qrels = judgements.documents  # type: ignore[attr-defined]
    return judge(documents, run, policies).replace(judgements=judgements)


def union_of(judged: Judged, runs: Any) -> RetrievedUnion:
    """What the runs of a call retrieved beyond the judged documents."""
    return RetrievedUnion.of(judged.qrels, read_runs(runs))


def judgements_of(judged: Judged) -> Judgements:
    """What the rankings were judged by."""
    found: Judgements = judged.qrels if judged.judgements is None else judged.judgements
    return found


def findings_of(judgements: Judgements) -> list[Finding]:
    """What is to be known of the judgements alone."""
    if isinstance(judgements, Qrels):
        return check_qrels(judgements)
    return list(judgements.findings)
