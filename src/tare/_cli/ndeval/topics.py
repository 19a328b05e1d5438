"""Topics of a run and of the judgements: which ones correspond, and which have no counterpart.

ndeval identifies topics by number. In a run, a prefix that ends in a hyphen may precede it: wt09-51 is
topic 51. Names that also occur in the judgements are not changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from tare._cli.output import say
from tare._data import Judged
from tare._data.runs import Run, read_run
from tare._files.opening import name_of
from tare._plain_text import plain
from tare.errors import FormatError, MismatchError

__all__ = ["number_of", "rename_topics", "warn"]

MAX_NAMED = 5


def number_of(topic: str) -> int | None:
    """Return the number of a topic of the judgements; None if it is not a number.

    >>> number_of("051"), number_of("q51")
    (51, None)
    """
    return int(topic) if topic.isascii() and topic.isdecimal() else None


def _run_number(topic: str) -> int | None:
    """Return the number of a topic of a run: the whole name, or what follows the first hyphen."""
    if topic[:1].isdecimal():
        return number_of(topic)
    _, hyphen, rest = topic.partition("-")
    return number_of(rest) if hyphen else None


def rename_topics(run: Run, topics: Sequence[str], path: str) -> Run:
    """Return the run with the topic names of the judgements."""
    numbers = {number_of(topic): topic for topic in topics}
    numbers.pop(None, None)
    known = set(topics)
    names = {}
    for topic in run.queries:
        number = None if topic in known else _run_number(topic)
        names[topic] = (
            topic if number is None else numbers.get(number, str(number) if numbers else topic)
        )
    if all(old == new for old, new in names.items()):
        return run
    joined: dict[str, dict[str, float]] = {}
    first: dict[str, str] = {}
    for topic, documents in run.by_query():
        ranking = joined.setdefault(names[topic], {})
        for document, score in documents:
            if document in ranking:
                raise FormatError(
                    f"{path}: topics {first[names[topic]]!r} and {topic!r} are both topic "
                    f"{names[topic]}, and document {document!r} is in both. Prefixes before a "
                    "hyphen are ignored, as in ndeval; remove one of the two."
                )
            ranking[document] = score
        first.setdefault(names[topic], topic)
    return read_run(joined, system=run.system)


def warn(judged: Judged, qrels: str, path: str, *, complete: bool) -> None:
    """Report topics without a counterpart on stderr; raise if there is no common topic for a mean."""
    qrels, path = name_of(qrels), name_of(path)
    absent = [item for item, here in zip(judged.items, judged.present, strict=True) if not here]
    if len(absent) == len(judged.items) and not complete:
        raise MismatchError(
            f"no topic of {path} ({_named(judged.unknown)}) has judgements in {qrels} "
            f"({_named(judged.items)}). Are these the right files? -c counts all topics of the "
            "judgements as 0."
        )
    present = len(judged.items) - len(absent)
    if judged.unknown:
        say(
            plain(
                f"tare ndeval: {len(judged.unknown):,} of {present + len(judged.unknown):,} topics of "
                f"{path} have no judgements ({_named(judged.unknown)}); their values are 0."
            )
        )
    if absent and not complete:
        say(
            plain(
                f"tare ndeval: {len(absent):,} of {len(judged.items):,} topics of {qrels} are not in "
                f"{path} ({_named(absent)}) and are not in the mean; -c counts them as 0."
            )
        )


def _named(topics: Sequence[str]) -> str:
    shown = ", ".join(topics[:MAX_NAMED])
    return f"{shown}, …" if len(topics) > MAX_NAMED else shown
