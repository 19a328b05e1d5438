"""Command-line options of `tare rouge`, parsed as ROUGE-1.5.5 does, the measures that they ask for, and the help."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from tare.errors import OptionError

__all__ = [
    "MODES",
    "USAGE_TEXT",
    "Options",
    "Wanted",
    "help_text",
    "parse_options",
    "wanted_measures",
]


# The help of `tare rouge`; -h is short, -H is complete.


USAGE_TEXT = """\
Usage: tare rouge [options] SETTINGS [SYSTEM]
   -a all systems   -n N n-grams up to N   -x no ROUGE-L   -w W ROUGE-W   -2 D ROUGE-S   -u, -U ROUGE-SU
   -m stem   -s remove stop words   -l N or -b N words or bytes   -f A|B   -p ALPHA   -t 0|1|2   -c PERCENT
   -r N resamples   -d each evaluation   -z FORMAT list of files   -e FOLDER   -h   -H: full help
"""

_DETAILS = """
Evaluates summaries against models and prints what ROUGE-1.5.5 prints.

SETTINGS  ROUGE's XML file (EVAL, PEER-ROOT, MODEL-ROOT, INPUT-FORMAT, PEERS, MODELS), or with -z a
          list of files, one evaluation per line: the peer, then its models
SYSTEM    the ID of the peer to evaluate; with -a all are evaluated, with -z it is X by default

Measures
   -n N         ROUGE-1 to ROUGE-N
   -x           do not compute ROUGE-L, which is computed by default
   -w WEIGHT    ROUGE-W: L consecutive matches count L^WEIGHT
   -2 D         ROUGE-S: skip-bigrams with up to D words between them; any number if D is negative
   -u           ROUGE-SU in place of ROUGE-S (with -2)
   -U           ROUGE-S and ROUGE-SU (with -2)
   -3 MODE      ROUGE-BE: H, HM, HMR, HM1, HMR1 or HMR2; files are head|modifier|relation per line

Texts
   -m           stem (Porter, after WordNet's irregular forms)
   -s           remove stop words
   -l N, -b N   use the first N words or bytes of peers and models
   -z FORMAT    SETTINGS is a list of files in this format: SPL (one sentence per line), SEE, ISI or
                SIMPLE (basic elements)
   -e FOLDER    folder with smart_common_words.txt and WordNet-2.0-Exceptions (default: ROUGE_EVAL_HOME)

Scores
   -f A|B       several models: A sums over all of them (default), B takes the best
   -p ALPHA     0 to 1: weight of precision in F (0.5)
   -t 0|1|2     average over evaluations (0), over all tokens (1), or print counts (2)
   -c PERCENT   confidence of the intervals (95)
   -r N         resamples (1000)
   -d           print the scores of each evaluation
   -h, -H       this text, in short and in full

Examples:
   tare rouge -n 2 -2 4 -u -a settings.xml
   tare rouge -n 2 -x -c 99 -d -z SPL files.lst
"""


def help_text(name: str) -> str:
    """Return the text for -h or -H."""
    return USAGE_TEXT + (_DETAILS if name == "H" else "")


# Command-line options, parsed as ROUGE-1.5.5 does.


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
    """Parse the command line of `tare rouge`; options precede the files, and those without a value can be combined."""
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
    """Return ROUGE's options with values, files, and unknown options, as Perl's Getopt::Std does."""
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
    """Return ROUGE's option -t: 1 to average by token, 2 for counts, 0 to average by evaluation, as in ROUGE-1.5.5."""
    text = given.get("t", "0")
    return int(_number("t", text, -1e9, 1e9)) if text in ("1", "2") else 0


# The measures that the options ask for, in the order in which ROUGE-1.5.5 prints them.


@dataclass(frozen=True)
class Wanted:
    """A measure that ROUGE's options ask for: its printed name, and what the core counts for it (None for basic elements)."""

    tag: str
    counting: tuple[str, int, float] | None
    root: float | None = None
    rounded: bool = True  # whether the best model is chosen by recall rounded to five decimals


def wanted_measures(options: Options) -> list[Wanted]:
    """Return all measures of a call."""
    found = [Wanted(f"ROUGE-{n}", ("ngrams", n, 1.0)) for n in range(1, options.longest + 1)]
    if options.lcs:
        found.append(Wanted("ROUGE-L", ("union_lcs", 1, 1.0), rounded=False))
    if options.weight is not None:
        weight = float(options.weight)
        counting = ("weighted_union", 1, weight)
        found.append(Wanted(f"ROUGE-W-{options.weight}", counting, 1 / weight, rounded=False))
    if options.gap is not None:
        found += _skips(options, options.gap)
    if options.elements is not None:
        found.append(Wanted(f"ROUGE-BE-{options.elements}", None))
    return found


def _skips(options: Options, text: str) -> list[Wanted]:
    gap = max(int(text), -1)
    printed = text if gap >= 0 else "*"
    plain = Wanted(f"ROUGE-S{printed}", ("skip_bigrams", gap, 1.0))
    unigrams = Wanted(f"ROUGE-SU{printed}", ("skip_but_last", gap, 1.0))
    if options.both:
        return [plain, unigrams]
    return [unigrams] if options.unigrams else [plain]
