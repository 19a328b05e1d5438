"""Measures of novelty and diversity: their values, and their moments under chance."""
