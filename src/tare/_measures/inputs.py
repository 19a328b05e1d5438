"""Types of the inputs that the public functions accept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union

from tare._data.source import PathLike
from tare._measures.measure import Measure

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    from tare._data.assessor_groups import AssessorGroups
    from tare._data.preferences import Preferences
    from tare._data.qrels import Qrels
    from tare._data.run import Run
    from tare._data.subtopics import Subtopics
    from tare._data.summaries import Summaries

__all__ = [
    "CandidateCounts",
    "CandidatesInput",
    "MeasuresInput",
    "PredictionsInput",
    "QrelsInput",
    "RanksInput",
    "ReferencesInput",
    "RunsInput",
    "TextsInput",
]

MeasuresInput: TypeAlias = str | Measure | Iterable[str | Measure]

QrelsInput: TypeAlias = Union[
    "Qrels",
    "Subtopics",
    "Preferences",
    "AssessorGroups",
    "IntoFrame",
    PathLike,
    Mapping[str, Mapping[str, object]],
]
RunsInput: TypeAlias = Union[
    "Run", "IntoFrame", PathLike, Mapping[str, Mapping[str, object]], Iterable["RunsInput"]
]
CandidateCounts: TypeAlias = int | Sequence[int] | Mapping[str, int] | PathLike
RanksInput: TypeAlias = Union[
    "IntoFrame", PathLike, Mapping[str, object], Sequence[float | Sequence[float]]
]
CandidatesInput: TypeAlias = Union[int, "IntoFrame", PathLike, Mapping[str, object]]

TextsInput: TypeAlias = Union["Summaries", "IntoFrame", PathLike, Sequence[Mapping[str, object]]]
Text: TypeAlias = str | Sequence[str]
PredictionsInput: TypeAlias = Sequence[Text] | Mapping[str, Text]
ReferencesInput: TypeAlias = (
    Sequence[str | Sequence[str] | None] | Mapping[str, str | Sequence[str] | None]
)
