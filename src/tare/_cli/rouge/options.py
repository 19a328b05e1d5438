"""Command-line options, parsed as ROUGE-1.5.5 does."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from tare._cli.rouge.help import USAGE_TEXT
from tare.errors import OptionError

__all__ = ["MODES", "Options", "parse_options"]

FLAGS = "ahHdmsuUx"
VALUES = "bceflnprtwz23"
REFUSED = {
    "M": "(stem the models only) is an undocumented option of ROUGE-1.5.5 that is not supported; -m "
    "stems both sides.",
    "v": "(print texts, n-grams and matches) is not supported; -d prints the scores of each "
    "evaluation. Remove -v.",
}
MODES = ("H", "HM", "HMR", "HM1", "HMR1", "HMR2")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Options:
    """The parsed options; printed numbers keep their text."""

    settings: str = ""
    system: str | None = None
    every_system: bool = False
    by_evaluation: bool = False
    longest: int = 0
    lcs: bool = True
    weight: str | None = None
    gap: str | None = None
    unigrams: bool = False
    both: bool = False
    elements: str | None = None
    stem: bool = False
    stop: bool = False
    words: int = 0
    bytes: int = 0
    best: bool = False
    alpha: float = 0.5
    counting: int = 0
    confidence: str = "95"
    samples: int = 1000
    home: str | None = None
    list_format: str | None = None
    help: str | None = None
    unknown: tuple[str, ...] = ()


def parse_options(arguments: list[str]) -> Options:
    """Parse the command line; options precede the files, and those without a value can be combined."""
    given, rest, unknown = _scan(arguments)
    for name in "Hh":
        if name in given:
            return Options(help=name)
    if not rest:
        return Options(help="h")
    if "l" in given and "b" in given:
        raise OptionError("rouge: -l and -b cannot be used together.")
    options = Options(
        settings=rest[0],
        system=_system(given, rest),
        every_system="a" in given and "z" not in given,
        by_evaluation="d" in given,
        longest=_whole(given, "n", 0),
        lcs="x" not in given and "3" not in given,
        weight=_positive(given, "w"),
        gap=_gap(given),
        unigrams="u" in given,
        both="U" in given and "u" not in given,
        elements=_mode(given),
        stem="m" in given,
        stop="s" in given,
        words=_whole(given, "l", 0),
        bytes=_whole(given, "b", 0),
        best=given.get("f") == "B",
        alpha=_number("p", given.get("p", "0.5"), 0, 1),
        counting=_counting(given),
        confidence=given.get("c", "95"),
        samples=_whole(given, "r", 1000, least=1),
        home=given.get("e"),
        list_format=given.get("z"),
        unknown=tuple(unknown),
    )
    _number("c", options.confidence, 0, 100)
    return options


def _scan(arguments: list[str]) -> tuple[dict[str, str], list[str], list[str]]:
    """Return options with values, files, and unknown options, as Perl's Getopt::Std does."""
    given: dict[str, str] = {}
    rest, unknown = list(arguments), []
    while rest and len(rest[0]) > 1 and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        name, glued = word[1], word[2:]
        if name in VALUES:
            if not glued and not rest:
                raise OptionError(f"rouge: -{name} needs a value.\n{USAGE_TEXT}")
            given[name] = glued or rest.pop(0)
            continue
        if name in REFUSED:
            raise OptionError(f"rouge: -{name} {REFUSED[name]}")
        if word == "--help":
            given["H"] = ""
            break
        if name in FLAGS:
            given[name] = ""
        else:
            unknown.append(name)
        if glued:
            rest.insert(0, f"-{glued}")
    return given, rest, unknown


def _system(given: dict[str, str], rest: list[str]) -> str | None:
    if len(rest) > 1 and rest[1].startswith("-"):
        raise OptionError(f"rouge: options must precede SETTINGS; found {rest[1]!r} after it.")
    if len(rest) > 1:
        return os.fsencode(rest[1]).decode("latin-1")  # one character per byte, as in Perl
    if "z" in given:
        return "X"
    if "a" not in given:
        raise OptionError("rouge: name a system after SETTINGS, or evaluate all systems with -a.")
    return None


def _number(name: str, text: str, low: float, high: float) -> float:
    number = float(text) if NUMBER.fullmatch(text) else float("nan")
    if not low <= number <= high:
        raise OptionError(
            f"rouge: -{name} {text}: expected a number from {low:g} to {high:g}, found {text!r}."
        )
    return number


def _whole(given: dict[str, str], name: str, default: int, least: int = 0) -> int:
    text = given.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or int(text) < least:
        raise OptionError(
            f"rouge: -{name} {text}: expected a whole number of {least} or more, found {text!r}."
        )
    return int(text)


def _positive(given: dict[str, str], name: str) -> str | None:
    text = given.get(name)
    if text is not None and not (NUMBER.fullmatch(text) and 0 < float(text) < float("inf")):
        raise OptionError(f"rouge: -{name} {text}: expected a number above 0, found {text!r}.")
    return text


def _gap(given: dict[str, str]) -> str | None:
    text = given.get("2")
    if text is not None and not re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII):
        raise OptionError(
            f"rouge: -2 {text}: expected the largest number of words between the two, or a "
            f"negative number for no limit; found {text!r}."
        )
    return text


def _mode(given: dict[str, str]) -> str | None:
    mode = given.get("3")
    if mode is not None and mode not in MODES:
        raise OptionError(f"rouge: -3 {mode}: expected {', '.join(MODES)}; found {mode!r}.")
    return mode


def _counting(given: dict[str, str]) -> int:
    """Return 1 to average by token, 2 for counts, 0 to average by evaluation, as in ROUGE-1.5.5."""
    text = given.get("t", "0")
    return int(_number("t", text, -1e9, 1e9)) if text in ("1", "2") else 0
