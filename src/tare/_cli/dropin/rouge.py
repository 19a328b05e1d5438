"""`tare rouge`: a drop-in replacement for ROUGE-1.5.5, with identical output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cmp_to_key
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tare._cli.dropin.rouge_options import (
    Options,
    Wanted,
    help_text,
    parse_options,
    wanted_measures,
)
from tare._cli.dropin.rouge_texts import (
    BLANKS,
    Evaluation,
    Texts,
    count_elements,
    elements_of,
    read_elements,
    read_list,
    read_settings,
)
from tare._cli.output import print_bytes, say
from tare._files.addresses import exists
from tare._kernels import rouge_counts
from tare._measures.text.profiles import FILES, Profile, find_wordnet, profile
from tare._measures.text.rouge import divided, in_five_decimals, padded, totals
from tare._measures.text.rouge_bootstrap import averages, token_averages
from tare._plain_text import plain
from tare.errors import OptionError, TareError, UnreadableError

__all__ = ["main"]

EXCEPTIONS = ("WordNet-2.0-Exceptions", "data/WordNet-2.0-Exceptions", "")
HOMES = ("ROUGE_EVAL_HOME", "RED_EVAL_HOME")


def main(argv: list[str]) -> int:
    """Run `tare rouge` with these arguments and return the exit code."""
    try:
        for line in _answer(argv):
            print_bytes(_perl_bytes(line))
        sys.stdout.flush()
    except TareError as error:
        say(str(error))
        return error.exit_code
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _answer(argv: list[str]) -> Iterator[str]:
    options = parse_options(argv)
    if options.help is not None:
        yield help_text(options.help)
        return
    for name in options.unknown:
        say(f"rouge: unknown option -{plain(name)}, ignored.")
    evaluations = _evaluations(options)
    _check_files(evaluations, options)
    texts, spec = Texts(), wanted_measures(options)
    chosen = _profile(options)
    for peer in _peers(evaluations, options):
        present = [evaluation for evaluation in evaluations if peer in evaluation.peers]
        _say_missing(peer, evaluations)
        scored = _score_peer(peer, present, spec, options, chosen, texts)
        for measure, one in zip(spec, scored, strict=True):
            yield from _result_lines(peer, measure.tag, one, options)


def _evaluations(options: Options) -> list[Evaluation]:
    path = os.fsencode(options.settings)
    if options.list_format is not None:
        return read_list(path, options.system or "X", options.list_format)
    return read_settings(path)


def _peers(evaluations: list[Evaluation], options: Options) -> list[str]:
    if options.every_system or options.system is None:
        return sorted({peer for evaluation in evaluations for peer in evaluation.peers})
    return [options.system]


def _check_files(evaluations: list[Evaluation], options: Options) -> None:
    """Raise before `tare rouge` prints anything if a file of peers or models is missing."""
    peers = set(_peers(evaluations, options))
    for evaluation in evaluations:
        used = [path for peer, path in evaluation.peers.items() if peer in peers]
        for path in (*used, *(evaluation.models if used else ())):
            if not exists(os.fsdecode(path)):
                name = path.decode(errors="replace")
                raise UnreadableError(
                    f"evaluation {evaluation.id}: file {name} not found. Paths are relative to "
                    "the current folder."
                )


def _say_missing(peer: str, evaluations: list[Evaluation]) -> None:
    for evaluation in evaluations:
        if peer not in evaluation.peers:
            say(plain(f"rouge: no summary of peer {peer} in evaluation {evaluation.id}."))


def _profile(options: Options) -> Profile:
    home = options.home or next((os.environ[h] for h in HOMES if os.environ.get(h)), None)
    lists = _exceptions(home) if options.stem else None
    return profile(
        "lin2004",
        stem=options.stem,
        stop=options.stop,
        words=options.words,
        bytes=options.bytes,
        wordnet=lists,
        stopwords=home if options.stop else None,
    )


def _exceptions(home: str | None) -> Path:
    """Return the folder with WordNet's irregular forms, from the ROUGE release or installed separately."""
    for place in EXCEPTIONS if home else ():
        folder = Path(home or "") / place
        if all((folder / name).is_file() for name in FILES):
            return folder
    found = find_wordnet()
    if found is None:
        raise OptionError(
            "rouge: -m needs WordNet's lists of irregular forms, which were not found. Name a "
            "folder with WordNet-2.0-Exceptions (-e), or install Debian's wordnet-base."
        )
    return found


# Counts and scores of one peer, before averaging.


Values = NDArray[np.float64]


@dataclass(frozen=True)
class _Scored:
    """One ROUGE measure of one peer: counts by evaluation; recall, precision and F in five decimals.

    The columns of `counts` are hits, the peer's total and the models' total.
    """

    ids: tuple[str, ...]
    counts: Values
    values: Values


def _score_peer(
    peer: str,
    evaluations: list[Evaluation],
    wanted: list[Wanted],
    options: Options,
    profile: Profile,
    texts: Texts,
) -> list[_Scored]:
    """Return all ROUGE measures of a peer, over the evaluations in which it takes part."""
    ids = tuple(f"{evaluation.id}.{peer}" for evaluation in evaluations)
    sizes = np.array([len(evaluation.models) for evaluation in evaluations], dtype=np.int64)
    counted = _counted(peer, evaluations, wanted, options, profile, texts)
    found = []
    for measure, pairs in zip(wanted, counted, strict=True):
        counts = totals(
            padded(pairs, sizes), best=options.best, root=measure.root, rounded=measure.rounded
        )
        parts = in_five_decimals(divided(counts, options.alpha, measure.root), options.alpha)
        values = np.array([parts.recall, parts.precision, parts.f])
        found.append(_Scored(ids, counts, values))
    return found


def _counted(
    peer: str,
    evaluations: list[Evaluation],
    wanted: list[Wanted],
    options: Options,
    profile: Profile,
    texts: Texts,
) -> list[Values]:
    """Return the counts of ROUGE for every pair of peer and model, per measure."""
    countings = [measure.counting for measure in wanted if measure.counting is not None]
    pairs = sum(len(evaluation.models) for evaluation in evaluations)
    rows = iter(())
    if countings and pairs:
        candidates = [_text(texts, e.peers[peer], e, options) for e in evaluations]
        references = [[_text(texts, m, e, options) for m in e.models] for e in evaluations]
        rows = iter(rouge_counts(candidates, references, profile.kernel, countings))
    return [
        _elements(peer, evaluations, options, profile)
        if measure.counting is None
        else next(rows, np.zeros((0, 3)))
        for measure in wanted
    ]


def _text(texts: Texts, path: bytes, evaluation: Evaluation, options: Options) -> list[str]:
    """Return the sentences of a text for ROUGE; with a word limit, blank lines are dropped because the core would count them."""
    found = texts.of(path, evaluation.format)
    return [s for s in found if s.strip(BLANKS)] if options.words else found


def _elements(
    peer: str, evaluations: list[Evaluation], options: Options, profile: Profile
) -> Values:
    mode = options.elements or ""
    found = []
    for evaluation in evaluations:
        own = elements_of(read_elements(evaluation.peers[peer], evaluation.format), mode, profile)
        for model in evaluation.models:
            others = elements_of(read_elements(model, evaluation.format), mode, profile)
            found.append(count_elements(own, others))
    return np.array(found, dtype=np.float64).reshape(-1, 3)


# Output lines of ROUGE-1.5.5.


RULE = "-" * 45 + "\n"
DOTS = "." * 45 + "\n"


def _result_lines(peer: str, tag: str, scored: _Scored, options: Options) -> Iterator[str]:
    """Yield the lines of one ROUGE measure of one peer, as ROUGE-1.5.5 prints them."""
    yield RULE
    if options.counting == 2:
        hits, own, model = np.add.accumulate(scored.counts)[-1] if len(scored.ids) else (0, 0, 0)
        yield (
            f"{peer} {tag} M_count: {_number(int(model))} P_count: {_number(int(own))} "
            f"H_count: {_number(int(hits))}\n"
        )
    else:
        yield from _averages(peer, tag, scored, options)
    if options.by_evaluation:
        yield DOTS
        for place in _by_number(scored.ids):
            if options.counting:
                hits, own, model = map(_number, scored.counts[place].tolist())
                recall, precision, f = model, own, hits
            else:
                recall, precision, f = (f"{v:.5f}" for v in scored.values[:, place].tolist())
            yield f"{peer} {tag} Eval {scored.ids[place]} R:{recall} P:{precision} F:{f}\n"


def _averages(peer: str, tag: str, scored: _Scored, options: Options) -> Iterator[str]:
    confidence, draws = float(options.confidence), options.samples
    if options.counting == 1:
        found = token_averages(
            scored.counts, scored.ids, alpha=options.alpha, confidence=confidence, draws=draws
        )
    else:
        found = averages(scored.values, scored.ids, confidence=confidence, draws=draws)
    for letter, one in zip("RPF", found, strict=True):
        yield (
            f"{peer} {tag} Average_{letter}: {one.mean:.5f} "
            f"({options.confidence}%-conf.int. {one.low:.5f} - {one.high:.5f})\n"
        )


def _number(value: float) -> str:
    """Format a number as Perl does.

    >>> _number(12.0), _number(0.1 + 0.2)
    ('12', '0.3')
    """
    return f"{value:.15g}"


def _perl_bytes(line: str) -> bytes:
    """Encode a line of ROUGE's output as Perl does: in Latin-1 if possible, otherwise in UTF-8."""
    try:
        return line.encode("latin-1")
    except UnicodeEncodeError:
        return line.encode("utf-8", "surrogateescape")


def _by_number(ids: tuple[str, ...]) -> list[int]:
    """Sort ids of peers and evaluations of ROUGE by their leading numbers, otherwise as text; equal numbers by the rest of the id."""

    def compare(a: int, b: int) -> int:
        one, other = ids[a], ids[b]
        first, second = _leading(one), _leading(other)
        if first is not None and second is not None and first != second:
            return -1 if first < second else 1
        return (one > other) - (one < other)

    return sorted(range(len(ids)), key=cmp_to_key(compare))


def _leading(text: str) -> int | None:
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    return int(digits) if digits else None
