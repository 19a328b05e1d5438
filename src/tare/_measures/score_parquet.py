"""Writing of score tables as Parquet files that are read without loss."""

from __future__ import annotations

import json
import os
from typing import Any

from tare._data.formats import parquet
from tare._kernels.threads_and_blocks import seams
from tare._measures.judged_share import JudgedShares
from tare._measures.score_rows import JUDGED, PARTS, row_blocks
from tare._measures.scores import Scores
from tare.errors import FormatError

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
    blocks = row_blocks(scores, shares, seams().saved_rows)
    parquet.write_groups(blocks, path, {KEY: json.dumps(about)})


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
