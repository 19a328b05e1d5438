"""Judgements of every kind: which a measure needs, how they are read and joined with runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from tare._data.findings import Finding
from tare._data.judged import Judged, Policies, check_qrels, judge
from tare._data.pools import RetrievedUnion
from tare._data.qrels import Qrels, read_qrels
from tare._data.runs import read_runs
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
    """The common interface of qrels, subtopics, preferences and assessor groups."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings made while reading."""
        ...

    @property
    def items(self) -> tuple[str, ...]:
        """The queries, in ascending order."""
        ...

    def __len__(self) -> int:
        """Return the number of judgements."""
        ...

    @property
    def digest(self) -> str:
        """A digest of the judgements."""
        ...


def need_of(measure: Measure) -> str:
    """Return the kind of judgements that the innermost measure needs."""
    while measure.inner is not None:
        measure = measure.inner
    return measure.definition.needs


def read_judgements(
    source: Any, measures: Iterable[Measure], *, allow_extra_fields: bool = False
) -> Judgements:
    """Read the judgements that the measures need, which must be of one kind."""
    by_need: dict[str, Measure] = {}
    for measure in measures:
        by_need.setdefault(need_of(measure), measure)
    if len(by_need) > 1:
        needs = ", ".join(f"{measure} needs {need}" for need, measure in by_need.items())
        raise MeasureError(
            f"these measures need different judgements ({needs}). Score them separately, each with "
            "its own file, and join the tables with Scores.join."
        )
    return read_kind(source, next(iter(by_need)), allow_extra_fields=allow_extra_fields)


def read_kind(source: Any, need: str, *, allow_extra_fields: bool = False) -> Judgements:
    """Read judgements of one kind: grades, subtopics, preferences or groups of assessors."""
    if need == "subtopics":
        from tare._data.subtopics import read_subtopics

        return read_subtopics(source, allow_extra_fields=allow_extra_fields)
    if need == "preferences":
        from tare._data.preferences import Utilities, read_preferences

        return source if isinstance(source, Utilities) else read_preferences(source)
    if need == "groups":
        from tare._data.assessor_groups import read_assessor_groups

        return read_assessor_groups(source)
    return read_qrels(source, allow_extra_fields=allow_extra_fields)


def join(judgements: Judgements, run: Any, policies: Policies) -> Judged:
    """Join a run with judgements of any kind."""
    if isinstance(judgements, Qrels):
        return judge(judgements, run, policies)
    documents: Qrels = judgements.documents  # type: ignore[attr-defined]
    return judge(documents, run, policies).replace(judgements=judgements)


def union_of(judged: Judged, runs: Any) -> RetrievedUnion:
    """Return the documents that the runs of a call retrieved beyond the judged ones."""
    return RetrievedUnion.of(judged.qrels, read_runs(runs))


def judgements_of(judged: Judged) -> Judgements:
    """Return the judgements that the rankings were joined with."""
    found: Judgements = judged.qrels if judged.judgements is None else judged.judgements
    return found


def findings_of(judgements: Judgements) -> list[Finding]:
    """Return findings about the judgements alone."""
    if isinstance(judgements, Qrels):
        return check_qrels(judgements)
    return list(judgements.findings)
