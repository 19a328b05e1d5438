"""Scores in, a conclusion out: comparisons, gates, leaderboards, arenas, estimates, power.

This room asks `tare.stats` for tests and intervals of arrays, and gives results with sentences and tables.
"""
