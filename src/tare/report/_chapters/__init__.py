"""Chapters of a report: those of a score table, and those of any other result.

findings, systems, chance, pairs, queries, measures and methods are the chapters of a score table. result
makes the chapters of any other result from its tables, with the figures and findings that the modules of
`studies` make of it.
"""
