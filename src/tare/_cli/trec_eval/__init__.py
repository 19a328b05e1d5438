"""`tare trec_eval`: a drop-in for NIST's trec_eval, byte for byte on standard output."""

from tare._cli.trec_eval.run import main

__all__ = ["command", "main"]


def command(*arguments: str) -> int:
    """A drop-in for trec_eval, byte for byte."""
    return main(list(arguments))
