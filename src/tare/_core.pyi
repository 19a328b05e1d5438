from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray
from typing_extensions import CapsuleType

def rows_from_arrow(stream: CapsuleType, first_line: int) -> Rows: ...
def judge_dicts(codes: list, rankings: list) -> tuple: ...

class SubtopicQrels:
    def __init__(self, rows: Rows) -> None: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def documents(self) -> list[str]: ...
    @property
    def subtopics(self) -> list[str]: ...
    def numbered(self) -> Rows: ...
    def arrays(self) -> dict: ...

class DiversityKernel:
    def __init__(
        self,
        kind: str,
        weights: str,
        scale: str,
        exact_ideal: bool,
        cutoff: int,
        rel: float,
        alpha: float,
        beta: float,
        gamma: float,
        exponential: bool,
    ) -> None: ...

def evaluate_diversity(
    what: str,
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    ranks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    documents: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    lows: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    highs: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    retrieved: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    streams: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    document_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    cell_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    subtopic_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    cell_subtopics: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    cell_grades: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    probabilities: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    kernel: DiversityKernel,
    observed: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    divisors: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    most_orders: int,
    samples: int,
    seed: int,
    threads: int,
) -> tuple: ...

class JsonPairs:
    def __init__(self, ranked: bool, about: str) -> None: ...
    def feed(
        self,
        block: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def finish(self) -> None: ...
    def parts(self) -> list: ...
    @property
    def ended(self) -> bool: ...
    @property
    def other(self) -> bool: ...
    @property
    def lists(self) -> bool: ...
    @property
    def repeats(self) -> int: ...
    @property
    def repeated(self) -> list[tuple[str, str]]: ...
    @property
    def about(self) -> bytes: ...
    @property
    def fault(self) -> tuple: ...
    @property
    def path(self) -> list[str]: ...

class LetorReader:
    def __init__(self, documents: bool, threads: int) -> None: ...
    def feed(
        self,
        block: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def finish(self) -> dict | None: ...
    @property
    def problems(self) -> list: ...
    @property
    def problem_count(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def too_large(self) -> bool: ...

def letor_text(
    query: str,
    grades: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    features: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    documents: Sequence[str],
) -> bytes: ...

LETOR_HIGHEST_FEATURE: int = 1000000

LETOR_MOST_CELLS: int = 4294967296

def ndcg_by_query(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    gains: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    scale: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    cutoff: int,
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def score_order(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
def line_search(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    order: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    column: Annotated[
        NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    steps: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    gains: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    scale: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    cutoff: int,
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def pair_potentials(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    level_count: int,
) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]: ...
def stump_sums(
    bins: Annotated[
        NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    potentials: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bin_count: int,
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
def network_scores(
    parameters: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    features: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    hidden: int,
    squashed: bool,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def network_gradient(
    parameters: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    features: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    grades: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    hidden: int,
    squashed: bool,
    twice: bool,
    loss: str,
) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...
def network_epoch(
    parameters: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    features: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    grades: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    order: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    rate: float,
    hidden: int,
    squashed: bool,
    twice: bool,
    loss: str,
) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...
def bootstrap_means(
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

class Rows:
    def __len__(self) -> int: ...
    @property
    def queries(self) -> list[str]: ...
    def digest(self, threads: int) -> int: ...
    def duplicates(self, threads: int, most: int, conflicting: bool) -> tuple: ...
    def counts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    def documents(self, query: int) -> tuple: ...

class TrecReader:
    def __init__(self, layout: str, threads: int) -> None: ...
    def feed(
        self,
        block: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def finish(self) -> Rows: ...
    @property
    def problems(self) -> list: ...
    @property
    def problem_count(self) -> int: ...
    @property
    def tag(self) -> str: ...
    @property
    def lines(self) -> int: ...
    @property
    def extra_fields(self) -> int: ...
    @property
    def rank_conflicts(self) -> int: ...

class RowsBuilder:
    def __init__(self) -> None: ...
    def add_query(self, query: str, documents: dict) -> None: ...
    def add_plain_queries(self, queries: dict) -> int: ...
    @property
    def texts(self) -> bool: ...
    def finish(self) -> Rows: ...

def pack_rows(rows: Rows, lines_before: int) -> bytes: ...
def join_chunks(
    chunks: Sequence[
        Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
    ],
) -> Rows: ...
def seams() -> dict: ...
def set_seam(name: str, size: int) -> None: ...
def texts_cut() -> int: ...
def threads() -> int: ...
def set_threads(threads: int) -> None: ...
def pair_differences(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    first: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    second: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    digits: int,
    threads: int,
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None, None))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def signed_ranks(
    rows: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    zeros: int,
    most_exact: int,
    seed: int,
    threads: int,
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def flip_maxima(
    rows: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    first: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    second: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    scale: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    kind: int,
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def one_sided_flips(
    rows: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    kind: int,
    draws: int,
    seed: int,
    threads: int,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
def exponential_sum_tail(
    c: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threads: int,
) -> float: ...
def flip_counts(
    rows: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    first: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    second: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    kind: int,
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
def studentised_counts(
    shifted: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    observed: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    largest: bool,
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]: ...
def studentised_draws(
    shifted: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
def largest_ranges(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def studentised_range_tail(
    q: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    groups: int,
    freedom: float,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def cliffs_delta(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    first: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    second: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    quantum: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def correlations(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    kind: int,
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def alpha(
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    codes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    distances: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    level: int,
) -> tuple[float, float, float]: ...
def unit_disagreements(
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    codes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    distances: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    level: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def alpha_draws(
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    codes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    distances: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    level: int,
    draws: int,
    seed: int,
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
def uniforms(
    rows: int, columns: int, seed: int, substream: int, threads: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
def resampled_indices(
    n: int, draws: int, seed: int, substream: int, threads: int
) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]: ...
def bisquare_subsets(
    columns: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    masks: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    tune: float,
    most_steps: int,
    matlab_scale: bool,
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

class Qrels:
    def __init__(self, rows: Rows, threads: int) -> None: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def levels(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...
    @property
    def pool(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    def columns(self) -> tuple: ...
    @staticmethod
    def of_columns(
        queries: Sequence[str],
        levels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        offsets: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        pool: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        codes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        doc_starts: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        docs: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        table_starts: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        slots: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Qrels: ...

def judge(
    qrels: Qrels,
    run: Rows,
    ties: str,
    condensed: bool,
    single_precision: bool,
    depth: int,
    groups: bool,
    threads: int,
) -> dict: ...

class JudgingReader:
    def __init__(
        self,
        qrels: Qrels,
        ties: str,
        condensed: bool,
        single_precision: bool,
        depth: int,
        groups: bool,
        threads: int,
    ) -> None: ...
    def feed(
        self,
        block: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def finish(self) -> None: ...
    def judged(self) -> dict: ...
    @property
    def interleaved(self) -> bool: ...
    @property
    def problems(self) -> list: ...
    @property
    def problem_count(self) -> int: ...
    @property
    def tag(self) -> str: ...
    @property
    def rows(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def extra_fields(self) -> int: ...
    @property
    def rank_conflicts(self) -> int: ...
    @property
    def unknown(self) -> list[str]: ...

class MeasureKernel:
    def __init__(
        self,
        name: str,
        cutoff: int,
        relevant: int,
        judged: int,
        gain: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        parameters: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        discount: str,
        discount_parameter: float,
        ready: int,
    ) -> None: ...
    @property
    def closed_form(self) -> bool: ...

def evaluate(
    what: str,
    offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    ranks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    codes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    lows: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    highs: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    retrieved: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    pool_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    pool: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    streams: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    measures: Sequence[MeasureKernel],
    observed: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    most_orders: int,
    samples: int,
    seed: int,
    threads: int,
) -> tuple: ...
def stream_ids(ids: Sequence[str]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class TextProfile:
    def __init__(
        self,
        splitting: str,
        stemmer: str,
        longest_unstemmed: int,
        lexicon: dict,
        stop_words: Sequence[str],
        most_words: int,
        most_bytes: int,
    ) -> None: ...
    def tokens(self, line: str) -> list[str]: ...
    def stem(self, word: str) -> str: ...

def rouge_counts(
    candidates: list,
    references: list,
    profile: TextProfile,
    measures: Sequence[tuple[str, int, float]],
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]: ...
def expected_ngrams(
    sources: list,
    references: list,
    lengths: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    profile: TextProfile,
    sizes: Sequence[int],
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]: ...
def random_rouge_counts(
    sources: list,
    references: list,
    lengths: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    streams: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    profile: TextProfile,
    measures: Sequence[tuple[str, int, float]],
    samples: int,
    seed: int,
    threads: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None, None))]: ...
def cohesion(texts: list, profile: TextProfile, threads: int) -> dict: ...
def fragment_counts(
    summaries: list, sources: list, profile: TextProfile, sizes: Sequence[int], threads: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
def drand48_means(
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    draws: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
