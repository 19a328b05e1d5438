"""Definitions: what a measure is, as data. One entry drives the grammar, the docs and the laws."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tare._data.pool import ACCEPTED, Pool
from tare.errors import MeasureError, OptionError, nearest

if TYPE_CHECKING:
    from tare._data.judged import Judged
    from tare._measures.evaluation import Sampling
    from tare._measures.measure import Measure
    from tare._measures.text.evaluation import TextEvaluation

__all__ = [
    "ChanceOf",
    "Definition",
    "KernelArguments",
    "Moments",
    "Parameter",
    "RandomText",
    "TextChanceOf",
    "Value",
    "definitions",
    "find",
    "groups",
    "register",
    "register_group",
]

Value = bool | int | float | str | tuple[tuple[float, float], ...]
LARGEST = 10**15  # of whole numbers: the core counts them exactly, in doubles too
Kind = Literal["number", "integer", "choice", "flag", "gains", "numbers", "pool", "length", "word"]


def number_text(number: float) -> str:
    """A number in its one form: whole ones without a point."""
    whole = abs(number) < LARGEST and number == int(number)
    return repr(int(number) if whole else number)


@dataclass(frozen=True)
class Parameter:
    """One named option of a measure, with what it accepts."""

    name: str
    kind: Kind
    default: Value | None
    doc: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    open_ends: bool = False
    most: int | None = None

    def read(self, value: Any, measure: str) -> Value:
        """Checks a value and brings it into its one form."""
        match self.kind:
            case "choice":
                if value not in self.choices:
                    raise self._wrong(value, measure, " or ".join(self.choices))
                return str(value)
            case "flag":
                if str(value).lower() in ("true", "false", "1", "0"):
                    return str(value).lower() in ("true", "1")
                if str(value) in self.choices:  # a flag that can say more than yes
                    return str(value)
                more = f", or one of {', '.join(self.choices)}" if self.choices else ""
                raise self._wrong(value, measure, f"true or false{more}")
            case "word":
                text = os.fspath(value) if isinstance(value, str | os.PathLike) else ""
                if not text or "'" in text or not text.isprintable():
                    raise self._wrong(value, measure, "a text without quotation marks")
                return text
            case "gains":
                return self._read_gains(value, measure)
            case "numbers":
                return self._read_numbers(value, measure)
            case "pool":
                return self._read_pool(value, measure)
            case "length":
                return self._read_length(value, measure)
        return self._read_number(value, measure)

    def _read_number(self, value: Any, measure: str) -> int | float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise self._wrong(value, measure, self._range()) from None
        whole = abs(number) <= LARGEST and number == int(number)
        if isinstance(value, bool) or not np.isfinite(number):
            raise self._wrong(value, measure, self._range())
        if self.kind in ("integer", "length") and not whole:
            raise self._wrong(value, measure, f"a whole number up to {LARGEST:.0e}")
        if not self._within(number):
            raise self._wrong(value, measure, self._range())
        return int(number) if whole else number

    def _read_gains(self, value: Any, measure: str) -> Value:
        example = f"{self.name} such as {{1:3,2:9}}, each grade once"
        try:
            pairs = value.items() if isinstance(value, dict) else value
            read = sorted((float(level), float(gain)) for level, gain in pairs)
        except (AttributeError, TypeError, ValueError):
            raise self._wrong(value, measure, example) from None
        if not np.isfinite(read).all() or len(dict(read)) < len(read):
            raise self._wrong(value, measure, example)
        return tuple(read)

    def _read_numbers(self, value: Any, measure: str) -> str:
        accepted = f"{self._range()}, or several divided by '/'"
        try:
            parts = value.split("/") if isinstance(value, str) else list(value)
            numbers = [float(part) for part in parts]
        except (TypeError, ValueError):
            raise self._wrong(value, measure, accepted) from None
        few_enough = len(numbers) <= (self.most or len(numbers))
        if not numbers or not few_enough or not all(map(self._within, numbers)):
            raise self._wrong(value, measure, accepted)
        return "/".join(map(number_text, numbers))

    def _read_pool(self, value: Any, measure: str) -> str:
        try:
            return str(Pool.parse(value))
        except OptionError:
            raise self._wrong(value, measure, f"one of {ACCEPTED}") from None

    def _read_length(self, value: Any, measure: str) -> Value:
        if value in self.choices:
            return str(value)
        try:
            return self._read_number(value, measure)
        except MeasureError:
            raise self._wrong(
                value, measure, f"{', '.join(self.choices)} or {self._range()}"
            ) from None

    def _within(self, number: float) -> bool:
        if not np.isfinite(number):
            return False
        if self.open_ends:
            return (self.low is None or number > self.low) and (
                self.high is None or number < self.high
            )
        return (self.low is None or number >= self.low) and (
            self.high is None or number <= self.high
        )

    def _range(self) -> str:
        than = "above" if self.open_ends else "at least"
        under = "below" if self.open_ends else "at most"
        bounds = [
            f"{than} {self.low:g}" if self.low is not None else "",
            f"{under} {self.high:g}" if self.high is not None else "",
        ]
        kind = "whole number" if self.kind in ("integer", "length") else "number"
        return " ".join([f"a {kind}", " and ".join(b for b in bounds if b)]).strip()

    def _wrong(self, value: Any, measure: str, accepted: str) -> MeasureError:
        return MeasureError(f"{measure}: {self.name}={value!r} is not possible; it is {accepted}.")


@dataclass(frozen=True)
class KernelArguments:
    """What a kernel needs to know of a measure, given the grades of the qrels."""

    kernel: str
    rel: float = 1.0
    gain: NDArray[np.float64] | None = None
    parameters: tuple[float, ...] = ()
    discount: str = "none"
    discount_parameter: float = 2.0


@dataclass(frozen=True)
class Moments:
    """What chance makes of a measure, query by query; errors are 0 where a value is exact."""

    expected: NDArray[np.float64]
    expected_error: NDArray[np.float64]
    upper: NDArray[np.float64]
    variance: NDArray[np.float64] | None = None
    variance_error: NDArray[np.float64] | None = None
    worst: NDArray[np.float64] | None = None
    greedy: bool = False  # whether `upper` is that of a greedy order, which a better one may pass


class ChanceOf(Protocol):
    """How a family of measures knows what chance makes of them.

    `tied` lists the judged documents of each query's pool as one tie group; `retrieved` there is
    the size of the pool.
    """

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: dict[str, NDArray[Any]],
        sampling: Sampling,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Mean and bounds over all orders of the pools; variance and worst where asked for."""
        ...

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: dict[str, NDArray[Any]],
        sampling: Sampling,
        observed: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The probability that a random order scores at least what was observed, and its error."""
        ...


@dataclass(frozen=True)
class RandomText:
    """What text chance writes, and how its scores are summed up.

    expected: "exact" (sampled where there is no closed form), "sampled", "published" (one text), or
    for measures of embeddings "best" and "worst": the words nearest to the source, and farthest.
    length: of the "candidate", of the "reference", or a number of words.
    """

    expected: str = "exact"
    length: str | int = "reference"


class TextChanceOf(Protocol):
    """How a family of text measures knows what chance makes of them, text by text."""

    def ways(self) -> tuple[str, ...]:
        """The ways to expect that it knows."""
        ...

    def usual_samples(self) -> int:
        """How many texts are sampled unless said."""
        ...

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Mean, error and, where asked for, variance; the upper bound is added by the caller."""
        ...

    def tails(
        self,
        evaluation: TextEvaluation,
        measure: Measure,
        text: RandomText,
        observed: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The probability that a random text scores at least what was observed, and its error."""
        ...


Arguments = Callable[["Measure", NDArray[np.float64]], KernelArguments]


@dataclass(frozen=True)
class Definition:
    """A measure of the registry.

    cutoff: "required", "optional", "none", or "recall" where the number after @ is a recall.
    bounds: the smallest and largest value a query can have; None where there is no such bound.
    aggregate: how the values of queries become one number: their mean, sum or geometric mean; the
    ratio of two means; or as the measure inside ("inner").
    better: whether a higher or a lower value is better, or neither.
    without_net: why chance cannot be subtracted from this measure; empty where it can.
    arguments: for measures with a kernel in the core, what to hand it.
    parts: for measures that give several values, what they are called; the first is meant unless
    another is named, as in ROUGE-2.r.
    needs: what the data must hold: grades, subtopics or preferences; texts, references, source, base or scus.
    settle: what parameters mean together: takes those given and returns those to keep.
    derive: for measures made of other measures or of texts, how; takes the evaluation and the
    measure.
    across: for measures that compare systems; takes systems × items of the measure inside.
    function: for measures that a user wrote in Python; takes the grades in rank order.
    chance: for families whose chance the ranking kernels do not know, who does.
    text_chance: the same for measures of texts.
    """

    name: str
    title: str
    formula: str
    citation: str
    parameters: tuple[Parameter, ...] = ()
    cutoff: Literal["required", "optional", "none", "recall"] = "none"
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    aggregate: Literal["mean", "sum", "geometric", "ratio", "inner"] = "mean"
    better: Literal["higher", "lower", "neither"] = "higher"
    without_net: str = ""
    family: str = "ranking"
    needs: str = "grades"
    expected: str = ""
    upper: str = ""
    aliases: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    wraps: bool = False
    settle: Callable[[str, dict[str, Value]], dict[str, Value]] | None = None
    arguments: Arguments | None = None
    derive: Callable[..., Any] | None = None
    across: Callable[..., Any] | None = None
    function: Callable[[list[float | None]], float] | None = None
    notes: str = ""
    chance: ChanceOf | None = None
    text_chance: TextChanceOf | None = None

    def parameter(self, name: str) -> Parameter:
        """A parameter by its name, or an error that names those there are."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = [p.name for p in self.parameters]
        takes = f"It takes: {', '.join(known)}." if known else "It takes none."
        raise MeasureError(f"{self.name} has no parameter {name!r}. {takes}{nearest(name, known)}")


_REGISTRY: dict[str, Definition] = {}
_ALIASES: dict[str, str] = {}
_GROUPS: dict[str, tuple[str, ...]] = {}


def register(*entries: Definition) -> None:
    """Adds definitions to the registry; a name can be taken only once."""
    for entry in entries:
        for name in (entry.name, *entry.aliases):
            if (find(name) or entry) is not entry:
                raise MeasureError(f"a measure named {name!r} exists already.")
        _REGISTRY[entry.name] = entry
        for alias in entry.aliases:
            _ALIASES[alias] = entry.name


def definitions() -> list[Definition]:
    """All definitions, in the order they were registered."""
    return list(_REGISTRY.values())


def find(name: str) -> Definition | None:
    """The definition of a name or alias, or None."""
    return _REGISTRY.get(_ALIASES.get(name, name))


def register_group(name: str, measures: Sequence[str]) -> None:
    """A name for several measures that are asked for together."""
    _GROUPS[name] = tuple(measures)


def groups() -> dict[str, tuple[str, ...]]:
    """The groups: texts of measures by the group's name."""
    return dict(_GROUPS)


def known_names() -> list[str]:
    """Every name and alias, for suggestions."""
    return [*_REGISTRY, *_ALIASES, *_GROUPS]
