"""Score tables for other programs: data frames, JSON, experiment trackers; and samples of lm-eval as a score table."""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tare.errors import FormatError, OptionError

if TYPE_CHECKING:
    import polars as pl

    from tare._measures.scores import ScoreData, Scores

__all__ = [
    "dictionary_of",
    "flat_means",
    "flat_name",
    "frame_of",
    "is_samples",
    "json_of",
    "samples_table",
]


# A score table as a data frame, a dictionary and JSON.


def frame_of(scores: Scores) -> pl.DataFrame:
    """Return a score table as a data frame: one row per system, item and measure, with the attributes of the items."""
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
    """Return a score table as {system: {measure: {item: value}}}; a missing value is None."""
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
    """Return a score table as JSON: means, values, signatures and findings; a missing value is null."""
    names = scores.measure_names
    whole = {
        "answer": scores.answer(),
        "means": {
            system: {m: None if math.isnan(v) else v for m, v in means.items()}
            for system, means in scores.means().items()
        },
        "values": dictionary_of(scores),
        "signatures": {m: str(g) for m, g in zip(names, scores.signatures, strict=True)},
        "findings": [str(finding) for finding in scores.findings],
    }
    return json.dumps(whole, ensure_ascii=False, allow_nan=False)


# Means under flat names that experiment trackers accept: MLflow, Weights & Biases, TensorBoard.


SEPARATORS = ("_", "/", ".", "-")


def flat_name(name: str) -> str:
    """Return a name for experiment trackers: letters, digits and underscores, not beginning with a digit.

    >>> flat_name("nDCG@10"), flat_name("Net(P(rel=2)@5)"), flat_name("ROUGE-2.r"), flat_name("2bm")
    ('nDCG_at_10', 'Net_P_rel_2__at_5', 'ROUGE_2_r', '_2bm')
    """
    ascii_only = unicodedata.normalize("NFKD", name.replace("@", "_at_"))
    ascii_only = ascii_only.encode("ascii", "ignore").decode()
    made = re.sub(r"\W+", "_", ascii_only, flags=re.ASCII).strip("_") or "_"
    return f"_{made}" if made[0].isdigit() else made


def flat_means(scores: ScoreData, separator: str) -> dict[str, float]:
    """Return the means for experiment trackers, {name: mean}; with several systems, the name begins with the system."""
    if separator not in SEPARATORS:
        accepted = ", ".join(map(repr, SEPARATORS))
        raise OptionError(f"separator={separator!r} is not accepted. Accepted: {accepted}.")
    made: dict[str, float] = {}
    for system, means in scores.means().items():
        for measure, mean in means.items():
            base = flat_name(measure)
            if len(scores.systems) > 1:
                base = f"{flat_name(system)}{separator}{base}"
            name, count = base, 1
            while name in made:
                count += 1
                name = f"{base}_{count}"
            made[name] = float(mean)
    return made


# Samples of lm-eval (samples_*.jsonl) as a score table: one row per document and filter.


MARKS = {"doc_id", "resps", "filtered_resps"}


def is_samples(frame: pl.DataFrame) -> bool:
    """Return whether a table has the columns that lm-eval writes for its samples."""
    return set(frame.columns) >= MARKS and "measure" not in frame.columns


def samples_table(frame: pl.DataFrame, source: str | os.PathLike[str], name: str) -> pl.DataFrame:
    """Return samples of lm-eval as system, item, measure and value; the system is the folder, which is named after the model.

    If a task has several filters, a measure is named as in the results of lm-eval, such as
    "exact_match,strict-match".
    """
    import polars as pl

    path = Path(source)
    system = path.parent.name or path.name.split(".")[0]
    if "metrics" in frame.columns and frame.schema["metrics"] == pl.List(pl.String):
        named = frame["metrics"].explode().drop_nulls().unique(maintain_order=True).to_list()
        measures = [m for m in named if m in frame.columns]
    else:
        after = frame.columns.index("filtered_resps")
        measures = frame.columns[after + 1 :]
    measures = [
        m for m in measures if frame.schema[m].is_numeric() or frame.schema[m] == pl.Boolean
    ]
    if not measures:
        raise FormatError(f"{name}: samples of lm-eval without a column of numbers for a measure.")
    filters = frame["filter"].n_unique() if "filter" in frame.columns else 1
    long = frame.select(
        pl.lit(system).alias("system"),
        pl.col("doc_id").cast(pl.String, strict=False).alias("item"),
        *(["filter"] if filters > 1 else []),
        *(pl.col(m).cast(pl.Float64) for m in measures),
    ).unpivot(
        on=measures,
        index=["system", "item", *(["filter"] if filters > 1 else [])],
        variable_name="measure",
        value_name="value",
    )
    if filters > 1:
        long = long.with_columns(
            pl.concat_str("measure", "filter", separator=",").alias("measure")
        ).drop("filter")
    return long.filter(pl.col("value").is_not_null())
