"""Measures of rankings, each with the arguments of its kernel."""
