"""The design of a study: its questions, its limits, its tasks and their order."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tare._kernels.random_numbers import uniforms
from tare.errors import OptionError, choose

__all__ = [
    "DRAWS",
    "KINDS",
    "MAX_ANSWERS",
    "MAX_OVERLAP",
    "MAX_TASKS",
    "POLICIES",
    "BlindSlice",
    "Dimension",
    "GateQuestion",
    "Stratum",
    "Study",
    "StudyDesign",
    "Task",
    "Text",
    "check_count",
    "draw_slice",
    "make_pairs",
    "make_triplets",
    "random_order",
    "stream_id",
]


# Tasks: what is shown to an assessor at once, and how tasks are made from pools of documents.


MAX_TASKS = 200_000
MAX_DRAWN_FROM = 10_000_000  # pairs or triplets of a query
PAIRS, TRIPLETS, ORDER = 21, 22, 23  # substreams


@dataclass(frozen=True)
class Task:
    """One question: two texts to compare or a text to judge, perhaps after reading others.

    `shown` are documents, or systems if `query` is an item that they summarised; `units` are content
    units to look for; `depth` is the depth of the task in the pool; `expected` is the known answer of a
    gold task.
    """

    query: str
    shown: tuple[str, ...]
    given: tuple[str, ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    depth: int = 0
    expected: str | None = None

    @property
    def id(self) -> str:
        """Sixteen digits that identify the task and reveal nothing about its contents."""
        shown = sorted(self.shown) if len(self.shown) == 2 else list(self.shown)
        parts = "\x1f".join([self.query, "|", *shown, "|", *self.given, self.expected or ""])
        return hashlib.blake2b(parts.encode(), digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for the database."""
        return {
            "query": self.query,
            "shown": list(self.shown),
            "given": list(self.given),
            "units": [list(unit) for unit in self.units],
            "depth": self.depth,
            "expected": self.expected,
        }

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Task:
        """Create a task from plain values."""
        return cls(
            str(given["query"]),
            tuple(map(str, given["shown"])),
            tuple(map(str, given.get("given") or ())),
            tuple((str(u), str(label)) for u, label in given.get("units") or ()),
            int(given.get("depth") or 0),
            given.get("expected"),
        )


def stream_id(text: str) -> int:
    """Return the id of a separate stream of random numbers for a name."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def random_order(tasks: Sequence[str], seed: int) -> dict[str, int]:
    """Return the positions of tasks in a random order that does not depend on how the tasks are listed."""
    draws = {t: float(uniforms(seed, stream_id(t), [0], ORDER)[0]) for t in tasks}
    return {t: i for i, t in enumerate(sorted(draws, key=lambda t: (draws[t], t)))}


def check_count(tasks: int) -> None:
    """Refuse a study with more tasks than it can have; called before the tasks are made."""
    if tasks > MAX_TASKS:
        raise OptionError(
            f"the data make {tasks:,} tasks; a study can have at most {MAX_TASKS:,}. Set data.pairs or "
            "data.triplets or a smaller data.depth, or list the tasks in a file (data.tasks)."
        )


def make_pairs(
    pools: Mapping[str, Sequence[str]], *, count: int | None = None, seed: int = 0
) -> list[Task]:
    """Create simple preferences: every pair of each query's documents, or `count` of them at random.

    >>> [task.shown for task in make_pairs({"q": ["a", "b", "c"]})]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    made = []
    totals = [math.comb(len(documents), 2) for documents in pools.values()]
    check_count(sum(_size(total, count) for total in totals))
    for (query, documents), total in zip(pools.items(), totals, strict=True):
        _check_pool(query, documents, 2)
        for place in _sampled(total, count, seed, query, PAIRS, "pairs"):
            a, b = _pair_at(place, len(documents))
            made.append(Task(query, (documents[a], documents[b]), depth=b + 1))
    return made


def make_triplets(
    pools: Mapping[str, Sequence[str]],
    *,
    count: int | None = None,
    simple: bool = True,
    seed: int = 0,
) -> list[Task]:
    """Create conditional preferences: one document that was read, and two candidates for the next.

    simple: also ask which document of each pair is better by itself.

    >>> len(make_triplets({"q": ["a", "b", "c"]}, simple=False))
    3
    """
    made: dict[Task, None] = {}
    sizes = [len(documents) for documents in pools.values()]
    totals = [n * math.comb(n - 1, 2) if n > 2 else 0 for n in sizes]
    pairs = sum(math.comb(n, 2) for n in sizes) if simple and count is None else 0
    check_count(sum(_size(total, count) for total in totals) + pairs)
    for (query, documents), total in zip(pools.items(), totals, strict=True):
        _check_pool(query, documents, 3)
        n = len(documents)
        for place in _sampled(total, count, seed, query, TRIPLETS, "triplets"):
            g, within = divmod(place, math.comb(n - 1, 2))
            a, b = (i + (i >= g) for i in _pair_at(within, n - 1))  # of the others
            pair = (documents[a], documents[b])
            if simple:
                made[Task(query, pair, depth=b + 1)] = None
            made[Task(query, pair, (documents[g],), depth=max(g, b) + 1)] = None
    return list(made)


def _size(total: int, count: int | None) -> int:
    return total if count is None else min(count, total)


def _pair_at(place: int, n: int) -> tuple[int, int]:
    """Return the pair of documents at a place in the lexicographic order of all pairs of n.

    >>> [_pair_at(place, 4) for place in range(6)]
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    left = math.comb(n, 2) - 1 - place  # pairs after it
    row = (math.isqrt(8 * left + 1) - 1) // 2
    return n - 2 - row, n - 1 - (left - row * (row + 1) // 2)


def _sampled(
    total: int, count: int | None, seed: int, query: str, substream: int, what: str
) -> Iterable[int]:
    """Return which tasks of a stratum are drawn for the blind slice, in order of the draw."""
    if count is None or count >= total:
        return range(total)
    if total > MAX_DRAWN_FROM:
        raise OptionError(
            f"query {query}: its documents make {total:,} {what}, and at most {MAX_DRAWN_FROM:,} can be drawn "
            "from. Name runs with a smaller data.depth, or list the tasks in a file (data.tasks)."
        )
    draws = uniforms(seed, stream_id(query), np.arange(total), substream)
    return sorted(np.argsort(draws, kind="stable")[:count].tolist())


def _check_pool(query: str, documents: Sequence[str], least: int) -> None:
    if len(set(documents)) != len(documents):
        raise OptionError(f"query {query}: duplicate document in the pool.")
    if len(documents) < least:
        raise OptionError(
            f"query {query}: expected at least {least} documents, found {len(documents)}."
        )


# The blind slice: a random sample of tasks with known inclusion probabilities, for people to
# judge.


DRAWS = ("queries", "documents", "stratified")
SLICE = 26  # substream


@dataclass(frozen=True)
class Stratum:
    """What the blind slice drew from one stratum of the tasks, in the order of the draw.

    `units` are tasks that are drawn together: all tasks of a query, or one document. `size` is the number
    of units that could have been drawn, so the first k units have the inclusion probability k/size.
    """

    query: str
    size: int
    units: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class BlindSlice:
    """The tasks that people judge, and the model's answers to all tasks.

    `frame` holds all tasks and `answers` the model's answer to each of them, by task id. They are for the
    owner only: no page for assessors reads them. `measure` is what is estimated, and `width` the width of
    its interval at which the study stops.
    """

    draw: str
    strata: tuple[Stratum, ...]
    frame: tuple[Task, ...] = field(repr=False)
    answers: Mapping[str, Mapping[str, Any]] = field(repr=False)
    measure: str = ""
    width: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for the database."""
        return {
            "draw": self.draw,
            "measure": self.measure,
            "width": self.width,
            "strata": [[s.query, s.size, [list(unit) for unit in s.units]] for s in self.strata],
            "frame": [task.to_dict() for task in self.frame],
            "answers": self.answers,
        }

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> BlindSlice:
        """Create a slice from plain values."""
        strata = tuple(
            Stratum(query, size, tuple(map(tuple, units))) for query, size, units in given["strata"]
        )
        frame = tuple(map(Task.of, given["frame"]))
        return cls(given["draw"], strata, frame, given["answers"], given["measure"], given["width"])


def draw_slice(
    tasks: Sequence[Task],
    answers: Mapping[str, Mapping[str, Any]],
    *,
    draw: str,
    size: int,
    seed: int = 0,
    measure: str = "",
    width: float | None = None,
) -> tuple[tuple[Task, ...], BlindSlice]:
    """Draw a slice; return its tasks, with their turn as depth, and the slice.

    queries: `size` queries with all their tasks. documents: `size` documents of every query. stratified:
    the same, spread evenly over the model's grades, so that every grade is drawn.

    The draw depends on the seed and the ids only; a stratified draw also depends on the model's grades.
    """
    by_query: dict[str, list[Task]] = {}
    for task in tasks:
        by_query.setdefault(task.query, []).append(task)
    strata: list[Stratum] = []
    if draw == "queries":
        if size > len(by_query):
            raise OptionError(
                f"judge.slice = {size:,}: there are {len(by_query):,} queries. Draw at most as many."
            )
        order = _shuffled({query: query for query in by_query}, seed)
        units = tuple(tuple(task.id for task in by_query[query]) for query in order[:size])
        strata.append(Stratum("", len(by_query), units))
    largest = max(map(len, by_query.values()))
    if draw != "queries" and size > largest:
        raise OptionError(
            f"judge.slice = {size:,}: no query has more than {largest:,} documents. Draw at most as many."
        )
    for query, own in by_query.items() if draw != "queries" else ():
        groups: dict[Any, list[Task]] = {}
        for task in own:
            grade = answers[task.id]["grade"] if draw == "stratified" else None
            groups.setdefault(grade, []).append(task)
        if size < len(groups):
            raise OptionError(
                f"judge.slice = {size}: the model gave {len(groups)} different grades in query {query}, and a "
                "stratified draw needs at least one document of each. Draw more documents per query."
            )
        ordered = sorted(groups, reverse=True) if draw == "stratified" else list(groups)
        counts = _spread(size, [len(groups[grade]) for grade in ordered])
        for grade, count in zip(ordered, counts, strict=True):
            group = groups[grade]
            drawn = _shuffled({task.id: f"{query}\x1f{task.id}" for task in group}, seed)[:count]
            strata.append(Stratum(query, len(group), tuple((task,) for task in drawn)))
    turn = {
        task: number
        for stratum in strata
        for number, unit in enumerate(stratum.units, 1)
        for task in unit
    }
    chosen = tuple(replace(task, depth=turn[task.id]) for task in tasks if task.id in turn)
    return chosen, BlindSlice(draw, tuple(strata), tuple(tasks), answers, measure, width)


def _shuffled(names: Mapping[str, str], seed: int) -> list[str]:
    """Return keys of tasks in a random order that does not depend on how they are listed."""
    draws = {
        key: float(uniforms(seed, stream_id(name), [0], SLICE)[0]) for key, name in names.items()
    }
    return sorted(draws, key=lambda key: (draws[key], key))


def _spread(total: int, sizes: Sequence[int]) -> list[int]:
    """Spread the size of a blind slice over strata, one task to each in turn, as far as their sizes allow.

    >>> _spread(5, [1, 9, 3])
    [1, 2, 2]
    """
    counts = [0] * len(sizes)
    while total > 0 and any(c < s for c, s in zip(counts, sizes, strict=True)):
        for k, size in enumerate(sizes):
            if counts[k] < size and total > 0:
                counts[k] += 1
                total -= 1
    return counts


# The design of a study: its questions, its limits and the order of its tasks.


KINDS = ("preference", "conditional", "grades", "ratings", "headtohead", "scus", "markup")
POLICIES = ("random", "pooled", "informative", "battles")
COMPARISONS = ("preference", "conditional", "headtohead")
SUMMARIES = ("ratings", "headtohead", "scus")
MAX_VALUE = 1_000_000  # of grades and scales
MAX_OVERLAP = 10_000
MAX_ANSWERS = 10_000_000  # tasks times overlap
YEAR = 31_536_000.0  # seconds
BOUNDS: dict[str, tuple[float, float]] = {
    "overlap": (1, MAX_OVERLAP),
    "budget": (1, MAX_ANSWERS),
    "per_assessor": (1, MAX_ANSWERS),
    "gap": (1, MAX_TASKS),
    "lease": (1.0, YEAR),
    "seed": (0, 2**64 - 1),
    "gate_attempts": (1, 1_000),
    "gold_every": (1, MAX_TASKS),
    "door_limit": (1, 1_000_000),
}
NAMES = {"gold_every": "gold.every", "lease": "lease (in seconds)"}


@dataclass(frozen=True)
class Dimension:
    """A rating scale: its name, its question, and the labels of its values."""

    name: str
    question: str = ""
    low: int = 1
    high: int = 5
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.high <= self.low or self.high - self.low > 20:
            raise OptionError(
                f"dimension {self.name!r}: a scale must have 2 to 21 values, from low to high."
            )
        if abs(self.low) > MAX_VALUE or abs(self.high) > MAX_VALUE:
            raise OptionError(
                f"dimension {self.name!r}: expected values between {-MAX_VALUE:,} and {MAX_VALUE:,}."
            )
        if self.labels and len(self.labels) not in (2, self.high - self.low + 1):
            raise OptionError(
                f"dimension {self.name!r}: expected labels for both ends or for every value."
            )

    def label(self, value: int) -> str:
        """Return the label of a value, or an empty string."""
        if len(self.labels) == 2 and self.high - self.low > 1:
            return {self.low: self.labels[0], self.high: self.labels[1]}.get(value, "")
        return self.labels[value - self.low] if self.labels else ""


@dataclass(frozen=True)
class GateQuestion:
    """A comprehension question before the first task; `answer` counts the options from 1."""

    question: str
    options: tuple[str, ...]
    answer: int

    def __post_init__(self) -> None:
        if not 1 <= self.answer <= len(self.options):
            raise OptionError(f"gate: the answer to {self.question!r} is not one of its options.")


@dataclass(frozen=True)
class Text:
    """A text that assessors read; its format is plain text, Markdown or HTML."""

    body: str
    format: str = "text"
    title: str = ""

    def __post_init__(self) -> None:
        choose("format", self.format, ("text", "markdown", "html"))


@dataclass(frozen=True)
class StudyDesign:
    """The rules of a study; only the kind has no default."""

    kind: str
    title: str = "A study"
    question: str = ""
    guidelines: str = ""
    overlap: int = 1
    budget: int | None = None
    per_assessor: int | None = None
    policy: str = "random"
    repeats: float = 0.0
    gap: int = 5
    lease: float = 1800.0
    seed: int = 0
    equal: bool = True
    both_bad: bool = False
    cannot: bool = True
    grades: tuple[tuple[int, str], ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    gate: tuple[GateQuestion, ...] = ()
    gate_pass: int | None = None
    gate_attempts: int = 2
    gold_every: int = 10
    gold_minimum: float = 0.7
    code: str = ""
    thanks: str = ""
    door: bool = True  # whether there is an open link, with which anyone can enrol
    door_limit: int = 1000  # assessors who can enrol with it

    def __post_init__(self) -> None:
        choose("kind", self.kind, KINDS)
        choose("policy", self.policy, POLICIES)
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:  # also of a value that is no number
                raise OptionError(
                    f"{NAMES.get(name, name)}={value:,}: expected a number from {low:,} to {high:,}."
                )
        if self.gate_pass is not None and not 0 <= self.gate_pass <= len(self.gate):
            raise OptionError(
                f"gate_pass={self.gate_pass:,}: expected a number from 0 to {len(self.gate)}, the number of "
                "[[gate]] questions."
            )
        _check_names([d.name for d in self.dimensions], "dimension {!r} occurs twice.")
        _check_names([value for value, _ in self.grades], "grades: the value {} occurs twice.")
        for value, _ in self.grades:
            if abs(value) > MAX_VALUE:
                raise OptionError(
                    f"grades: the value {value:,} is not between {-MAX_VALUE:,} and {MAX_VALUE:,}."
                )
        for name in ("repeats", "gold_minimum"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(
                    f"{name}={getattr(self, name)}: expected a share between 0 and 1."
                )
        if self.policy == "informative" and self.kind not in COMPARISONS:
            raise OptionError("policy='informative' needs a kind of study that compares two texts.")
        if self.policy == "battles" and self.kind != "headtohead":
            raise OptionError("policy='battles' needs a study of kind 'headtohead'.")
        if self.kind == "grades" and len(self.grades) < 2:
            raise OptionError("a study of kind 'grades' needs [[grades]] with two or more values.")
        if self.kind == "ratings" and not self.dimensions:
            raise OptionError("a study of kind 'ratings' needs [[dimensions]].")

    @property
    def compares(self) -> bool:
        """Whether assessors compare two texts."""
        return self.kind in COMPARISONS

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers of a comparison, in the order of their keys."""
        made = ["left", "right"]
        made += ["equal"] * self.equal + ["bad"] * self.both_bad + ["cannot"] * self.cannot
        return tuple(made)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for the database."""
        return asdict(self)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> StudyDesign:
        """Create a design from plain values."""
        grades = tuple((int(v), str(w)) for v, w in given["grades"])
        dimensions = tuple(
            Dimension(**{**d, "labels": tuple(d["labels"])}) for d in given["dimensions"]
        )
        gate = tuple(
            GateQuestion(g["question"], tuple(map(str, g["options"])), int(g["answer"]))
            for g in given["gate"]
        )
        return cls(**{**given, "grades": grades, "dimensions": dimensions, "gate": gate})


def _check_names(names: Sequence[Any], told: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(told.format(twice))


@dataclass(frozen=True)
class Study:
    """A design with its tasks and texts.

    `texts` holds documents by id, and summaries by `Study.key(item, system)`. `queries` holds the texts
    of queries, or the sources of items. `rankings` holds the rankings of systems, for the policy
    `informative` and for estimates. `slice` holds a model's answers, if people judge only a sample.
    """

    design: StudyDesign
    tasks: tuple[Task, ...]
    texts: Mapping[str, Text] = field(default_factory=dict, repr=False)
    queries: Mapping[str, Text] = field(default_factory=dict, repr=False)
    gold: tuple[Task, ...] = ()
    rankings: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict, repr=False)
    slice: BlindSlice | None = None

    def __post_init__(self) -> None:
        if not self.tasks:
            raise OptionError("a study needs at least one task.")
        check_count(len(self.tasks) + len(self.gold))
        if len(self.tasks) * self.design.overlap > MAX_ANSWERS:
            raise OptionError(
                f"{len(self.tasks):,} tasks with overlap={self.design.overlap:,} need more than "
                f"{MAX_ANSWERS:,} answers. Lower the overlap, or draw fewer tasks."
            )
        if len(self.by_id) != len(self.tasks) + len(self.gold):
            raise OptionError("the study contains a duplicate task.")
        for task in (*self.tasks, *self.gold):
            if self.design.compares and len(set(task.shown)) != 2:
                raise OptionError(f"query {task.query}: a comparison needs two different texts.")
            for name in (*task.given, *task.shown):
                if self.texts and self.key(task.query, name) not in self.texts:
                    raise OptionError(f"query {task.query}: no text found for {name!r}.")
        for task in self.gold:
            if task.expected is None:
                raise OptionError(f"query {task.query}: a gold task needs an expected answer.")
            accepted = self._expected(task)
            if task.expected not in accepted:
                raise OptionError(
                    f"query {task.query}: the expected answer of a gold task is {task.expected!r}, which nobody can "
                    f"give. Accepted: {', '.join(accepted)}."
                )

    def _expected(self, task: Task) -> list[str]:
        """Return the answers that a gold task can have, as its file names them."""
        if not self.design.compares:
            return [str(value) for value, _ in self.design.grades]
        return [*task.shown, *(c for c in ("equal", "bad") if c in self.design.choices)]

    @cached_property
    def by_id(self) -> dict[str, Task]:
        """All tasks by id."""
        return {task.id: task for task in (*self.tasks, *self.gold)}

    def key(self, query: str, name: str) -> str:
        """Return the key under which a displayed text of a task stands in `texts`."""
        joined = self.design.kind in SUMMARIES or self.design.kind == "markup"
        return f"{query}\t{name}" if joined else name

    def with_design(self, **changes: Any) -> Study:
        """Return the same study with changed rules."""
        return replace(self, design=replace(self.design, **changes))
