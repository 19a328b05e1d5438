"""`tare trec_eval`: a drop-in replacement for NIST's trec_eval, with identical output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tare._kernels.early import EarlyQrels

__all__ = ["command", "main"]


def main(argv: list[str]) -> int:
    """Run `tare trec_eval`; its judgements are read while its modules are loaded."""
    early = _early(argv)
    from tare._cli.trec_eval.run import main

    return main(argv, early)


def command(*arguments: str) -> int:
    """Drop-in replacement for trec_eval, with the same output."""
    return main(list(arguments))


def _early(argv: list[str]) -> EarlyQrels | None:
    """Begin to read the judgements, if the arguments are good and name a file."""
    from tare._cli.trec_eval.options import parse_options
    from tare._kernels.early import EarlyQrels
    from tare.errors import TareError

    try:
        options = parse_options(argv)
    except TareError:  # reported later
        return None
    return EarlyQrels.of(options.qrels) if options.judgements == "qrels" else None
