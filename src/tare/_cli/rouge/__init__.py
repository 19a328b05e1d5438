"""`tare rouge`: a drop-in replacement for ROUGE-1.5.5, with identical output."""

from tare._cli.rouge.run import main

__all__ = ["main"]
