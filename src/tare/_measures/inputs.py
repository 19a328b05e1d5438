"""Types of the inputs that the public functions accept: measures, qrels, runs, candidates, ranks, texts and references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union

from tare._data.findings import QrelsSource, RunSource, Source
from tare._files.opening import PathLike
from tare._measures.measure import Measure

if TYPE_CHECKING:
    from tare._data.assessor_groups import AssessorGroups
    from tare._data.findings import Frame
    from tare._data.preferences import Preferences
    from tare._data.qrels import Qrels
    from tare._data.runs import Run
    from tare._data.subtopics import Subtopics
    from tare._data.summaries import Summaries

__all__ = [
    "CandidateCounts",
    "CandidatesInput",
    "GradesInput",
    "MeasuresInput",
    "PredictionsInput",
    "QrelsInput",
    "RanksInput",
    "ReferencesInput",
    "RunsInput",
    "SourcesInput",
    "SystemsInput",
    "TextsInput",
]

MeasuresInput: TypeAlias = str | Measure | Iterable[str | Measure]

GradesInput: TypeAlias = Union["Qrels", Source]
QrelsInput: TypeAlias = Union["Qrels", "Subtopics", "Preferences", "AssessorGroups", QrelsSource]
RunsInput: TypeAlias = Union[
    "Run", RunSource, Mapping[str, RunSource], Iterable[Union["Run", RunSource]]
]
CandidatesInput: TypeAlias = Union[int, "Frame", PathLike, Mapping[str, object]]

CandidateCounts: TypeAlias = int | Sequence[int] | Mapping[str, int] | PathLike
RanksInput: TypeAlias = Union[
    "Frame", PathLike, Mapping[str, object], Sequence[float | Sequence[float]]
]

Text: TypeAlias = str | Sequence[str]
TextsInput: TypeAlias = Union["Summaries", "Frame", PathLike, Sequence[Mapping[str, object]]]
PredictionsInput: TypeAlias = Union[Sequence[Text], Mapping[str, Text], "Frame"]
SystemsInput: TypeAlias = Mapping[str, Sequence[Text] | Mapping[str, Text]]
SourcesInput: TypeAlias = Union[Sequence[Text | None], Mapping[str, Text | None], "Frame"]
ReferencesInput: TypeAlias = Union[
    Sequence[str | Sequence[str] | None], Mapping[str, str | Sequence[str] | None], "Frame"
]
