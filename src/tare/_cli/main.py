"""The command `tare`: verbs are loaded when they are called, and no traceback reaches the user.

Scripts call the drop-in replacements in loops. They parse their arguments themselves, and cyclopts is
not loaded for them.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tare._cli import output
from tare._files.addresses import QUERY, exists, is_like_address, refuse_query
from tare._files.writing import keeping_inputs
from tare._plain_text import plain
from tare._signature import tare_version
from tare.errors import FormatError, OptionError, TareError, UsageError, nearest

if TYPE_CHECKING:
    from inspect import Signature

    from cyclopts import App

__all__ = ["application", "check_verb", "main", "refuse_queries", "spread", "without_queries"]


# The words of a call before they are parsed: the verb, and lists of measures.
#
# A list of measures must not take the files that follow it: `tare score -m nDCG@10 AP qrels.txt bm25.run`.
# cyclopts cannot tell them apart, so each measure gets an option of its own.


LISTS = ("-m", "--measures", "--measure", "--feature", "-b", "--baseline")

MARGIN = re.compile(r":[0-9.]+(?:e-?[0-9]+)?$")  # of a measure of a gate: nDCG@10:0.02

# What people look for, by the names of other programs.
OTHER_VERBS = {"evaluate": "score", "eval": "score", "significance": "compare", "summary": "text"}


def check_verb(argv: Sequence[str], verbs: Sequence[str]) -> None:
    """Check that the first word of the command line is a verb; otherwise the message suggests the verb that was meant."""
    if not argv or argv[0].startswith("-") or argv[0] in verbs:
        return
    meant = OTHER_VERBS.get(argv[0].lower())
    hint = f" Did you mean 'tare {meant}'?" if meant else nearest(argv[0], verbs)
    raise OptionError(f"there is no verb {argv[0]!r}.{hint} `tare --help` lists all verbs.")


def spread(argv: Sequence[str]) -> list[str]:
    """Return the words of a command line with one option for each measure, feature and baseline.

    >>> spread(["score", "-m", "nDCG@10", "AP", "no-such-qrels.txt", "no-such.run"])
    ['score', '-m', 'nDCG@10', '-m', 'AP', 'no-such-qrels.txt', 'no-such.run']
    """
    made: list[str] = []
    option = ""  # whose list may go on
    value_follows = False
    for place, word in enumerate(argv):
        name, equals, _ = word.partition("=")
        if word == "--":
            return [*made, *argv[place:]]
        if name in LISTS:
            option, value_follows = name, not equals
        elif value_follows:
            value_follows = False
        elif option and _goes_on(word):
            made.append(option)
        else:
            option = ""
        made.append(word)
    return made


def _goes_on(word: str) -> bool:
    """Return whether a word of the command line belongs to the list before it, and is neither an option nor a file."""
    if word.startswith("-") or _exists(word):
        return False
    word = MARGIN.sub("", word)
    looks_like_file = "/" in word or "*" in word or bool(Path(word).suffix)
    return not looks_like_file or _are_measures(word)


def _exists(word: str) -> bool:
    try:
        return exists(word)
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False


def _are_measures(text: str) -> bool:
    from tare._measures.names import is_measure, split_names

    return all(map(is_measure, split_names(text)))


# Addresses among the words of a call: what may give access to an object is not printed.


def refuse_queries(argv: Sequence[str]) -> None:
    """Raise if the address of a bucket contains a query, before any word of the call is printed."""
    for word in _words(argv):
        refuse_query(word)


def without_queries(text: str, argv: Sequence[str]) -> str:
    """Return a message without the queries of the addresses of a call, which may be signatures.

    >>> without_queries("http://host/a?sig=0f3a: no such file", ["score", "http://host/a?sig=0f3a"])
    'http://host/a: no such file'
    """
    for word in filter(is_like_address, _words(argv)):
        if (found := QUERY.search(word)) and len(query := word[found.start() :]) > 1:
            text = text.replace(query, "")
    return text


def _words(argv: Sequence[str]) -> set[str]:
    """Return the words of a command line, and the values of options that are written with =."""
    return {word for given in argv for word in (given, given.partition("=")[2])}


# verb: (where it is defined, one line of help)
VERBS = {
    "score": ("tare._cli.score:score", "Score runs against judgements."),
    "text": ("tare._cli.text:text", "Score summaries and other generated texts."),
    "answers": ("tare._cli.answers:answers", "Score answers by nuggets, citations and refusals."),
    "floor": ("tare._cli.floor:floor", "Show what a random ranker scores on a collection."),
    "compare": (
        "tare._cli.compare:compare",
        "Compare systems: differences, intervals and p-values.",
    ),
    "estimate": (
        "tare._cli.estimate:estimate",
        "Estimate true values from human labels of a sample and a model's labels of everything.",
    ),
    "gate": ("tare._cli.gate:gate", "Stop a build that is shown to lose search quality."),
    "leaderboard": (
        "tare._cli.leaderboard:leaderboard",
        "Rank many systems on many data sets, with rank intervals.",
    ),
    "arena": (
        "tare._cli.arena:arena",
        "Rate systems from battles, with rank intervals.",
    ),
    "part": (
        "tare._cli.part_and_join:part",
        "Judge one part of runs, as one process of a batch job.",
    ),
    "join": (
        "tare._cli.part_and_join:join",
        "Join the parts of a batch job, and print the scores.",
    ),
    "agree": ("tare._cli.agree:agree", "Measure the agreement of assessors."),
    "power": (
        "tare._cli.power:power",
        "Estimate the power and the size of significance tests.",
    ),
    "design": ("tare._cli.design:app", "Compute how many items an evaluation needs."),
    "check": ("tare._cli.check:check", "Check qrels and runs for errors and for findings."),
    "learn": ("tare._cli.learn:learn", "Learn a measure from human judgements."),
    "rank": ("tare._cli.rank:rank", "Train a ranker on LETOR data and rank with it."),
    "study": ("tare._cli.study:app", "Run a study."),
    "judge": ("tare._cli.judge:app", "Collect human judgements on your own web server."),
    "report": ("tare._cli.report:report", "Write a report: one HTML page with charts."),
    "view": ("tare._cli.view:view", "Explore rankings query by query on a local page."),
    "list": ("tare._cli.list:app", "List measures and formats."),
    "cite": ("tare._cli.cite:cite", "Show how to cite a measure."),
    "demo": ("tare._cli.demo:demo", "Show what tare does, on simulated data."),
    "trec_eval": (
        "tare._cli.dropin.trec_eval:main",
        "Drop-in replacement for trec_eval, with the same output.",
    ),
    "ndeval": (
        "tare._cli.dropin.ndeval:main",
        "Drop-in replacement for ndeval: novelty and diversity.",
    ),
    "rouge": (
        "tare._cli.dropin.rouge:main",
        "Drop-in replacement for ROUGE-1.5.5, with the same output.",
    ),
}

HELP = "Evaluation of rankings and of generated text, net of chance."
EPILOGUE = "Start with `tare demo`. `tare VERB --help` describes each verb."

DROP_INS = ("trec_eval", "ndeval", "rouge")
INTERRUPTED = 130
UNEXPECTED = 70
UNWRITABLE = 3


def application(called: str | None = None) -> App:
    """Return the application `tare` with all verbs, none imported yet; the called verb shows its full help."""
    from cyclopts import App

    app = App(
        name="tare",
        help=HELP,
        help_epilogue=EPILOGUE,
        version=tare_version,
        help_format="markdown",
        exit_on_error=False,
    )
    for verb, (where, help_) in VERBS.items():
        app.command(where, name=verb, help=None if verb == called else help_)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command `tare` and return its exit code: 0 success, 1 findings or a gate, 2 usage, 3 data, 4 not certified."""
    try:
        return _guarded(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:  # also while modules are loaded, but not before this one is
        output.say("tare: interrupted.")
        return INTERRUPTED


def _guarded(argv: list[str]) -> int:
    """Run a call of `tare`, and turn every error into a message and an exit code."""

    def say(text: str) -> None:
        if any("://" in word for word in argv):
            text = without_queries(text, argv)
        output.say(text)

    try:
        output.prepare()
        with keeping_inputs():
            return _run(argv)
    except TareError as error:
        say(f"tare: {error}")
        return error.exit_code
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # readers raise their own errors; this one is about an output
        where = f"{plain(str(error.filename))} cannot be written: " if error.filename else ""
        say(f"tare: {where}{error.strerror or error}.")
        return UNWRITABLE
    except MemoryError:
        say("tare: not enough memory for these data.")
        return UNEXPECTED
    except Exception as error:
        if os.environ.get("TARE_DEBUG"):
            raise
        say(
            f"tare: unexpected error, {type(error).__name__}: {error}\n"
            "This is a bug in tare; please report it. Set TARE_DEBUG=1 to see the traceback."
        )
        return UNEXPECTED


def _run(argv: list[str]) -> int:
    verb = argv[0] if argv else ""
    if argv == ["--version"]:
        print(tare_version(), flush=True)
        return 0
    if any("://" in word for word in argv):
        refuse_queries(argv)
    if os.environ.get("TARE_THREADS"):
        from tare._kernels.threads_and_blocks import default_threads  # raises on an invalid number

        for variable in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ.setdefault(variable, str(default_threads()))
    if verb in (*DROP_INS, "score"):
        # These verbs need no linear algebra, and its idle threads would occupy a core.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if verb in DROP_INS:
        module, _, name = VERBS[verb][0].partition(":")
        code: int = getattr(import_module(module), name)(argv[1:])
        return code
    return _parsed(argv)


def _parsed(argv: list[str]) -> int:
    """Parse the command line that calls a verb, check its files and run it."""
    from cyclopts import CycloptsError

    check_verb(argv, list(VERBS))
    app = application(argv[0] if argv else None)
    try:
        command, given, _ = app.parse_args(spread(argv), print_error=False)
    except CycloptsError as error:  # it would print the user's input with its control characters
        raise UsageError(_usage_problem(str(error), argv[0])) from None
    if argv and not argv[0].startswith("-"):  # `tare --help` loads nothing that verbs need
        from tare._cli.files import check_files

        check_files(given)
    try:
        result = command(*given.args, **given.kwargs)
    except FormatError as error:
        from tare._data.recognised_files import MisplacedError

        if isinstance(error, MisplacedError):
            verbs, *_ = app.parse_commands(spread(argv))
            raise FormatError(f"{error} {_usage(verbs, given.signature)}") from None
        raise
    sys.stdout.flush()
    return result if isinstance(result, int) and not isinstance(result, bool) else 0


def _usage(verbs: Sequence[str], signature: Signature) -> str:
    """Return the files that a verb takes, in their order."""
    files = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            files.append(f"{name.removesuffix('s').upper()}…")
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            files.append(name.upper())
    return f"Usage: {' '.join(['tare', *verbs, *files])}"


def _usage_problem(found: str, verb: str) -> str:
    """Return what is wrong with the usage of a verb; a hyphen is standard input, which not every verb reads."""
    if not found.startswith("Unknown option: -."):
        return found
    why = ", which cannot be divided into parts" if verb == "part" else ""
    return f"tare {verb} cannot read standard input (-){why}. Name a file."


if __name__ == "__main__":
    sys.exit(main())
