"""Chapters: each a part of a result told to a reader."""

__all__ = ["KEYS"]

# The chapters of a score table, in the order in which they are read.
KEYS = ("findings", "systems", "chance", "pairs", "queries", "measures", "methods")
