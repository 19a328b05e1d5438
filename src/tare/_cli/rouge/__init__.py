"""`tare rouge`: a drop-in for ROUGE-1.5.5, byte for byte on standard output."""

from tare._cli.rouge.run import command, main

__all__ = ["command", "main"]
