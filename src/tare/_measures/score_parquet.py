"""Writing of score tables as Parquet files that are read without loss."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._measures.judged_share import judged_shares
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare._measures.statistics_column import statistics_column
from tare._writing import write_bytes
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JUDGED", "KEY", "PARTS", "metadata_of", "save"]

KEY = "tare"
PARTS = ("gross", "tare", "ideal")  # of measures that are ratios of means
JUDGED = "judged"  # share of judged documents at the cutoff of the measure


def save(scores: Scores, path: str | os.PathLike[str]) -> None:
    """Write the cells as rows, and signatures, findings and attributes as metadata."""
    about = {
        "measures": list(scores.measure_names),
        "signatures": [str(signature) for signature in scores.signatures],
        "systems": list(scores.systems),
        "items": list(scores.items),
        "findings": [
            [f.kind, f.message, f.count, f.severity, list(f.examples)] for f in scores.findings
        ],
        "attributes": list(scores.attributes),
        "seed": scores.seed,
        "ratios": [str(measure) for measure in scores.ratios],
    }
    frame = scores.to_frame()
    if scores.ratios:
        frame = frame.with_columns(**_parts(scores))
    if scores.statistics:
        frame = frame.with_columns(statistics_column(scores))
    shares = judged_shares(scores)
    if shares and JUDGED not in frame.columns:
        about[JUDGED] = [str(measure) for measure in shares]
        frame = frame.with_columns(_judged_column(scores, shares))
    buffer = io.BytesIO()  # polars reports a full disk as a damaged file
    frame.write_parquet(buffer, metadata={KEY: json.dumps(about)})
    write_bytes(path, buffer.getvalue())


def _parts(scores: Scores) -> dict[str, pl.Series]:
    """Return gross score, tare and ideal of each cell, for measures that are ratios of means."""
    import polars as pl

    cells = np.full((len(PARTS), *scores.values.shape), np.nan)
    for measure, ratio in scores.ratios.items():
        cells[:, :, :, scores.measures.index(measure)] = np.stack(ratio.parts)
    return {
        name: pl.Series(name, part.reshape(-1)).fill_nan(None)
        for name, part in zip(PARTS, cells, strict=True)
    }


def _judged_column(scores: Scores, shares: dict[Measure, NDArray[np.float64]]) -> pl.Series:
    """Return the judged share of each cell as a column."""
    import polars as pl

    cells = np.full(scores.values.shape, np.nan)
    for measure, share in shares.items():
        cells[:, :, scores.measures.index(measure)] = share
    return pl.Series(JUDGED, cells.reshape(-1)).fill_nan(None)


def metadata_of(text: str, name: str) -> dict[str, Any]:
    """Return the checked metadata of a saved table."""
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        about = None
    if isinstance(about, dict) and about.get("kind") == "estimates":
        raise FormatError(
            f"{name}: the file holds estimates, not scores. tare compare, report and design judge read it."
        )
    if not isinstance(about, dict) or not _sound(about):
        raise FormatError(f"{name}: its metadata {KEY!r} are damaged. Save the scores again.")
    return about


def _sound(about: dict[str, Any]) -> bool:
    """Return whether the metadata are those that `save` writes."""
    texts = (
        "systems",
        "items",
        "measures",
        "signatures",
        "attributes",
        "examples",
        "ratios",
        JUDGED,
    )
    findings = about.get("findings", [])
    return (
        all(_is_texts(about.get(key, [])) for key in texts)
        and isinstance(about.get("seed", 0), int)
        and 0 <= about.get("seed", 0) < 1 << 64
        and isinstance(findings, list)
        and all(
            isinstance(f, list)
            and len(f) == 5
            and _is_texts([f[0], f[1], f[3]])
            and isinstance(f[2], int)
            and _is_texts(f[4])
            for f in findings
        )
    )


def _is_texts(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(one, str) for one in given)
