"""The design of a study: its questions, its limits and the order of its tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from tare.errors import OptionError, choose
from tare.studies._judging.blind_slice import BlindSlice
from tare.studies._judging.tasks import MAX_TASKS, Task, check_count

__all__ = [
    "KINDS",
    "MAX_ANSWERS",
    "MAX_OVERLAP",
    "POLICIES",
    "Dimension",
    "GateQuestion",
    "Study",
    "StudyDesign",
    "Text",
]

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
    """A text to read; `format` is text, markdown or html."""

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
        """Return the key of a displayed text in `texts`."""
        joined = self.design.kind in SUMMARIES or self.design.kind == "markup"
        return f"{query}\t{name}" if joined else name

    def with_design(self, **changes: Any) -> Study:
        """Return the same study with changed rules."""
        return replace(self, design=replace(self.design, **changes))
