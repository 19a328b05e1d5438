"""The command `tare rouge`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tare._cli.output import print_bytes, say
from tare._cli.rouge.options import Options, help_text, parse_options, wanted_measures
from tare._cli.rouge.scoring import perl_bytes, result_lines, score_peer
from tare._cli.rouge.texts import Evaluation, Texts, read_list, read_settings
from tare._files.addresses import exists
from tare._measures.text.profiles import FILES, Profile, find_wordnet, profile
from tare._plain_text import plain
from tare.errors import OptionError, TareError, UnreadableError

__all__ = ["main"]

EXCEPTIONS = ("WordNet-2.0-Exceptions", "data/WordNet-2.0-Exceptions", "")
HOMES = ("ROUGE_EVAL_HOME", "RED_EVAL_HOME")


def main(argv: list[str]) -> int:
    """Run `tare rouge` with these arguments and return the exit code."""
    try:
        for line in _answer(argv):
            print_bytes(perl_bytes(line))
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
        scored = score_peer(peer, present, spec, options, chosen, texts)
        for measure, one in zip(spec, scored, strict=True):
            yield from result_lines(peer, measure.tag, one, options)


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
    """Raise before anything is printed if a file is missing."""
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
