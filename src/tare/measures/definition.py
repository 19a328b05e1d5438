"""Definitions: what a measure is, as data. One entry drives the grammar, the docs and the laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tare.errors import MeasureError, nearest

if TYPE_CHECKING:
    from tare.data.judged import Judged
    from tare.measures.evaluation import Sampling
    from tare.measures.measure import Measure

__all__ = ["ChanceOf", "Definition", "KernelArguments", "Moments", "Parameter", "Value", "definitions", "find", "register"]  # fmt: skip

Value = bool | int | float | str | tuple[tuple[float, float], ...]
Kind = Literal["number", "integer", "choice", "flag", "gains", "numbers", "pool"]


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
                raise self._wrong(value, measure, "true or false")
            case "gains":
                return self._read_gains(value, measure)
            case "numbers":
                return self._read_numbers(value, measure)
            case "pool":
                return self._read_pool(value, measure)
        return self._read_number(value, measure)

    def _read_number(self, value: Any, measure: str) -> int | float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise self._wrong(value, measure, f"a {self.kind}") from None
        whole = number == int(number) if np.isfinite(number) else False
        if isinstance(value, bool) or not np.isfinite(number):
            raise self._wrong(value, measure, f"a {self.kind}")
        if self.kind == "integer" and not whole:
            raise self._wrong(value, measure, "a whole number")
        if not self._within(number):
            raise self._wrong(value, measure, self._range())
        return int(number) if whole else number

    def _read_gains(self, value: Any, measure: str) -> Value:
        pairs = value.items() if isinstance(value, dict) else value
        try:
            return tuple(sorted((float(level), float(gain)) for level, gain in pairs))
        except (TypeError, ValueError):
            example = "gains such as {1:3,2:9}"
            raise self._wrong(value, measure, example) from None

    def _read_numbers(self, value: Any, measure: str) -> str:
        text = value if isinstance(value, str) else "/".join(f"{number:g}" for number in value)
        try:
            [float(part) for part in text.split("/")]
        except ValueError:
            raise self._wrong(value, measure, "numbers divided by '/'") from None
        return text

    def _read_pool(self, value: Any, measure: str) -> str:
        kind, _, size = str(value).partition("=")
        try:
            documents = int(float(size)) if size else 0
        except ValueError:
            documents = 0
        if kind in ("judged", "retrieved", "union") and not size:
            return kind
        if kind == "corpus" and 1 <= documents <= 10**12:
            return f"corpus={documents}"
        raise self._wrong(value, measure, "judged, retrieved, union or corpus=N")

    def _within(self, number: float) -> bool:
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
        return f"a {self.kind} " + " and ".join(b for b in bounds if b)

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
    ) -> NDArray[np.float64]:
        """The probability that a random order scores at least what was observed."""
        ...


Arguments = Callable[["Measure", NDArray[np.float64]], KernelArguments]


@dataclass(frozen=True)
class Definition:
    """A measure of the registry.

    cutoff: "required", "optional", "none", or "recall" where the number after @ is a recall.
    bounds: the smallest and largest value a query can have; None where there is no such bound.
    aggregate: how the values of queries become one number: their mean, sum or geometric mean.
    arguments: for measures with a kernel in the core, what to hand it.
    derive: for measures made of other measures, how; takes the evaluation and the measure.
    across: for measures that compare systems; takes systems × items of the measure inside.
    function: for measures that a user wrote in Python; takes the grades in rank order.
    needs: the judgements it is made of: grades, subtopics or preferences.
    chance: for families whose chance the ranking kernels do not know, who does.
    """

    name: str
    title: str
    formula: str
    citation: str
    parameters: tuple[Parameter, ...] = ()
    cutoff: Literal["required", "optional", "none", "recall"] = "none"
    bounds: tuple[float | None, float | None] = (0.0, 1.0)
    aggregate: Literal["mean", "sum", "geometric"] = "mean"
    family: str = "ranking"
    needs: str = "grades"
    expected: str = ""
    upper: str = ""
    aliases: tuple[str, ...] = ()
    wraps: bool = False
    arguments: Arguments | None = None
    derive: Callable[..., Any] | None = None
    across: Callable[..., Any] | None = None
    function: Callable[[list[float | None]], float] | None = None
    notes: str = ""
    chance: ChanceOf | None = None

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


def register(*entries: Definition) -> None:
    """Adds definitions to the registry; a name can be taken only once."""
    for entry in entries:
        if _REGISTRY.get(entry.name, entry) is not entry:
            raise MeasureError(f"a measure named {entry.name!r} exists already.")
        _REGISTRY[entry.name] = entry
        for alias in entry.aliases:
            _ALIASES[alias] = entry.name


def definitions() -> list[Definition]:
    """All definitions, in the order they were registered."""
    return list(_REGISTRY.values())


def find(name: str) -> Definition | None:
    """The definition of a name or alias, or None."""
    return _REGISTRY.get(_ALIASES.get(name, name))


def known_names() -> list[str]:
    """Every name and alias, for suggestions."""
    return [*_REGISTRY, *_ALIASES]
