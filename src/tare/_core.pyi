"""Types of the compiled core. Written by `make stub`; do not edit."""

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray
from typing_extensions import CapsuleType

def rows_from_arrow(stream: CapsuleType, first_line: int) -> Rows: ...
def judge_dicts(
    codes: list[Any], rankings: list[Any]
) -> tuple[
    NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int64]
]: ...

class SubtopicQrels:
    def __init__(self, rows: Rows) -> None: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def documents(self) -> list[str]: ...
    @property
    def subtopics(self) -> list[str]: ...
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
    offsets: NDArray[numpy.int64],
    ranks: NDArray[numpy.int32],
    documents: NDArray[numpy.int32],
    lows: NDArray[numpy.int64],
    highs: NDArray[numpy.int64],
    retrieved: NDArray[numpy.int64],
    streams: NDArray[numpy.uint64],
    document_offsets: NDArray[numpy.int64],
    cell_offsets: NDArray[numpy.int64],
    subtopic_offsets: NDArray[numpy.int64],
    cell_subtopics: NDArray[numpy.int32],
    cell_grades: NDArray[numpy.float64],
    probabilities: NDArray[numpy.float64],
    kernel: DiversityKernel,
    observed: NDArray[numpy.float64],
    divisors: NDArray[numpy.float64],
    most_orders: int,
    samples: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]: ...

class JsonPairs:
    def __init__(self, ranked: bool, about: str) -> None: ...
    def feed(self, block: NDArray[numpy.uint8]) -> None: ...
    def finish(self) -> None: ...
    def parts(self) -> list[tuple[list[str], Rows]]: ...
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
    def fault(self) -> tuple[str, int, int, bytes]: ...
    @property
    def path(self) -> list[str]: ...

class LetorReader:
    def __init__(self, documents: bool, threads: int) -> None: ...
    def feed(self, block: NDArray[numpy.uint8]) -> None: ...
    def finish(self) -> dict[str, Any] | None: ...
    @property
    def problems(self) -> list[tuple[int, str, bytes]]: ...
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
    grades: NDArray[numpy.float64],
    features: NDArray[numpy.float32],
    documents: Sequence[str],
) -> bytes: ...

LETOR_HIGHEST_FEATURE: int = 1000000

LETOR_MOST_CELLS: int = 4294967296

def ndcg_by_query(
    scores: NDArray[numpy.float64],
    gains: NDArray[numpy.float64],
    offsets: NDArray[numpy.int64],
    scale: NDArray[numpy.float64],
    cutoff: int,
    threads: int,
) -> NDArray[numpy.float64]: ...
def score_order(
    scores: NDArray[numpy.float64], offsets: NDArray[numpy.int64]
) -> NDArray[numpy.int32]: ...
def line_search(
    scores: NDArray[numpy.float64],
    order: NDArray[numpy.int32],
    column: NDArray[numpy.float32],
    steps: NDArray[numpy.float64],
    gains: NDArray[numpy.float64],
    offsets: NDArray[numpy.int64],
    scale: NDArray[numpy.float64],
    cutoff: int,
    threads: int,
) -> NDArray[numpy.float64]: ...
def pair_potentials(
    scores: NDArray[numpy.float64],
    levels: NDArray[numpy.int32],
    offsets: NDArray[numpy.int64],
    level_count: int,
) -> tuple[NDArray[numpy.float64], float]: ...
def stump_sums(
    bins: NDArray[numpy.uint8], potentials: NDArray[numpy.float64], bin_count: int, threads: int
) -> NDArray[numpy.float64]: ...
def network_scores(
    parameters: NDArray[numpy.float64],
    features: NDArray[numpy.float32],
    hidden: int,
    squashed: bool,
) -> NDArray[numpy.float64]: ...
def network_gradient(
    parameters: NDArray[numpy.float64],
    features: NDArray[numpy.float32],
    grades: NDArray[numpy.float64],
    offsets: NDArray[numpy.int64],
    hidden: int,
    squashed: bool,
    twice: bool,
    loss: str,
) -> tuple[float, NDArray[numpy.float64]]: ...
def network_epoch(
    parameters: NDArray[numpy.float64],
    features: NDArray[numpy.float32],
    grades: NDArray[numpy.float64],
    offsets: NDArray[numpy.int64],
    order: NDArray[numpy.int64],
    rate: float,
    hidden: int,
    squashed: bool,
    twice: bool,
    loss: str,
) -> tuple[float, NDArray[numpy.float64]]: ...
def bootstrap_means(
    values: NDArray[numpy.float64], draws: int, seed: int, threads: int, first_draw: int
) -> NDArray[numpy.float64]: ...

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
    def counts(self) -> NDArray[numpy.int64]: ...
    def documents(self, query: int) -> tuple[list[str], NDArray[numpy.float64]]: ...

class TrecReader:
    def __init__(self, layout: str, threads: int) -> None: ...
    def feed(self, block: NDArray[numpy.uint8]) -> None: ...
    def finish(self) -> Rows: ...
    @property
    def problems(self) -> list[tuple[int, str, bytes]]: ...
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
    def add_query(self, query: str, documents: dict[Any, Any]) -> None: ...
    def add_plain_queries(self, queries: dict[Any, Any]) -> int: ...
    @property
    def texts(self) -> bool: ...
    def finish(self) -> Rows: ...

def split_rows(rows: Rows, buckets: int, lines_before: int, threads: int) -> list[bytes]: ...
def join_chunks(chunks: Sequence[NDArray[numpy.uint8]]) -> Rows: ...
def seams() -> dict[str, int]: ...
def set_seam(name: str, size: int) -> None: ...
def texts_cut() -> int: ...
def threads() -> int: ...
def set_threads(threads: int) -> None: ...
def pair_differences(
    scores: NDArray[numpy.float64],
    first: NDArray[numpy.int32],
    second: NDArray[numpy.int32],
    digits: int,
    threads: int,
) -> tuple[
    NDArray[numpy.float64],
    NDArray[numpy.float64],
    NDArray[numpy.int64],
    NDArray[numpy.float64],
    NDArray[numpy.float64],
]: ...
def signed_ranks(
    rows: NDArray[numpy.float64], zeros: int, most_exact: int, seed: int, threads: int
) -> tuple[
    NDArray[numpy.float64],
    NDArray[numpy.float64],
    NDArray[numpy.float64],
    NDArray[numpy.int64],
    NDArray[numpy.float64],
]: ...
def flip_counts(
    rows: NDArray[numpy.float64],
    first: NDArray[numpy.int32],
    second: NDArray[numpy.int32],
    threshold: NDArray[numpy.float64],
    squares: NDArray[numpy.float64],
    sizes: NDArray[numpy.float64],
    observed: NDArray[numpy.float64],
    order: NDArray[numpy.int32],
    kind: int,
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]: ...
def studentised_counts(
    shifted: NDArray[numpy.float64],
    observed: NDArray[numpy.float64],
    order: NDArray[numpy.int32],
    draws: int,
    seed: int,
    threads: int,
    first_draw: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]: ...
def studentised_draws(
    shifted: NDArray[numpy.float64], draws: int, seed: int, threads: int, first_draw: int
) -> NDArray[numpy.float64]: ...
def largest_ranges(
    scores: NDArray[numpy.float64], draws: int, seed: int, threads: int, first_draw: int
) -> NDArray[numpy.float64]: ...
def studentised_range_tail(
    q: NDArray[numpy.float64], groups: int, freedom: float
) -> NDArray[numpy.float64]: ...
def cliffs_delta(
    scores: NDArray[numpy.float64],
    first: NDArray[numpy.int32],
    second: NDArray[numpy.int32],
    quantum: NDArray[numpy.float64],
    threads: int,
) -> NDArray[numpy.float64]: ...
def bayesian_signed_rank(
    rows: NDArray[numpy.float64], rope: float, prior: float, draws: int, seed: int, threads: int
) -> NDArray[numpy.float64]: ...
def correlations(
    x: NDArray[numpy.float64], y: NDArray[numpy.float64], kind: int, threads: int
) -> NDArray[numpy.float64]: ...
def alpha(
    offsets: NDArray[numpy.int64],
    codes: NDArray[numpy.int32],
    values: NDArray[numpy.float64],
    distances: NDArray[numpy.float64],
    level: int,
) -> tuple[float, float, float]: ...
def unit_disagreements(
    offsets: NDArray[numpy.int64],
    codes: NDArray[numpy.int32],
    values: NDArray[numpy.float64],
    distances: NDArray[numpy.float64],
    level: int,
) -> NDArray[numpy.float64]: ...
def alpha_draws(
    offsets: NDArray[numpy.int64],
    codes: NDArray[numpy.int32],
    values: NDArray[numpy.float64],
    distances: NDArray[numpy.float64],
    level: int,
    draws: int,
    seed: int,
    threads: int,
) -> NDArray[numpy.float64]: ...
def uniforms(
    rows: int, columns: int, seed: int, substream: int, threads: int
) -> NDArray[numpy.float64]: ...
def resampled_indices(
    n: int, draws: int, seed: int, substream: int, threads: int
) -> NDArray[numpy.int64]: ...
def bisquare_subsets(
    columns: NDArray[numpy.float64],
    y: NDArray[numpy.float64],
    masks: NDArray[numpy.int64],
    tune: float,
    most_steps: int,
    matlab_scale: bool,
    threads: int,
) -> NDArray[numpy.float64]: ...

class Qrels:
    def __init__(self, rows: Rows, threads: int) -> None: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def levels(self) -> NDArray[numpy.float64]: ...
    @property
    def offsets(self) -> NDArray[numpy.int64]: ...
    @property
    def pool(self) -> NDArray[numpy.int32]: ...
    def columns(self) -> tuple[NDArray[Any], ...]: ...
    @staticmethod
    def of_columns(
        queries: Sequence[str],
        levels: NDArray[numpy.float64],
        offsets: NDArray[numpy.int64],
        pool: NDArray[numpy.int32],
        codes: NDArray[numpy.int32],
        doc_starts: NDArray[numpy.uint64],
        docs: NDArray[numpy.uint8],
        table_starts: NDArray[numpy.uint64],
        slots: NDArray[numpy.int32],
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
) -> dict[str, NDArray[Any]]: ...

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
    def feed(self, block: NDArray[numpy.uint8]) -> None: ...
    def finish(self) -> None: ...
    def judged(self) -> dict[str, NDArray[Any]]: ...
    @property
    def interleaved(self) -> bool: ...
    @property
    def problems(self) -> list[tuple[int, str, bytes]]: ...
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
        gain: NDArray[numpy.float64],
        parameters: NDArray[numpy.float64],
        discount: str,
        discount_parameter: float,
        ready: int,
    ) -> None: ...
    @property
    def closed_form(self) -> bool: ...

def evaluate(
    what: str,
    offsets: NDArray[numpy.int64],
    ranks: NDArray[numpy.int32],
    codes: NDArray[numpy.int32],
    lows: NDArray[numpy.int64],
    highs: NDArray[numpy.int64],
    retrieved: NDArray[numpy.int64],
    pool_offsets: NDArray[numpy.int64],
    pool: NDArray[numpy.int32],
    streams: NDArray[numpy.uint64],
    measures: Sequence[MeasureKernel],
    observed: NDArray[numpy.float64],
    most_orders: int,
    samples: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...
def stream_ids(ids: Sequence[str]) -> NDArray[numpy.uint64]: ...

class TextProfile:
    def __init__(
        self,
        splitting: str,
        stemmer: str,
        longest_unstemmed: int,
        lexicon: dict[Any, Any],
        stop_words: Sequence[str],
        most_words: int,
        most_bytes: int,
    ) -> None: ...
    def tokens(self, line: str) -> list[str]: ...
    def stem(self, word: str) -> str: ...

def rouge_counts(
    candidates: list[Any],
    references: list[Any],
    profile: TextProfile,
    measures: Sequence[tuple[str, int, float]],
    threads: int,
) -> NDArray[numpy.float64]: ...
def expected_ngrams(
    sources: list[Any],
    references: list[Any],
    lengths: NDArray[numpy.int64],
    profile: TextProfile,
    sizes: Sequence[int],
    threads: int,
) -> NDArray[numpy.float64]: ...
def random_rouge_counts(
    sources: list[Any],
    references: list[Any],
    lengths: NDArray[numpy.int64],
    streams: NDArray[numpy.uint64],
    profile: TextProfile,
    measures: Sequence[tuple[str, int, float]],
    samples: int,
    seed: int,
    threads: int,
) -> NDArray[numpy.float64]: ...
def cohesion(texts: list[Any], profile: TextProfile, threads: int) -> dict[str, NDArray[Any]]: ...
def fragment_counts(
    summaries: list[Any],
    sources: list[Any],
    profile: TextProfile,
    sizes: Sequence[int],
    threads: int,
) -> NDArray[numpy.float64]: ...
def drand48_means(values: NDArray[numpy.float64], draws: int) -> NDArray[numpy.float64]: ...
