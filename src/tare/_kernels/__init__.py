"""Typed functions over the compiled core; only the modules here import `tare._core`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import tare._kernels.threads_and_blocks  # noqa: F401 - the sizes of TARE_SEAMS hold from the first call on
from tare import _core
from tare._kernels.threads_and_blocks import cores, default_threads
from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare._kernels.letor import (
        LETOR_HIGHEST_FEATURE,
        LETOR_MOST_CELLS,
        LetorArrays,
        LetorReading,
        letor_text,
        read_letor,
    )
    from tare._kernels.ranking import (
        DiversityKernel,
        JsonReading,
        JudgedRankings,
        MeasureKernel,
        QrelsIndex,
        Rankings,
        Rows,
        RowsBuilder,
        RunText,
        SubtopicArrays,
        SubtopicIndex,
        TextReading,
        evaluate,
        evaluate_diversity,
        join_chunks,
        judge,
        judge_dicts,
        judge_text,
        pack_rows,
        read_json_pairs,
        read_trec,
        rows_from_arrow,
        rows_from_dicts,
        stream_ids,
    )
    from tare._kernels.statistics import bootstrap_means
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

__all__ = [
    "LETOR_HIGHEST_FEATURE",
    "LETOR_MOST_CELLS",
    "DiversityKernel",
    "JsonReading",
    "JudgedRankings",
    "LetorArrays",
    "LetorReading",
    "MeasureKernel",
    "QrelsIndex",
    "Rankings",
    "Rows",
    "RowsBuilder",
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
    "pack_rows",
    "random_rouge_counts",
    "read_json_pairs",
    "read_letor",
    "read_trec",
    "rouge_counts",
    "rows_from_arrow",
    "rows_from_dicts",
    "stream_ids",
    "text_profile",
]


def _refuse_old_core() -> None:
    """Raise ImportError in a clone whose C++ has changed since the core was compiled.

    An old core under newer Python would return wrong numbers instead of failing.
    """
    clone = Path(__file__).parents[3]
    if not (clone / "CMakeLists.txt").is_file():
        return
    compiled = Path(_core.__file__).stat().st_mtime
    for folder in ("cpp/core", "cpp/bindings"):
        for source in (clone / folder).rglob("*.[ch]pp"):
            if source.stat().st_mtime > compiled:
                raise ImportError(
                    f"{source.relative_to(clone)} is newer than the compiled core of tare. "
                    "Run `make demo` in the clone, which compiles it again."
                )


_refuse_old_core()

# Loaded on first use: modules that need numpy, and kernels of families that many calls do not need.
_MODULES = {
    "join_chunks": "tare._kernels.ranking",
    "pack_rows": "tare._kernels.ranking",
    "JsonReading": "tare._kernels.ranking",
    "MeasureKernel": "tare._kernels.ranking",
    "QrelsIndex": "tare._kernels.ranking",
    "Rows": "tare._kernels.ranking",
    "RowsBuilder": "tare._kernels.ranking",
    "RunText": "tare._kernels.ranking",
    "TextReading": "tare._kernels.ranking",
    "evaluate": "tare._kernels.ranking",
    "judge": "tare._kernels.ranking",
    "judge_dicts": "tare._kernels.ranking",
    "judge_text": "tare._kernels.ranking",
    "read_json_pairs": "tare._kernels.ranking",
    "read_trec": "tare._kernels.ranking",
    "rows_from_arrow": "tare._kernels.ranking",
    "rows_from_dicts": "tare._kernels.ranking",
    "stream_ids": "tare._kernels.ranking",
    "JudgedRankings": "tare._kernels.ranking",
    "Rankings": "tare._kernels.ranking",
    "bootstrap_means": "tare._kernels.statistics",
    "DiversityKernel": "tare._kernels.ranking",
    "SubtopicArrays": "tare._kernels.ranking",
    "SubtopicIndex": "tare._kernels.ranking",
    "evaluate_diversity": "tare._kernels.ranking",
    "LETOR_HIGHEST_FEATURE": "tare._kernels.letor",
    "LETOR_MOST_CELLS": "tare._kernels.letor",
    "LetorArrays": "tare._kernels.letor",
    "LetorReading": "tare._kernels.letor",
    "letor_text": "tare._kernels.letor",
    "read_letor": "tare._kernels.letor",
    "Text": "tare._kernels.text",
    "TextProfile": "tare._kernels.text",
    "cohesion": "tare._kernels.text",
    "drand48_means": "tare._kernels.text",
    "expected_ngrams": "tare._kernels.text",
    "fragment_counts": "tare._kernels.text",
    "random_rouge_counts": "tare._kernels.text",
    "rouge_counts": "tare._kernels.text",
    "text_profile": "tare._kernels.text",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
