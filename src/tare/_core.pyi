"""Types of the compiled core; only tare._kernels imports it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

class Rows:
    def __len__(self) -> int: ...
    @property
    def queries(self) -> list[str]: ...
    def digest(self, threads: int) -> int: ...
    def digest_sum(self, threads: int) -> int: ...
    @staticmethod
    def digest_of(sum: int) -> int: ...
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

def seams() -> dict[str, int]: ...
def set_seam(name: str, size: int) -> None: ...
def texts_cut() -> int: ...
def threads() -> int: ...
def set_threads(threads: int) -> None: ...
def split_rows(rows: Rows, buckets: int, lines_before: int, threads: int) -> list[bytes]: ...
def join_chunks(chunks: list[NDArray[np.uint8]]) -> Rows: ...

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
    def columns(self) -> tuple[NDArray[Any], ...]: ...
    @staticmethod
    def of_columns(queries: list[str], *columns: NDArray[Any]) -> Qrels: ...

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

class SubtopicQrels:
    def __init__(self, rows: Rows) -> None: ...
    queries: list[str]
    documents: list[str]
    subtopics: list[str]
    def numbered(self) -> Rows: ...
    def arrays(self) -> dict[str, NDArray[Any]]: ...

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
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    documents: NDArray[np.int32],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    retrieved: NDArray[np.int64],
    streams: NDArray[np.uint64],
    document_offsets: NDArray[np.int64],
    cell_offsets: NDArray[np.int64],
    subtopic_offsets: NDArray[np.int64],
    cell_subtopics: NDArray[np.int32],
    cell_grades: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    kernel: DiversityKernel,
    observed: NDArray[np.float64],
    divisors: NDArray[np.float64],
    most_orders: int,
    samples: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class LetorReader:
    def __init__(self, documents: bool, threads: int) -> None: ...
    def feed(self, block: Bytes) -> None: ...
    def finish(self) -> dict[str, Any] | None: ...
    problems: list[tuple[int, str, bytes]]
    problem_count: int
    lines: int
    rows: int
    width: int
    too_large: bool

LETOR_HIGHEST_FEATURE: int
LETOR_MOST_CELLS: int

def letor_text(
    query: str,
    grades: NDArray[np.float64],
    features: NDArray[np.float32],
    documents: list[str],
) -> bytes: ...
def ndcg_by_query(
    scores: NDArray[np.float64],
    gains: NDArray[np.float64],
    offsets: NDArray[np.int64],
    scale: NDArray[np.float64],
    cutoff: int,
    threads: int,
) -> NDArray[np.float64]: ...
def line_search(
    scores: NDArray[np.float64],
    column: NDArray[np.float32],
    steps: NDArray[np.float64],
    gains: NDArray[np.float64],
    offsets: NDArray[np.int64],
    scale: NDArray[np.float64],
    cutoff: int,
    threads: int,
) -> NDArray[np.float64]: ...
def pair_potentials(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    offsets: NDArray[np.int64],
    level_count: int,
) -> tuple[NDArray[np.float64], float]: ...
def stump_sums(
    bins: NDArray[np.uint8],
    potentials: NDArray[np.float64],
    bin_count: int,
    threads: int,
) -> NDArray[np.float64]: ...
def forest_scores(
    offsets: NDArray[np.int64],
    features: NDArray[np.int32],
    thresholds: NDArray[np.float64],
    rules: NDArray[np.uint8],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    leaves: NDArray[np.float64],
    rows: NDArray[np.float32],
) -> NDArray[np.float64]: ...
def network_scores(
    parameters: NDArray[np.float64],
    features: NDArray[np.float32],
    hidden: int,
    squashed: bool,
) -> NDArray[np.float64]: ...
def network_gradient(
    parameters: NDArray[np.float64],
    features: NDArray[np.float32],
    grades: NDArray[np.float64],
    offsets: NDArray[np.int64],
    hidden: int,
    squashed: bool,
    twice: bool,
    loss: str,
) -> tuple[float, NDArray[np.float64]]: ...
def network_epoch(
    parameters: NDArray[np.float64],
    features: NDArray[np.float32],
    grades: NDArray[np.float64],
    offsets: NDArray[np.int64],
    order: NDArray[np.int64],
    rate: float,
    hidden: int,
    squashed: bool,
    twice: bool,
    loss: str,
) -> tuple[float, NDArray[np.float64]]: ...
def judge_dicts(
    codes: list[dict[str, int]], rankings: list[dict[str, Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]: ...
def judge(
    qrels: Qrels,
    run: Rows,
    ties: str,
    condensed: bool,
    single_precision: bool,
    depth: int,
    groups: bool,
    threads: int,
) -> dict[str, NDArray[Any]]: ...
def evaluate(
    what: str,
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
    observed: NDArray[np.float64],
    most_orders: int,
    samples: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def stream_ids(ids: list[str]) -> NDArray[np.uint64]: ...
def rows_from_arrow(stream: object, first_line: int) -> Rows: ...
def bootstrap_means(
    values: NDArray[np.float64], draws: int, seed: int, threads: int, first_draw: int
) -> NDArray[np.float64]: ...
def pair_differences(
    scores: NDArray[np.float64],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    digits: int,
    threads: int,
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...
def signed_ranks(
    rows: NDArray[np.float64], zeros: int, most_exact: int, seed: int, threads: int
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.float64],
]: ...
def flip_counts(
    rows: NDArray[np.float64],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    threshold: NDArray[np.float64],
    squares: NDArray[np.float64],
    sizes: NDArray[np.float64],
    observed: NDArray[np.float64],
    order: NDArray[np.int32],
    kind: int,
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def studentised_counts(
    shifted: NDArray[np.float64],
    observed: NDArray[np.float64],
    order: NDArray[np.int32],
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def studentised_draws(
    shifted: NDArray[np.float64], draws: int, seed: int, threads: int, first_draw: int
) -> NDArray[np.float64]: ...
def largest_ranges(
    scores: NDArray[np.float64], draws: int, seed: int, threads: int, first_draw: int
) -> NDArray[np.float64]: ...
def studentised_range_tail(
    q: NDArray[np.float64], groups: int, freedom: float
) -> NDArray[np.float64]: ...
def cliffs_delta(
    scores: NDArray[np.float64],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    quantum: NDArray[np.float64],
    threads: int,
) -> NDArray[np.float64]: ...
def bisquare_subsets(
    columns: NDArray[np.float64],
    y: NDArray[np.float64],
    masks: NDArray[np.int64],
    tune: float,
    most_steps: int,
    matlab_scale: bool,
    threads: int,
) -> NDArray[np.float64]: ...
def bayesian_signed_rank(
    rows: NDArray[np.float64], rope: float, prior: float, draws: int, seed: int, threads: int
) -> NDArray[np.float64]: ...
def correlations(
    x: NDArray[np.float64], y: NDArray[np.float64], kind: int, threads: int
) -> NDArray[np.float64]: ...
def alpha(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    values: NDArray[np.float64],
    distances: NDArray[np.float64],
    level: int,
) -> tuple[float, float, float]: ...
def unit_disagreements(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    values: NDArray[np.float64],
    distances: NDArray[np.float64],
    level: int,
) -> NDArray[np.float64]: ...
def alpha_draws(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    values: NDArray[np.float64],
    distances: NDArray[np.float64],
    level: int,
    draws: int,
    seed: int,
    threads: int,
) -> NDArray[np.float64]: ...
def uniforms(
    rows: int, columns: int, seed: int, substream: int, threads: int
) -> NDArray[np.float64]: ...
def resampled_indices(
    n: int, draws: int, seed: int, substream: int, threads: int
) -> NDArray[np.int64]: ...

class TextProfile:
    def __init__(
        self,
        splitting: str,
        stemmer: str,
        longest_unstemmed: int,
        lexicon: dict[str, str],
        stop_words: list[str],
        most_words: int,
        most_bytes: int,
    ) -> None: ...
    def tokens(self, line: str) -> list[str]: ...
    def stem(self, word: str) -> str: ...

def rouge_counts(
    candidates: list[Any],
    references: list[Any],
    profile: TextProfile,
    measures: list[tuple[str, int, float]],
    threads: int,
) -> NDArray[np.float64]: ...
def expected_ngrams(
    sources: list[Any],
    references: list[Any],
    lengths: NDArray[np.int64],
    profile: TextProfile,
    sizes: list[int],
    threads: int,
) -> NDArray[np.float64]: ...
def random_rouge_counts(
    sources: list[Any],
    references: list[Any],
    lengths: NDArray[np.int64],
    streams: NDArray[np.uint64],
    profile: TextProfile,
    measures: list[tuple[str, int, float]],
    samples: int,
    seed: int,
    threads: int,
) -> NDArray[np.float64]: ...
def cohesion(texts: list[Any], profile: TextProfile, threads: int) -> dict[str, NDArray[Any]]: ...
def fragment_counts(
    summaries: list[Any],
    sources: list[Any],
    profile: TextProfile,
    sizes: list[int],
    threads: int,
) -> NDArray[np.float64]: ...
def drand48_means(values: NDArray[np.float64], draws: int) -> NDArray[np.float64]: ...
