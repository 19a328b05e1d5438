"""Writing of score tables as Parquet files that are read without loss."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tare._kernels.seams import seams
from tare._measures.judged_share import JudgedShares
from tare._measures.score_rows import JUDGED, PARTS, row_blocks
from tare._measures.scores import Scores
from tare._writing import new_file, write_bytes
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JUDGED", "KEY", "PARTS", "metadata_of", "save"]

KEY = "tare"


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
    known = JUDGED in scores.attributes
    shares = None if known else JudgedShares(scores, seams().saved_rows)
    if shares is not None and shares.measures:
        about[JUDGED] = [str(measure) for measure in shares.measures]
    text = json.dumps(about)
    blocks = row_blocks(scores, shares, seams().saved_rows)
    if scores.values.size <= seams().saved_rows:
        buffer = io.BytesIO()  # polars reports a full disk as a damaged file
        next(blocks).write_parquet(buffer, metadata={KEY: text})
        write_bytes(path, buffer.getvalue())
    else:
        _write_blocks(blocks, text, path)


def _write_blocks(blocks: Iterator[pl.DataFrame], about: str, path: str | os.PathLike[str]) -> None:
    """Write one row group per block; the file appears when it is complete."""
    import pyarrow.parquet as pq

    with new_file(path) as file:
        writer: pq.ParquetWriter | None = None
        try:
            for block in blocks:
                table = block.to_arrow()
                if writer is None:
                    writer = pq.ParquetWriter(file, table.schema, compression="zstd")
                    writer.add_key_value_metadata(
                        {KEY: about}
                    )  # in the schema, it would be there twice
                writer.write_table(table)
        finally:
            if writer is not None:
                writer.close()


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
