"""Measures as values: the text of a measure is its repr, dictionary key and column name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from tare._measures.definition import LARGEST, Aggregate, Better, Definition, Value, number_text
from tare._measures.registry import find, known_names
from tare.errors import MeasureError, nearest

__all__ = ["Measure", "make", "unregistered"]

GIVEN = "given"  # the family of columns with a free name
_PLAIN = re.compile(r"[^,()={}@'\"\s]+|corpus=(\d+|inf)")  # values that need no quotes


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with its parameters and cutoff.

    Measures are created by `tare.parse`, which checks names and values. Only parameters that differ
    from their default are kept, so that equal measures have equal texts. A measure equals its text
    and has the same hash, so both find the same entry of a dictionary.

    Attributes
    ----------
    definition
        The definition: formula, bounds, expected value, citation; its name is the measure's.
    parameters
        Pairs of name and value, in the order of the definition.
    cutoff
        The number after ``@``, or None.
    inner
        The measure in brackets, such as nDCG@10 in Net(nDCG@10), or None.
    part
        The part of a measure with several values, such as ``"r"`` in ROUGE-2.r; empty for the
        default part.

    Examples
    --------
    >>> import tare
    >>> measure = tare.parse("Net(nDCG(gain=exp2)@10)")
    >>> measure.inner, measure.inner.cutoff, measure.inner["gain"]
    (nDCG(gain=exp2)@10, 10, 'exp2')
    >>> tare.parse("AP") @ 5
    AP@5
    """

    definition: Definition
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | float | None = None
    inner: Measure | None = None
    part: str = ""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "definition": self.name}  # functions cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        name = state["definition"]
        self.__dict__.update(state, definition=find(name) or unregistered(name))

    @property
    def name(self) -> str:
        """The canonical name, such as ``"nDCG"``."""
        return self.definition.name

    @property
    def registered(self) -> bool:
        """Whether the registry has the definition; False for columns with a free name."""
        return self.definition.family != GIVEN

    def __getitem__(self, parameter: str) -> Any:
        """Return the value of a parameter, or its default."""
        for name, value in self.parameters:
            if name == parameter:
                return value
        return self.definition.parameter(parameter).default

    def __matmul__(self, cutoff: int | float) -> Measure:
        """Return the same measure at another cutoff: `AP @ 10`."""
        return make(self.full_name, dict(self.parameters), cutoff=cutoff, inner=self.inner)

    @property
    def innermost(self) -> Measure:
        """The measure inside all brackets."""
        return self if self.inner is None else self.inner.innermost

    @property
    def aggregate(self) -> Aggregate:
        """How the values of the items are combined into one number."""
        how = self.definition.aggregate
        if how == "inner":
            inner = "mean" if self.inner is None else self.inner.aggregate
            return "mean" if inner == "statistics" else inner
        if how in ("ratio", "statistics") and self["mean"] == "items":
            return "mean"
        return how

    @property
    def better(self) -> Better:
        """Whether higher or lower values are better, or neither."""
        return self.definition.better

    @property
    def full_name(self) -> str:
        """The name, followed by the part unless it is the default."""
        return f"{self.name}.{self.part}" if self.part else self.name

    @cached_property
    def text(self) -> str:
        """The measure as it is written: `P(rel=2)@5`."""
        inside = [str(self.inner)] if self.inner is not None else []
        inside += [f"{name}={_text(value)}" for name, value in self.parameters]
        brackets = f"({','.join(inside)})" if inside else ""
        cutoff = "" if self.cutoff is None else f"@{_text(self.cutoff)}"
        return f"{self.full_name}{brackets}{cutoff}"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Measure):
            return self is other or self.text == other.text
        return self.text == other if isinstance(other, str) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)  # a string keeps its hash


def make(
    name: str,
    parameters: dict[str, Any] | None = None,
    *,
    cutoff: int | float | None = None,
    inner: Measure | None = None,
) -> Measure:
    """Create a measure from its name and parameters; unknown names and parameters and invalid values raise an error.

    >>> make("nDCG", {"gain": "exp2"}, cutoff=10)
    nDCG(gain=exp2)@10
    """
    definition = find(name)
    part = ""
    if definition is None and "." in name:
        whole, _, part = name.rpartition(".")
        definition = find(whole)
    if definition is None:
        raise MeasureError(_unknown(name))
    given = {}
    for key, value in (parameters or {}).items():
        parameter = definition.parameter(key)
        if parameter.name in given:
            raise MeasureError(f"{definition.name}: {parameter.name} is given twice.")
        given[parameter.name] = parameter.read(value, definition.name)
    if definition.settle is not None:
        given = definition.settle(definition.name, given)
    kept = tuple(
        (p.name, given[p.name])
        for p in definition.parameters
        if p.name in given and given[p.name] != p.default
    )
    if definition.wraps and inner is None:
        raise MeasureError(
            f"{definition.name} needs a measure in brackets: write {definition.name}(nDCG@10)."
        )
    if inner is not None and not definition.wraps:
        raise MeasureError(f"{definition.name} takes no measure in brackets, found {inner}.")
    return Measure(definition, kept, _cutoff(definition, cutoff), inner, _part(definition, part))


@lru_cache(maxsize=256)
def unregistered(name: str) -> Definition:
    """Return the minimal definition of a column of a score table that is not a registered measure.

    Its items are averaged by their mean, and higher is better.
    """
    return Definition(name, name, "", "", bounds=(None, None), family=GIVEN, needs="values")


def _part(definition: Definition, part: str) -> str:
    """Return the named part of a measure, such as recall, or an empty string for the default part."""
    if part and part not in definition.parts:
        has = ", ".join(f".{p}" for p in definition.parts)
        raise MeasureError(
            f"{definition.name} has no part .{part}; it has {has or 'only one value'}."
        )
    return part if part and part != definition.parts[0] else ""


def _cutoff(definition: Definition, cutoff: int | float | None) -> int | float | None:
    name = definition.name
    if cutoff is None:
        if definition.cutoff == "required":
            raise MeasureError(f"{name} needs a cutoff: write {name}@10.")
        if definition.cutoff == "recall":
            raise MeasureError(f"{name} needs a recall level: write {name}@0.1.")
        return None
    if definition.cutoff == "none":
        inside = "give it to the inner measure" if definition.wraps else f"write {name}"
        raise MeasureError(f"{name} takes no cutoff, found @{_text(cutoff)}; {inside}.")
    if definition.cutoff == "recall":
        if not 0 <= cutoff <= 1:
            raise MeasureError(f"{name}@{_text(cutoff)}: a recall level is between 0 and 1.")
        return float(cutoff)
    if not 1 <= cutoff <= LARGEST or cutoff != int(cutoff):
        raise MeasureError(
            f"{name}@{_text(cutoff)}: a cutoff is a whole number of documents, 1 or more."
        )
    return int(cutoff)


def _unknown(name: str) -> str:
    return (
        f"{name!r} is not a measure.{nearest(name, known_names())} "
        "`tare list measures` shows all of them."
    )


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, tuple):
        return "{" + ",".join(f"{_text(k)}:{_text(v)}" for k, v in value) + "}"
    return value if _PLAIN.fullmatch(value) else f"'{value}'"
