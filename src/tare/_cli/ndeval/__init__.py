"""`tare ndeval`: a drop-in for ndeval, for any depth and any names of topics."""

from tare._cli.ndeval.run import command, main

__all__ = ["command", "main"]
