"""Measures learned from human scores."""
