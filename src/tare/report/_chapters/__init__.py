"""Chapters of a report.

`score_table` joins findings, systems, chance, pairs, queries, measures and methods into the chapters of a
score table. `result` makes the chapters of any other result from its tables; the modules of `studies`
add figures and findings.
"""
