"""Parameters of measures: their types, accepted values and canonical form."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tare._data.pools import ACCEPTED, Pool
from tare.errors import MeasureError, OptionError

__all__ = ["LARGEST", "Kind", "Parameter", "Value", "number_text"]

Value = bool | int | float | str | tuple[tuple[float, float], ...]
LARGEST = 10**15  # the largest whole number; the core also holds it exactly as a double
Kind = Literal["number", "integer", "choice", "flag", "gains", "numbers", "pool", "length", "word"]


def number_text(number: float) -> str:
    """Return the canonical text of a number: whole numbers have no decimal point."""
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
        """Check a value and return it in its canonical form."""
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
