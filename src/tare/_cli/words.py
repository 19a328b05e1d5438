"""The words of a call before they are parsed: the verb, and lists of measures.

A list of measures must not take the files that follow it: `tare score -m nDCG@10 AP qrels.txt bm25.run`.
cyclopts cannot tell them apart, so each measure gets an option of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tare._files.addresses import exists
from tare.errors import OptionError, nearest

__all__ = ["check_verb", "spread"]

LISTS = ("-m", "--measures", "--measure", "--feature", "-b", "--baseline")

MARGIN = re.compile(r":[0-9.]+(?:e-?[0-9]+)?$")  # of a measure of a gate: nDCG@10:0.02

# What people look for, by the names of other programs.
OTHER_VERBS = {"evaluate": "score", "eval": "score", "significance": "compare", "summary": "text"}


def check_verb(argv: Sequence[str], verbs: Sequence[str]) -> None:
    """Raise if the first word is not a verb; the message suggests the verb that was meant."""
    if not argv or argv[0].startswith("-") or argv[0] in verbs:
        return
    meant = OTHER_VERBS.get(argv[0].lower())
    hint = f" Did you mean 'tare {meant}'?" if meant else nearest(argv[0], verbs)
    raise OptionError(f"there is no verb {argv[0]!r}.{hint} `tare --help` lists all verbs.")


def spread(argv: Sequence[str]) -> list[str]:
    """Return the words of a call with one option for each measure, feature and baseline.

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
    """Return whether a word belongs to the list before it, and is neither an option nor a file."""
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
