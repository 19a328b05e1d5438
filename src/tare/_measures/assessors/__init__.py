"""Measures over the separate judgements of several assessors."""
