"""Leaderboards of many systems on many data sets, with ranks that admit ties."""
