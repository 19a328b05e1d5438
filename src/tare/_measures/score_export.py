"""A score table as a data frame, a dictionary and JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from tare._measures.scores import Scores

__all__ = ["dictionary_of", "frame_of", "json_of"]


def frame_of(scores: Scores) -> pl.DataFrame:
    """Return one row per system, item and measure, with the attributes of the items."""
    import polars as pl

    s, i, m = scores.values.shape
    columns: dict[str, object] = {
        "system": np.repeat(np.array(scores.systems, dtype=object), i * m).tolist(),
        "item": np.tile(np.repeat(np.array(scores.items, dtype=object), m), s).tolist(),
        "measure": list(scores.measure_names) * (s * i),
        "value": scores.values.reshape(-1),
    }
    for name, column in scores.attributes.items():
        columns[name] = [v for v in column for _ in range(m)] * s
    schema = {"system": pl.String, "item": pl.String, "measure": pl.String}
    return pl.DataFrame(columns, schema_overrides=schema).with_columns(
        pl.col("value").fill_nan(None)
    )


def dictionary_of(scores: Scores) -> dict[str, dict[str, dict[str, float | None]]]:
    """Return {system: {measure: {item: value}}}; a missing value is None."""
    return {
        system: {
            measure: {
                item: None if math.isnan(v) else float(v)
                for item, v in zip(scores.items, scores.values[s, :, m], strict=True)
            }
            for m, measure in enumerate(scores.measure_names)
        }
        for s, system in enumerate(scores.systems)
    }


def json_of(scores: Scores) -> str:
    """Return means, values, signatures and findings as JSON; a missing value is null."""
    names = scores.measure_names
    whole = {
        "means": {
            system: {m: None if math.isnan(v) else v for m, v in means.items()}
            for system, means in scores.means().items()
        },
        "values": dictionary_of(scores),
        "signatures": {m: str(g) for m, g in zip(names, scores.signatures, strict=True)},
        "findings": [str(finding) for finding in scores.findings],
    }
    return json.dumps(whole, ensure_ascii=False, allow_nan=False)
