"""The one door to the compiled core: only the modules here import `tare._core`."""

from tare.kernels.ranking import (
    MeasureKernel,
    QrelsIndex,
    Rows,
    RunText,
    TextReading,
    evaluate,
    judge,
    judge_text,
    read_trec,
    rows_from_arrow,
    rows_from_dicts,
    stream_ids,
)
from tare.kernels.resampling import bootstrap_means

__all__ = [
    "MeasureKernel",
    "QrelsIndex",
    "Rows",
    "RunText",
    "TextReading",
    "bootstrap_means",
    "evaluate",
    "judge",
    "judge_text",
    "read_trec",
    "rows_from_arrow",
    "rows_from_dicts",
    "stream_ids",
]
