"""Summaries: agreement of text measures with people, with and without chance correction."""
