"""Definitions: a measure described as data, with its parameters and its moments under chance."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tare._data.pools import ACCEPTED, Pool
from tare.errors import MeasureError, OptionError, nearest

if TYPE_CHECKING:
    from tare._data.judged import Judged
    from tare._kernels import Rankings
    from tare._measures.aggregation import SummedRule
    from tare._measures.measure import Measure
    from tare._measures.one_system import Sampling
    from tare._measures.text.cells import TextEvaluation

__all__ = [
    "LARGEST",
    "Aggregate",
    "Arguments",
    "Better",
    "Definition",
    "KernelArguments",
    "Kind",
    "Moments",
    "Parameter",
    "RandomText",
    "RankingChance",
    "TextChance",
    "Value",
    "number_text",
]


# Parameters of measures: their types, accepted values and canonical form.


Value = bool | int | float | str | tuple[tuple[float, float], ...]
LARGEST = 10**15  # the largest whole number; the core also holds it exactly as a double
Kind = Literal["number", "integer", "choice", "flag", "gains", "numbers", "pool", "length", "word"]


def number_text(number: float) -> str:
    """Return the canonical text of a number in a measure's name: whole numbers have no decimal point."""
    whole = abs(number) < LARGEST and number == int(number)
    return repr(int(number) if whole else number)


@dataclass(frozen=True)
class Parameter:
    """A named parameter of a measure and the values it accepts."""

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
        """Check a value of a parameter of a measure and return it in its canonical form."""
        match self.kind:
            case "choice":
                alike = [c for c in self.choices if c.casefold() == str(value).casefold()]
                if value not in self.choices and len(alike) == 1:
                    return alike[0]
                if value not in self.choices:
                    raise self._wrong(value, measure, " or ".join(self.choices))
                return str(value)
            case "flag":
                if str(value).lower() in ("true", "false", "1", "0"):
                    return str(value).lower() in ("true", "1")
                if (
                    str(value) in self.choices
                ):  # a flag can have choices in addition to true and false
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
        accepted = f"{self._range()}, or several separated by '/'"
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
            accepted = f"{', '.join(self.choices)} or {self._range()}"
            raise self._wrong(value, measure, accepted) from None

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
        return MeasureError(
            f"{measure}: {self.name}={value!r} is not accepted; expected {accepted}."
        )


# Moments of a measure under chance, and the protocols of the families that provide them.


@dataclass(frozen=True)
class Moments:
    """Moments and bounds of a measure under chance, per query; exact values have error 0."""

    expected: NDArray[np.float64]
    expected_error: NDArray[np.float64]
    upper: NDArray[np.float64]
    variance: NDArray[np.float64] | None = None
    variance_error: NDArray[np.float64] | None = None
    worst: NDArray[np.float64] | None = None
    greedy: bool = False  # `upper` comes from a greedy order, which a better order may exceed


class RankingChance(Protocol):
    """Provider of the moments under chance of a family of ranking measures.

    `tied` holds the judged documents of each query's pool as one tie group; its `retrieved` is the
    size of the pool.
    """

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: Rankings,
        sampling: Sampling,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Return mean and bounds of a ranking measure over all orders of the pools; variance and worst on request."""
        ...

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: Rankings,
        sampling: Sampling,
        observed: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probability that a random order of a pool scores at least `observed`, and its error."""
        ...


@dataclass(frozen=True)
class RandomText:
    """A random text for measures under chance: how its expected score is computed, and its length.

    expected: "exact" (sampled if there is no closed form), "sampled", "published" (one text);
    for measures based on embeddings also "best" and "worst": the tokens most and least similar to
    the source.
    length: that of the "candidate" or the "reference", or a number of words.
    """

    expected: str = "exact"
    length: str | int = "reference"


class TextChance(Protocol):
    """Provider of the moments under chance of a family of text measures."""

    def ways(self) -> tuple[str, ...]:
        """Return the supported values of `RandomText.expected`."""
        ...

    def usual_samples(self) -> int:
        """Return the default number of sampled texts."""
        ...

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return mean and error of a text measure on random texts and, on request, variance; the caller adds the upper bound."""
        ...

    def tails(
        self,
        evaluation: TextEvaluation,
        measure: Measure,
        text: RandomText,
        observed: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probability that a random text scores at least `observed` by a text measure, and its error."""
        ...


# Definitions: a measure described as data, from which grammar, docs and tests are derived.


Aggregate = Literal["mean", "sum", "geometric", "ratio", "statistics"]
Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class KernelArguments:
    """Arguments of the kernel of a ranking measure, for the grades of given qrels."""

    kernel: str
    rel: float = 1.0
    gain: NDArray[np.float64] | None = None
    parameters: tuple[float, ...] = ()
    discount: str = "none"
    discount_parameter: float = 2.0


Arguments = Callable[["Measure", NDArray[np.float64]], KernelArguments]


@dataclass(frozen=True)
class Definition:
    """The definition of a measure.

    cutoff: "required", "optional", "none", or "recall" if the number after @ is a recall level.
    bounds: the smallest and largest value per query; None if unbounded.
    aggregate: how the values of the queries are combined: mean, sum, geometric mean, ratio of two
    means, the value of summed statistics, or the rule of the inner measure ("inner").
    better: whether higher or lower values are better, or neither.
    without_net: the reason why the measure has no net score; empty if it has one.
    arguments: the kernel's arguments, for measures computed by the core.
    parts: names of the parts of a measure with several values; the first is the default, others are
    written as in ROUGE-2.r.
    needs: the data required: grades, subtopics, preferences, groups, texts, references, source, base
    or scus.
    settle: a check of all parameters together; takes the given ones and returns those to keep.
    derive: computes measures made of other measures or of texts from an evaluation and a measure.
    across: computes measures that compare systems from a systems × items array of the inner measure.
    function: a measure written in Python by the user; takes the grades in rank order.
    chance: provider of moments, for families that the ranking kernels do not cover.
    text_chance: provider of moments for text measures.
    summed: how the value of a set is computed from summed statistics.
    all_texts: whether all texts must be in memory at once, because they share a model or annotations.
    """

    name: str
    title: str
    formula: str
    citation: str
    parameters: tuple[Parameter, ...] = ()
    cutoff: Literal["required", "optional", "none", "recall"] = "none"
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    aggregate: Aggregate | Literal["inner"] = "mean"
    better: Better = "higher"
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
    derive: Callable[..., NDArray[np.float64]] | None = None
    across: Callable[..., NDArray[np.float64]] | None = None
    function: Callable[[list[float | None]], float] | None = None
    notes: str = ""
    chance: RankingChance | None = None
    text_chance: TextChance | None = None
    summed: SummedRule | None = None
    all_texts: bool = False

    def parameter(self, name: str) -> Parameter:
        """Return a parameter of a definition by name, in any case; the error for an unknown name lists them all."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        alike = [p for p in self.parameters if p.name.casefold() == name.casefold()]
        if len(alike) == 1:
            return alike[0]
        known = [p.name for p in self.parameters]
        takes = f"It takes: {', '.join(known)}." if known else "It takes none."
        raise MeasureError(f"{self.name} has no parameter {name!r}. {takes}{nearest(name, known)}")
