"""Measures and people: which measure best agrees with human judgements."""
