"""The words of a call, before a verb reads them: measures in lists, and earlier names of options.

A list of measures must not take the files that follow it: `tare score -m nDCG@10 qrels.txt bm25.run`.
So each measure gets a separate option, and all other words are left as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tare._places import exists
from tare.errors import OptionError, nearest

__all__ = ["check_verb", "prepared"]

MEASURES = ("-m", "--measures", "--measure")
BASELINES = ("-b", "--baseline")
OWN_PARSERS = ("trec_eval", "ndeval", "rouge")  # parse their words as the originals do
BASELINE_VERBS = ("compare", "report")  # take several baselines
RUN_VERBS = ("score", "text", "floor", "rank")  # verbs whose measures are never free column names

# What people look for, by the names of other programs.
OTHER_VERBS = {"evaluate": "score", "eval": "score", "significance": "compare", "summary": "text"}

# Earlier names of options, by verb.
EARLIER = {
    "demo": {"--folder": "--output"},
    "judge": {"--to": "--output"},
    "study": {"--folder": "--output"},
    "learn": {"--rows": "--save"},
}


def check_verb(argv: Sequence[str], verbs: Sequence[str]) -> None:
    """Raise if the first word is not a verb; the message suggests the verb that was meant."""
    if not argv or argv[0].startswith("-") or argv[0] in verbs:
        return
    meant = OTHER_VERBS.get(argv[0].lower())
    hint = f" Did you mean 'tare {meant}'?" if meant else nearest(argv[0], verbs)
    raise OptionError(f"there is no verb {argv[0]!r}.{hint} `tare --help` lists all verbs.")


def prepared(argv: Sequence[str]) -> list[str]:
    """Return the words with one option per measure and baseline, and with current option names.

    >>> prepared(["score", "-m", "nDCG@10,AP", "no-such-qrels.txt", "no-such.run"])
    ['score', '-m', 'nDCG@10', '-m', 'AP', 'no-such-qrels.txt', 'no-such.run']
    """
    if not argv or argv[0] in OWN_PARSERS:
        return list(argv)
    verb = argv[0]
    earlier = EARLIER.get(verb, {})
    measures = (*MEASURES, "--feature") if verb == "learn" else MEASURES
    made = [verb]
    rest = list(argv[1:])
    files = 0  # words that are not options and not their values; a lower bound
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*made, word, *rest]
        name, equals, value = word.partition("=")
        if name in measures and (equals or (rest and not _is_option(rest[0]))):
            values = _measures(value if equals else rest.pop(0))
            while rest and _is_next(rest[0], free=files > 0 and verb not in RUN_VERBS):
                values += _measures(rest.pop(0))
            made += [part for one in values for part in (name, one)]
        elif (
            verb in BASELINE_VERBS
            and name in BASELINES
            and not equals
            and rest
            and not _is_option(rest[0])
        ):
            made += [word, rest.pop(0)]
            while rest and not _is_option(rest[0]) and not _exists(rest[0]):
                made += [word, rest.pop(0)]
        else:
            files += not _is_option(word) and not (made and _is_option(made[-1]))
            made.append(earlier.get(name, name) + equals + value)
    return made


def _measures(text: str) -> list[str]:
    from tare._measures.names import split_names

    return split_names(text)


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _is_next(word: str, *, free: bool) -> bool:
    """Return whether a word that follows a measure is another one, and not a file.

    The columns of a score table have free names. Such a word is taken if files came before the
    measures and the word does not look like a file.
    """
    from tare._measures.names import is_measure

    if _is_option(word) or word == "-" or _exists(word):
        return False
    return all(map(is_measure, _measures(word))) or (free and not _looks_like_file(word))


def _exists(word: str) -> bool:
    try:
        return exists(word)
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False


def _looks_like_file(word: str) -> bool:
    return "/" in word or "*" in word or bool(Path(word).suffix)
