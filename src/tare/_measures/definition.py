"""Definitions: a measure described as data, from which grammar, docs and tests are derived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare._measures.moments import RankingChance, TextChance
from tare._measures.parameter import Parameter, Value
from tare.errors import MeasureError, nearest

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.summed_statistics import SummedRule

__all__ = ["Aggregate", "Arguments", "Better", "Definition", "KernelArguments"]

Aggregate = Literal["mean", "sum", "geometric", "ratio", "statistics"]
Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class KernelArguments:
    """Arguments of the kernel of a measure, for the grades of given qrels."""

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
    derive: Callable[..., Any] | None = None
    across: Callable[..., Any] | None = None
    function: Callable[[list[float | None]], float] | None = None
    notes: str = ""
    chance: RankingChance | None = None
    text_chance: TextChance | None = None
    summed: SummedRule | None = None
    all_texts: bool = False

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by name, in any case; the error for an unknown name lists them all."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        alike = [p for p in self.parameters if p.name.casefold() == name.casefold()]
        if len(alike) == 1:
            return alike[0]
        known = [p.name for p in self.parameters]
        takes = f"It takes: {', '.join(known)}." if known else "It takes none."
        raise MeasureError(f"{self.name} has no parameter {name!r}. {takes}{nearest(name, known)}")
