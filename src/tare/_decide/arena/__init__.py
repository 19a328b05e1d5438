"""Battles between systems: ratings, ranks and what the judges preferred."""
