"""Command-line options, parsed as ndeval does; -cutoffs is an addition."""

from __future__ import annotations

from dataclasses import dataclass

from tare.errors import OptionError

__all__ = ["USAGE_TEXT", "Options", "parse_options"]

USAGE_TEXT = """Usage: tare ndeval [options] QRELS RUN

  -alpha value      loss of a subtopic's value each time it is covered (0.5)
  -beta value       patience, for NRBP (0.5)
  -traditional      order by score, then by document id; otherwise by rank
  -M depth          use only the first documents of each ranking
  -c                average over all topics of the judgements
  -baseline RUN     print differences from this run
  -riskAlpha value  losses against the baseline count 1 + value times (0)
  -cutoffs list     depths (5,10,20); not an option of ndeval
  -version, -help

  Values are written to standard output as CSV.

Examples:
   tare ndeval -c qrels.diversity bm25.run
   tare ndeval -alpha 0.3 -cutoffs 3,20 qrels.diversity bm25.run
"""


@dataclass
class Options:
    """The parsed options."""

    qrels: str = ""
    run: str = ""
    alpha: float = 0.5
    beta: float = 0.5
    traditional: bool = False
    depth: int | None = None
    complete: bool = False
    baseline: str | None = None
    risk: float = 0.0
    risk_text: str = "0"
    cutoffs: tuple[int, ...] = (5, 10, 20)
    help: bool = False
    version: bool = False


def parse_options(arguments: list[str]) -> Options:
    """Parse the command line; options precede the two files, as in ndeval."""
    options = Options()
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        name = rest.pop(0).lstrip("-")
        if name in ("help", "version"):
            setattr(options, name, True)
            return options
        if name == "traditional":
            options.traditional = True
        elif name in ("alpha", "beta"):
            setattr(options, name, _number(name, _value(name, rest), 0, 1))
        elif name == "M":
            options.depth = int(_number(name, _value(name, rest), 1, 2**31))
        elif name == "baseline":
            options.baseline = _value(name, rest)
        elif name == "riskAlpha":
            options.risk_text = _value(name, rest)
            options.risk = _number(name, options.risk_text, 0, float("inf"))
        elif name == "cutoffs":
            parts = _value(name, rest).split(",")
            options.cutoffs = tuple(int(_number(name, part, 1, 2**31)) for part in parts)
        elif name and set(name) <= set("ca"):
            options.complete |= "c" in name
        else:
            raise OptionError(f"ndeval: there is no option '-{name}'.\n{USAGE_TEXT}")
    if len(rest) != 2:
        raise OptionError(f"ndeval: expected QRELS and RUN, found {len(rest)} files.\n{USAGE_TEXT}")
    options.qrels, options.run = rest
    return options


def _value(name: str, rest: list[str]) -> str:
    if not rest:
        raise OptionError(f"ndeval: the option '-{name}' needs a value.\n{USAGE_TEXT}")
    return rest.pop(0)


def _number(name: str, text: str, low: float, high: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise OptionError(f"ndeval: -{name} {text}: expected a number from {low:g} to {high:g}.")
    return number
