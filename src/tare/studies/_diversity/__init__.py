"""Diversity: whether preference measures rank systems like subtopic measures."""
