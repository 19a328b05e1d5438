"""Types of the compiled core; only tare.kernels imports it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

class Rows:
    def __len__(self) -> int: ...
    @property
    def queries(self) -> list[str]: ...
    def digest(self, threads: int) -> int: ...
    def duplicates(
        self, threads: int, most: int, conflicting: bool
    ) -> tuple[int, list[tuple[str, str, int, int]]]: ...
    def counts(self) -> NDArray[np.int64]: ...
    def documents(self, query: int) -> tuple[list[str], NDArray[np.float64]]: ...

class TrecReader:
    def __init__(self, layout: str, threads: int) -> None: ...
    def feed(self, block: Bytes) -> None: ...
    def finish(self) -> Rows: ...
    problems: list[tuple[int, str, bytes]]
    problem_count: int
    tag: str
    lines: int
    extra_fields: int
    rank_conflicts: int

class RowsBuilder:
    def add_query(self, query: str, documents: dict[Any, Any]) -> None: ...
    def finish(self) -> Rows: ...

class Qrels:
    def __init__(self, rows: Rows, threads: int) -> None: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def levels(self) -> NDArray[np.float64]: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def pool(self) -> NDArray[np.int32]: ...

class JudgingReader:
    def __init__(
        self,
        qrels: Qrels,
        ties: str,
        condensed: bool,
        single_precision: bool,
        depth: int,
        threads: int,
    ) -> None: ...
    def feed(self, block: Bytes) -> None: ...
    def finish(self) -> None: ...
    def judged(self) -> dict[str, NDArray[Any]]: ...
    interleaved: bool
    problems: list[tuple[int, str, bytes]]
    problem_count: int
    tag: str
    rows: int
    lines: int
    extra_fields: int
    rank_conflicts: int
    unknown: list[str]

class MeasureKernel:
    def __init__(
        self,
        name: str,
        cutoff: int,
        relevant: int,
        judged: int,
        gain: NDArray[np.float64],
        parameters: NDArray[np.float64],
        discount: str,
        discount_parameter: float,
        ready: int,
    ) -> None: ...
    @property
    def closed_form(self) -> bool: ...

def judge(
    qrels: Qrels,
    run: Rows,
    ties: str,
    condensed: bool,
    single_precision: bool,
    depth: int,
    threads: int,
) -> dict[str, NDArray[Any]]: ...
def evaluate(
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    codes: NDArray[np.int32],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    retrieved: NDArray[np.int64],
    pool_offsets: NDArray[np.int64],
    pool: NDArray[np.int32],
    streams: NDArray[np.uint64],
    measures: list[MeasureKernel],
    most_orders: int,
    samples: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def stream_ids(ids: list[str]) -> NDArray[np.uint64]: ...
def rows_from_arrow(stream: object, first_line: int) -> Rows: ...
def bootstrap_means(
    values: NDArray[np.float64], draws: int, seed: int, threads: int
) -> NDArray[np.float64]: ...
