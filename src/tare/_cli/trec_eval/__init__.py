"""`tare trec_eval`: a drop-in replacement for NIST's trec_eval, with identical output."""

from tare._cli.trec_eval.run import main

__all__ = ["main"]
