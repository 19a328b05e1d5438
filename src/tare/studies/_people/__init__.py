"""Measures and people: how well measures agree with human judgements."""
