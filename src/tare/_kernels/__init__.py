"""Typed functions over the compiled core; only the modules here import `tare._core`."""

from tare._kernels.chunks import join_chunks, split_rows
from tare._kernels.diversity import (
    DiversityKernel,
    SubtopicArrays,
    SubtopicIndex,
    evaluate_diversity,
)
from tare._kernels.letor import (
    LETOR_HIGHEST_FEATURE,
    LETOR_MOST_CELLS,
    LetorArrays,
    LetorReading,
    letor_text,
    read_letor,
)
from tare._kernels.ranking import (
    MeasureKernel,
    QrelsIndex,
    Rows,
    RunText,
    TextReading,
    evaluate,
    judge,
    judge_dicts,
    judge_text,
    read_trec,
    rows_from_arrow,
    rows_from_dicts,
    stream_ids,
)
from tare._kernels.rankings import JudgedRankings, Rankings
from tare._kernels.resampling import bootstrap_means
from tare._kernels.seams import seams
from tare._kernels.text import (
    Text,
    TextProfile,
    cohesion,
    drand48_means,
    expected_ngrams,
    fragment_counts,
    random_rouge_counts,
    rouge_counts,
    text_profile,
)
from tare._kernels.threads import cores, default_threads

__all__ = [
    "LETOR_HIGHEST_FEATURE",
    "LETOR_MOST_CELLS",
    "DiversityKernel",
    "JudgedRankings",
    "LetorArrays",
    "LetorReading",
    "MeasureKernel",
    "QrelsIndex",
    "Rankings",
    "Rows",
    "RunText",
    "SubtopicArrays",
    "SubtopicIndex",
    "Text",
    "TextProfile",
    "TextReading",
    "bootstrap_means",
    "cohesion",
    "cores",
    "default_threads",
    "drand48_means",
    "evaluate",
    "evaluate_diversity",
    "expected_ngrams",
    "fragment_counts",
    "join_chunks",
    "judge",
    "judge_dicts",
    "judge_text",
    "letor_text",
    "random_rouge_counts",
    "read_letor",
    "read_trec",
    "rouge_counts",
    "rows_from_arrow",
    "rows_from_dicts",
    "seams",
    "split_rows",
    "stream_ids",
    "text_profile",
]
