"""Fuzzing of saved estimates: the Parquet file of `tare estimate --save` with changed metadata, rows and bytes."""

from __future__ import annotations

import copy
import io
import json
import math
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutators import VALUES
from tests.fuzz.targets import Target

KEY = "tare"
NUMBERS = (0.0, -1.0, 1e308, 1e-308, float("nan"), float("inf"), None)


@lru_cache(maxsize=1)
def saved() -> tuple[bytes, ...]:
    """Return files of every design and method."""
    import tare

    queries = [f"q{q}" for q in range(8)]
    truth = {q: {f"d{d}": (i + d) % 3 for d in range(4)} for i, q in enumerate(queries)}
    judge = {q: {d: (g + (d == "d1")) % 3 for d, g in own.items()} for q, own in truth.items()}
    runs = {
        s: {q: {f"d{d}": (d * k) % 5 for d in range(4)} for q in queries}
        for k, s in ((1, "a"), (3, "b"))
    }
    whole = {q: truth[q] for q in queries[:5]}
    some = {q: dict(list(own.items())[:2]) for q, own in truth.items()}
    made = [
        tare.estimate(whole, judge, runs, ["nDCG@3", "P@2"]),
        tare.estimate(
            whole, judge, runs, ["Net(nDCG@3)"], pool="judged", method="bootstrap", draws=100
        ),
        tare.estimate(some, judge, runs, ["DCG@3"]),
        tare.estimate(some, judge, runs, ["P@3"], target="these-queries"),
        tare.estimate(
            whole,
            judge,
            runs,
            ["P@3"],
            cluster={q: str(i // 2 + (i > 4)) for i, q in enumerate(queries)},
        ),
    ]
    files = []
    for one in made:
        with tempfile.TemporaryDirectory() as folder:
            path = one.save(Path(folder) / "x.parquet")
            files.append(path.read_bytes())
    return tuple(files)


def changed(given: Any, random: Random) -> Any:
    """Return metadata with one value replaced, dropped or repeated."""
    at = given
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = random.choice(keys)
        inner = at[key]
        if isinstance(inner, dict | list) and inner and random.random() < 0.6:
            at = inner
            continue
        how = random.random()
        if how < 0.2:
            del at[key]
        elif how < 0.3 and isinstance(at, list):
            at.append(copy.deepcopy(inner))
        elif how < 0.5 and isinstance(inner, int | float):
            at[key] = random.choice((0, -1, inner + 1, inner * 2, 10**9, 1e308, float("nan")))
        else:
            at[key] = copy.deepcopy(random.choice(VALUES))
        return given


def strange_rows(frame: Any, random: Random) -> Any:
    """Return the rows with a column changed, lost or renamed, or in another order or number."""
    import polars as pl

    column = random.choice(frame.columns)
    how = random.random()
    if how < 0.3 and frame[column].dtype == pl.Float64:
        value = pl.lit(random.choice(NUMBERS), dtype=pl.Float64)
        place = pl.int_range(pl.len()) == random.randrange(frame.height)
        return frame.with_columns(
            pl.when(place).then(value).otherwise(pl.col(column)).alias(column)
        )
    if how < 0.5:
        return frame.with_columns(pl.lit(random.choice([None, "x", True, 2**62])).alias(column))
    if how < 0.65:
        return frame.drop(column) if random.random() < 0.5 else frame.rename({column: "x"})
    if how < 0.8:
        return frame.reverse() if random.random() < 0.5 else frame.head(frame.height - 1)
    return pl.concat([frame, frame]) if random.random() < 0.5 else frame.clear()


@dataclass(frozen=True)
class EstimatesTarget(Target):
    """A target whose content is changed, not only its bytes."""

    def input(self, random: Random) -> tuple[str, bytes]:
        """Return the suffix and the bytes of one input."""
        import polars as pl

        data = random.choice(saved())
        how = random.random()
        if how < 0.05:
            return ".parquet", data
        if how < 0.2:
            at = random.randrange(len(data))
            return ".parquet", data[:at] + random.randbytes(random.choice((0, 1, 4))) + data[
                at + 1 :
            ]
        frame = pl.read_parquet(io.BytesIO(data))
        about = json.loads(pl.read_parquet_metadata(io.BytesIO(data))[KEY])
        if how < 0.7:
            for _ in range(random.choice((1, 1, 2))):
                about = changed(about, random) or {"kind": about}
        else:
            frame = strange_rows(frame, random)
        buffer = io.BytesIO()
        frame.write_parquet(buffer, metadata={KEY: json.dumps(about)})
        return ".parquet", buffer.getvalue()


def _estimates(path: Path) -> Any:
    from tare import Estimates

    found = Estimates.load(path)
    found.rows(), found.tables(), found.facts(), found.long_table()
    return found


def _sensible(path: Path, result: Any) -> str | None:
    """Check that an interval contains its estimate, unless it is cut at the bounds or not finite."""
    for row in result.rows():
        ends = (row["low"], row["estimate"], row["high"])
        bounds = result.estimator(row["measure"]).bounds or (-math.inf, math.inf)
        inside = bounds[0] <= ends[1] <= bounds[1]
        if all(map(math.isfinite, ends)) and inside and not ends[0] <= ends[1] <= ends[2]:
            return f"{ends[1]} is not between {ends[0]} and {ends[2]}"
    return None


def estimate_targets() -> tuple[Target, ...]:
    """Return the reader of saved estimates."""
    return (EstimatesTarget("saved estimates", ((".parquet", b""),), _estimates, _sensible),)
