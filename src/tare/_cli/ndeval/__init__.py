"""`tare ndeval`: a drop-in replacement for ndeval, for any depth and any topic names."""

from tare._cli.ndeval.run import main

__all__ = ["main"]
